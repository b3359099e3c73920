import { Fault } from "#kernel/model/fault.ts";
import {
  type ExportedChange,
  type ExportedComponent,
  type ExportedDocument,
  type ExportedFile,
  type ExportedSpec,
  formatIndexExport,
  EXPORT_LIMITS,
} from "../../model/index/index-export.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import {
  groupMemberNames,
  createComponentSubject,
  createFileSubject,
  createTextSubject,
} from "../../model/summary/summary-subject.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import type { TraceableItem } from "../../model/trace/traceable-ids.ts";
import { findSpecIdMentions } from "../../model/trace/id-mentions.ts";
import { compareItemOrder } from "../../model/trace/trace-matrix.ts";
import { compareTexts } from "#kernel/model/text-format.ts";
import { CODE_INDEX_EXPORT_PATH } from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedComponentRow, IndexedText } from "../ports/code-index.ts";
import type { PastCommit } from "#git/operations/ports/git-files.ts";
import { loadTraceData } from "../trace/trace-data.ts";
import { createFeedEntry } from "./commit-feed.ts";
import { selectKeyComponents, type SummaryLookup, lookUpSummary } from "./component-selection.ts";
import { loadStoredSummaries } from "./stored-summaries.ts";
import { loadPreparedAnswers } from "./prepare-answers.ts";

type IndexExportEngine = Pick<
  CodeEngine,
  | "store"
  | "yaml"
  | "requirements"
  | "digest"
  | "notice"
  | "source"
  | "stacks"
  | "clock"
  | "version"
  | "project"
  | "progress"
>;

const MAX_DATED_COMMITS = 200;
const EXPORT_NOTE = "export";

/** Writes the index to `.sdd/index.yaml`. A failure does not affect the index itself. */
export async function exportCodeIndex(engine: IndexExportEngine, index: CodeIndex): Promise<void> {
  if (!index.isKept) return;
  const copy = await buildIndexExport(engine, index);
  try {
    await index.alone(() => publishExportText(engine, index, copy), { cancelled: engine.progress.cancelled });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The index is up to date, but ${CODE_INDEX_EXPORT_PATH} is not. ${error.why}`);
  }
}

async function publishExportText(engine: IndexExportEngine, index: CodeIndex, copy: string): Promise<void> {
  const replaced = await index.publish(copy, engine.clock.now());
  const wasThere = (await index.note(EXPORT_NOTE)) !== undefined;
  if (!wasThere) await index.keepNote(EXPORT_NOTE, "1");
  const notice = (text: string): void => engine.notice(`${CODE_INDEX_EXPORT_PATH} ${text}`);
  if (replaced.was === "damaged") notice(`was damaged: it is kept as ${replaced.aside} and written anew.`);
  if (replaced.was === "old") notice("was of an older version: it is written anew.");
  if (replaced.was === "missing" && wasThere) notice("was missing: it is written anew.");
}

async function buildIndexExport(engine: IndexExportEngine, index: CodeIndex): Promise<string> {
  const commits = (await engine.source.commits({ most: MAX_DATED_COMMITS })) ?? [];
  const { known, carriers } = await loadTraceData(engine, index);
  const texts = await index.texts();
  const chosen = await selectKeyComponents(index, carriers);
  const said = await loadStoredSummaries(engine, index);
  const components = await exportComponents(index, chosen, said);
  const paths = [...chosen, ...carriers].map(({ path }) => path);
  const code = await exportCodeFiles(index, paths, carriers, said);
  const docs = exportDocuments(texts, commits, said);
  const counts = await index.counts();
  return formatIndexExport({
    generated: engine.clock.now(),
    tool: engine.version,
    project: (await engine.project())?.name,
    components,
    specs: exportTracedSpecs([...known.ids.values()], carriers, texts, said),
    docs: docs.slice(0, EXPORT_LIMITS.docs),
    code,
    queries: await loadPreparedAnswers(engine, index),
    changes: commits.slice(0, EXPORT_LIMITS.changes).map((commit): ExportedChange => createFeedEntry(commit)),
    all: { components: counts.components, specs: known.ids.size, docs: docs.length, code: counts.files },
  });
}

async function exportComponents(
  index: CodeIndex,
  rows: readonly IndexedComponentRow[],
  said: SummaryLookup,
): Promise<ExportedComponent[]> {
  const exported: ExportedComponent[] = [];
  for (const row of rows) {
    const uses = await index.uses({ path: row.path, ref: row.ref });
    exported.push({
      key: formatComponentKey(row.path, row.ref),
      kind: row.kind,
      path: row.path,
      ref: row.ref,
      line: row.line,
      summary: lookUpSummary(createComponentSubject(row), said),
      uses: uses.flatMap(({ to }) => (to.ref === undefined ? [] : [formatComponentKey(to.path, to.ref)])),
    });
  }
  return exported;
}

async function exportCodeFiles(
  index: CodeIndex,
  paths: readonly string[],
  carriers: readonly TraceLocation[],
  said: SummaryLookup,
): Promise<ExportedFile[]> {
  const wanted = [...new Set(paths)].slice(0, EXPORT_LIMITS.code).toSorted();
  const served = Map.groupBy(carriers, ({ path }) => path);
  const files: ExportedFile[] = [];
  for (const path of wanted) {
    const [file] = await index.files({ path });
    if (!file || file.isTest) continue;
    const members = groupMemberNames(await index.components({ path })).get("") ?? [];
    const specs = [...new Set((served.get(path) ?? []).map(({ spec }) => spec))].toSorted();
    files.push({ path, summary: lookUpSummary(createFileSubject(file, members), said), specs });
  }
  return files;
}

function exportTracedSpecs(
  known: readonly TraceableItem[],
  carriers: readonly TraceLocation[],
  texts: readonly IndexedText[],
  said: SummaryLookup,
): ExportedSpec[] {
  const isKnown = new Set(known.map(({ id }) => id));
  const docs = new Map<string, Set<string>>();
  for (const { kind, path, text } of texts) {
    if (kind !== "doc" || path.startsWith("sdd/")) continue;
    for (const { id } of findSpecIdMentions(text, (each) => isKnown.has(each)))
      docs.set(id, (docs.get(id) ?? new Set()).add(path));
  }
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  const byKey = new Map(texts.map((text) => [text.key, text]));
  return known.toSorted(compareItemOrder).map(({ id, title, status, trace }) => {
    const own = bySpec.get(id) ?? [];
    const text = byKey.get(id);
    const places = (isTest: boolean): string[] =>
      own.filter((each) => each.isTest === isTest).map(({ path, line }) => `${path}:${line}`);
    return {
      id,
      title,
      status,
      summary: text ? lookUpSummary(createTextSubject(text), said) : title,
      trace: {
        // Code and tests come from actual locations: the trace in the spec may be outdated.
        code: places(false),
        tests: places(true),
        docs: [...(docs.get(id) ?? []), ...trace.docs],
      },
    };
  });
}

function exportDocuments(
  texts: readonly IndexedText[],
  commits: readonly PastCommit[],
  said: SummaryLookup,
): ExportedDocument[] {
  const touched = new Map<string, string>();
  for (const { at, files } of commits) for (const { path } of files) if (!touched.has(path)) touched.set(path, at);
  const first = new Map<string, IndexedText>();
  for (const text of texts) {
    const known = first.get(text.path);
    if (text.kind === "doc" && (!known || text.line < known.line)) first.set(text.path, text);
  }
  return [...first.values()]
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .map((text) => ({
      path: text.path,
      summary: lookUpSummary(createTextSubject(text), said),
      updated: touched.get(text.path),
    }));
}
