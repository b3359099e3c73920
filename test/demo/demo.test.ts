import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { playRepositoryChapter } from "../../demo/chapters.ts";
import { playDemo } from "../../demo/demo.ts";
import type { DemoWorld } from "../../demo/stage.ts";
import { openGitCommand } from "#git/adapters/git-command.ts";
import { type TemporaryFolder, temporaryFolder } from "../kit/folder.ts";
import { BIN, environment, finished, startTenon, tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";

/** On a busy machine. */
const LONGEST = 300_000;

/** A user with a home of their own and a place for temporary files, and nothing in either. */
function user() {
  const folder: TemporaryFolder = temporaryFolder();
  const [home, temporary] = [join(folder.path, "home"), join(folder.path, "temporary")];
  for (const path of [home, temporary]) fs.mkdirSync(path);
  return {
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, TENON_HOME: home, TMPDIR: temporary },
    cwd: folder.path,
    left: () => [home, temporary].map((path) => fs.readdirSync(path).filter((name) => name !== "tenon")),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("keeps every promise and leaves nothing behind", { timeout: LONGEST }, async () => {
  using it = user();
  const { code, out, err } = await finished(startTenon(["demo"], it));
  const [, promises = ""] = out.split(/^\d+ promises, all kept:\n/m);
  expect([code, err]).toEqual([0, ""]);
  expect(promises).toMatchInlineSnapshot(`
    "  ✓ Tenon runs no command of a repository before the user has seen and trusted it
      ✓ Dependencies between features decide the waves
      ✓ Tenon reads a design itself and names the missing section
      ✓ Inspectors review the design from five views before any code, and their findings decide the verdict
      ✓ Tenon rejects a Builder's claim if its files are missing or its tests fail
      ✓ A rejected report changes no record
      ✓ Tenon accepts the true report; the gate runs the tests and writes a receipt with the criteria
      ✓ The user approves the cause and the plan of a fix before code changes
      ✓ A rollback restores the workflow's own files and no others
      ✓ Tenon rejects a fix without a test that shows the bug
      ✓ The bug's test fails without the fix and passes with it
      ✓ The bugfix ends after all its gates pass
      ✓ After kill -9 nothing is lost, and the agent gets the same action again
      ✓ Tenon applies a report once, however often an agent sends it
      ✓ A Critical finding is a NO-GO, its file's Builder fixes it, and the next review says GO
      ✓ Finished work ends in commits with clear messages
      ✓ Tenon verifies every receipt and finds an edited one
      ✓ Specs, receipts, code and tests agree, as a build would check
      ✓ Tenon drafts the handover, and a person or an agent adds the rest
      ✓ The next session learns what was done, what was decided and where to start
    "
  `);
  const chapters = [...out.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  expect(chapters).toEqual(chapters.map((_, i) => i + 1));
  // A story, not a wall.
  expect(out.split("\n").length).toBeLessThan(150);
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThan(260);
  expect(it.left()).toEqual([[], []]);
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "leaves nothing behind after %s",
  async (signal) => {
    using it = user();
    const child = startTenon(["demo"], it);
    child.stdout?.on("data", (part: Buffer) => {
      if (part.toString().includes("fares/architect/1")) child.kill(signal);
    });
    const { code, out } = await finished(child);
    expect([code, out.includes("promises")]).toEqual([130, false]);
    expect(it.left()).toEqual([[], []]);
  },
  LONGEST,
);

/** A program like the real one, but for what it answers to one command. */
function doctored(folder: string, command: string, answer: string): DemoWorld & { told(): string } {
  const real = JSON.stringify(BIN);
  put(
    folder,
    "doctored.mjs",
    `import { spawnSync } from "node:child_process";
const words = process.argv.slice(2);
if (words.join(" ").startsWith(${JSON.stringify(command)})) console.log(${JSON.stringify(answer)});
else process.exitCode = spawnSync(process.execPath, [${real}, ...words], { stdio: "inherit" }).status;
`,
  );
  let told = "";
  return {
    told: () => told,
    out: (text) => void (told += text),
    hasColour: false,
    environment: environment(),
    program: join(folder, "doctored.mjs"),
    asset: async (name) => fs.readFileSync(`assets/${name}`, "utf8"),
    git: async (at, words, own) =>
      (await openGitCommand(at, own)).ask(words, {
        settings: [
          ["user.name", "t"],
          ["user.email", "t@example.org"],
        ],
      }),
  };
}

test.each<[string, string, string, boolean]>([
  ["that works", "nothing", "", true],
  ["that trusts without asking", "trust --json", '{"state":"recorded","hash":"0","commands":["node --test"]}', false],
  ["that prints nothing useful", "trust --json", "{}", false],
  ["that crashes", "trust --json", "Segmentation fault", false],
])(
  "checks a program %s",
  async (_, command, answer, areKept) => {
    using folder = temporaryFolder();
    const world = doctored(folder.path, command, answer);
    const wish = { verbose: false, keep: false };
    expect(await playDemo(world, wish, AbortSignal.timeout(LONGEST), [playRepositoryChapter])).toBe(areKept);
    expect(world.told()).toContain(areKept ? "1 promise, all kept:" : "broken:");
  },
  LONGEST,
);

test("rejects unknown flags before it starts", () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path };
  expect(tenon(["demo", "--quick"], at)).toEqual(
    expect.objectContaining({ code: 2, err: expect.stringContaining("usage.bad-flag") }),
  );
  expect(tenon(["demo", "--help"], at)).toEqual(
    expect.objectContaining({ code: 0, out: expect.stringContaining("--keep") }),
  );
});

test("reports that it cannot create a temporary folder, and the variable to set", async () => {
  using it = user();
  const missing = join(it.cwd, "missing");
  const { code, err } = await finished(startTenon(["demo"], { ...it, env: { ...it.env, TMPDIR: missing } }));
  expect(code).toBe(1);
  expect(err).toContain(`error[files.unwritable]: The demo was not played. No folder can be made in ${missing}`);
  expect(it.left()).toEqual([[], []]);
});
