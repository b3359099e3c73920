import { expect, test } from "vitest";
import { openMemoryWorkspace } from "../../../../test/kit/memory-engine.ts";

const PROPOSAL = {
  problem_statement: "Notes get lost.",
  target_users: "Writers.",
  proposed_solution: "A box for notes.",
  out_of_scope: "Sharing.",
  success_criteria: "No note is lost in a month.",
};
const REQUIREMENTS = {
  must_have: "- The box shall keep notes.\n- The box shall list notes.",
  should_have: "None",
  non_functional: "- A list takes 200 ms.\n- The box needs 1 MB.",
};
const RULES = {
  definitions: "- **Note**: a text",
  facts: "- A Note has a date",
  constraints: "- When a Note is empty, Then refuse it.",
};

async function openAtDesign() {
  const workspace = openMemoryWorkspace();
  await workspace.run("project.init", { name: "Box", description: "A box for notes", mode: "expert" });
  await workspace.run("project.propose", PROPOSAL);
  await workspace.run("project.specify", REQUIREMENTS);
  await workspace.run("project.business-rules", RULES);
  const quote = { score: 90, evidence: "The box shall keep notes." };
  const names = ["core_functionality", "scope_boundaries", "target_users", "edge_cases"];
  const others = ["data_model", "security", "integrations", "scale_performance"];
  const evidence = ["The box shall keep notes.", "Notes get lost.", "A box for notes.", "No note is lost in a month."];
  const dimension_scores = [...names, ...others].map((dimension, i) => ({
    ...quote,
    dimension,
    evidence: evidence[i % evidence.length],
  }));
  await workspace.run("project.clarify", { answers: "Who? Writers.", dimension_scores });
  return workspace;
}

test("removes a non-functional requirement", async () => {
  const workspace = await openAtDesign();
  await workspace.run("project.reopen", { stage: "specify", reason: "No limit is needed" });
  const given = {
    must_have: "- FR-001: The box shall keep notes.\n- FR-002: The box shall list notes.",
    should_have: "None",
    wont_have: "- NFR-002: The box needs 1 MB.",
    non_functional: "- NFR-001: A list takes 200 ms.",
  };
  expect(await workspace.run("project.specify", given)).toMatchObject({ passed: true, problems: [] });
  expect(workspace.read("sdd/requirements.md")).toContain("- **NFR-002**: The box needs 1 MB.");
  expect(await workspace.run("workspace.validate", {})).toMatchObject({ problems: [] });
});

test("names each must-have that the design and the tasks leave out", async () => {
  const workspace = await openAtDesign();
  const design = {
    architecture_overview: "One file.",
    tech_stack: "Node.",
    components: "### Store\n\nKeeps notes (FR-001, NFR-001, NFR-002, BR-001).",
    data_model: "A note has a text.",
  };
  expect(await workspace.run("project.design", design)).toMatchObject({
    passed: true,
    notes: ["FR-002 is not in any component of the design."],
  });
  const tasks = { tasks: "- TASK-001: List notes (FR-002)", estimated_effort: "1 day" };
  expect(await workspace.run("project.tasks", tasks)).toMatchObject({
    passed: true,
    notes: ["FR-001 is not covered by any task."],
  });
});
