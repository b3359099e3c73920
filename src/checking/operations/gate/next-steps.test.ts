import fs from "node:fs";
import { expect, test } from "vitest";
import type { OperationCall, SuggestedFix } from "#kernel/model/fault.ts";
import { findStageGate, getWorkflowFlow, WORKFLOW_KINDS } from "#planning/model/workflow/workflow-record.ts";
import { advanceWorkflowOperation } from "../workflow-gate/advance-workflow.ts";
import { TRUST_NEEDED } from "./load-trusted-checks.ts";
import { checkMutations, checkTestEvidence, runGate } from "./run-gate.ts";

/** Results that no table lists, because they only appear when something is wrong: those that the source names. */
function listOtherChecks(): string[] {
  const folder = new URL("../../../checking/", import.meta.url);
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files.flatMap((name) =>
    name.endsWith(".ts") && !name.endsWith(".test.ts") ? fs.readFileSync(new URL(name, folder), "utf8") : [],
  );
  const form = /(?:create(?:Problem|Unknown)Result\(\s*|check: )"([a-z-]+)"/g;
  return [...new Set(texts.flatMap((text) => [...text.matchAll(form)].map(([, name = ""]) => name)))];
}

const VERDICTS = [
  { status: "failed" as const, problems: [{ problem: "src/a.js: something is wrong." }] },
  { status: "failed" as const, problems: [{ problem: "tests/a.js: adds does not pass with the work either." }] },
  { status: "failed" as const, problems: [{ problem: "tests/a.js: adds is gone." }] },
  { status: "failed" as const, problems: [{ problem: "tests/a.js: adds stops the other tests from running." }] },
  { status: "unknown" as const, problems: [], reason: "No tool of that kind is configured." },
  { status: "unknown" as const, problems: [], reason: `You have not trusted the commands. ${TRUST_NEEDED}` },
];

const STAGES = WORKFLOW_KINDS.flatMap((kind) => {
  const { stages } = getWorkflowFlow(kind);
  return stages.map(({ name }) => ({ kind, stages, stage: name, gate: findStageGate(kind, name) }));
});

const ROWS = STAGES.flatMap(({ gate: { documents, commands }, ...at }) =>
  [...documents, ...commands, ...listOtherChecks()].flatMap((check) =>
    VERDICTS.map((verdict) => ({ ...at, open: { check, ...verdict } })),
  ),
);

const createView = ({ kind, stage, stages }: Pick<(typeof ROWS)[number], "kind" | "stage" | "stages">) => ({
  id: "AUTH-001",
  kind,
  title: "Log in",
  status: "active",
  stage,
  stages: stages.map(({ name }) => ({ name, status: name === stage ? "open" : "done" })),
  priority: 3,
  is_current: true,
  interrupted: false,
  spec: "sdd/specs/AUTH-001.yaml",
  started_at: "2026-01-01T00:00:00Z",
  updated_at: "2026-01-01T00:00:00Z",
  files_locked: [],
  snapshots: [],
});

/** Another run of the same checks gives the same answer. */
const isRepeat = (step: SuggestedFix | undefined): step is OperationCall | undefined =>
  step === undefined ||
  (typeof step === "object" &&
    ["gate.run", "gate.evidence", "gate.mutation-check", "workflow.advance", "spec.validate"].includes(
      step.operation,
    ) &&
    step.input?.["tests_removed"] === undefined);

test("names a step for every problem of every gate before its gate runs again", () => {
  const loops = ROWS.flatMap(({ open, ...at }) => {
    const refused = { passed: false, gate: "gate", checks: [open], attempts: [], notes: [], workflow: createView(at) };
    const pages = [runGate.page({ ...refused, can_advance: false, took: [] }), advanceWorkflowOperation.page(refused)];
    // The question comes with the end of the stage, as soon as nothing else is open.
    const isQuestion = ["approval", "spec-unchanged"].includes(open.check) && open.status === "failed";
    return pages.flatMap(({ next: [first] = [] }, i) => {
      // A gate that only lacks the approval passes.
      const isAsked =
        i === 1 || open.check === "approval" || (typeof first === "object" && first.operation === "workflow.advance");
      if (isQuestion && isAsked) return [];
      return isRepeat(first) ? [`${["gate", "advance"][i]} ${at.kind} ${at.stage} ${open.check} ${open.status}`] : [];
    });
  });
  expect(ROWS.map(({ open }) => open.check)).toEqual(
    expect.arrayContaining(["tests", "summary", "approval", "files-unchanged", "mutation-check"]),
  );
  expect([...new Set(loops)]).toEqual([]);
});

test.each([
  ["no test", { tests: [], problems: [{ problem: "No new test was found in the changed code." }] }],
  ["a problem", { tests: [{ file: "a", name: "b", line: 1, green: false }], problems: [{ problem: "It passes." }] }],
  ["nothing that failed", { tests: [{ file: "a", name: "b", line: 1, green: true }], problems: [] }],
])("names a step for evidence with %s before it runs again", (_, found) => {
  const { next = [] } = checkTestEvidence.page({ id: "AUTH-001", failing: [], ...found });
  expect(isRepeat(next[0])).toBe(false);
});

test("names a step for a mutation check that does not pass before it runs again", () => {
  const criterion = { name: "AC-1", tried: 1, detected: 0, invalid: 0, left: 0, survivors: [] };
  const { next = [] } = checkMutations.page({ id: "AUTH-001", passed: false, criteria: [criterion] });
  expect(isRepeat(next[0])).toBe(false);
});
