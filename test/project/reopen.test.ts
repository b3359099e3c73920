import { expect, test } from "vitest";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";
import { refusal } from "../kit/fault.ts";
import { TIDES } from "../kit/project.ts";
import { stand, listProblemTexts } from "./stand.ts";

test.each(PROJECT_DOCUMENT_STAGES)(
  "confirms each stage after a reopening from %s, and loses no text",
  async (stage) => {
    using project = await stand();
    await project.upTo("completed");
    const documents = (): string[] => project.list().flatMap((path) => /^sdd\/([^/]+\.md)$/.exec(path)?.[1] ?? []);
    const texts = documents().map((name) => project.read(`sdd/${name}`));
    const stale = PROJECT_DOCUMENT_STAGES.slice(PROJECT_DOCUMENT_STAGES.indexOf(stage) + 1);
    expect(await project.run("project.reopen", { stage, reason: " Another look " })).toMatchObject({
      stale,
      project: { status: "active", current_stage: stage },
    });
    expect(project.record()["reopenings"]).toMatchObject([{ stage, reason: "Another look" }]);
    for (const each of [stage, ...stale]) {
      expect(project.record()["current_stage"]).toBe(each);
      expect((await project.run("project.confirm")).passed).toBe(true);
    }
    expect(project.record()["status"]).toBe("completed");
    const clarified = documents().map((name) => project.read(`sdd/${name}`));
    const changed = documents().filter((_, i) => texts[i] !== clarified[i]);
    // Confirming the gate is another round of it; everything else stands as it was.
    expect(changed).toEqual(PROJECT_DOCUMENT_STAGES.indexOf(stage) <= 3 ? ["clarifications.md"] : []);
    expect(project.list().filter((path) => path.startsWith("sdd/superseded/"))).toEqual([]);
  },
);

test("keeps every earlier version of a document, handwritten or not, under its own number", async () => {
  using project = await stand();
  await project.upTo("specify");
  const first = project.read("sdd/proposal.md");
  await project.run("project.reopen", { stage: "propose", reason: "One" });
  await project.run("project.propose", { ...TIDES.propose, out_of_scope: "Weather." });
  const second = `${project.read("sdd/proposal.md")}\nBy hand.\n`;
  project.write("sdd/proposal.md", second);
  await project.run("project.reopen", { stage: "propose", reason: "Two" });
  await project.run("project.propose", { ...TIDES.propose, out_of_scope: "Currents." });
  expect(project.list().filter((path) => path.startsWith("sdd/superseded/"))).toEqual([
    "sdd/superseded/proposal-1.md",
    "sdd/superseded/proposal-2.md",
  ]);
  expect([1, 2].map((n) => project.read(`sdd/superseded/proposal-${n}.md`))).toEqual([first, second]);
});

test("does not confirm a stale document that a person damaged, and confirms it once it is fixed", async () => {
  using project = await stand();
  await project.upTo("completed");
  await project.run("project.reopen", { stage: "specify", reason: "Another look" });
  const text = project.read("sdd/requirements.md");
  for (const [spoilt, problem] of [
    [text.replace(/^- \*\*FR-002.*\n/m, "x\n"), 'FR-002 is missing: keep every id, under "Removed" if necessary.'],
    [text.replace("FR-002", "FR-001"), "FR-001 is defined twice."],
    [text.replace("### Should have", "### Other"), 'The heading "Should have" is missing.'],
  ] as const) {
    project.write("sdd/requirements.md", spoilt);
    const before = project.fingerprint();
    const answer = await project.run("project.confirm");
    expect([answer.passed, project.fingerprint()]).toEqual([false, before]);
    expect(listProblemTexts(answer)).toContain(problem);
  }
  project.write("sdd/requirements.md", "");
  expect((await refusal(project.run("project.confirm"))).code).toBe("project.not-stale");
  project.write("sdd/requirements.md", `${text}\n## Removed\n`);
  expect((await project.run("project.confirm")).passed).toBe(true);
});

test("does not confirm an empty verdict, or one that the documents contradict", async () => {
  using project = await stand();
  await project.upTo("completed");
  await project.run("project.reopen", { stage: "validate", reason: "Another look" });
  const text = project.read("sdd/validation.md");
  project.write("sdd/validation.md", "");
  expect((await refusal(project.run("project.confirm"))).code).toBe("project.not-stale");
  project.write("sdd/validation.md", text);
  project.write("sdd/tasks.md", project.read("sdd/tasks.md").replaceAll("FR-001", "NFR-001"));
  expect(listProblemTexts(await project.run("project.confirm"))).toEqual([
    "The documents now lead to FAIL: validate them again.",
  ]);
});

test("does not count evidence that a person deleted, and reports it", async () => {
  using project = await stand();
  await project.upTo("completed");
  await project.run("project.reopen", { stage: "business-rules", reason: "Another look" });
  project.write(
    "sdd/proposal.md",
    project.read("sdd/proposal.md").replace("Harbour masters who plan berths", "People"),
  );
  await project.run("project.confirm");
  const asked = await project.run("project.clarify");
  const dimensions = asked["dimensions"] as { dimension: string; counted: number; found_in?: string }[];
  expect(dimensions[0]).toMatchObject({ dimension: "target_users", score: 90, counted: 0 });
  expect(dimensions[0]).not.toHaveProperty("found_in");
  expect((await project.run("project.confirm")).passed).toBe(false);
  expect(project.read("sdd/clarifications.md")).toContain(
    `| target_users       | 90   | 0      | none${" ".repeat(67)}|`,
  );
});

