import { expect, test } from "vitest";
import type { CallOrigin } from "#kernel/operations/engine.ts";
import { recordElicitedAnswer } from "#planning/operations/approval/record-answer.ts";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";
import { featureSpec } from "../../../../test/kit/specs.ts";

const SPEC = "sdd/specs/AUTH-001.yaml";
const RECEIPTS = "sdd/receipts/AUTH-001.jsonl";

const person: CallOrigin = {
  name: "terminal",
  user: "ada",
  canElicit: false,
  findAgentSign: async () => undefined,
  isUnattended: async () => false,
};
const agent: CallOrigin = { ...person, name: "codex", findAgentSign: async () => "an agent called a tool" };
const asking: CallOrigin = { ...agent, canElicit: true };

/** A feature whose spec is complete, and the calls of one agent. `be` changes who calls. */
async function openFeature(config = "") {
  let origin = agent;
  const ports = {
    get origin() {
      return origin;
    },
  };
  const it = openMemoryWorkspace({ files: config ? { "sdd/config.yaml": config } : {} });
  Object.defineProperty(it.engine, "origin", Object.getOwnPropertyDescriptor(ports, "origin") ?? {});
  await it.run("workflow.feature", { description: "Log in with a code", id: "AUTH-001" });
  it.files.set(SPEC, featureSpec("AUTH-001"));
  const be = (who: CallOrigin): void => void (origin = who);
  const advance = (more = {}) => it.run("workflow.advance", { id: "AUTH-001", ...more });
  const answer = (more = {}) => it.run("approval.answer", { id: "AUTH-001", ...more });
  const receipts = () =>
    (it.files.get(RECEIPTS) ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { gate: string; passed: boolean; approvals?: Record<string, unknown>[] });
  const hook = (event: "SessionStart" | "UserPromptSubmit", session: string): void =>
    void it.journal.push({ event, session, at: it.clock.now(), ageMs: 0, paths: [] });
  return { ...it, be, advance, answer, receipts, hook };
}

test("asks the user for approval once everything else is in order", async () => {
  const it = await openFeature();
  it.files.set(SPEC, featureSpec("AUTH-001").replace(/^(\s*)summary:.*$/m, "$1summary: ''"));
  expect((await it.advance())["question"]).toBeUndefined();
  it.files.set(SPEC, featureSpec("AUTH-001"));
  const { passed, question } = await it.advance();
  expect([passed, question]).toMatchObject([
    false,
    { id: "AUTH-001", stage: "discover", path: SPEC, heard_here: false },
  ]);
  expect((await it.run("approval.answer", { list: true }))["open"]).toMatchObject([{ id: "AUTH-001", path: SPEC }]);
});

test("names the question, the user's command and the call to repeat", async () => {
  const it = await openFeature();
  const page = await it.page("workflow.advance", { id: "AUTH-001" });
  expect(page).toContain("Stage discover of AUTH-001 waits for the user's approval.");
  expect(page).toContain("Ask the user: AUTH-001 (Log in with a code): do you approve");
  expect(page).toContain("ask the user to run: tenon approve AUTH-001");
  expect(page).toContain('sdd_workflow_advance {"id":"AUTH-001"}');
});

test("uses what a person typed in the next call, and records it in the receipt", async () => {
  const it = await openFeature();
  await it.advance();
  it.be(person);
  expect((await it.answer())["answered"]).toEqual({
    id: "AUTH-001",
    stage: "discover",
    choice: "approve",
    is_yes: true,
  });
  it.be(agent);
  expect((await it.advance())["passed"]).toBe(true);
  expect(it.receipts().map(({ approvals }) => approvals)).toMatchObject([
    [{ stage: "discover", by: "ada", proof: "typed", client: "terminal" }],
  ]);
  expect((await it.run("approval.answer", {}))["open"]).toEqual([]);
});

test.each([
  ["an agent", {}],
  ["an agent that rejects", { reject: true }],
])("%s cannot answer", async (_, more) => {
  const it = await openFeature();
  await it.advance();
  await expect(it.answer(more)).rejects.toMatchObject({ code: "approval.not-typed" });
  expect((await it.advance())["passed"]).toBe(false);
});

test("counts a name that a person passes with the call as approval", async () => {
  const it = await openFeature();
  it.be(person);
  expect((await it.advance({ approve: "Ada Lovelace" }))["passed"]).toBe(true);
  expect(it.receipts()[0]?.approvals).toMatchObject([{ by: "Ada Lovelace", proof: "typed" }]);
});

test("accepts and marks an agent's word where the client offers no stronger proof", async () => {
  const it = await openFeature();
  expect((await it.advance({ approve: "Ann" }))["passed"]).toBe(true);
  expect(it.receipts()[0]?.approvals).toMatchObject([{ by: "Ann", proof: "relayed", client: "codex" }]);
});

