import type { Problem } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { splitTraceId, type TraceId } from "#domain/trace/acceptance.ts";
import { type DriftItem, isSeverityReached } from "#domain/trace/drift.ts";
import type { WorkflowRecord } from "#domain/workflow/record.ts";
import { getAcceptancePath, TRACE_FOLDER } from "#domain/workspace/path.ts";
import { listOpenChanges } from "../../change/census.ts";
import type { Engine } from "../../engine.ts";
import type { SourceView } from "../../ports/source.ts";
import { findDrift, readTracedCode, type TracedCode } from "../../trace/tracing/drifting.ts";
import { readSymbolsByFile } from "../../trace/tracing/looking.ts";
import {
  listRequirementDocuments,
  type TracedRequirement,
  readRequirements,
} from "../../trace/tracing/requirements.ts";
import { loadAcceptances, parseAcceptanceFileName } from "../../trace/tracing/shelf.ts";
import { locateTaggedFilesQuietly } from "../../trace/tracing/where.ts";
import { createForeignLockPredicate } from "./changed.ts";

/**
 * Code accepted for requirements of other specs must not change unless it is accepted again or the requirement changes
 * too. The index only suggests where to search; every hash is computed from the current files.
 */
export async function findDriftProblems(
  engine: Engine,
  { id, base_commit: base }: Pick<WorkflowRecord, "id" | "base_commit">,
): Promise<Problem[] | "nothing accepted" | "no base"> {
  const isOthers = (each: TraceId): boolean => splitTraceId(each).spec !== id;
  const { found, damaged } = await engine.store.read(loadAcceptances);
  const before = base === undefined ? undefined : await engine.source.at(base);
  const torn = damaged.flatMap(({ id: of, path, why }) =>
    of !== undefined && isOthers(of) ? [{ of, path, why: why.replace(/\.$/, "") }] : [],
  );
  const there = new Set<TraceId>([...found.keys(), ...torn.map(({ of }) => of)]);
  const gone = listAcceptedIds(before).filter((each) => isOthers(each) && !there.has(each));
  if (there.size + gone.length === 0) return "nothing accepted";
  if (!before || base === undefined) return "no base";
  const broken = [...torn, ...gone.map((each) => ({ path: getAcceptancePath(each), why: "It is gone" }))];
  const acceptances = new Map([...found].filter(([each]) => isOthers(each)));
  const changes = (await engine.source.changes(base)) ?? [];
  const isHeld = await createForeignLockPredicate(engine, id);
  const own = changes.filter(({ path }) => !isHeld(path));
  const touched = new Set(own.flatMap(({ path, from }) => [path, ...(from === undefined ? [] : [from])]));
  const where = await locateTaggedFilesQuietly(engine, acceptances);
  const now = await readTracedCode(engine, [...where.paths((each) => acceptances.has(each)), ...touched], where.names);
  const { drifted, requirements } = await findDrift(engine, acceptances, now);
  const mine = await selectOwnDrift(engine, drifted, { touched, before, names: now.names });
  const answered = await findChangedRequirements(engine, mine, requirements, before);
  return [
    ...broken.map(({ path, why }) => ({
      problem: `${path}: ${sanitizeText(why, 200)}. Go back: git checkout -- ${path}`,
    })),
    ...mine.filter(({ id: of }) => !answered.has(of)).map(formatDriftProblem),
  ];
}

const listAcceptedIds = (sight: SourceView | undefined): TraceId[] =>
  (sight?.paths ?? [])
    .filter((path) => path.startsWith(`${TRACE_FOLDER}/`))
    .flatMap((path) => parseAcceptanceFileName(path.slice(TRACE_FOLDER.length + 1)) ?? []);

interface DriftScope {
  readonly touched: ReadonlySet<string>;
  readonly before: SourceView;
  readonly names: TracedCode["names"];
}

async function selectOwnDrift(
  engine: Engine,
  drifted: readonly DriftItem[],
  { touched, before, names }: DriftScope,
): Promise<DriftItem[]> {
  const near = drifted.filter(
    ({ kind, severity, was, is }) =>
      (kind === "changed" || kind === "removed") &&
      isSeverityReached(severity, "medium") &&
      [was, is].some((symbol) => symbol !== undefined && touched.has(symbol.path)),
  );
  if (near.length === 0) return [];
  const stood = await before.read([...touched]);
  const texts = new Map([...stood].flatMap(([path, each]) => (each.kind === "text" ? [[path, each.text]] : [])));
  const seen = [...(await readSymbolsByFile(engine, texts, names)).values()].flat();
  const had = new Set(seen.map(({ id, hash }) => `${id} ${hash}`));
  return near.filter(({ id, kind, was, is }) =>
    kind === "removed" ? had.has(`${id} ${was?.hash}`) : !had.has(`${id} ${is?.hash}`),
  );
}

/** Requirements that this work changes, in their spec or by a delta of an open change. */
async function findChangedRequirements(
  engine: Engine,
  drifted: readonly DriftItem[],
  requirements: ReadonlyMap<TraceId, TracedRequirement>,
  before: SourceView,
): Promise<ReadonlySet<TraceId>> {
  const ids = [...new Set(drifted.map(({ id }) => id))];
  if (ids.length === 0) return new Set();
  const stood = await before.read(listRequirementDocuments(ids));
  const then = await readRequirements(engine, ids, (path) => {
    const each = stood.get(path);
    return each?.kind === "text" ? each.text : undefined;
  });
  const deltas = await engine.store.read((tree) => listOpenChanges(tree).flatMap((change) => change.deltas ?? []));
  const isSaidAnew = (id: TraceId): boolean => {
    const hash = requirements.get(id)?.spec_hash;
    return (hash !== undefined && hash !== then.get(id)?.spec_hash) || deltas.some((delta) => delta.id === id);
  };
  return new Set(ids.filter(isSaidAnew));
}

function formatDriftProblem({ id, kind, was, is }: DriftItem): Problem {
  const symbol = is ?? was;
  const name = symbol && (symbol.ref === "" ? symbol.path : `${symbol.path}#${symbol.ref}`);
  const what = kind === "removed" ? "is gone" : "was changed";
  return {
    problem: `${sanitizeText(name ?? "", 160)} ${what}, and was accepted for ${id}: tenon drift ${id} shows it. Accept it with a reason, or say ${id} anew.`,
  };
}