test("keeps rounds in the record, and each once in the document", async () => {
  using project = await stand();
  await project.upTo("clarify");
  const [first, ...rest] = TIDES.clarify.dimension_scores;
  for (const [answers, dimension_scores] of [
    ["Who?\n## Rounds\nEverybody there.", []],
    ["And when?\n### Round 1\nAt night.", [first]],
    [TIDES.clarify.answers, rest],
  ] as const)
    await project.run("project.clarify", { answers, dimension_scores });
  const text = project.read("sdd/clarifications.md");
  expect(text.match(/^#+ [^:\n]*/gm)).toEqual([
    "# Clarifications",
    "## Dimensions",
    "## Rounds",
    "### Round 1, 2026-01-31",
    "### Round 2, 2026-01-31",
    "### Round 3, 2026-01-31",
  ]);
  expect(project.record().rounds.map(({ answers }) => answers?.split("\n")[0])).toEqual([
    "Who?",
    "And when?",
    "Who may see it?",
  ]);
  expect(project.record()["current_stage"]).toBe("design");
  // What Tenon itself wrote there is not worth keeping aside.
  expect(project.list().filter((path) => path.startsWith("sdd/superseded/"))).toEqual([]);
});

test("judges the current documents: deleted items and lost evidence fail the verdict", async () => {
  using project = await stand();
  await project.upTo("validate");
  const requirements = project.read("sdd/requirements.md");
  project.write("sdd/requirements.md", requirements.replace(/^.*FR-002.*$/m, ""));
  const lost = await project.run("project.validate", { ...TIDES.validate, verdict: "PASS_WITH_WARNINGS" });
  expect(lost).toMatchObject({ passed: false, facts: "FAIL" });
  expect(JSON.stringify(lost["failures"])).toContain("FR-002 is missing");
  project.write("sdd/requirements.md", requirements);
  project.write(
    "sdd/proposal.md",
    project.read("sdd/proposal.md").replace("Weather and currents are not shown.", "All."),
  );
  const unclear = await project.run("project.validate", TIDES.validate);
  expect(unclear).toMatchObject({ passed: false, facts: "FAIL", reopen: ["clarify"] });
  expect(JSON.stringify(unclear["failures"])).toContain("scope_boundaries is not in a document");
  project.write(
    "sdd/proposal.md",
    project.read("sdd/proposal.md").replace("All.", "All. <!-- Weather and currents are not shown. -->"),
  );
  expect(await project.run("project.validate", TIDES.validate)).toMatchObject({ facts: "FAIL" });
});

test("keeps the stage open after FAIL and names the place to fix; stores a milder verdict with its reason", async () => {
  using project = await stand();
  await project.upTo("tasks");
  const tasks = { tasks: "- TASK-001: x. Covers NFR-001", estimated_effort: "A day" };
  await project.run("project.tasks", tasks);
  const failed = await project.run("project.validate", { ...TIDES.validate, verdict: "FAIL" });
  expect(failed).toMatchObject({ passed: false, facts: "FAIL", reopen: ["tasks"], document: "sdd/validation.md" });
  expect(project.record()).toMatchObject({ status: "active", current_stage: "validate" });
  const before = project.fingerprint();
  expect((await project.run("project.validate", TIDES.validate)).passed).toBe(false);
  expect(project.fingerprint()).toBe(before);
  const override_reason = "The first version has no tides";
  expect(await project.run("project.validate", { ...TIDES.validate, override_reason })).toMatchObject({
    passed: true,
    override: override_reason,
  });
  expect(project.record()["validations"]).toMatchObject([
    { verdict: "FAIL", facts: "FAIL" },
    { verdict: "PASS_WITH_WARNINGS", facts: "FAIL", override: override_reason },
  ]);
  expect(project.read("sdd/validation.md")).toContain(override_reason);
  expect(project.record()["status"]).toBe("completed");
});

test("keeps ids of repeated requirements, and neither requires nor reassigns a removed one", async () => {
  using project = await stand();
  await project.upTo("completed");
  const text = project.read("sdd/requirements.md").replace(/^- \*\*FR-002.*\n/m, "- **FR-003**: Another.\n");
  project.write("sdd/requirements.md", `${text}\n## Removed\n\n- **FR-002**: Nobody wanted it.\n`);
  await project.run("project.reopen", { stage: "specify", reason: "One was removed" });
  const lists = { ...TIDES.specify, should_have: "- FR-003: Another." };
  const again = await project.run("project.specify", { ...lists, could_have: "- FR-002: Something else." });
  expect(listProblemTexts(again)).toContain("FR-002 was removed: never reuse an id.");
  expect((await project.run("project.specify", { ...lists, could_have: "- Something else." })).passed).toBe(true);
  expect(project.record().ids.toSorted()).toEqual(["BR-001", "FR-001", "FR-002", "FR-003", "FR-004", "NFR-001"]);
  expect(project.read("sdd/requirements.md")).toContain("## Removed\n\n- **FR-002**: Nobody wanted it.");
});
