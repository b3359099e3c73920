import { expect, test } from "vitest";
import { SESSION } from "../hook/hook-calls.ts";
import { TIDES } from "../kit/project.ts";
import { openStand } from "./stand.ts";

/** A project at its Clarity Gate. */
function prepare(more: Readonly<Record<string, string>> = {}) {
  const stand = openStand(more);
  const json = (value: object): string => {
    stand.write("input.json", JSON.stringify(value));
    return "input.json";
  };
  const { name, description } = TIDES.init;
  stand.must("project", "init", name, "--description", description);
  stand.must("project", "propose", "--input", json(TIDES.propose));
  stand.must("project", "specify", "--input", json(TIDES.specify));
  stand.must("project", "business-rules", "--input", json(TIDES["business-rules"]));
  return {
    ...stand,
    json,
    clarify: () => stand.run("project", "clarify", "--input", json(TIDES.clarify), "--json"),
  };
}

const MARK = 'project/clarify: the answer "approve" to clarify by ada is unproved: an agent reported it.';

test("an agent's relayed answers open the gate, and the document, status and ci show the mark", () => {
  using it = prepare();
  expect(it.clarify().code).toBe(0);
  expect(it.answers("project")).toMatchObject([{ id: "project/clarify", by: "ada", proof: "relayed" }]);
  expect(it.read("sdd/clarifications.md")).toContain("Answered by ada (unproved: the agent reported it).");
  expect(it.run("status").out).toContain(MARK);
  expect(it.ci()).toMatchObject({ mild: [{ level: "warning", problem: MARK }], strict: [{ level: "error" }], code: 1 });
});

test("a client with forms shows the answers, and the gate stays closed if the user denies them", async () => {
  using it = prepare();
  const shown: string[] = [];
  let isTrue = false;
  await using session = await it.connect((message) => {
    shown.push(message);
    return isTrue
      ? { action: "accept", content: { answer: "approve" } }
      : { action: "accept", content: { answer: "reject", reason: "I never said that" } };
  });
  const lie = await session.call("sdd_clarify", { ...TIDES.clarify, answers: "Who may see it? Nobody at all." });
  expect(lie.structuredContent).toMatchObject({
    passed: false,
    problems: [{ problem: "ada did not approve the answers: I never said that." }],
  });
  isTrue = true;
  const { structuredContent } = await session.call("sdd_clarify", TIDES.clarify);
  expect(structuredContent).toMatchObject({ passed: true });
  expect(shown).toHaveLength(2);
  expect(shown[1]).toContain("nobody may change a table");
  expect(it.answers("project")).toMatchObject([{ proof: "elicited", client: "test" }]);
  expect(it.ci()).toMatchObject({ mild: [], strict: [] });
});

test("with hooks the user confirms the answers in the chat", () => {
  using it = prepare({ CLAUDECODE: "1", TENON_SESSION: SESSION });
  it.hook("session-start");
  expect([it.clarify().code, it.clarify().code]).toEqual([3, 3]);
  expect(it.hook("user-prompt-submit", { prompt: "Yes, that's right." })).toContain("project/clarify: approve");
  expect(it.clarify().code).toBe(0);
  expect(it.answers("project")).toMatchObject([{ proof: "witnessed", quote: "Yes, that's right." }]);
});

test("a verdict milder than the facts needs the user's approval", () => {
  using it = prepare();
  it.clarify();
  it.must("project", "design", "--input", it.json(TIDES.design));
  it.must("project", "tasks", "--input", it.json(TIDES.tasks));
  const tasks = it.read("sdd/tasks.md");
  const weaker = tasks.replaceAll(/FR-00[1-9]/g, "FR-001");
  it.write("sdd/tasks.md", weaker);
  const validate = (...words: string[]) =>
    it.run("project", "validate", "--verdict", "PASS", "--consistency-issues", "None found.", ...words, "--json");
  expect(validate().code).toBe(3);
  expect(validate("--override-reason", "The rest comes in May").code).toBe(0);
  expect(it.answers("project").at(-1)).toMatchObject({ id: "project/validate", stage: "validate", proof: "relayed" });
  expect(it.read("sdd/validation.md")).toContain("Approved by ada (unproved: the agent reported it).");
});
