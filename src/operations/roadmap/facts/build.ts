import type { FeatureRecord, GroupRecord } from "#domain/feature/record.ts";
import type { Facts, TestFacts } from "#domain/roadmap/lead/event.ts";
import type { HandedOut, Lead } from "#domain/roadmap/lead/state.ts";
import { isPathLocked, isLockHeld } from "#domain/workflow/locks.ts";
import type { Engine } from "../../engine.ts";
import { loadWorkRuntime } from "../../workflow/running/runtime.ts";
import { BUILT, keptOf } from "../spaces.ts";
import { filesHash, filesOf } from "./hashes.ts";
import { runTests, type Tested } from "./testing.ts";

interface AtWork {
  readonly feature: string;
  readonly group: string;
  readonly files: readonly string[];
}

function buildersBeside({ out, features }: Lead, action: string): AtWork[] {
  return [...out.values()].flatMap(({ action: other }) => {
    if (other.id === action || other.kind !== "spawn" || other.work.of !== "build") return [];
    const { feature, group } = other.work;
    const files = features.get(feature)?.implementation.groups.find(({ id }) => id === group)?.files ?? [];
    return [{ feature, group, files }];
  });
}

export async function builtFacts(
  engine: Engine,
  lead: Lead,
  { record, group, out }: { readonly record: FeatureRecord; readonly group: GroupRecord; readonly out: HandedOut },
): Promise<NonNullable<Facts["build"]>> {
  const others = buildersBeside(lead, out.action.id);
  const { there, missing } = await standing(engine, group.files);
  const outside = await changedOutside(engine, { group, out, others });
  // A fix may delete a file; the report lists it. A build that is rejected anyway needs no tests. While other agents
  // write, a failure cannot be attributed.
  const isWhole = outside.length === 0 && (missing.length === 0 || record.fix !== null);
  const isTestable = isWhole && others.length === 0;
  const tests: TestFacts = isTestable ? toldOf(await runTests(engine, group.files)) : DEFERRED;
  return { hash: await filesHash(engine, filesOf(record)), missing, outside, files: there, tests };
}

const DEFERRED: TestFacts = { status: "deferred", problems: [] };

/** A pass does not count for files that changed during the tests and belong to no builder. */
function toldOf({ status, problems, moved }: Tested, others: readonly AtWork[] = []): TestFacts {
  const theirs = new Set(others.flatMap(({ files }) => files));
  const strange = moved.filter((path) => !theirs.has(path));
  if (status !== "passed" || strange.length === 0) return { status, problems };
  const told = strange
    .slice(0, MOST_TOLD)
    .map((path) => ({ problem: `${path} changed while the tests ran. ${IGNORE}` }));
  return { status: "unknown", problems: told };
}

const MOST_TOLD = 20;
const IGNORE = "Have git ignore what they write, or wait.";

async function standing(
  { source }: Pick<Engine, "source">,
  files: readonly string[],
): Promise<{ there: string[]; missing: string[] }> {
  const found = await Promise.all(files.map(async (path) => [path, (await source.stamped(path)).kind] as const));
  return {
    there: found.filter(([, kind]) => kind !== "missing").map(([path]) => path),
    missing: found.filter(([, kind]) => kind === "missing").map(([path]) => path),
  };
}

/**
 * Files changed since the assignment that belong neither to the group, nor to another builder, nor to a locked
 * workflow. Empty without git.
 */
async function changedOutside(
  engine: Engine,
  { group, out, others }: { readonly group: GroupRecord; readonly out: HandedOut; readonly others: readonly AtWork[] },
): Promise<string[]> {
  if (out.base === null || !(await engine.snapshots.isPossible())) return [];
  const changed = await engine.snapshots.between(out.base, await engine.snapshots.sourceTree());
  const { built, locks } = await engine.store.read((tree) => ({
    built: [...keptOf(tree, BUILT, engine.checkout).values()],
    locks: loadWorkRuntime(tree).locks.filter(isLockHeld),
  }));
  const meanwhile = built.filter(({ at }) => at >= out.at).flatMap(({ files }) => files);
  const known = new Set([...group.files, ...others.flatMap(({ files }) => files), ...meanwhile]);
  return changed
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !locks.some((lock) => isPathLocked(lock, path)));
}

export async function gateFacts(
  engine: Engine,
  lead: Lead,
  { record, action }: { readonly record: FeatureRecord; readonly action: string },
): Promise<{ readonly build: NonNullable<Facts["build"]>; readonly tested?: Tested }> {
  const files = filesOf(record);
  const { there, missing } = await standing(engine, files);
  if (missing.length > 0) {
    const problems = missing.map((path) => ({ problem: `${path} is not there.` }));
    const hash = await filesHash(engine, files);
    return { build: { hash, missing, outside: [], files: there, tests: { status: "failed", problems } } };
  }
  const tested = await runTests(engine, files);
  const tests = apart(tested, files, buildersBeside(lead, action));
  return { build: { hash: await filesHash(engine, files), missing, outside: [], files: there, tests }, tested };
}

/**
 * While other agents build, their failing tests are ignored. A failing test of this feature counts. If the owner of a
 * failure is unclear, the gate must run again later.
 */
function apart(tested: Tested, own: readonly string[], others: readonly AtWork[]): TestFacts {
  if (tested.status !== "failed" || others.length === 0) return toldOf(tested, others);
  const failing = tested.tried.flatMap(({ report }) => [
    ...(report?.tests ?? []).filter(({ status }) => status === "failed"),
    ...(report?.failures ?? []),
  ]);
  const isOf = (paths: readonly string[], file: string): boolean => paths.some((path) => path === file);
  if (failing.some(({ file }) => isOf(own, file))) return toldOf(tested);
  const theirs = others.flatMap(({ files }) => files);
  if (failing.length > 0 && failing.every(({ file }) => isOf(theirs, file))) return { status: "passed", problems: [] };
  const names = others.map(({ feature, group }) => `${feature} ${group}`).join(", ");
  const problem = `Tests fail while others build (${names}): run the gate again once they are done.`;
  return { status: "unknown", problems: [{ problem }, ...tested.problems] };
}
