import { type FailureKind, type GateAttempt, planNextRetry } from "../../model/gate/check-outcome.ts";
import { joinFolderAndPath, getPathBelowFolder } from "#kernel/model/folder-path.ts";
import type { CheckingEngine } from "../engine.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import type { WorkflowRecord } from "#planning/model/workflow/workflow-record.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
} from "#planning/operations/workflow/workflow-snapshots.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { writeWorkflow } from "#planning/operations/workflow/workflow-writes.ts";
import { loadKnownRuns } from "./known-runs.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { type FinishedCheck, type PlannedCheck, readSourceTree, runCheckFix } from "./run-check.ts";
import { runCheckOnWork } from "./run-on-work.ts";

interface FixPermission {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly own: readonly string[];
}

export type RetriedChecks = Awaited<ReturnType<typeof runChecksWithRetries>>;

/** Retries checks that may pass after the tool's own fix or after a wait. */
export async function runChecksWithRetries(
  engine: CheckingEngine,
  {
    rules,
    planned,
    mending,
    base,
    settle = async (finished) => finished,
  }: {
    rules: TrustedChecks;
    planned: readonly PlannedCheck[];
    mending?: FixPermission | undefined;
    base?: string | undefined;
    settle?: (finished: FinishedCheck) => Promise<FinishedCheck>;
  },
) {
  const attempts: GateAttempt[] = [];
  const notes: string[] = [];
  let tried: readonly FinishedCheck[] = [];
  let todo = planned;
  let tree: string | undefined;
  let left: string | undefined;
  let before = { waited_s: 0, fixed: [] as string[] };
  for (;;) {
    const start = await readSourceTree(engine);
    // A pass on other files does not count, so a change restarts all checks.
    if (start === undefined || start !== tree) todo = planned;
    tree = start;
    const known = await loadKnownRuns(engine, rules, { tree: start, base });
    const fresh: FinishedCheck[] = [];
    const runOnce = async (each: PlannedCheck): Promise<FinishedCheck> => {
      const { planned: limited, usual_s } = known.limit(each);
      const finished = known.find(each) ?? (await runCheckOnWork(engine, limited, rules));
      return { ...explainHang(finished, usual_s), check: each.check };
    };
    for (const batch of groupIndependentChecks(todo)) {
      for (const finished of await runTogether(batch, runOnce)) {
        throwIfCancelled(engine.progress);
        notes.push(...finished.notes.filter((note) => !notes.includes(note)));
        fresh.push(await settle(finished));
      }
      throwIfCancelled(engine.progress);
    }
    const all = [...fresh, ...tried];
    tried = planned.flatMap(
      ({ name, stack, check }) =>
        all.find((one) => one.name === name && one.stack === stack && one.check === check) ?? [],
    );
    const failed = tried.filter(({ outcome }) => outcome.status === "failed");
    const fixes = mending ? await listFixes(engine, mending, rules, failed) : [];
    // Without a file that the fix may change, only an edit helps.
    const classifyFailure = (each: FinishedCheck): FailureKind => {
      const { failure = "real" } = each.outcome;
      return failure === "fixable" && !fixes.some((fix) => fix.each === each) ? "real" : failure;
    };
    const summaries = failed.map((each) => ({
      check: each.name,
      failure: classifyFailure(each),
      said: each.outcome.problems[0]?.problem ?? each.outcome.reason ?? "",
    }));
    attempts.push({ n: attempts.length + 1, ...before, failed: summaries });
    const kinds = summaries.map(({ failure }) => failure);
    const isUnknown = tried.some(({ outcome }) => outcome.status === "unknown");
    // A second hang would hang a third time.
    const isHopeless = isUnknown || (attempts.length > 1 && failed.some(({ isHung }) => isHung));
    const wait = isHopeless ? undefined : planNextRetry(kinds, attempts.length, rules.definitions.gates.retry_all);
    if (wait === undefined) return { tried, attempts, notes, tree };
    engine.progress.tell(`trying again in ${wait} s: ${failed.map(({ check }) => check.tool).join(", ")}`);
    await engine.wait(wait * 1000, engine.progress.cancelled);
    throwIfCancelled(engine.progress);
    const mended = mending && (await runFixes(engine, mending, rules, fixes, left));
    notes.push(...(mended?.notes ?? []));
    left = mended?.left;
    before = { waited_s: wait, fixed: mended?.tools ?? [] };
    todo = failed;
  }
}

const READING_KINDS: readonly string[] = ["lint", "types", "format"];

