import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { judge } from "./oracle.ts";
import { differences, picture } from "./picture.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";
import { houseIn, SCENARIOS, type Scenario } from "./scenario.ts";
import { canMount, type SmallDisk, smallDisk } from "./small-disk.ts";
import { sample, seed } from "./tier.ts";
import { judgeEndedProcess } from "./process-verdict.ts";

const PAGE = 4096;
/** More than any of the commands needs. */
const PLENTY = 80;
const LOOKS = [["status"], ["change", "list"], ["adr", "list"], ["validate"], ["doctor"]];

describe.skipIf(!canMount())(`a real disk (TENON_SEED=${seed})`, () => {
  test.for(SCENARIOS)("that is full: $name", { timeout: 600_000 }, async (scenario) => {
    using disk = smallDisk();
    using folder = temporaryFolder();
    const rehearsal = await rehearsed(scenario, folder.path);
    const sizes = sample(
      Array.from({ length: PLENTY }, (_, i) => i),
      6,
    );
    const wrong: string[] = [];
    const codes: number[] = [];
    for (const pages of sizes) {
      const { code, found } = await runIntoTheWall(disk, (left) => disk.fill(left), pages * PAGE, rehearsal);
      codes.push(code);
      wrong.push(...found.map((text) => `with ${pages} pages left: ${text}`));
    }
    expect({ wrong, first: codes[0], last: codes.at(-1) }).toEqual({ wrong: [], first: 1, last: 0 });
  });

  test.for(SCENARIOS)("that has no inode left: $name", { timeout: 600_000 }, async (scenario) => {
    using disk = smallDisk();
    using folder = temporaryFolder();
    const rehearsal = await rehearsed(scenario, folder.path);
    const wrong: string[] = [];
    const codes: number[] = [];
    for (const files of [0, ...sample([1, 2, 3, 4, 5, 6, 8, 10, 12, 16], 4), PLENTY]) {
      const { code, found } = await runIntoTheWall(disk, (left) => disk.fillFiles(left), files, rehearsal);
      codes.push(code);
      wrong.push(...found.map((text) => `with ${files} files left: ${text}`));
    }
    expect({ wrong, first: codes[0], last: codes.at(-1) }).toEqual({ wrong: [], first: 1, last: 0 });
  });

  test.for(SCENARIOS.filter((scenario) => !scenario.hasLog))("that is read-only: $name", async (scenario) => {
    using disk = smallDisk();
    using folder = temporaryFolder();
    const { expected, copy } = await rehearsed(scenario, folder.path);
    const root = moved(copy(), disk);
    disk.remount("ro");
    using house = houseIn(root);
    for (const words of LOOKS) expect({ words, code: (await house.run(...words)).code }).toEqual({ words, code: 0 });
    const { code, err } = await house.run(...scenario.words, "--json");
    const { error } = JSON.parse(err) as { error: { code: string; why: string; fix: string[] } };
    // Codex's sandbox mounts .git read-only, while the server runs outside of it.
    expect({ code, fault: error.code, why: error.why, fix: error.fix[0] }).toEqual({
      code: 1,
      fault: "files.unwritable",
      why: "The file system is read-only (EROFS).",
      fix: "In an agent's sandbox, such as Codex's, use the MCP tools: the server runs outside the sandbox.",
    });
    expect(differences(picture(root), expected.before)).toEqual([]);
    disk.remount("rw");
    expect(await judge(root, expected, "unchanged")).toEqual([]);
  });
});

function rehearsed(scenario: Scenario, folder: string): Promise<Rehearsal> {
  return rehearse(scenario, folder, (root) => runOnce(root, scenario.words));
}

/** Runs the command with so little left, looks around while there is nothing, then makes room and goes on. */
async function runIntoTheWall(
  disk: SmallDisk,
  fill: (left: number) => void,
  left: number,
  { expected, copy }: Rehearsal,
): Promise<{ code: number; found: string[] }> {
  const root = moved(copy(), disk);
  fill(left);
  const ending = await runOnce(root, expected.scenario.words);
  const found = ending.code === 0 || namesTheCause(ending.err) ? [] : [`it does not name the cause: ${ending.err}`];
  fill(0);
  const look = await runOnce(root, ["status"]);
  const isExcused = expected.scenario.hasLog && namesTheCause(look.err);
  if (look.code !== 0 && !isExcused) found.push(`no status: ${look.err}`);
  disk.free();
  const told = judgeEndedProcess({ ...ending, signal: null });
  found.push(...(typeof told === "string" ? await judge(root, expected, told) : [told.wrong]));
  fs.rmSync(root, { recursive: true });
  return { code: ending.code, found };
}

async function runOnce(root: string, words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  using house = houseIn(root);
  // Awaited here, for the house is closed when this returns.
  return await house.run(...words, "--json");
}

function namesTheCause(err: string): boolean {
  const { error } = JSON.parse(err.split("\n").findLast((line) => line.startsWith("{")) ?? "{}") as {
    error?: { code: string; why: string };
  };
  return error?.code === "disk.full" || (error?.code === "store.pending" && error.why.includes("is full"));
}

function moved(root: string, disk: SmallDisk): string {
  const place = `${disk.path}/work`;
  fs.cpSync(root, place, { recursive: true });
  fs.rmSync(root, { recursive: true });
  return place;
}
