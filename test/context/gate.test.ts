import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { createContextAnswer, breakGround, type Checked, CLEAR, type Ground, REQUIREMENTS } from "./ground.ts";

const NOT_CHECKED = "This change has no context check yet. Run it, and answer its critical facts.";
const STALE = /^The context check of 2026-01-31T12:\d\d:\d\dZ is out of date\. Run it again\. Since then: ./;

const CHANGE = "raise-the-limit-of-an-upload";

async function atContextCheck(description: string, prepare?: (ground: Ground) => unknown): Promise<Ground> {
  const ground = breakGround();
  ground.write("sdd/requirements.md", REQUIREMENTS);
  await prepare?.(ground);
  await ground.start(description);
  const [{ id } = { id: "" }] = (await ground.run<{ changes: { id: string }[] }>("change.list")).changes;
  expect(await ground.advance("Uploads are refused too early.", id)).toEqual([]);
  return ground;
}

test("keeps the stage open until this change was checked", async () => {
  using ground = await atContextCheck("Raise the limit");
  await ground.start("Another");
  expect(await ground.advance(CLEAR, "raise-the-limit")).toEqual([NOT_CHECKED]);
  await ground.run("context.check", { change_id: "another" });
  expect(await ground.advance(CLEAR, "raise-the-limit")).toEqual([NOT_CHECKED]);
  await ground.run("context.check", { change_id: "raise-the-limit" });
  expect(await ground.advance(CLEAR, "raise-the-limit")).toEqual([]);
});

const RULES = "## Constraints\n\n- BR-001: When the limit of an upload is reached, Then it is refused.";

test.each<[string, (ground: Ground) => unknown]>([
  [
    "a related requirement changes",
    ({ write }) => write("sdd/requirements.md", REQUIREMENTS.replace("an upload over 10 MB", "uploads beyond a limit")),
  ],
  ["the quoted requirements are removed", ({ root }) => fs.rmSync(join(root, "sdd/requirements.md"))],
  ["there is a new related business rule", ({ write }) => write("sdd/business-rules.md", RULES)],
])("requires a new check when %s", async (_, change) => {
  using ground = await atContextCheck("Raise the limit of an upload", ({ start }) => start("Bystander"));
  await ground.run("context.check", { change_id: CHANGE });
  await change(ground);
  expect(await ground.advance(CLEAR, CHANGE)).toEqual([expect.stringMatching(STALE)]);
  await ground.run("context.check", { change_id: CHANGE });
  expect(await ground.advance(CLEAR, CHANGE)).toEqual([]);
});

test.each<[string, (ground: Ground) => unknown]>([
  ["code changes", ({ write }) => write("src/upload.ts", "// FR-002")],
  ["README.md changes", ({ write }) => write("README.md", "Hello")],
  ["memory has a new observation", ({ run }) => run("memory.save", { title: "Limit", content: "Raise the limit" })],
  ["another change reaches its tasks", ({ write }) => write("sdd/changes/bystander/tasks.md", "- TASK-001: x")],
  ["a closed change is archived", ({ run }) => run("change.archive", { change_id: "closed" })],
  ["another change joins the history", ({ write }) => write("sdd/history/long-ago/change.json", "{}")],
  ["another change starts", ({ start }) => start("Another")],
  [
    "a decision is recorded",
    ({ run }) => run("adr.record", { title: "T", context: "C", decision: "D", rationale: "R", standalone: true }),
  ],
])("keeps a check valid when %s", async (_, change) => {
  using ground = await atContextCheck("Raise the limit of an upload", async ({ start, run }) => {
    await start("Bystander");
    await start("Closed");
    await run("change.abandon", { change_id: "closed", reason: "Solved" });
  });
  await ground.run("context.check", { change_id: CHANGE });
  await change(ground);
  expect(await ground.advance(CLEAR, CHANGE)).toEqual([]);
});

test("requires an answer to each critical fact, in own words", async () => {
  using ground = breakGround();
  ground.write("sdd/requirements.md", REQUIREMENTS);
  await ground.start("Cap the uploads of FR-002");
  await ground.start("Raise FR-002 and FR-042");
  await ground.advance("It is too low.", "raise-fr-002-and-fr-042");
  const { facts } = await ground.run<Checked>("context.check", { change_id: "raise-fr-002-and-fr-042" });
  expect(facts).toEqual([
    { id: "CF-1", severity: "critical", fact: "The open change cap-the-uploads-of-fr-002 names FR-002 too." },
    {
      id: "CF-2",
      severity: "critical",
      fact: "The description names FR-042, which does not exist: no requirement has that id.",
    },
    {
      id: "CF-3",
      severity: "info",
      fact: "The description names FR-002 (sdd/requirements.md:6): The system shall refuse an upload over 10 MB.",
    },
  ]);
  const open = async (content: string): Promise<string[]> =>
    (await ground.advance(content, "raise-fr-002-and-fr-042")).map((problem) => problem.split(" ")[0] ?? "");
  expect(await open(CLEAR)).toEqual(["CF-1", "CF-2"]);
  expect(await open(createContextAnswer("CF-1:", "CF-2: "))).toEqual(["CF-1", "CF-2"]);
  expect(await open(createContextAnswer("CF-1: noted", "CF-2: FR-042 was a slip of the pen"))).toEqual(["CF-1"]);
  expect(
    await open(createContextAnswer("CF-1: the user lets that one land first", "CF-2: FR-042 was a slip of the pen")),
  ).toEqual([]);
  // Having answered, it may name what does not exist; what it was not told of, it may not.
  expect(await ground.run("workspace.validate")).toMatchObject({ passed: true });
});

