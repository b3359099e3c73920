import { Fault } from "#kernel/model/fault.ts";
import { formatIndexExport, EXPORT_LIMITS, type IndexExportData } from "../../model/index/index-export.ts";
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

const MAX_DATED_COMMITS = 200;
const EXPORT_NOTE = "export";

/** Writes the index to `.sdd/index.yaml`. A failure does not affect the index itself. */
export async function exportCodeIndex(engine: CodeEngine, index: CodeIndex): Promise<void> {
  if (!index.isKept) return;
  const copy = await buildIndexExport(engine, index);
  const notice = (text: string): void => engine.notice(`${CODE_INDEX_EXPORT_PATH} ${text}`);
  const publish = async (): Promise<void> => {
    const replaced = await index.publish(copy, engine.clock.now());
    const wasThere = (await index.note(EXPORT_NOTE)) !== undefined;
    if (!wasThere) await index.keepNote(EXPORT_NOTE, "1");
    if (replaced.was === "damaged") notice(`was damaged. Tenon kept it as ${replaced.aside} and wrote it again.`);
    if (replaced.was === "old") notice("was of an older version. Tenon wrote it again.");
    if (replaced.was === "missing" && wasThere) notice("was missing. Tenon wrote it again.");
  };
  try {
    await index.alone(publish, { cancelled: engine.progress.cancelled });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The index is up to date, but ${CODE_INDEX_EXPORT_PATH} is not. ${error.why}`);
  }
}

async function buildIndexExport(engine: CodeEngine, index: CodeIndex): Promise<string> {
  const commits = (await engine.source.commits({ most: MAX_DATED_COMMITS })) ?? [];
  const { known, carriers } = await loadTraceData(engine, index);
  const texts = await index.texts();
  const chosen = await selectKeyComponents(index, carriers);
  const said = await loadStoredSummaries(engine, index);
  const specs = exportTracedSpecs([...known.ids.values()], carriers, texts, said);
  const docs = exportDocuments(texts, commits, said, new Map(specs.map(({ id, summary }) => [id, summary])));
  const counts = await index.counts();
  return formatIndexExport({
    generated: engine.clock.now(),
    tool: engine.version,
    project: (await engine.project())?.name,
    components: await exportComponents(index, chosen, said),
    specs,
    docs: docs.slice(0, EXPORT_LIMITS.docs),
    code: await exportCodeFiles(index, chosen, carriers, said),
    queries: await loadPreparedAnswers(engine, index),
    changes: commits.slice(0, EXPORT_LIMITS.changes).map(createFeedEntry),
    all: { components: counts.components, specs: known.ids.size, docs: docs.length, code: counts.files },
  });
}

async function exportComponents(index: CodeIndex, rows: readonly IndexedComponentRow[], said: SummaryLookup) {
  const exported: IndexExportData["components"][number][] = [];
  for (const row of rows) {
    const { kind, path, ref, line } = row;
    const summary = lookUpSummary(createComponentSubject(row), said);
    const used = (await index.uses({ path, ref })).flatMap(({ to }) =>
      to.ref === undefined ? [] : [formatComponentKey(to.path, to.ref)],
    );
    exported.push({ key: formatComponentKey(path, ref), kind, path, ref, line, summary, uses: used });
  }
  return exported;
}

async function exportCodeFiles(
  index: CodeIndex,
  chosen: readonly IndexedComponentRow[],
  carriers: readonly TraceLocation[],
  said: SummaryLookup,
): Promise<IndexExportData["code"]> {
  const paths = new Set([...chosen, ...carriers].map(({ path }) => path));
  const served = Map.groupBy(carriers, ({ path }) => path);
  const files: IndexExportData["code"][number][] = [];
  for (const path of [...paths].slice(0, EXPORT_LIMITS.code).toSorted()) {
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
): IndexExportData["specs"] {
  const isKnown = new Set(known.map(({ id }) => id));
  const docs = new Map<string, Set<string>>();
  for (const { path, text } of texts.filter((each) => each.kind === "doc" && !each.path.startsWith("sdd/")))
    for (const { id } of findSpecIdMentions(text, (each) => isKnown.has(each)))
      docs.set(id, (docs.get(id) ?? new Set()).add(path));
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  const byKey = new Map(texts.map((text) => [text.key, text]));
  return known.toSorted(compareItemOrder).map(({ id, title, status, trace }) => {
    const text = byKey.get(id);
    const summary = text ? lookUpSummary(createTextSubject(text), said) : title;
    // Code and tests come from actual locations: the trace in the spec may be outdated.
    const places = (isTest: boolean): string[] =>
      (bySpec.get(id) ?? []).filter((each) => each.isTest === isTest).map(({ path, line }) => `${path}:${line}`);
    const allDocs = [...(docs.get(id) ?? []), ...trace.docs];
    return { id, title, status, summary, trace: { code: places(false), tests: places(true), docs: allDocs } };
  });
}

function exportDocuments(
  texts: readonly IndexedText[],
  commits: readonly PastCommit[],
  said: SummaryLookup,
  bySpec: ReadonlyMap<string, string>,
) {
  const touched = new Map<string, string>();
  for (const { at, files } of commits) for (const { path } of files) if (!touched.has(path)) touched.set(path, at);
  const sections = texts.filter(({ kind }) => kind === "doc").toSorted((a, b) => a.line - b.line);
  return [...Map.groupBy(sections, ({ path }) => path).values()]
    .flatMap(([first]) => first ?? [])
    .toSorted((a, b) => compareTexts(a.path, b.path))
    .map((text) => {
      const { path } = text;
      const name = path.replace(/^.*\//, "");
      const own = lookUpSummary(createTextSubject(text), said);
      // A page that Tenon fills has no words of its own, so it gets those of the spec that it is named after.
      const summary = own === name ? (bySpec.get(name.replace(/\.md$/i, "")) ?? own) : own;
      return { path, summary, updated: touched.get(path) };
    });
}
