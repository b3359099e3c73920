import fc from "fast-check";
import { expect, test } from "vitest";
import { type CoverageInput, deriveCoverageFacts, isMilderVerdict } from "./design-coverage.ts";
import { PROJECT_VERDICTS } from "#kernel/model/stages/project-stages.ts";
import { REQUIREMENT_PRIORITIES } from "../living-spec/delta-vocabulary.ts";

const task = (id: string, ...covers: string[]) => ({ id, covers, line: 1, dependsOn: [], wave: 1 });
const SOUND: CoverageInput = {
  requirements: [
    { id: "FR-001", text: "a", priority: "must" },
    { id: "FR-002", text: "b", priority: "wont" },
    { id: "NFR-001", text: "c" },
  ],
  rules: ["BR-001"],
  components: [{ name: "Tables", carries: ["FR-001", "NFR-001", "BR-001"] }],
  tasks: [task("TASK-001", "FR-001", "NFR-001")],
  broken: [],
  waived: [],
};
const findings = (changes: Partial<CoverageInput>) => {
  const { failures, warnings, verdict } = deriveCoverageFacts({ ...SOUND, ...changes });
  const show = (all: readonly { finding: string; stage: string }[]) =>
    all.map((each) => `${each.stage}: ${each.finding}`);
  return { failures: show(failures), warnings: show(warnings), verdict };
};

test("requires that wanted requirements are carried and covered, and ignores dropped ones", () => {
  expect(deriveCoverageFacts(SOUND)).toEqual({
    coverage: [
      { id: "FR-001", components: ["Tables"], tasks: ["TASK-001"] },
      { id: "NFR-001", components: ["Tables"], tasks: ["TASK-001"] },
    ],
    failures: [],
    warnings: [],
    verdict: "PASS",
  });
});

const more = { name: "Page", carries: ["FR-001"] };

test.each<[string, Partial<CoverageInput>, string[], string[]]>([
  [
    "no component",
    { components: [] },
    ["design: FR-001 is not in any component of the design.", "design: The design names no component."],
    ["design: NFR-001 is not in any component of the design.", "design: BR-001 is not named by a component or a task."],
  ],
  [
    "no task",
    { tasks: [] },
    ["tasks: FR-001 is not covered by any task.", "tasks: The plan has no task."],
    ["tasks: NFR-001 is not covered by any task."],
  ],
  [
    "a must that no task covers",
    { tasks: [task("TASK-001", "NFR-001")] },
    ["tasks: FR-001 is not covered by any task."],
    [],
  ],
  [
    "a quality that no task covers",
    { tasks: [task("TASK-001", "FR-001")] },
    [],
    ["tasks: NFR-001 is not covered by any task."],
  ],
  ["a task for nothing", { tasks: [...SOUND.tasks, task("TASK-002")] }, [], ["tasks: TASK-002 names no requirement."]],
  [
    "a component for nothing",
    { components: [...SOUND.components, { name: "Idle", carries: [] }] },
    [],
    ["design: The component Idle names no requirement."],
  ],
  [
    "one over three components",
    { components: [...SOUND.components, more, { ...more, name: "Print" }] },
    [],
    ["design: FR-001 is spread over 3 components: Tables, Page, Print."],
  ],
  [
    "a crowded component",
    { components: [{ name: "All", carries: ["FR-001", "NFR-001", "BR-001", "a", "b", "c", "d", "e", "f"] }] },
    [],
    ["design: The component All carries 9 requirements and rules: consider splitting it."],
  ],
  ["a rule for nobody", { rules: ["BR-001", "BR-002"] }, [], ["design: BR-002 is not named by a component or a task."]],
  ["a waiver", { waived: [{ dimension: "security", reason: "public" }] }, [], ["clarify: security was waived: public"]],
  ["something broken", { broken: [{ finding: "x", stage: "specify" }] }, ["specify: x"], []],
])("%s", (_, changes, failures, warnings) => {
  const verdict = failures.length > 0 ? "FAIL" : "PASS_WITH_WARNINGS";
  expect(findings(changes)).toEqual({ failures, warnings, verdict });
});

test("accepts a milder verdict only where the facts are worse", () => {
  const pairs = PROJECT_VERDICTS.flatMap((said) => PROJECT_VERDICTS.map((facts) => [said, facts] as const));
  expect(pairs.filter(([said, facts]) => isMilderVerdict(said, facts))).toEqual([
    ["PASS", "PASS_WITH_WARNINGS"],
    ["PASS", "FAIL"],
    ["PASS_WITH_WARNINGS", "FAIL"],
  ]);
});

test("fails exactly if a must-have is carried or covered by nothing, or a document is broken, for any documents", () => {
  const known = ["FR-001", "FR-002", "FR-003", "FR-004"];
  const some = fc.subarray(known);
  const documents = fc.record({
    requirements: fc
      .tuple(...known.map(() => fc.constantFrom(...REQUIREMENT_PRIORITIES)))
      .map((all) => all.map((priority, i) => ({ id: known[i] ?? "", text: "x", priority }))),
    components: fc.array(
      some.map((carries) => ({ name: "C", carries })),
      { minLength: 1 },
    ),
    tasks: fc.array(
      some.map((covers) => task("TASK-001", ...covers)),
      { minLength: 1 },
    ),
    broken: fc.constantFrom([], [{ finding: "x", stage: "tasks" as const }]),
  });
  fc.assert(
    fc.property(documents, (parts) => {
      const { verdict, coverage } = deriveCoverageFacts({ ...parts, rules: [], waived: [] });
      const isBare = parts.requirements.some(
        ({ id, priority }) =>
          priority === "must" &&
          !(
            parts.components.some(({ carries }) => carries.includes(id)) &&
            parts.tasks.some(({ covers }) => covers.includes(id))
          ),
      );
      expect(verdict === "FAIL").toBe(isBare || parts.broken.length > 0);
      expect(coverage.map(({ id }) => id)).toEqual(
        parts.requirements.flatMap(({ id, priority }) => (priority === "wont" ? [] : [id])),
      );
    }),
  );
});
