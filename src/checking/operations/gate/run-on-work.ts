import type { PathDifference } from "#git/operations/ports/git-files.ts";
import { addEditFailures, describeCheckEdits, isTextCheck, listEditFailures } from "../../model/gate/check-edits.ts";
import { type ChosenTest, listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { type CheckRunEngine, type FinishedCheck, type PlannedCheck, runCheck } from "./run-check.ts";

export type WorkRunEngine = CheckRunEngine & Pick<CheckingEngine, "snapshots" | "worktrees">;

/** Restores files that the check changes. A file that someone else may have written is left alone. */
export async function runCheckOnWork(
  engine: WorkRunEngine,
  planned: PlannedCheck,
  rules: TrustedChecks,
  tests?: readonly ChosenTest[],
): Promise<FinishedCheck> {
  const { snapshots } = engine;
  const before = (await snapshots.isPossible()) ? await snapshots.tree() : undefined;
  const finished = await runCheck(engine, engine.root, planned, rules.passes, tests);
  if (before === undefined) return finished;
  const after = await snapshots.tree();
  const changed = before === after ? [] : await snapshots.between(before, after);
  const written = await findCheckWrites(engine, planned, rules, before, changed, tests);
  if (written.length === 0) return finished;
  const { foreign } = await snapshots.restore({ from: after, to: before, paths: written });
  const edited = written.filter((path) => !foreign.includes(path));
  const { check, name, stack, outcome, failures, receipt } = finished;
  const edits = listEditFailures(check.kind, edited);
  const judged = addEditFailures(outcome, edits, check.fix !== undefined);
  const note = describeCheckEdits(name, check.kind, stack.profile, edited);
  return {
    ...finished,
    outcome: judged,
    failures: judged === outcome ? failures : [...failures, ...edits],
    receipt: judged === outcome ? receipt : { ...receipt, status: "failed" },
    edited,
    notes: note === undefined ? [] : [note],
  };
}

/** The check runs again on a copy of the files, because a user may edit files while it runs. */
async function findCheckWrites(
  engine: WorkRunEngine,
  planned: PlannedCheck,
  { definitions: { stacks }, passes }: TrustedChecks,
  tree: string,
  changed: readonly PathDifference[],
  tests: readonly ChosenTest[] | undefined,
): Promise<string[]> {
  // Other sessions write Tenon's own files all the time, and only a formatter would change them.
  const paths = changed
    .map(({ path }) => path)
    .filter((path) => isTextCheck(planned.check.kind) || !path.startsWith("sdd/"));
  if (paths.length === 0) return [];
  await using copy = await engine.worktrees.lend({ commit: tree, over: [], linked: listBorrowedFolders(stacks) });
  const before = await copy.read(paths);
  engine.progress.tell(`${planned.check.tool} on a copy: it may have changed files`);
  await runCheck(engine, copy.root, planned, passes, tests);
  const after = await copy.read(paths);
  return paths.filter((path) => before.get(path) !== after.get(path));
}