test("lists a completed change as a fact until it is archived, since its deltas are not merged yet", async () => {
  using ground = breakGround();
  ground.write("sdd/requirements.md", REQUIREMENTS);
  await ground.start("Cap the uploads of FR-002");
  ground.write("README.md", "Uploads end at 10 MB.\n");
  for (const content of [
    "It is too high.",
    createContextAnswer("x"),
    "- TASK-001: FR-002",
    "## Evidence\n\nTASK-001: done",
  ]) {
    await ground.run("context.check");
    await ground.advance(content);
  }
  expect(await ground.run("change.list", { status: "completed" })).toMatchObject({ changes: [{}] });
  await ground.start("Raise FR-002");
  const { facts, findings } = await ground.run<Checked>("context.check");
  expect(facts.filter(({ severity }) => severity === "critical").map(({ fact }) => fact)).toEqual([
    "The open change cap-the-uploads-of-fr-002 names FR-002 too.",
  ]);
  expect(findings.find(({ kind }) => kind === "looked")?.text).toContain("1 other open change, 0 closed changes");
  expect(findings.filter(({ kind }) => kind === "change")).toEqual([]);
});

test("adds the caller's description to that of the change", async () => {
  using ground = await atContextCheck("Raise the limit");
  const harmless = { change_id: "raise-the-limit", change_description: "Nothing of note about FR-077" };
  const { critical } = await ground.run<Checked>("context.check", harmless);
  expect(critical).toBe(1);
  expect((await ground.advance(CLEAR)).map((problem) => problem.slice(0, 4))).toEqual(["CF-1"]);
  using other = await atContextCheck("Raise the limit", () => undefined);
  other.write("sdd/changes/raise-the-limit/describe.md", "It breaks FR-055.\n");
  const checked = await other.run<Checked>("context.check", { change_description: "Nothing of note" });
  await other.start("Raise FR-056");
  const again = await other.run<Checked>("context.check", {
    change_id: "raise-fr-056",
    change_description: "Nothing of note",
  });
  expect(again.facts.map(({ fact }) => fact)).toEqual([
    "The description names FR-056, which does not exist: no requirement has that id.",
  ]);
  expect(checked.facts.map(({ fact }) => fact)).toEqual([
    "sdd/changes/raise-the-limit/describe.md names FR-055, which does not exist: no requirement has that id.",
  ]);
});

test("requires a valid check to confirm a stale artifact", async () => {
  using ground = await atContextCheck("Raise the limit");
  await ground.run("context.check");
  expect(await ground.advance(CLEAR)).toEqual([]);
  await ground.start("Lower FR-002");
  const change_id = "raise-the-limit";
  await ground.run("change.reopen", { change_id, stage: "describe", reason: "Misread" });
  await ground.advance("Uploads of FR-002 are refused too late.", change_id);
  const keep = { change_id, keep: true };
  const kept = await ground.run<{ passed: boolean; problems: { problem: string }[] }>("change.advance", keep);
  expect(kept.problems).toEqual([{ problem: expect.stringMatching(STALE) }]);
  expect(kept.problems[0]?.problem).toContain("The open change lower-fr-002 names FR-002 too.");
});

test("stores one check with its findings and sources", async () => {
  using ground = await atContextCheck("Raise the limit");
  const record = (): { rev: number; context_check?: object } =>
    JSON.parse(fs.readFileSync(join(ground.root, "sdd/changes/raise-the-limit/change.json"), "utf8"));
  const before = record();
  await ground.run("context.check", { change_description: "It is FR-002" });
  const kept = record();
  expect(kept).toMatchObject({
    rev: before.rev + 1,
    context_check: {
      at: expect.stringMatching(/^2026/),
      tree: expect.stringMatching(/^[0-9a-f]{64}$/),
      facts: [{ id: "CF-1", severity: "info", fact: expect.stringContaining("FR-002") }],
    },
  });
  await ground.run("context.check", { change_description: "It is FR-002", detail_level: "full" });
  expect(record()).toEqual(kept);
});

test("checks a closed change without writing", async () => {
  using ground = await atContextCheck("Raise the limit");
  await ground.run("change.abandon", { reason: "Solved" });
  const path = join(ground.root, "sdd/changes/raise-the-limit/change.json");
  const before = fs.readFileSync(path, "utf8");
  const checked = await ground.run<Checked>("context.check", { change_id: "raise-the-limit" });
  expect(checked).not.toHaveProperty("change_id");
  expect(checked.findings.filter(({ kind }) => kind === "change")).toEqual([]);
  expect(fs.readFileSync(path, "utf8")).toBe(before);
});

test("with a damaged record, checks and ends no change until it is fixed", async () => {
  using ground = await atContextCheck("Raise the limit", ({ start }) => start("Bystander"));
  await ground.run("context.check", { change_id: "raise-the-limit" });
  ground.write("sdd/changes/bystander/change.json", "{");
  const calls = [
    ground.run("context.check", { change_id: "raise-the-limit" }),
    ground.advance(CLEAR, "raise-the-limit"),
  ];
  const codes = await Promise.all(calls.map(async (call) => (await refusal(call)).code));
  expect(codes).toEqual(["record.corrupt", "record.corrupt"]);
});
