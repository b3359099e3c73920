import type * as z from "zod";
import { formatCount, formatShortList, sanitizeText } from "#kernel/model/text-format.ts";
import type { CommandCheck } from "#kernel/model/workspace-config.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { CHANGES_FOLDER, getChangeArtifactPath } from "#kernel/model/workspace-paths.ts";
import type { GateAllowance, GateCheckResult } from "#planning/model/workflow/workflow-record.ts";
import {
  listOwedRequirements,
  listRemovals,
  type UncodedRequirement,
} from "#planning/model/change/carried-requirements.ts";
import { createUncodedNeed, judgeCarriedRequirements } from "#planning/operations/change/carried-requirements.ts";
import type { ApprovalNeed } from "#planning/operations/approval/commit-approved.ts";
import type { ChangeVerification, UnverifiedChange } from "#planning/operations/change/end-change-stage.ts";
import type { ChangeAdvance } from "#planning/operations/change/schema.ts";
import { type AttributedWork, describeOutsideWork, loadWork } from "#planning/operations/workflow/attributed-work.ts";
import { createProblemResult } from "../../model/gate/check-outcome.ts";
import type { CheckReceipt } from "../../model/gate/receipt-chain.ts";
import {
  digestTestExceptions,
  getExceptionsQuestion,
  listTestExceptions,
  NO_TESTS_REASON,
  REMOVAL_CHECK,
} from "../../model/gate/receipt-verification.ts";
import type { CheckKind, FolderStack } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import {
  createEnvironmentReceipt,
  createWorkReceipt,
  formatOpenChecks,
  isOpenCheck,
  viewChecks,
} from "../gate/gate-result.ts";
import { CHANGE_GATE, planReceiptWrite } from "../gate/receipt-files.ts";
import { readSourceTree } from "../gate/run-check.ts";
import { runGateChecks } from "../gate/run-gate-checks.ts";
import { waiveUnknownCheck } from "../workflow-gate/judge-stage.ts";
import { DOCUMENT_PATTERN } from "../../model/gate/slight-edit.ts";
import { findHiddenCode } from "./hidden-code.ts";
import { findUnshownWork } from "./shown-work.ts";
import { judgeWorkSubstance } from "./slight-work.ts";
import { findUnnoticedCarriers } from "./unnoticed-carriers.ts";
import { findUnprovenRequirements } from "./unproven-requirements.ts";

export const CODE_CHECK = "code";

/** The checks of a change by its size. A larger fix also shows that its test fails without it. */
function listChangeChecks({ type, size }: ChangeRecord): readonly CommandCheck[] {
  if (size === "quick" || size === "small") return ["tests", "tests-kept"];
  const shown = type === "fix" ? (["regression-seen-to-fail"] as const) : [];
  return [...shown, "tests", "tests-kept", "lint", "types"];
}

const TOOL_OF_CHECK: Readonly<Partial<Record<CommandCheck, CheckKind>>> = {
  "regression-seen-to-fail": "test",
  tests: "test",
  lint: "lint",
  types: "types",
};

/** They need the files from before the work, so without git they are left out. */
const COMPARING_CHECKS: readonly CommandCheck[] = ["regression-seen-to-fail", "tests-kept"];

const MOST_NAMED_FILES = 5;
/** Nobody notices less than this, however fast the project's own tests are. */
const LEAST_BUDGET_MS = 10_000;
type FinishedChecks = Awaited<ReturnType<typeof runGateChecks>>;

interface JudgedChange {
  readonly checks: readonly GateCheckResult[];
  readonly receipts: readonly CheckReceipt[];
  readonly work: AttributedWork | undefined;
  readonly ran?: FinishedChecks;
  readonly no_code?: string;
}

type ChangeReasons = Pick<z.infer<typeof ChangeAdvance>, "no_code" | "tests_removed">;

