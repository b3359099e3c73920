import { formatCount } from "#domain/count.ts";
import { type GateAttempt, planNextRetry } from "#domain/gate/retry.ts";
import { isSourceFile, isTestFile } from "#domain/scan/test-files.ts";
import { joinFolderAndPath, getPathBelowFolder } from "#domain/stack/folder.ts";
import { findLockConflicts } from "#domain/workflow/locks.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import type { Engine } from "../../engine.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import {
  dropSnapshotRefs,
  storeSnapshot,
  takeWorkflowSnapshot,
  writeWithSnapshots,
} from "../../workflow/running/keeping-files.ts";
import { type WorkRuntime, loadWorkRuntime } from "../../workflow/running/runtime.ts";
import { writeWorkflow } from "../../workflow/running/writing.ts";
import type { TrustedChecks } from "./rules.ts";
import { type PlannedCheck, type FinishedCheck, runCheck, runCheckFix } from "./trying.ts";

export interface RetryRequest {
  readonly rules: TrustedChecks;
  readonly planned: readonly PlannedCheck[];
  readonly mending?: FixPermission;
}

interface FixPermission {
  readonly record: WorkflowRecord;
  readonly session: string;
  readonly own: readonly string[];
}

export interface RetriedChecks {
  readonly tried: readonly FinishedCheck[];
  readonly attempts: readonly GateAttempt[];
  readonly tree?: string;
  readonly notes: readonly string[];
}

/** Retries checks that may pass after the tool's own fix or after a wait. */
export async function runChecksWithRetries(engine: Engine, asked: RetryRequest): Promise<RetriedChecks> {
  const { rules, planned } = asked;
  const attempts: GateAttempt[] = [];
  const notes: string[] = [];
  let tried: readonly FinishedCheck[] = [];
  let [todo, last] = [planned, undefined as string | undefined];
  let left: string | undefined;
  let before = { waited_s: 0, fixed: [] as string[] };
  for (;;) {
    const start = await readSourceTree(engine);
    // A pass on other files does not count, so a change restarts all checks.
    if (start === undefined || start !== last) todo = planned;
    last = start;
    const fresh: FinishedCheck[] = [];
    for (const each of todo) {
      fresh.push(await runCheck(engine, engine.root, each, rules.passes));
      throwIfCancelled(engine.progress);
    }
    tried = planned.flatMap((each) => [...fresh, ...tried].find((one) => isSamePlannedCheck(one, each)) ?? []);
    const failed = tried.filter(({ outcome }) => outcome.status === "failed");
    attempts.push({ n: attempts.length + 1, ...before, failed: failed.map(summarizeFailedCheck) });
    const kinds = failed.map(({ outcome }) => outcome.failure ?? "real");
    const isUnknown = tried.some(({ outcome }) => outcome.status === "unknown");
    const wait = isUnknown ? undefined : planNextRetry(kinds, attempts.length, rules.definitions.gates.retry_all);
    if (wait === undefined) {
      return { tried, attempts, notes, ...(start ? { tree: start } : {}) };
    }
    engine.progress.tell(`trying again in ${wait} s: ${failed.map(({ check }) => check.tool).join(", ")}`);
    await engine.wait(wait * 1000, engine.progress.cancelled);
    throwIfCancelled(engine.progress);
    const mended = asked.mending ? await fixFailedChecks(engine, asked.mending, rules, failed, left) : NOTHING_FIXED;
    notes.push(...mended.notes);
    left = mended.left;
    before = { waited_s: wait, fixed: mended.tools };
    todo = failed;
  }
}

const isSamePlannedCheck = (a: PlannedCheck, b: PlannedCheck): boolean =>
  a.name === b.name && a.stack === b.stack && a.check === b.check;

const summarizeFailedCheck = ({ name, outcome }: FinishedCheck): GateAttempt["failed"][number] => ({
  check: name,
  failure: outcome.failure ?? "real",
  said: outcome.problems[0]?.problem ?? outcome.reason ?? "",
});

