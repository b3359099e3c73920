import { formatShortList } from "#kernel/model/text-format.ts";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { testCommit } from "#roadmap/operations/lead/feature-tests.ts";
import type { SpawnAction } from "#roadmap/model/lead/lead-state.ts";
import { readLead } from "#roadmap/operations/lead/lead-store.ts";
import type { StoreStep } from "#store/operations/ports/store.ts";
import type { RunAction, RunEvent } from "../model/run-action.ts";
import { listActionFiles } from "../model/work-guard.ts";
import type { RunContext } from "./run-context.ts";
import { saveRunEvent } from "./run-store.ts";

/** A conflict shows the agent's own changes up to this length. The others are in the files it gets. */
const MAX_CONFLICT_DIFF = 20_000;

/** Brings committed work into the target branch. Called for one action at a time. */
export async function landWork(run: RunContext, action: SpawnAction, entry: RunAction): Promise<RunAction | "blocked"> {
  const { engine } = run;
  const { commit } = entry;
  const save = (event: RunEvent): Promise<RunAction> => saveRunEvent(engine, action.id, entry, event);
  if (commit === undefined) return save({ kind: "landed" });
  if (action.work.of !== "build") return landDocuments(run, action, { ...entry, commit });
  return landCode(run, { id: action.id, files: listActionFiles(await readLead(engine), action) }, { ...entry, commit });
}

type CommittedAction = RunAction & { readonly commit: string };

/** Documents go into the main checkout in the write that marks them as landed. A commit with their records follows. */
async function landDocuments(run: RunContext, action: SpawnAction, entry: CommittedAction): Promise<RunAction> {
  const { engine } = run;
  const files = listActionFiles(await readLead(engine), action);
  const texts = await Promise.all(
    files.map(async (path) => ({
      path: path as WorkspacePath,
      before: await engine.landings.text(entry.start ?? "", path),
      after: await engine.landings.text(entry.commit, path),
    })),
  );
  const isTouched = texts.filter(({ before, after }) => after !== undefined && after !== before);
  const current = await engine.store.read((tree) => isTouched.map(({ path }) => tree.text(path)));
  const changed = isTouched.filter(({ before, after }, i) => current[i] !== before && current[i] !== after);
  if (changed.length > 0) {
    const names = formatShortList(
      changed.map(({ path }) => path),
      5,
    );
    return conflict(
      run,
      action.id,
      entry,
      `${names} changed while you worked. Start from the files as they are now.`,
      changed.map(({ path }) => path),
    );
  }
  const steps = isTouched.map(({ path, after = "" }): StoreStep => ({ kind: "document", path, text: after }));
  const landed = await saveRunEvent(engine, action.id, entry, { kind: "landed" }, (tree) => ({
    steps: steps.filter((step) => step.kind !== "document" || tree.text(step.path) !== step.text),
  }));
  run.tell({ event: "landed", action: action.id });
  return landed;
}

/** Merges, tests and lands a commit that may change only these files. */
export async function landCode(
  run: RunContext,
  { id, files }: { readonly id: string; readonly files: readonly string[] },
  entry: CommittedAction,
): Promise<RunAction | "blocked"> {
  const { engine } = run;
  const { landings } = engine;
  let now: RunAction = entry;
  for (;;) {
    const target = await landings.target();
    if (target?.branch !== run.branch)
      return wait(run, id, `${run.branch} is not checked out here. Run: git switch ${run.branch}`);
    const { tip } = target;
    if (now.landing && (await landings.isAncestor(now.landing.to, tip)))
      return finishLanding(run, id, now, now.landing);
    if (now.landing?.from !== tip) {
      const merged = await landings.merge(tip, entry.commit);
      if ("conflicts" in merged) {
        const names = formatShortList([...merged.conflicts], 10);
        return conflict(
          run,
          id,
          now,
          `Others changed the same lines meanwhile: ${names}. Your files have their version now. Keep it and add your work to it.`,
          merged.conflicts,
        );
      }
      const strange = (await engine.snapshots.between(tip, merged.commit)).filter(({ path }) => !files.includes(path));
      if (strange.length > 0)
        return reject(run, id, now, [
          `The merge would change other files: ${formatShortList(
            strange.map(({ path }) => path),
            10,
          )}.`,
        ]);
      const tested = await testCommit(engine, files, merged.commit);
      if (tested.status === "unknown")
        return wait(
          run,
          id,
          `The tests cannot run, so nothing lands. ${tested.problems.map(({ problem }) => problem).join(" ")}`,
        );
      if (tested.status === "failed")
        return reject(
          run,
          id,
          now,
          tested.problems.map(({ problem }) => problem),
        );
      now = await saveRunEvent(engine, id, now, { kind: "merging", from: tip, to: merged.commit });
    }
    if (!now.landing) throw new RangeError("Nothing was merged.");
    const result = await landings.land({ branch: run.branch, ...now.landing });
    if (result.kind === "landed") return finishLanding(run, id, now, now.landing);
    if (result.kind === "blocked") {
      const names = result.paths.length === 0 ? "" : ` Commit or move them: ${formatShortList([...result.paths], 10)}.`;
      return wait(run, id, `${result.why}${names}`);
    }
  }
}

function finishLanding(
  run: RunContext,
  id: string,
  entry: RunAction,
  { to }: { readonly to: string },
): Promise<RunAction> {
  run.block(id, undefined);
  run.tell({ event: "landed", action: id, commit: to });
  return saveRunEvent(run.engine, id, entry, { kind: "landed" });
}

/** Nothing is lost: the work is committed, and the next try lands it. */
function wait(run: RunContext, id: string, why: string): "blocked" {
  run.tell({ event: "waiting", action: id, problems: [why] });
  run.block(id, why);
  return "blocked";
}

function reject(run: RunContext, id: string, entry: RunAction, problems: readonly string[]): Promise<RunAction> {
  run.tell({ event: "rejected", action: id, problems });
  return saveRunEvent(run.engine, id, entry, { kind: "rejected", problems });
}

/** The owner gets both sides: those of others as its files, its own as a difference. */
async function conflict(run: RunContext, id: string, entry: RunAction, why: string, paths: readonly string[]) {
  const { base = "", commit = "" } = entry;
  const own = await run.engine.landings.diff(base, commit, paths, MAX_CONFLICT_DIFF);
  run.tell({ event: "conflicted", action: id, problems: [why] });
  const fence = "`".repeat(Math.max(3, ...[...own.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const problems = [why, `The change that an earlier agent made:\n${fence}diff\n${own}\n${fence}`];
  return saveRunEvent(run.engine, id, entry, { kind: "conflicted", problems });
}
