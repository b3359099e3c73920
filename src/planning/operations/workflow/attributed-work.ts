import {
  type AttributedPaths,
  attributePaths,
  type WorkBasis,
  type WorkReason,
} from "../../model/workflow/work-attribution.ts";
import type { SourceChange, WorkDifference } from "#git/operations/ports/git-files.ts";
import type { PlanningEngine } from "../engine.ts";
import { DOCUMENT_PATH, findFilledDocuments } from "./filled-documents.ts";
import { loadWorkRuntime } from "./workflow-runtime.ts";
import { addSessionLocks, detectWorkflowWork, findWorkBasis } from "./workflow-snapshots.ts";

/** A file of the work. `from` is the file as it would be without the work. */
interface WorkFile extends WorkDifference {
  readonly why: WorkReason;
}

export interface AttributedWork extends Omit<AttributedPaths, "own"> {
  /** A commit of the current files without the work. The difference between it and the current files is the work. */
  readonly base: string;
  readonly base_tree: string;
  readonly files: readonly WorkFile[];
}

interface StartedWork {
  readonly id: string;
  readonly base_commit?: string | undefined;
}

type WorkEngine = Pick<PlanningEngine, "snapshots" | "checkout">;

/** The files of this moment, from which a piece of work begins. Undefined outside git. */
export async function storeWorkBaseline({ snapshots, checkout }: WorkEngine): Promise<WorkBasis | undefined> {
  return (await snapshots.isPossible()) ? { ...(await snapshots.takeBaseline()), checkout } : undefined;
}

/** What its sessions changed, and nothing that the user, other work, a merge or a tool did. Undefined outside git. */
export async function loadWork(
  engine: PlanningEngine,
  { id, base_commit }: StartedWork,
): Promise<AttributedWork | undefined> {
  const { snapshots } = engine;
  if (!(await snapshots.isPossible())) return undefined;
  const known = await engine.store.read(loadWorkRuntime);
  const stored = findWorkBasis(engine, known, id);
  // Work of an earlier release, or in another checkout, has only the commit that it began at.
  const basis = stored ?? (base_commit === undefined ? undefined : createCommitBasis(engine, base_commit));
  if (!basis || !(await snapshots.has(basis.commit))) return undefined;
  const { locks } = addSessionLocks(known, await detectWorkflowWork(engine, known, id));
  const files = new Map((await snapshots.sinceBaseline(basis)).map((file) => [file.path, file]));
  const paths = [...files.keys()];
  const isHeld = attributePaths({ id, paths, locks, basis, isTagged: () => false });
  const filled = await findFilledDocuments(engine, basis.commit, isHeld.unattributed);
  const unnamed = isHeld.unattributed.filter((path) => !filled.has(path));
  const tagged = await findTaggedPaths(engine, id, basis.commit, unnamed);
  const { own, unattributed, ...rest } = attributePaths({
    id,
    paths,
    locks,
    basis,
    isTagged: (path) => tagged.has(path),
    isPresumed: !stored,
  });
  const work = own.map(({ path, why }) => ({ ...files.get(path), path, why }));
  const { commit: base, tree: base_tree } = await snapshots.without(work, base_commit);
  return { ...rest, unattributed: unattributed.filter((path) => !filled.has(path)), files: work, base, base_tree };
}

const createCommitBasis = ({ checkout }: WorkEngine, commit: string): WorkBasis => ({
  checkout,
  commit,
  head: commit,
  branches: [],
});

/** Changed files that name the spec now and did not before: code in a tag, a document anywhere. */
async function findTaggedPaths(engine: PlanningEngine, id: string, commit: string, paths: readonly string[]) {
  const tag = new RegExp(`@spec[^\\n]*\\b${id}(?![\\w-])`);
  const mention = new RegExp(`(?<![\\w-])${id}(?![\\w-])`);
  const tagged = new Set<string>();
  const old = paths.length === 0 ? undefined : await (await engine.source.at(commit))?.read(paths);
  for (const path of paths) {
    const form = DOCUMENT_PATH.test(path) ? mention : tag;
    const [before, after] = [old?.get(path), await engine.source.text(path)];
    const text = before?.kind === "text" ? before.text : "";
    if (after !== undefined && form.test(after) && !form.test(text)) tagged.add(path);
  }
  return tagged;
}

interface WorkChanges {
  readonly work?: AttributedWork;
  readonly changes: readonly SourceChange[];
  /** Why there is nothing to compare with. */
  readonly why?: string;
}

export async function loadWorkChanges(engine: PlanningEngine, started: StartedWork): Promise<WorkChanges> {
  const work = await loadWork(engine, started);
  const changes = work && (await engine.source.changes(work.base));
  if (work && changes) return { work, changes };
  if (!(await engine.snapshots.isPossible())) return { changes: [], why: "there is no git repository here" };
  return { changes: [], why: "git no longer has the files that it started with" };
}

const MOST_NAMED_PATHS = 10;

/** Changed files that are not judged, and the call that adds them to the work. */
export function describeOutsideWork(
  id: string,
  { unattributed, excluded }: Pick<AttributedPaths, "unattributed" | "excluded">,
) {
  const rest = unattributed.length - MOST_NAMED_PATHS;
  const named = `${unattributed.slice(0, MOST_NAMED_PATHS).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  const claim = {
    operation: "workflow.lock",
    input: { action: "claim", id, paths: unattributed.slice(0, MOST_NAMED_PATHS) },
  };
  return {
    notes: [
      ...(unattributed.length > 0
        ? [`Not changed by a session of ${id}, so not checked and not in a receipt: ${named}.`]
        : []),
      ...excluded.map(({ path, reason }) => `Excluded from ${id}: ${path} (${reason}).`),
    ],
    next: unattributed.length > 0 ? [`If ${id} made these changes:`, claim] : [],
  };
}