const readSourceTree = async ({ snapshots }: Pick<Engine, "snapshots">): Promise<string | undefined> =>
  (await snapshots.isPossible()) ? snapshots.sourceTree() : undefined;

/** A check that writes files, or work in another session, leaves files that were not checked. */
export async function listFilesChangedMeanwhile(
  engine: Pick<Engine, "snapshots">,
  start: string | undefined,
): Promise<string[]> {
  const end = start === undefined ? undefined : await readSourceTree(engine);
  if (start === undefined || end === undefined || start === end) return [];
  return (await engine.snapshots.between(start, end)).map(({ path }) => path);
}

interface FixResult {
  readonly tools: string[];
  readonly notes: readonly string[];
  readonly left?: string | undefined;
}

const NOTHING_FIXED: FixResult = { tools: [], notes: [] };

async function fixFailedChecks(
  engine: Engine,
  mending: FixPermission,
  rules: TrustedChecks,
  failed: readonly FinishedCheck[],
  left: string | undefined,
): Promise<FixResult> {
  const runtime = await engine.store.read(loadWorkRuntime);
  const fixes = failed.flatMap((each) => {
    const files = each.check.fix ? listFixableFiles(each, mending, rules, runtime) : [];
    return files.length > 0 ? [{ each, files }] : [];
  });
  if (fixes.length === 0) return { tools: [], notes: [], left };
  const { snapshots } = engine;
  const before = (await snapshots.isPossible()) ? await snapshots.tree() : undefined;
  // The state after an earlier fix needs no snapshot: the state before it is already saved.
  const n = before === undefined || before === left ? undefined : await saveSnapshotBeforeFix(engine, mending, runtime);
  const tools: string[] = [];
  for (const { each, files } of fixes) {
    if (await runCheckFix(engine, engine.root, each, files, rules.passes)) tools.push(each.check.tool);
  }
  if (before === undefined) return { tools, notes: [] };
  const after = await snapshots.tree();
  const changed = await snapshots.between(before, after);
  const allowed = new Set(
    fixes.flatMap(({ each, files }) => files.map((file) => joinFolderAndPath(each.stack.directory, file))),
  );
  const strange = changed.map(({ path }) => path).filter((path) => !allowed.has(path));
  const undo = n === undefined ? "." : `; ${mending.record.id} has snapshot ${n} of before.`;
  const notes = [
    ...(changed.length > 0 ? [`${tools.join(", ")} mended ${formatCount(changed.length, "file")}${undo}`] : []),
    ...(strange.length > 0 ? [`A fix changed more than it was given: ${strange.slice(0, 10).join(", ")}.`] : []),
  ];
  return { tools, notes, left: after };
}

async function saveSnapshotBeforeFix(
  engine: Engine,
  { record, session }: FixPermission,
  runtime: WorkRuntime,
): Promise<number | undefined> {
  const snapshot = await takeWorkflowSnapshot(engine, runtime, record, "fix");
  const gone = await writeWithSnapshots(engine, [snapshot], () =>
    writeWorkflow(engine, { id: record.id, session }, (draft) => storeSnapshot(draft, snapshot)),
  );
  await dropSnapshotRefs(engine, gone);
  return snapshot?.n;
}

/** The work's own code below the folder of the check, relative to it, without files that other workflows lock. */
function listFixableFiles(
  { stack }: FinishedCheck,
  { own, record }: FixPermission,
  rules: TrustedChecks,
  { locks }: WorkRuntime,
): string[] {
  const { stacks } = rules.definitions;
  const code = own.filter((path) => isSourceFile(path, stacks) || isTestFile(path, stacks));
  const held = new Set(findLockConflicts(code, record.id, locks).map(({ path }) => path));
  return code.flatMap((path) => (held.has(path) ? [] : (getPathBelowFolder(stack.directory, path) ?? [])));
}
