import { expect, test } from "vitest";
import { PROJECT_DOCUMENT_STAGES, type ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { refusal } from "../kit/fault.ts";
import { TIDES } from "../kit/project.ts";
import { stand, listProblemTexts } from "./stand.ts";

const DOCUMENT: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: "sdd/proposal.md",
  specify: "sdd/requirements.md",
  "business-rules": "sdd/business-rules.md",
  clarify: "sdd/clarifications.md",
  design: "sdd/design.md",
  tasks: "sdd/tasks.md",
  validate: "sdd/validation.md",
};

const REFUSED: readonly (readonly [ProjectDocumentStage, Record<string, unknown>, string])[] = [
  ["propose", { out_of_scope: "## Nothing" }, 'out_of_scope has the heading "Nothing": begin at ###.'],
  ["propose", { problem_statement: "See FR-001." }, "FR-001 refers to nothing: no requirement has that id."],
  ["propose", { target_users: "<!-- nobody -->" }, "target_users is empty: it contains only comments."],
  ["propose", { target_users: "<!-- nobody" }, 'The heading "Proposed solution" is missing.'],
  ["specify", { must_have: "#### Search\n\n- a" }, 'must_have has the heading "Search": give list items only.'],
  ["specify", { must_have: "- FR-001: a\n- FR-001: b" }, "FR-001 is defined twice."],
  ["specify", { must_have: "- a, as FR-077 says" }, "FR-077 refers to nothing: no requirement has that id."],
  ["specify", { assumptions: "- FR-077 holds" }, "FR-077 refers to nothing: no requirement has that id."],
  ["specify", { must_have: "- FR-001: a\n- FR-7: b" }, "FR-7 is not an id: write FR-007."],
  [
    "specify",
    { must_have: "- a\n<!--\n- FR-050: hidden\n-->" },
    "FR-050 is hidden in a comment or code block of the document: move it out.",
  ],
  [
    "specify",
    { must_have: "- a\n```\n- FR-050: hidden\n```" },
    "FR-050 is hidden in a comment or code block of the document: move it out.",
  ],
  ["specify", { must_have: "- FR-99999: a\n- b" }, "FR-100000 has too many digits: use a lower number."],
  [
    "business-rules",
    { constraints: "- Gates are closed." },
    'BR-001 is not in the form "When … Then … [Otherwise …]": "Gates are closed.".',
  ],
  [
    "business-rules",
    { definitions: "none yet" },
    'No term is defined: write one per line, "- **Term**: what it means".',
  ],
  ["business-rules", { facts: "FR-099 holds." }, "FR-099 refers to nothing: no requirement has that id."],
  ["design", { components: "Just one." }, 'No component is named: give each a heading "### Name", with its ids below.'],
  ["design", { components: "### A\n\nFR-099" }, "FR-099 refers to nothing: no requirement has that id."],
  ["design", { security: "As ADR-0001 says." }, "ADR-0001 refers to nothing: no decision has that id."],
  ["tasks", { tasks: "- Do it" }, "No task has an id: start each with TASK-001, TASK-002 and so on."],
  ["tasks", { total_tasks: 3 }, "total_tasks is 3, but 2 tasks have an id."],
  [
    "tasks",
    { tasks: "- TASK-001: a. Depends on: TASK-002\n- TASK-002: b. Depends on: TASK-001" },
    "The tasks wait for each other: TASK-001 → TASK-002 → TASK-001.",
  ],
  ["tasks", { acceptance_criteria: "- TASK-009 is done" }, "TASK-009 refers to nothing: no task has that id."],
  [
    "validate",
    { verdict: "PASS" },
    "PASS is milder than the facts allow (PASS_WITH_WARNINGS): fix them, or give override_reason.",
  ],
  ["validate", { consistency_issues: "# None" }, 'consistency_issues has the heading "None": begin at ###.'],
];

