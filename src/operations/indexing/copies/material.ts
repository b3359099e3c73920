import { blankAutoSections } from "#domain/indexing/auto-sections.ts";
import type {
  CataloguedComponent,
  DocsSectionData,
  FeaturePageFacts,
  ListedDocument,
} from "#domain/indexing/docs/content.ts";
import { classifyDocumentPath } from "#domain/indexing/export.ts";
import { formatComponentKey } from "#domain/indexing/outline.ts";
import { deriveSummary } from "#domain/indexing/summary.ts";
import { createComponentSubject, createTextSubject } from "#domain/indexing/summary/subject.ts";
import { isIndexedDocument, extractDocumentSections } from "#domain/indexing/texts.ts";
import { type TraceLocation, collectTraceLocations } from "#domain/trace/carrier.ts";
import type { TraceableItem } from "#domain/trace/known.ts";
import {
  type ServingLocations,
  groupServingLocations,
  buildTraceMatrix,
  filterCriterionTests,
} from "#domain/trace/matrix.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import { findNamingDocuments } from "../../trace/documents.ts";
import { loadTraceableIds } from "../../trace/known.ts";
import { selectKeyComponents, type SummaryLookup, lookUpSummary } from "./chosen.ts";
import { loadStoredSummaries } from "../known-summaries.ts";

export type DocsEngine = Pick<Engine, "store" | "yaml" | "digest" | "notice" | "source">;

export async function gatherDocsSections(
  engine: DocsEngine,
  index: CodeIndex,
): Promise<{ readonly material: DocsSectionData; readonly known: readonly TraceableItem[] }> {
  const known = await loadTraceableIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = collectTraceLocations({ tags, tests }, createTestNameReader(known.ids.keys()));
  const said = await loadStoredSummaries(engine, index);
  const naming = await findNamingDocuments(engine, (id) => known.ids.has(id));
  const docs = new Map([...naming].map(([id, told]) => [id, told.map(({ path }) => path)]));
  const carried = groupServingLocations({ carriers, docs });
  const specs = await index.texts({ kind: "spec" });
  const summaries = new Map(specs.map((text) => [text.key, lookUpSummary(createTextSubject(text), said)]));
  const components = await catalogueComponents(index, carriers, said);
  const all = await index.counts();
  const feature = (id: string): FeaturePageFacts | undefined => {
    const subject = known.ids.get(id);
    return subject && createFeaturePageFacts(subject, carried(id), summaries.get(id) ?? "");
  };
  return {
    known: [...known.ids.values()],
    material: {
      components,
      otherComponents: all.components - components.length,
      matrix: buildTraceMatrix(known.ids.values(), carried),
      summaries,
      docs: await listRepositoryDocuments(
        engine,
        said,
        (path) => known.ids.get(path.replace(/^.*\/|\.md$/gi, ""))?.title ?? "",
      ),
      feature,
    },
  };
}

async function catalogueComponents(
  index: CodeIndex,
  carriers: readonly TraceLocation[],
  said: SummaryLookup,
): Promise<CataloguedComponent[]> {
  const served = Map.groupBy(carriers, ({ path, ref }) => formatComponentKey(path, ref ?? ""));
  const rows = await selectKeyComponents(index, carriers);
  return rows
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
    .map((row) => ({
      ref: row.ref,
      kind: row.kind,
      path: row.path,
      summary: lookUpSummary(createComponentSubject(row), said),
      specs: [...new Set((served.get(formatComponentKey(row.path, row.ref)) ?? []).map(({ spec }) => spec))].toSorted(),
    }));
}

/** A document with AUTO sections only gets the title of the item it is named after. */
async function listRepositoryDocuments(
  engine: DocsEngine,
  said: SummaryLookup,
  titleOf: (path: string) => string,
): Promise<ListedDocument[]> {
  const documents: ListedDocument[] = [];
  for (const { path } of await engine.source.files()) {
    if (!isIndexedDocument(path)) continue;
    const text = await engine.source.text(path);
    if (text !== undefined) documents.push(createListedDocument(path, text, said, titleOf(path)));
  }
  return documents;
}

export function createListedDocument(path: string, text: string, said: SummaryLookup, about: string): ListedDocument {
  const own = blankAutoSections(text).replace(/<!--[^]*?-->/g, "");
  const [first] = extractDocumentSections(path, own);
  const title = /^#{1,6}[ \t]+(\S.*)$/m.exec(own)?.[1] ?? (about === "" ? path : about);
  const byHand = said.get(first?.key ?? path);
  const words = first ? deriveSummary({ kind: "file", name: path, doc: first.text.replace(/^#.*$/gm, "") }) : "";
  return {
    path,
    type: classifyDocumentPath(path),
    title,
    summary: byHand?.source === "manual" ? byHand.text : words,
  };
}

function createFeaturePageFacts(
  subject: TraceableItem,
  { code, tests, docs }: ServingLocations,
  summary: string,
): FeaturePageFacts {
  const { id, title, status, path, criteria = [], trace } = subject;
  return {
    id,
    title,
    ...(status === undefined ? {} : { status }),
    specPath: path,
    summary,
    criteria: criteria.map((each) => ({ ...each, tests: filterCriterionTests(tests, each.id).length })),
    code: code.map((each) => ({ path: each.path, ...(each.ref === undefined ? {} : { ref: each.ref }) })),
    tests: tests.map((each) => ({ path: each.path, ...(each.test === undefined ? {} : { name: each.test }) })),
    docs: [...new Set([...docs, ...trace.docs.map((place) => place.replace(/[:#].*$/, ""))])].toSorted(),
  };
}
