import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProblems, type RunPlan, type RunStand, runStand } from "./run-stand.ts";

const CONFIG = "run:\n  commands:\n    acp: { command: [acp, --stdio], protocol: acp }\n";
const BUILD = "tide-model/build-A/1";
const SPEC = "sdd/features/tide-model/spec.yaml";

const WHAT = "Add a function that halves a number";
const WORK = "work/add-a-function-that-halves-a-number";
const CODE = "export const half = (n) => n / 2;\n";
const TEST = 'import { half } from "../src/half.mjs";\n\ntest("halves", () => same(half(4), 2));\n';
const FILES = { "src/half.mjs": CODE, "tests/half.mjs": TEST };
const DONE = { complete: true, failed: [], waiting: [] };

async function acpStand(plan: RunPlan, files: Readonly<Record<string, string>> = {}): Promise<RunStand> {
  const stand = await runStand(plan, files);
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}${CONFIG}`);
  stand.commit("Name an agent");
  await stand.trust();
  return stand;
}

const play = (acts: RunPlan["acts"] = []) =>
  acpStand({ groups: {}, work: [FILES, FILES, FILES], acts: acts.map((act) => ({ action: "work", ...act })) });
const readAcpLog = ({ home }: RunStand): string[] => fs.readFileSync(join(home, "acp.log"), "utf8").trim().split("\n");
const listStarts = (stand: RunStand) =>
  stand.starts().flatMap((line) => (line.includes("done") ? [] : [line.split(" ").at(-1)]));

test("agents of the protocol build a roadmap, and get back what is wrong in their session", async () => {
  using stand = await acpStand(
    {
      groups: { "tide-model": ["A"] },
      acts: [
        { action: BUILD, start: 1, act: "wrong-file" },
        { action: BUILD, start: 2, act: "record" },
        { action: "tide-model/t", start: 1, act: "no-report" },
        { action: "impl/B2/quality", start: 1, act: "wrong-report" },
      ],
    },
    { "src/other.mjs": "export const other = 0;\n" },
  );
  const { notices, ...output } = await stand.start({ agent: "acp=4" });
  expect(output).toMatchObject(DONE);
  expect(listProblems(notices)).toEqual([
    "The agent ended without a report.",
    "These files do not belong to the action. Restore them: src/other.mjs.",
    `These files are Tenon's, and it restored them. Leave them alone: ${SPEC}.`,
    expect.stringContaining("quality"),
  ]);
  expect(stand.read("src/other.mjs")).toBe("export const other = 0;\n");
  const log = readAcpLog(stand);
  expect(log.filter((line) => line === "session/load")).toHaveLength(4);
  // Neither files nor terminals are offered.
  const offered = JSON.stringify({ fs: { readTextFile: false, writeTextFile: false }, terminal: false });
  expect(new Set(log)).toEqual(new Set(["initialize", offered, "session/new", "session/load", "session/prompt"]));
  // A loaded session reports what it cost before as well. Only the rest counts.
  const costs = notices.flatMap((notice) => (notice.event === "ended" && notice.action === BUILD ? [notice.usd] : []));
  expect(costs.map((usd) => usd.toFixed(2))).toEqual(["0.01", "0.02", "0.03"]);
});

test("a request for permission gets the answer of Tenon's hooks, and never for more than one call", async () => {
  const wishes = ["notes.txt", "sdd/sdd.json", "../../../src/elsewhere.mjs"];
  using stand = await play(wishes.map((text) => ({ start: 1, act: "ask", text })));
  const { notices, ...output } = await stand.start({ work: WHAT, agent: "acp=1" });
  expect(output).toMatchObject(DONE);
  expect(stand.starts().filter((line) => line.startsWith("asked "))).toEqual([
    "asked notes.txt allow_once",
    "asked sdd/sdd.json reject_once",
    "asked ../../../src/elsewhere.mjs reject_once",
  ]);
  expect(stand.has("src/elsewhere.mjs")).toBe(false);
  expect(notices.find(({ event }) => event === "progress")).toMatchObject({ action: WORK, tool: "read", tools: 1 });
  const { transcript } = (await stand.run("run.show", { action: WORK })) as { transcript?: { text: string } };
  expect(transcript?.text).toContain("must not be edited by hand");
});

test("a rate limit parks agents of the protocol, and a missing sign-in names the line to type", async () => {
  using stand = await play([
    { start: 1, act: "limit", text: "429 rate limit, retry after 1 seconds" },
    { start: 2, act: "login" },
  ]);
  const { notices, ...output } = await stand.start({ work: WHAT, agent: "acp=1" });
  expect(notices.filter(({ event }) => event === "parked")).toMatchObject([
    { agent: "acp", why: expect.stringContaining("429 rate limit, retry after 1 seconds") },
  ]);
  expect(output.waiting).toEqual([{ action: WORK, why: "acp is not signed in. Run: acp --help" }]);
});

test("an agent that crashes loads its session where it can, and is told the whole task elsewhere", async () => {
  for (const mayLoad of [true, false]) {
    using stand = await play([{ start: 1, act: "crash" }]);
    if (!mayLoad) fs.writeFileSync(join(stand.home, "no-load"), "");
    const { notices, ...output } = await stand.start({ work: WHAT, agent: "acp=1" });
    expect(output).toMatchObject(DONE);
    expect(listProblems(notices)).toEqual([expect.stringMatching(/^The agent failed with exit code 1\./)]);
    expect(listStarts(stand)).toEqual(["fresh", mayLoad ? "resumed" : "fresh"]);
  }
});

test("a session that is lost is started again with the whole task", async () => {
  using stand = await play([
    { start: 1, act: "crash" },
    { start: 1, act: "forget" },
  ]);
  const { notices, ...output } = await stand.start({ work: WHAT, agent: "acp=1" });
  expect(output).toMatchObject(DONE);
  expect(listProblems(notices).at(-1)).toContain("Invalid session identifier");
  expect(listStarts(stand)).toEqual(["fresh", "fresh"]);
});

test("a silent agent is asked to cancel its turn before its processes end", async () => {
  using stand = await play([{ start: 1, act: "silence" }]);
  const { notices, ...output } = await stand.start({ work: WHAT, agent: "acp=1" }, { first: WORK, silence_s: 8 });
  expect(output).toMatchObject(DONE);
  expect(listProblems(notices)).toEqual([expect.stringMatching(/printed nothing for .+ and was ended\.$/)]);
  expect(readAcpLog(stand).filter((line) => line === "session/cancel")).toHaveLength(1);
});