test.each(REFUSED)("rejects %s with %j and writes nothing", async (stage, changes, problem) => {
  using project = await stand();
  await project.upTo(stage);
  const before = project.fingerprint();
  const answer = await project.run(`project.${stage}`, { ...TIDES[stage], ...changes });
  expect(answer.passed).toBe(false);
  expect(listProblemTexts(answer)).toContain(problem);
  expect(answer.project).toMatchObject({ current_stage: stage });
  expect(project.fingerprint()).toBe(before);
  expect((await project.run(`project.${stage}`, TIDES[stage])).passed).toBe(true);
});

test.each([
  [
    "scored twice",
    { dimension_scores: [...TIDES.clarify.dimension_scores, TIDES.clarify.dimension_scores[0]] },
    "target_users is scored twice.",
  ],
])("does not keep a round that is %s", async (_, input, problem) => {
  using project = await stand();
  await project.upTo("clarify");
  const before = project.fingerprint();
  const answer = await project.run("project.clarify", input);
  expect([answer.passed, listProblemTexts(answer), project.fingerprint()]).toEqual([false, [problem], before]);
});

test("rejects every stage that is not open and writes nothing", async () => {
  using project = await stand();
  expect((await refusal(project.run("project.propose", TIDES.propose))).code).toBe("project.none");
  for (const open of PROJECT_DOCUMENT_STAGES) {
    using at = await stand();
    await at.upTo(open);
    const before = at.fingerprint();
    for (const stage of PROJECT_DOCUMENT_STAGES.filter((each) => each !== open)) {
      expect((await refusal(at.run(`project.${stage}`, TIDES[stage]))).code).toBe("project.other-stage");
    }
    expect((await refusal(at.run("project.confirm"))).code).toBe("project.not-stale");
    expect((await refusal(at.run("project.init", TIDES.init))).code).toBe("project.exists");
    expect(at.fingerprint()).toBe(before);
  }
});

test.each(PROJECT_DOCUMENT_STAGES.slice(1))(
  "rejects %s while an earlier document is missing or empty",
  async (stage) => {
    using project = await stand();
    await project.upTo(stage);
    for (const earlier of PROJECT_DOCUMENT_STAGES.slice(0, PROJECT_DOCUMENT_STAGES.indexOf(stage))) {
      const path = DOCUMENT[earlier];
      const text = project.read(path);
      const problem = `${DOCUMENT[earlier]} is missing or empty: restore it, or reopen its stage.`;
      for (const spoil of [() => project.remove(path), () => project.write(path, " \n")]) {
        spoil();
        const before = project.fingerprint();
        const answer = await project.run(`project.${stage}`, TIDES[stage]);
        expect([answer.passed, listProblemTexts(answer).includes(problem), project.fingerprint()]).toEqual([
          false,
          true,
          before,
        ]);
      }
      project.write(path, text);
    }
    expect((await project.run(`project.${stage}`, TIDES[stage])).passed).toBe(true);
  },
);

test("uses a document as a person changed it", async () => {
  using project = await stand();
  await project.upTo("design");
  const text = project.read("sdd/requirements.md");
  project.write("sdd/requirements.md", text.replace("### Should have", "- **FR-040**: By hand.\n\n### Should have"));
  const design = { ...TIDES.design, components: `${TIDES.design.components} FR-040` };
  expect((await project.run("project.design", design)).passed).toBe(true);
  await project.run("project.tasks", TIDES.tasks);
  project.write("sdd/design.md", project.read("sdd/design.md").replace("FR-040", "FR-041"));
  const answer = await project.run("project.validate", { ...TIDES.validate, verdict: "FAIL" });
  expect(answer).toMatchObject({ passed: false, facts: "FAIL", reopen: ["design", "tasks"] });
  const failures = (answer["failures"] as { finding: string }[]).map(({ finding }) => finding.replace(/:\d+:/, ":"));
  expect(failures).toEqual([
    "sdd/design.md: FR-041 refers to nothing: no requirement has that id.",
    "FR-040 is not in any component of the design.",
    "FR-040 is not covered by any task.",
  ]);
});
