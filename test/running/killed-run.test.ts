import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { chance, isFull, seed } from "../kit/chance.ts";
import { code } from "../roadmap/feature-documents.ts";
import { runStand } from "./run-stand.ts";

const WORKER = fileURLToPath(new URL("./run-worker.ts", import.meta.url));
const MAX_KILLS = isFull ? 200 : 8;

/** Processes that were started in the repository, with all that they started. */
function listOrphans(root: string): string[] {
  return fs
    .readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const place = fs.readlinkSync(`/proc/${pid}/cwd`);
        return place.startsWith(root) ? [`${pid} ${fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")}`] : [];
      } catch {
        return [];
      }
    });
}

test("loses no work and lands none twice in a run that is killed repeatedly", async () => {
  const acts = [{ action: "build-", act: "children" }];
  using stand = await runStand({ groups: { "tide-model": ["A", "B"], alarm: ["A"] }, acts });
  const random = chance(seed);
  const step = isFull ? 8 : 60;
  const kinds: string[] = [];
  let output = "";
  for (let kills = 0; output === ""; kills++) {
    const at = kills < MAX_KILLS ? 1 + random(step) : 0;
    const side = random(2) === 0 ? "before" : "after";
    const words = ["--conditions=tenon-source", WORKER, stand.root, stand.bin, stand.dataFolder, String(at), side];
    const done = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 240_000 });
    kinds.push(done.signal ?? String(done.status));
    if (done.signal !== "SIGKILL" && done.status !== 0) throw new Error(done.stderr);
    output = done.signal === "SIGKILL" ? "" : done.stdout;
  }
  expect(JSON.parse(output)).toMatchObject({ complete: true, waiting: [], questions: [] });
  const subjects = stand.git("log", "--format=%s").trim().split("\n");
  for (const [feature, group] of [
    ["tide-model", "A"],
    ["tide-model", "B"],
    ["alarm", "A"],
  ] as const) {
    expect(subjects.filter((each) => each === `Build group ${group}: ${feature}`)).toHaveLength(1);
    expect(stand.read(`src/${feature}-${group}.mjs`)).toBe(code({ feature, groups: [] }, group));
  }
  expect(stand.git("status", "--porcelain")).toBe("");
  expect(stand.git("worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(listOrphans(stand.root)).toEqual([]);
});
