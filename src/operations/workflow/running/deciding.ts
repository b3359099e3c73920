import { isOf } from "#domain/spec/yaml/checks.ts";
import type { Research } from "#domain/spec/yaml/research.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { planDecisionRecord } from "../../adr/record.ts";
import type { LockedTree } from "../../ports/store.ts";
import type { Draft } from "./draft.ts";
import type { Judged } from "./gate.ts";

/** The write that completes a research workflow also records its decision. */
export function decideByAdr(
  draft: Draft,
  tree: LockedTree,
  record: WorkflowRecord,
  { spec, approval }: Judged,
): string | undefined {
  const document = spec?.document;
  if (!document || !isOf("research", document)) return undefined;
  const plan = planDecisionRecord(
    tree,
    { ...decisionOf(document.spec, record, (approval ?? record.approvals.at(-1))?.by), standalone: true },
    draft.at,
  );
  draft.step(...plan.steps);
  for (const [name, value] of Object.entries(plan.counters ?? {})) draft.count(name, value);
  for (const { kind, subject, data } of plan.occurrences) draft.say(kind, subject, data);
  return plan.result.adr.ref;
}

function decisionOf(spec: Research, { id, title }: WorkflowRecord, approver: string | undefined) {
  const options = spec.options ?? [];
  const chosen = spec.decision?.option ?? spec.recommendation?.option ?? "";
  const rejected = options.filter(({ name }) => name !== chosen);
  return {
    title: `${title}: ${chosen}`.slice(0, 200),
    context: `${title}\n\nResearch ${id} compared ${options.map(({ name }) => name).join(", ")}.`,
    decision: `${chosen}${approver ? `\n\nAgreed by ${approver}.` : ""}`,
    rationale: spec.recommendation?.rationale ?? "",
    ...(rejected.length > 0 ? { alternatives_rejected: rejected.map(optionText).join("\n\n") } : {}),
  };
}

function optionText({ name, description, pros, cons, cost }: NonNullable<Research["options"]>[number]): string {
  return [
    `### ${name}`,
    description ?? "",
    ...pros.map((each) => `- for it: ${each}`),
    ...cons.map((each) => `- against it: ${each}`),
    ...(cost === undefined ? [] : [`- cost: ${cost}`]),
  ].join("\n");
}