/** Checks that only read run at the same time. Tests and builds run alone: they write files and share ports. */
function groupIndependentChecks(planned: readonly PlannedCheck[]): readonly PlannedCheck[][] {
  const groups: PlannedCheck[][] = [];
  const isReading = ({ check }: PlannedCheck): boolean => READING_KINDS.includes(check.kind);
  for (const each of planned) {
    const last = groups.at(-1);
    if (last?.every(isReading) && isReading(each)) last.push(each);
    else groups.push([each]);
  }
  return groups;
}

/** A check that changed files in spite of its kind may have misled the others, so they run again by themselves. */
async function runTogether(
  batch: readonly PlannedCheck[],
  run: (each: PlannedCheck) => Promise<FinishedCheck>,
): Promise<readonly FinishedCheck[]> {
  const finished = await Promise.all(batch.map(run));
  if (batch.length === 1 || finished.every(({ edited }) => edited.length === 0)) return finished;
  const alone: FinishedCheck[] = [];
  for (const [at, each] of finished.entries()) {
    const planned = batch[at];
    alone.push(planned && each.edited.length === 0 && !each.isReused ? await run(planned) : each);
  }
  return alone;
}

/** A check that is usually fast does not hang by accident, so it is not tried again. */
function explainHang(finished: FinishedCheck, usual_s: number | undefined): FinishedCheck {
  const { outcome, isHung } = finished;
  if (!isHung || usual_s === undefined) return finished;
  const problem = `It usually takes ${usual_s} s. Look for a loop or a wait that never ends in the changed code and tests.`;
  return { ...finished, outcome: { ...outcome, failure: "real", problems: [...outcome.problems, { problem }] } };
}

interface PlannedFix {
  readonly each: FinishedCheck;
  /** Relative to the folder of the check. */
  readonly files: readonly string[];
}

/** Without files that other workflows lock. Other files of the work count if a formatter names them. */
async function listFixes(
  engine: CheckingEngine,
  { record, own }: FixPermission,
  { definitions: { stacks } }: TrustedChecks,
  failed: readonly FinishedCheck[],
): Promise<PlannedFix[]> {
  const { locks } = await engine.store.read(loadWorkRuntime);
  const held = new Set(findLockConflicts(own, record.id, locks).map(({ path }) => path));
  const isCode = (path: string): boolean => isSourceFile(path, stacks) || isTestFile(path, stacks);
  return failed.flatMap((each) => {
    const { check, name, stack, failures } = each;
    const files = own
      .filter((path) => !held.has(path) && !/^\.?sdd\//.test(path))
      .flatMap((path) => {
        const below = getPathBelowFolder(stack.directory, path);
        const isNamed = name === "format" && failures.some(({ problem }) => problem.includes(below ?? path));
        return below !== undefined && (isCode(path) || isNamed) ? [below] : [];
      });
    return check.fix && files.length > 0 ? [{ each, files }] : [];
  });
}

async function runFixes(
  engine: CheckingEngine,
  { record, session }: FixPermission,
  rules: TrustedChecks,
  fixes: readonly PlannedFix[],
  left: string | undefined,
): Promise<{ tools: string[]; notes: string[]; left?: string | undefined }> {
  if (fixes.length === 0) return { tools: [], notes: [], left };
  const runtime = await engine.store.read(loadWorkRuntime);
  const { snapshots } = engine;
  const before = (await snapshots.isPossible()) ? await snapshots.tree() : undefined;
  // The state after an earlier fix needs no snapshot: the state before it is already saved.
  const isSaved = before === undefined || before === left;
  const snapshot = isSaved ? undefined : await takeWorkflowSnapshot(engine, runtime, record, "fix");
  if (!isSaved) {
    const gone = await writeWithSnapshots(engine, [snapshot], () =>
      writeWorkflow(engine, { id: record.id, session }, (draft) => storeSnapshot(draft, snapshot)),
    );
    await dropSnapshotRefs(engine, gone);
  }
  const tools: string[] = [];
  for (const { each, files } of fixes) {
    if (await runCheckFix(engine, engine.root, each, files, rules.passes)) tools.push(each.check.tool);
  }
  if (before === undefined) return { tools, notes: [] };
  const after = await snapshots.tree();
  const changed = (await snapshots.between(before, after)).map(({ path }) => path);
  const allowed = new Set(
    fixes.flatMap(({ each, files }) => files.map((file) => joinFolderAndPath(each.stack.directory, file))),
  );
  const strange = changed.filter((path) => !allowed.has(path));
  const undo = snapshot === undefined ? "." : `; snapshot ${snapshot.n} of ${record.id} has the files as they were.`;
  const notes = [
    ...(changed.length > 0 ? [`${tools.join(", ")} fixed ${formatCount(changed.length, "file")}${undo}`] : []),
    ...(strange.length > 0 ? [`A fix changed other files, too: ${strange.slice(0, 10).join(", ")}.`] : []),
  ];
  return { tools, notes, left: after };
}
