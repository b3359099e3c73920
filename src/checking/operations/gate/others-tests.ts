import { findLockConflicts } from "#planning/model/workflow/file-locks.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import { loadWorkRuntime } from "#planning/operations/workflow/workflow-runtime.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import { canReportFile } from "../../model/report/read-test-report.ts";
import { listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import { BaseComparison } from "./compare-with-base.ts";
import type { TrustedChecks } from "./load-trusted-checks.ts";
import { type FinishedCheck, runCheck } from "./run-check.ts";

const MOST_NAMED_FILES = 3;
/** Runners that compile the tests of a package together. The others only leave out the file that does not load. */
const COMPILED_REPORTS = new Set(["go-json", "libtest-json", "junit-java", "trx"]);

interface BlockedTests {
  readonly id: string;
  readonly work: AttributedWork | undefined;
  readonly rules: TrustedChecks | undefined;
  readonly tried: readonly FinishedCheck[];
  readonly notes: string[];
}

/**
 * In one package a test that does not compile yet keeps all others from running. If another workflow holds it, the tests
 * run in a copy without it, and so does everything that follows.
 */
export async function runWithoutOthersTests(
  engine: CheckingEngine,
  { id, work, rules, tried, notes }: BlockedTests,
): Promise<{ readonly engine: CheckingEngine; readonly tried: readonly FinishedCheck[] }> {
  const held = await listBlockingTests(engine, id, work, tried);
  if (!rules || held.size === 0) return { engine, tried };
  const omitted = [...new Set([...held.values()].flat())];
  const apart = leaveOut(engine, omitted);
  const named = formatShortList(omitted, MOST_NAMED_FILES);
  notes.push(`Tests run in a copy without ${named}, which another workflow holds and which does not load.`);
  await using comparison = new BaseComparison(apart, work, rules, omitted);
  const commit = await engine.snapshots.tree();
  const again: FinishedCheck[] = [];
  for (const each of tried) {
    if (!held.has(each)) {
      again.push(each);
      continue;
    }
    const linked = listBorrowedFolders(rules.definitions.stacks);
    await using lent = await apart.worktrees.lend({ commit, over: [], linked });
    engine.progress.tell(`${each.check.tool} without ${named}`);
    again.push(await comparison.settle(await runCheck(apart, lent.root, each, rules.passes)));
  }
  return { engine: apart, tried: again };
}

/** Files that do not load, and that another open workflow holds, by the check that reports them. */
async function listBlockingTests(
  { store }: CheckingEngine,
  id: string,
  work: AttributedWork | undefined,
  tried: readonly FinishedCheck[],
): Promise<Map<FinishedCheck, string[]>> {
  const broken = tried.filter(
    ({ report, check }) =>
      report !== undefined &&
      report.failures.length > 0 &&
      (report.tests.length === 0 || COMPILED_REPORTS.has(check.report?.format ?? "")),
  );
  if (broken.length === 0) return new Map();
  const own = new Set(work?.files.map(({ path }) => path));
  const { locks } = await store.read(loadWorkRuntime);
  const others = locks
    .filter((lock) => !own.has(lock.path) && findLockConflicts([lock.path], id, [lock]).length > 0)
    .map(({ path }) => path);
  return new Map(
    broken.flatMap((each): [FinishedCheck, string[]][] => {
      const format = each.check.report?.format;
      const held = others.filter((path) =>
        each.report?.failures.some(({ file }) => format && file !== "" && canReportFile(format, file, path)),
      );
      return held.length > 0 ? [[each, held]] : [];
    }),
  );
}

/** The engine of this gate, whose temporary checkouts lack these files. */
function leaveOut(engine: CheckingEngine, paths: readonly string[]): CheckingEngine {
  const lend: typeof engine.worktrees.lend = async (request) => {
    const lent = await engine.worktrees.lend(request);
    await lent.remove(paths);
    return lent;
  };
  // Ports load on first use, so their methods cannot be copied.
  const worktrees = new Proxy(engine.worktrees, {
    get: (port, name): unknown => (name === "lend" ? lend : Reflect.get(port, name)),
  });
  return { ...engine, worktrees };
}
