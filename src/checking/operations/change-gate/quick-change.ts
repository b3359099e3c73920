import type * as z from "zod";
import { Fault } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { formatCount, suggestCommitCommand } from "#kernel/model/text-format.ts";
import { parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { describeOutgrownLimits, suggestTypeAndSize } from "#planning/model/change/change-size.ts";
import {
  createChangeView,
  formatChangePage,
  listNextChangeCalls,
  loadOpenChangeStage,
} from "#planning/operations/change/change-page.ts";
import {
  findStoredChange,
  isOpenChange,
  loadChangeRecords,
  type StoredChange,
} from "#planning/operations/change/change-records.ts";
import { archiveChangeOperation, resizeChangeOperation } from "#planning/operations/change/revise-change.ts";
import type { ChangeQuick, ChangeQuickened } from "#planning/operations/change/schema.ts";
import { startChange } from "#planning/operations/change/start-change.ts";
import { type ContextFinding, formatContextFindings } from "#planning/operations/context/context-findings.ts";
import { contextCheckOperation } from "#planning/operations/context/context-reports.ts";
import { formatRefusalPage } from "#planning/operations/stage-end.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { CheckingEngine } from "../engine.ts";
import { endVerifiedStage, formatChangeProof, suggestCheckSteps } from "./advance-change.ts";

type QuickInput = z.infer<typeof ChangeQuick>;
type QuickOutput = z.infer<typeof ChangeQuickened>;

/** The answer that begins a quick change stays short. */
const CONTEXT_TOKENS = 1_200;

/** One call starts it with its context check, one ends it with checks, a receipt and its archive. */
export const quickChangeOperation = defineOperation({
  id: "change.quick",
  effect: "change",
  isLong: true,
  input: async () => (await import("#planning/operations/change/schema.ts")).ChangeQuick,
  output: async () => (await import("#planning/operations/change/schema.ts")).ChangeQuickened,
  run: (engine: CheckingEngine, input) =>
    input.done ? endQuickChange(engine, input) : beginQuickChange(engine, input),
  page: (output) => (output.context ? formatBegunPage(output, output.context) : formatEndedPage(output)),
  isRefusal: (output) => !output.passed,
});

async function beginQuickChange(engine: CheckingEngine, { description, concurrent }: QuickInput): Promise<QuickOutput> {
  const type = suggestTypeAndSize(description ?? "")?.type;
  if (description === undefined || type === undefined) {
    throw new Fault("input.missing", {
      what: "No quick change was started.",
      why: "Its description is missing. To end a quick change, set done.",
      fix: [
        { operation: "change.quick", input: { description: "…" } },
        { operation: "change.quick", input: { done: true } },
      ],
    });
  }
  const { change, next, notes } = await startChange(engine, { description, type, size: "quick", concurrent });
  const checked = await contextCheckOperation.run(engine, { change_id: change.id, max_tokens: CONTEXT_TOKENS });
  const context = { ...checked, findings: checked.findings.map(hideConventionText) };
  if (context.critical === 0) return { passed: true, problems: [], change, context, next, notes };
  // A critical fact needs an answer, and a quick change has no document for it.
  const reason = `The context check found ${formatCount(context.critical, "critical fact")}`;
  const grown = await growQuickChange(engine, change.id, reason);
  return { passed: true, problems: [], ...grown, context, notes };
}

/** A whole README would bury the rest of the answer. */
function hideConventionText(finding: ContextFinding): ContextFinding {
  if (finding.kind !== "convention") return finding;
  const { text: _, is_part: __, ...shown } = finding;
  return shown;
}

async function growQuickChange(engine: CheckingEngine, change_id: string, reason: string) {
  const { change, next } = await resizeChangeOperation.run(engine, { change_id, size: "small", reason });
  return { change, next };
}

async function endQuickChange(engine: CheckingEngine, input: QuickInput): Promise<QuickOutput> {
  const { record } = await engine.store.read((tree) => chooseQuickChange(tree, input.change_id));
  const { id: change_id } = record;
  // Its checks have passed before, with a reason for sdd_change_advance or in a call that was interrupted.
  if (record.status === "completed") return archiveQuickChange(engine, change_id, { passed: true, problems: [] });
  const ended = await endVerifiedStage(engine, { change_id });
  if (ended.passed) return archiveQuickChange(engine, change_id, ended);
  if (!ended.outgrown) return { ...ended, next: await loadOpenChangeStage(engine, record) };
  const reason = describeOutgrownLimits(record, ended.outgrown).join("; ");
  return { ...ended, ...(await growQuickChange(engine, change_id, reason)) };
}

async function archiveQuickChange(
  engine: CheckingEngine,
  change_id: string,
  ended: Omit<QuickOutput, "change">,
): Promise<QuickOutput> {
  const { change } = await archiveChangeOperation.run(engine, { change_id });
  return { ...ended, change };
}

/** The named change, else the only open quick one. */
function chooseQuickChange(tree: StoreTree, name: string | undefined): StoredChange {
  const open = loadChangeRecords(tree, [CHANGES_FOLDER]).changes.filter(({ record }) => isOpenChange(record));
  const quick = open.filter(({ record }) => record.size === "quick");
  const [only, second] = name === undefined ? quick : [findStoredChange(tree, parseChangeId(name))];
  if (only && !second && only.record.size === "quick" && isOpenChange(only.record)) return only;
  const [other] = only ? [only] : open;
  if (second) {
    throw new Fault("change.ambiguous", {
      what: "Several quick changes are open. Name one by its id.",
      why: `Open: ${quick.map(({ record }) => record.id).join(", ")}.`,
      fix: quick.map(({ record }) => ({ operation: "change.quick", input: { done: true, change_id: record.id } })),
    });
  }
  throw new Fault("change.not-quick", {
    what: "No quick change is open.",
    why: other
      ? `${other.record.id} is a ${other.record.size} ${other.record.type}, ${other.record.status}.`
      : "None was started, or it is archived already.",
    fix: other
      ? listNextChangeCalls(createChangeView(other.record))
      : { operation: "change.quick", input: { description: "…" } },
  });
}

function formatBegunPage(output: QuickOutput, { critical, facts, findings, omitted }: QuickOutput["context"] & object) {
  const { change, next, notes = [] } = output;
  const title =
    change.size === "quick"
      ? `Quick change ${change.id} started, and its context is checked.`
      : `${change.id} is a small change: its context check found ${formatCount(critical, "critical fact")}.`;
  const page = formatChangePage(title, change, next?.guide);
  const found = formatContextFindings(findings, omitted);
  return {
    ...page,
    facts: [...(page.facts ?? []), ...facts.map(({ id, severity, fact }) => [`${id} ${severity}`, fact] as const)],
    quotes: found.quotes ?? [],
    points: [...(page.points ?? []), ...(found.points ?? []), ...notes],
  } satisfies Page;
}

function formatEndedPage(output: QuickOutput): Page {
  const { passed, problems, change, next, outgrown, checked, receipt, notes = [] } = output;
  const again = { operation: "change.quick", input: { done: true, change_id: change.id } };
  if (outgrown) {
    const page = formatChangePage(`${change.id} outgrew a quick change, and is a small one now.`, change, next?.guide);
    const keep = { operation: "change.resize", input: { change_id: change.id, size: "quick", reason: "…" } };
    return {
      ...page,
      points: [...problems.map(({ problem }) => problem), ...(page.points ?? []), ...notes],
      next: [...(page.next ?? []), "To keep it quick all the same:", keep],
    };
  }
  if (!passed) {
    const calls = checked ? suggestCheckSteps(change.id, checked, again) : [again];
    const page = formatRefusalPage(change.id, change.current_stage, problems, calls);
    return { ...page, points: [...(page.points ?? []), ...notes] };
  }
  const page = formatChangePage(`Quick change ${change.id} is done, and archived in ${change.path}.`, change);
  return {
    ...page,
    points: [...(page.points ?? []), ...formatChangeProof(checked, receipt), ...notes],
    next: [suggestCommitCommand(change.id, change.description)],
  };
}
