import { isSpecOfKind } from "#domain/spec/yaml/checks.ts";
import type { ResearchSpec } from "#domain/spec/yaml/research.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { planDecisionRecord } from "../../adr/record.ts";
import type { LockedStoreTree } from "../../ports/store.ts";
import type { WorkflowDraft } from "./draft.ts";
import type { GateJudgement } from "./gate.ts";

/** The write that completes a research workflow also records its decision. */
export function recordResearchDecision(
  draft: WorkflowDraft,
  tree: LockedStoreTree,
  record: WorkflowRecord,
  { spec, approval }: GateJudgement,
): string | undefined {
  const document = spec?.document;
  if (!document || !isSpecOfKind("research", document)) return undefined;
  const plan = planDecisionRecord(
    tree,
    { ...createDecisionInput(document.spec, record, (approval ?? record.approvals.at(-1))?.by), standalone: true },
    draft.at,
  );
  draft.step(...plan.steps);
  for (const [name, value] of Object.entries(plan.counters ?? {})) draft.count(name, value);
  for (const { kind, subject, data } of plan.occurrences) draft.say(kind, subject, data);
  return plan.result.adr.ref;
}

function createDecisionInput(spec: ResearchSpec, { id, title }: WorkflowRecord, approver: string | undefined) {
  const options = spec.options ?? [];
  const chosen = spec.decision?.option ?? spec.recommendation?.option ?? "";
  const rejected = options.filter(({ name }) => name !== chosen);
  return {
    title: `${title}: ${chosen}`.slice(0, 200),
    context: `${title}\n\nResearch ${id} compared ${options.map(({ name }) => name).join(", ")}.`,
    decision: `${chosen}${approver ? `\n\nAgreed by ${approver}.` : ""}`,
    rationale: spec.recommendation?.rationale ?? "",
    ...(rejected.length > 0 ? { alternatives_rejected: rejected.map(formatRejectedOption).join("\n\n") } : {}),
  };
}

function formatRejectedOption({
  name,
  description,
  pros,
  cons,
  cost,
}: NonNullable<ResearchSpec["options"]>[number]): string {
  return [
    `### ${name}`,
    description ?? "",
    ...pros.map((each) => `- for it: ${each}`),
    ...cons.map((each) => `- against it: ${each}`),
    ...(cost === undefined ? [] : [`- cost: ${cost}`]),
  ].join("\n");
}