test.each([
  ["a client that can ask", "", asking, false],
  ["a client that can ask, where the settings allow the agent's word", "approvals: relayed\n", asking, true],
  ["a client that cannot, where the settings ask for proof", "approvals: proven\n", agent, false],
])("accepts an agent's word in %s", async (_, config, origin, passed) => {
  const it = await openFeature(config);
  it.be(origin);
  expect((await it.advance({ approve: "Ann" }))["passed"]).toBe(passed);
});

test("uses an answer that the client returned in the next call", async () => {
  const it = await openFeature();
  it.be(asking);
  const { question } = (await it.advance()) as { question: { key: string } };
  expect(await recordElicitedAnswer(it.engine, question.key, { action: "accept", choice: "approve" })).toBe(true);
  expect((await it.advance())["passed"]).toBe(true);
  expect(it.receipts()[0]?.approvals).toMatchObject([{ proof: "elicited", client: "codex" }]);
});

test.each([
  [{ action: "decline" } as const, "ada did not approve the goal of the feature: The user declined."],
  [{ action: "cancel" } as const, "The user closed the question without an answer."],
  [{ action: "accept", choice: "reject", reason: "Two factors, please" } as const, "Two factors, please"],
])("%j rejects the approval, and the agent sees it", async (elicited, said) => {
  const it = await openFeature();
  it.be(asking);
  const { question } = (await it.advance()) as { question: { key: string } };
  await recordElicitedAnswer(it.engine, question.key, elicited);
  const page = await it.page("workflow.advance", { id: "AUTH-001", approve: "Ann" });
  expect(page).toContain("stays open");
  expect(page).toContain(said);
  expect(it.receipts()).toEqual([]);
});

test("asks again about a changed text after a rejection", async () => {
  const it = await openFeature();
  await it.advance();
  it.be(person);
  await it.answer({ reject: true, reason: "The summary is wrong" });
  it.be(agent);
  expect(await it.page("workflow.advance", { id: "AUTH-001", approve: "Ann" })).toContain("The summary is wrong");
  it.files.set(
    SPEC,
    featureSpec("AUTH-001").replace(/^(\s*)summary: .*$/m, "$1summary: A code by mail at every login"),
  );
  expect((await it.advance())["question"]).toMatchObject({ id: "AUTH-001" });
});

test("ignores an answer for a text that changed since the question", async () => {
  const it = await openFeature();
  const { question } = (await it.advance()) as { question: { key: string } };
  it.be(person);
  await it.answer();
  it.be(agent);
  it.files.set(SPEC, featureSpec("AUTH-001").replace(/^(\s*)summary: .*$/m, "$1summary: A backdoor for everybody"));
  const again = (await it.advance()) as { passed: boolean; question: { key: string } };
  expect([again.passed, again.question.key === question.key]).toEqual([false, false]);
  // The key of the first question opens nothing any more.
  expect(await recordElicitedAnswer(it.engine, question.key, { action: "accept", choice: "approve" })).toBe(false);
});

test("uses an old answer once", async () => {
  const it = await openFeature();
  const { question } = (await it.advance()) as { question: { key: string } };
  it.be(person);
  await it.answer();
  it.be(agent);
  await it.advance();
  expect(await recordElicitedAnswer(it.engine, question.key, { action: "accept", choice: "approve" })).toBe(false);
  const { passed, question: next } = (await it.advance()) as { passed: boolean; question: { stage: string } };
  expect([passed, next.stage]).toEqual([false, "specify"]);
});

test("an agent whose client reports messages cannot answer for a silent user", async () => {
  const it = await openFeature();
  it.hook("SessionStart", "s1");
  const first = await it.advance({ approve: "Ann", session: "s1" });
  const second = await it.advance({ approve: "Ann", session: "s1" });
  expect([first["passed"], second["passed"], second["question"]]).toMatchObject([false, false, { heard_here: true }]);
  expect(await it.page("workflow.advance", { id: "AUTH-001", approve: "Ann", session: "s1" })).toContain(
    "The user has not written since the question.",
  );
});

test("reports a fault that lists the pending questions when there is nothing to approve", async () => {
  const it = await openFeature();
  it.be(person);
  await expect(it.answer()).rejects.toMatchObject({ code: "approval.nothing-open" });
  await it.advance();
  await expect(it.answer({ id: "BUG-001" })).rejects.toMatchObject({ why: "These do: AUTH-001." });
  await expect(it.answer({ answer: "maybe" })).rejects.toMatchObject({ code: "approval.no-choice" });
});

test("a person can confirm approvals that an agent had passed on", async () => {
  const it = await openFeature();
  await it.advance({ approve: "Ann" });
  await it.advance({ approve: "Ann" });
  const unproved = async () =>
    ((await it.run("gate.verify")) as { workflows: { unproved: unknown[] }[] }).workflows.flatMap(
      (each) => each.unproved,
    );
  expect(await unproved()).toHaveLength(2);
  it.be(person);
  expect((await it.answer())["confirmed"]).toEqual(["discover", "specify"]);
  expect(await unproved()).toEqual([]);
  await expect(it.answer()).rejects.toMatchObject({ code: "approval.nothing-open" });
});
