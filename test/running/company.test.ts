import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { code } from "../roadmap/feature-documents.ts";
import { attachRun } from "#running/operations/attach-run.ts";
import type { RunNotice } from "#running/operations/run-context.ts";
import { refusal } from "../kit/fault.ts";
import { runStand } from "./run-stand.ts";

const FILE = "src/tide-model-A.mjs";
const BUILD = "tide-model/build-A/1";
const CODE = code({ feature: "tide-model", groups: [] }, "A");

test("a conflict with a colleague's commit goes to a fresh agent with both versions, and nothing is lost", async () => {
  const theirs = "export const answer = () => 'theirs';\n";
  using stand = await runStand({
    groups: { "tide-model": ["A"] },
    acts: [{ action: BUILD, start: 1, act: "conflict", text: theirs }],
    keepBriefs: true,
  });
  const { notices, ...output } = await stand.start();
  expect(output).toMatchObject({ complete: true, failed: [], waiting: [] });
  expect(notices.filter(({ event }) => event === "conflicted")).toMatchObject([
    { action: BUILD, problems: [expect.stringContaining(FILE)] },
  ]);
  const briefs = fs.readdirSync(stand.home).filter((name) => name.startsWith("brief-"));
  const second = briefs
    .map((name) => fs.readFileSync(join(stand.home, name), "utf8"))
    .find((text) => text.includes("Others changed the same lines"));
  expect(second).toContain(`+${CODE.split("\n")[0]}`);
  expect(stand.starts().filter((line) => line.startsWith(`${BUILD} `) && line.endsWith("fresh"))).toHaveLength(2);
  expect(stand.read(FILE)).toBe(CODE);
  expect(stand.git("log", "--format=%s", "--", FILE).trim().split("\n")).toEqual([
    "Build group A: tide-model",
    "Begin it differently",
  ]);
});

test("a changed file of the user holds its landing back, and the next run lands it", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } });
  fs.mkdirSync(join(stand.root, "src"), { recursive: true });
  fs.writeFileSync(join(stand.root, FILE), "// my notes\n");
  const first = await stand.start();
  expect(first.waiting).toEqual([{ action: BUILD, why: expect.stringContaining(FILE) }]);
  expect(stand.read(FILE)).toBe("// my notes\n");
  fs.rmSync(join(stand.root, FILE));
  const second = await stand.start();
  expect(second).toMatchObject({ complete: true, waiting: [] });
  expect(stand.read(FILE)).toBe(CODE);
});

test("a user who edits and a colleague's push that is pulled meanwhile keep all their work", async () => {
  const WHAT = "Add a function that halves a number";
  const work = {
    "src/half.mjs": "export const half = (n) => n / 2;\n",
    "tests/half.mjs": 'import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), 2));\n',
  };
  using stand = await runStand({ groups: {}, work: [work] }, { "src/notes.mjs": "// notes\n" });
  const [origin, colleague] = [join(stand.home, "origin.git"), join(stand.home, "colleague")];
  stand.git("clone", "-q", "--bare", ".", origin);
  stand.git("remote", "add", "origin", origin);
  stand.plan({
    acts: [
      {
        action: "work",
        act: "meanwhile",
        text: `git clone -q ${origin} ${colleague}
          echo 'export const theirs = 1;' > ${colleague}/src/theirs.mjs
          git -C ${colleague} add -A
          git -C ${colleague} -c user.name=C -c user.email=c@example.org commit -qm "Add theirs"
          git -C ${colleague} push -q origin HEAD
          echo '// mine' >> src/notes.mjs
          echo '// new' > src/new.mjs
          git pull -q --ff-only origin "$(git branch --show-current)"`,
      },
    ],
  });
  const { notices: _, ...output } = await stand.start({ work: WHAT });
  expect(stand.starts()).toContain("meanwhile done 0");
  expect(output).toMatchObject({ complete: true, landed: 1, failed: [], waiting: [] });
  expect(stand.git("log", "--format=%s", "-2").trim().split("\n")).toEqual([WHAT, "Add theirs"]);
  expect(stand.read("src/notes.mjs")).toBe("// notes\n// mine\n");
  expect(stand.git("status", "--porcelain").trim().split("\n")).toEqual(["M src/notes.mjs", "?? src/new.mjs"]);
  expect(stand.read("src/theirs.mjs")).toBe("export const theirs = 1;\n");
});

test("--once ends after what was ready, and --until after the next finished feature or wave", async () => {
  using stand = await runStand({
    groups: { "tide-model": ["A"], alarm: ["A"] },
    dependencies: { alarm: ["tide-model"] },
  });
  const once = await stand.start({ once: true });
  expect(once).toMatchObject({ complete: false, ended: "Everything that was ready is finished." });
  const until = await stand.start({ until: "feature" });
  expect(until).toMatchObject({ complete: false, ended: "The next feature is finished." });
  expect(stand.has("src/tide-model-A.mjs")).toBe(true);
  expect(stand.has("src/alarm-A.mjs")).toBe(false);
  const wave = await stand.start({ until: "wave" });
  expect(wave).toMatchObject({ complete: false, ended: "The next wave is finished." });
  expect(stand.git("log", "--format=%s")).toContain("Record wave 1\n");
  expect(stand.has("src/alarm-A.mjs")).toBe(false);
});

test("--cap-tokens starts nothing beyond the cap, and a higher cap continues", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } });
  const capped = await stand.start({ cap_tokens: 1 });
  expect(capped).toMatchObject({ complete: false, landed: 0 });
  expect(fs.existsSync(join(stand.home, "starts.log"))).toBe(false);
  const { notices: _, ...again } = await stand.start({ cap_tokens: 0 });
  expect(again).toMatchObject({ complete: true });
});

test("--gate asks after a review, and ends while the question is open", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } });
  const asked = await stand.start({ gate: true });
  expect(asked.complete).toBe(false);
  expect(asked.questions.length).toBeGreaterThan(0);
});

test("--attach shows all events of a run that another process leads, until it ends", async () => {
  using stand = await runStand({ groups: { "tide-model": ["A"] } });
  expect(await refusal(stand.start({ attach: true }))).toMatchObject({
    code: "run.not-ready",
    message: expect.stringContaining("No process leads a run of this repository."),
  });
  const heard: RunNotice[] = [];
  const leading = stand.start({ once: true });
  const progress = {
    tell: () => undefined,
    cancelled: new AbortController().signal,
    notice: (notice: { event: string }) => void heard.push(notice as RunNotice),
  };
  await expect.poll(() => fs.existsSync(join(stand.home, "starts.log")), { timeout: 240_000 }).toBe(true);
  const attached = await attachRun({ ...stand.engine, progress });
  const { notices, ...output } = await leading;
  expect(attached).toEqual(output);
  expect(heard.map(({ event }) => event)).toEqual(["attached", ...notices.map(({ event }) => event).slice(1)]);
  expect(heard.find(({ event }) => event === "started")).toMatchObject({ age_s: expect.any(Number) });
});