/** Runs the project's checks on the work of a change, and plans the receipt. */
export async function verifyChange(engine: CheckingEngine, { record, text }: UnverifiedChange, reasons: ChangeReasons) {
  const judged = await judgeChange(engine, record, reasons);
  const { work, ran, no_code } = judged;
  const carried = await judgeRequirements(engine, record, text, judged);
  const checks = [...judged.checks, ...carried.checks];
  const receipts = [...judged.receipts, ...carried.receipts];
  const views = viewChecks(checks);
  const open = views.filter(isOpenCheck);
  const tree = ran ? ran.tree : await readSourceTree(engine);
  const plan: ChangeVerification["plan"] = (files, at) => {
    const { receipt, step, keeping } = planReceiptWrite(files, engine, {
      gate: CHANGE_GATE,
      workflow: `change:${record.id}`,
      stage: record.current_stage,
      passed: true,
      checks: receipts,
      tree,
      base: record.base_commit,
      trust: ran?.rules,
      work: work && createWorkReceipt(work),
      spec_ids: (ran?.spec_ids ?? []).filter((id) => id !== record.id),
      criteria: ran?.criteria ?? [],
      environment: createEnvironmentReceipt(engine),
      at,
    });
    const said = { receipt: receipt.id, gate: CHANGE_GATE };
    return {
      receipt: receipt.id,
      steps: [step],
      keeps: [keeping],
      occurrences: [{ kind: "receipt.written", subject: record.id, data: said }],
    };
  };
  const verification: ChangeVerification = {
    change: record.id,
    problems: formatOpenChecks(open).map((problem) => ({ problem })),
    record: no_code === undefined ? {} : { no_code: { reason: no_code, at: engine.clock.now() } },
    needs: [
      createUncodedNeed(engine, record, carried.uncoded) ?? [],
      createExceptionsNeed(engine, record, listTestExceptions(receipts)) ?? [],
    ].flat(),
    plan,
  };
  return {
    verification,
    checked: {
      checks: views,
      took: (ran?.took ?? []).map((each) => ({ ...each })),
      unattributed: [...(work?.unattributed ?? [])],
    },
    notes: [...(ran?.notes ?? (work ? describeOutsideWork(record.id, work).notes : []))],
  };
}

function createExceptionsNeed(
  { digest }: CheckingEngine,
  { id, current_stage: stage }: ChangeRecord,
  allowed: readonly GateAllowance[],
): ApprovalNeed | undefined {
  if (allowed.length === 0) return undefined;
  const listed = allowed.map(({ what, reason }) => `${sanitizeText(what, 200)} (${sanitizeText(reason, 200)})`);
  return {
    subject: id,
    what: formatCount(allowed.length, "exception"),
    request: {
      id: getExceptionsQuestion(id),
      area: "change",
      stage,
      question: `Do you accept these exceptions? ${listed.join("; ")}`,
      text: digestTestExceptions(digest, allowed),
      path: getChangeArtifactPath(CHANGES_FOLDER, id, stage),
    },
  };
}

/** Archiving merges what a spec adds, so code and a test have to carry it. */
async function judgeRequirements(
  engine: CheckingEngine,
  record: ChangeRecord,
  text: string,
  { work, ran }: JudgedChange,
): Promise<Pick<JudgedChange, "checks" | "receipts"> & { readonly uncoded: readonly UncodedRequirement[] }> {
  const changed = work && new Set(work.files.map(({ path }) => path));
  const judgeTest = ran ? { judgeTest: ran.judgeTest } : {};
  const judged = await judgeCarriedRequirements(engine, record, text, { changed, ...judgeTest });
  const { owed, problems: uncarried, uncoded, carriers } = judged;
  const removed = listRemovals(record.deltas);
  if (owed + removed.length + uncarried.length === 0) return { checks: [], receipts: [], uncoded };
  // Without the other parts there is nothing to prove yet.
  const isReady = work && uncarried.length === 0 && ran?.results.every(({ status }) => status !== "failed");
  const added = listOwedRequirements(record.deltas).filter(({ op, id }) => op === "added" && carriers.has(id));
  const unproven = isReady ? await findUnprovenRequirements(engine, record, added, work, carriers) : undefined;
  const suite = Math.max(LEAST_BUDGET_MS, ...(ran?.receipts ?? []).map(({ ms = 0 }) => ms));
  const unnoticed =
    isReady && unproven?.problems.length === 0
      ? await findUnnoticedCarriers(engine, record, carriers, suite)
      : undefined;
  const problems = unproven ? [...unproven.problems, ...(unnoticed?.problems ?? [])] : uncarried;
  const check = "requirements";
  const create = (status: "passed" | "failed", name: string, allowed: GateAllowance[], more = {}): CheckReceipt => ({
    check: name,
    status,
    ...(allowed.length > 0 ? { allowed } : {}),
    ...more,
  });
  const sanitize = (what: string, reason: string): GateAllowance => ({ what, reason: sanitizeText(reason, 300) });
  const allowed = uncoded.map(({ id, reason }) => sanitize(`${id} is not in code`, reason));
  const excused = [...(unproven?.allowed ?? []), ...(unnoticed?.allowed ?? [])];
  const dropped = removed.map(({ what, reason }) => sanitize(what, reason));
  const unchecked = unnoticed?.unchecked ?? [];
  return {
    checks: [createProblemResult(check, problems, allowed)],
    receipts: [
      create(problems.length > 0 ? "failed" : "passed", check, allowed),
      ...(excused.length + unchecked.length > 0
        ? [create("passed", "requirement-tests", excused, unchecked.length > 0 ? { unchecked } : {})]
        : []),
      ...(dropped.length > 0 ? [create("passed", REMOVAL_CHECK, dropped)] : []),
    ],
    uncoded,
  };
}

