import type * as z from "zod";
import type { OperationCall, SuggestedFix } from "#kernel/model/fault.ts";
import { nextLargerSize } from "#planning/model/change/change-size.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { formatQuestionPage } from "#planning/operations/approval/ask-approval.ts";
import { formatRefusalPage } from "#planning/operations/stage-end.ts";
import { formatChangePage, listNextChangeCalls } from "#planning/operations/change/change-page.ts";
import { endChangeStage, hasNextArtifact } from "#planning/operations/change/end-change-stage.ts";
import type { ChangeAdvance, ChangeAdvanced } from "#planning/operations/change/schema.ts";
import { foldJournalIntoLedger } from "#planning/operations/workflow/fold-journal.ts";
import type { CheckingEngine } from "../engine.ts";
import {
  formatDurations,
  formatWaivedChecks,
  isOpenCheck,
  suggestClaims,
  suggestUnknownCheckSteps,
} from "../gate/gate-result.ts";
import { suggestGateFixes } from "../../model/gate/gate-fixes.ts";
import { CODE_CHECK, verifyChange } from "./verify-change.ts";

export const advanceChangeOperation = defineOperation({
  id: "change.advance",
  effect: "change",
  isLong: true,
  input: async () => (await import("#planning/operations/change/schema.ts")).ChangeAdvance,
  output: async () => (await import("#planning/operations/change/schema.ts")).ChangeAdvanced,
  async run(engine: CheckingEngine, input) {
    let result = await endVerifiedStage(engine, input);
    const accepted: string[] = [];
    // Without content the files of the change are taken where they are, as far as they are written.
    while (
      input.content === undefined &&
      !input.keep &&
      result.passed &&
      (await hasNextArtifact(engine, result.change))
    ) {
      accepted.push(result.artifact ?? "");
      const { id: change_id, current_stage: stage } = result.change;
      result = await endVerifiedStage(engine, {
        change_id,
        stage,
        no_code: input.no_code,
        tests_removed: input.tests_removed,
      });
    }
    return { ...result, ...(accepted.length > 0 ? { accepted } : {}) };
  },
  page({
    passed,
    problems,
    change,
    artifact,
    accepted = [],
    overlaps = [],
    next,
    outgrown,
    checked,
    receipt,
    user_question: question,
    notes = [],
  }) {
    const earlier = accepted.map((path) => `${path} is accepted.`);
    if (question) {
      const page = formatQuestionPage(question, "change.advance", { change_id: change.id });
      return { ...page, points: [...earlier, ...(page.points ?? []), ...notes] };
    }
    if (!passed) {
      const sizes = outgrown ? [nextLargerSize(change.size), change.size].filter((size) => size !== undefined) : [];
      const calls = outgrown
        ? sizes.map((size) => ({ operation: "change.resize", input: { change_id: change.id, size, reason: "…" } }))
        : checked
          ? suggestCheckSteps(change.id, checked)
          : listNextChangeCalls(change);
      const page = formatRefusalPage(change.id, change.current_stage, problems, calls);
      return { ...page, points: [...earlier, ...(page.points ?? []), ...notes] };
    }
    const state = next ? `stage ${next.stage} of ${change.id} is open` : `change ${change.id} is completed`;
    const accepts = artifact === undefined ? "The change is accepted" : `${artifact} is accepted`;
    const page = formatChangePage(`${accepts}; ${state}.`, change, next?.guide);
    const shared = overlaps.map(
      ({ id, op, change: other, other_op }) =>
        `${id} is ${op} here and ${other_op} by the open change ${other}. Choose one text now: archiving the second change stops at this conflict until the user decides.`,
    );
    const proof = formatChangeProof(checked, receipt);
    return { ...page, points: [...earlier, ...(page.points ?? []), ...shared, ...proof, ...notes] };
  },
  asks: ({ user_question: question }) => question,
  isRefusal: (output) => !output.passed,
});

/** The last stage runs the project's checks, and only once its artifact is sound. */
export async function endVerifiedStage(engine: CheckingEngine, input: z.infer<typeof ChangeAdvance>) {
  // The edits that hooks reported since the last call are the work too.
  await foldJournalIntoLedger(engine);
  const first = await endChangeStage(engine, input);
  if (!first.unverified) return first;
  const { verification, checked, notes } = await verifyChange(engine, first.unverified, input);
  const second = await endChangeStage(engine, input, verification);
  if (second.unverified)
    throw new RangeError(`${first.unverified.record.id} was verified, and another change is open.`);
  return { ...second, checked, notes: [...(second.notes ?? []), ...notes] };
}

type CheckedChange = NonNullable<z.infer<typeof ChangeAdvanced>["checked"]>;

export const formatChangeProof = (checked: CheckedChange | undefined, receipt: string | undefined): string[] => [
  ...(checked && checked.took.length > 0 ? [`Checked: ${formatDurations(checked.took)}.`] : []),
  ...formatWaivedChecks(checked?.checks ?? []),
  ...(receipt === undefined ? [] : [`Receipt ${receipt}.`]),
];

/** `again` is the call that was refused. */
export function suggestCheckSteps(
  change_id: string,
  { checks, unattributed }: CheckedChange,
  again: OperationCall = { operation: "change.advance", input: { change_id } },
): SuggestedFix[] {
  const open = checks.filter(isOpenCheck);
  const isEmpty = open.some(({ check }) => check === CODE_CHECK);
  return [
    ...suggestUnknownCheckSteps(open),
    ...(isEmpty ? ["Do the work first.", again] : suggestGateFixes(open, undefined, [again])),
    ...suggestClaims(change_id, unattributed),
    ...(isEmpty
      ? ["If no file had to change:", { operation: "change.advance", input: { change_id, no_code: "…" } }]
      : []),
  ];
}