/** Leaves out a check for which the project has no tool; a receipt without tests states that. */
async function judgeChange(
  engine: CheckingEngine,
  record: ChangeRecord,
  { no_code: noCode, tests_removed: removals = [] }: ChangeReasons,
): Promise<JudgedChange> {
  const work = await loadWork(engine, record);
  const paths = work?.files.map(({ path }) => path);
  const refuse = (problem: string): JudgedChange => {
    return { checks: [createProblemResult(CODE_CHECK, [{ problem }])], receipts: [], work };
  };
  if (!work && record.base_commit !== undefined && !(await engine.snapshots.isPossible()))
    return refuse(
      `Git cannot show the files from before the change (${record.base_commit.slice(0, 12)}), so nothing can be compared. Run: git status`,
    );
  const { idle, slight, isText } = work ? await judgeWorkSubstance(engine, record, work) : {};
  if (idle !== undefined) {
    if (noCode === undefined) return refuse(`${idle}, so there is nothing to verify.`);
    return { ...waive(CODE_CHECK, noCode), work, no_code: noCode };
  }
  if (noCode !== undefined) {
    const named = paths ? `: ${formatShortList(paths, MOST_NAMED_FILES)}` : ", and without git Tenon cannot see which";
    return refuse(`no_code is for a change without changed files. This one may have some${named}.`);
  }
  const hidden = work ? await findHiddenCode(engine, record, work) : [];
  if (hidden.length > 0) return { checks: [createProblemResult("hidden-code", hidden)], receipts: [], work };
  const doubted = slight === undefined ? NOTHING : waive(CODE_CHECK, `${slight}.`);
  if (paths?.every((path) => DOCUMENT_PATTERN.test(path))) {
    const passed = { check: CODE_CHECK, status: "passed", reason: "Only documents changed." } as const;
    return { ...doubted, ...(slight === undefined ? { receipts: [passed] } : {}), work };
  }
  const { id, base_commit, type, created_at: started_at } = record;
  const modified = (record.deltas ?? []).flatMap((delta) => (delta.op === "modified" ? [delta.id] : []));
  const ran = await runGateChecks(engine, {
    record: { id, base_commit, started_at, kind: type === "fix" ? "fix" : undefined, modified },
    checks: (stacks) =>
      listChangeChecks(record).filter(
        (check) => hasTool(stacks, TOOL_OF_CHECK[check]) && (work !== undefined || !COMPARING_CHECKS.includes(check)),
      ),
    criteria: [],
    removals,
  });
  const untested = ran.checks.includes("tests") ? NOTHING : waive("tests", NO_TESTS_REASON);
  // No test shows that code is gone, and the user approves that its requirement is.
  const isRemoval = listRemovals(record.deltas).length > 0 && ran.work?.files.every(({ to }) => to === undefined);
  const isSettled = slight !== undefined || isText || isRemoval || untested !== NOTHING || !ran.work;
  const unshown = isSettled || !ran.work ? undefined : await findUnshownWork(engine, record, ran.work, ran);
  const unseen = unshown === undefined ? NOTHING : waive(CODE_CHECK, `${unshown}.`);
  return {
    checks: [
      ...ran.results.map((check) => waiveUnknownCheck(check, ran.gates)),
      ...[untested, doubted, unseen].flatMap(({ checks }) => checks),
    ],
    receipts: [...ran.receipts, ...[untested, doubted, unseen].flatMap(({ receipts }) => receipts)],
    work: ran.work,
    ran,
  };
}

type WaivedParts = Pick<JudgedChange, "checks" | "receipts">;
const NOTHING: WaivedParts = { checks: [], receipts: [] };

const waive = (check: string, reason: string): WaivedParts => ({
  checks: [{ check, status: "waived", problems: [], reason } as const],
  receipts: [{ check, status: "waived", reason } as const],
});

const hasTool = (stacks: readonly FolderStack[], kind: CheckKind | undefined): boolean =>
  kind === undefined || stacks.some(({ checks }) => checks.some((check) => check.kind === kind));
