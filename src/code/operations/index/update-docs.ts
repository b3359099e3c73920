import { Fault } from "#kernel/model/fault.ts";
import { fillAutoSections, findAutoSections, blankAutoSections } from "../../model/docs/auto-sections.ts";
import { formatSectionContent, type DocsSectionData, type FeaturePageFacts } from "../../model/docs/section-content.ts";
import { compareTexts, quote } from "#kernel/model/text-format.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import { getFeaturePagePath, parseFilledDocumentPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { classifyDocumentPath } from "../../model/index/index-export.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import { deriveSummary } from "../../model/summary/code-summary.ts";
import { createComponentSubject, createTextSubject } from "../../model/summary/summary-subject.ts";
import { isIndexedDocument, extractDocumentSections } from "../../model/index/indexed-content.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import type { TraceableItem } from "../../model/trace/traceable-ids.ts";
import {
  type ServingLocations,
  buildTraceMatrix,
  filterCriterionTests,
  stripLocationSuffix,
} from "../../model/trace/trace-matrix.ts";
import { loadServingLocations, loadTraceData } from "../trace/trace-data.ts";
import { selectKeyComponents, type SummaryLookup, lookUpSummary } from "./component-selection.ts";
import { loadStoredSummaries } from "./stored-summaries.ts";

export interface DocsUpdateResult {
  readonly written: readonly string[];
  readonly created: readonly string[];
  readonly unchanged: number;
  /** Sections with unknown names, as `docs/a.md: weather`. They stay unchanged. */
  readonly unknown: readonly string[];
}

/**
 * Fills the AUTO sections in `docs/` and `README.md`, and creates missing feature pages, in one write. A mismatched
 * marker in any document stops everything.
 */
export async function updateAutoDocs(
  engine: DocsEngine & Pick<CodeEngine, "assets" | "observers">,
  index: CodeIndex,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<DocsUpdateResult> {
  const { material, known } = await gatherDocsSections(engine, index);
  const candidates = await findDocsCandidates(engine);
  const template = await engine.assets.text("templates/docs/feature");
  const pages = known.flatMap(({ id, kind, title }) =>
    kind === "feature" && isWorkflowId(id) ? [{ id, title, path: getFeaturePagePath(id) }] : [],
  );
  const plan = (tree: StoreTree) => {
    const missing = pages.filter(({ path }) => !tree.has(path));
    const begun = missing.map(({ id, path, title }) => ({ path, title, text: renderTemplate(template, { id }) }));
    const whole = addFeaturePages(material, begun);
    const filled = candidates.map(({ path, mark }) => fillDocumentText(path, `${mark}${tree.text(path) ?? ""}`, whole));
    const created = begun.map(({ path, text }) => fillDocumentText(path, text, whole));
    const changed = filled.filter((each) => each.text !== each.before);
    return {
      steps: [...changed, ...created].map(({ path, text }) => ({ kind: "document" as const, path, text })),
      result: {
        written: changed.map(({ path }) => path),
        created: created.map(({ path }) => path),
        unchanged: filled.filter(({ hasSections }) => hasSections).length - changed.length,
        unknown: filled.flatMap(({ path, unknown }) => unknown.map((name) => `${path}: ${name}`)),
      },
    };
  };
  const planned = await engine.store.read(plan);
  if (dryRun || planned.steps.length === 0) return planned.result;
  return commitStoreWrite(engine, (tree) => {
    const { steps, result } = plan(tree);
    const occurrences = steps.map(({ path }) => ({ kind: "docs.written", subject: path }));
    return { steps, occurrences, result };
  });
}

/** `mark`: the byte order mark. The text does not include it, but it must stay. */
async function findDocsCandidates({ source }: Pick<CodeEngine, "source">) {
  const found: { readonly path: WorkspacePath; readonly mark: string }[] = [];
  for (const { path: place, bytes } of await source.files()) {
    const path = parseFilledDocumentPath(place);
    const text = path && (await source.text(path));
    if (path === undefined || text === undefined || !/AUTO/i.test(text)) continue;
    found.push({ path, mark: bytes === new TextEncoder().encode(text).length + 3 ? "\ufeff" : "" });
  }
  return found;
}

/** A list of documents includes the pages about to be created. */
function addFeaturePages(
  material: DocsSectionData,
  pages: readonly { readonly path: WorkspacePath; readonly text: string; readonly title: string }[],
): DocsSectionData {
  const begun = pages.map(({ path, text, title }) => createListedDocument(path, text, new Map(), title));
  return { ...material, docs: [...material.docs, ...begun].toSorted((a, b) => compareTexts(a.path, b.path)) };
}

function fillDocumentText(path: WorkspacePath, before: string, material: DocsSectionData) {
  const found = findAutoSections(before);
  if ("problem" in found) {
    const { line, problem } = found.problem;
    throw new Fault("docs.markers", {
      what: "No document was changed.",
      why: `${quote(`${path}:${line}`)}: ${problem}`,
      fix: `Mend line ${line} of ${path}: a section is <!-- AUTO:specs --> … <!-- /AUTO -->, each marker on a line of its own.`,
    });
  }
  const { text, unknown } = fillAutoSections(before, found.sections, (name) =>
    formatSectionContent(material, path, name),
  );
  return { path, before, text, hasSections: found.sections.length > 0, unknown };
}

export type DocsEngine = Pick<CodeEngine, "store" | "yaml" | "requirements" | "digest" | "notice" | "source">;

async function gatherDocsSections(engine: DocsEngine, index: CodeIndex) {
  const traced = await loadTraceData(engine, index);
  const { known, carriers } = traced;
  const said = await loadStoredSummaries(engine, index);
  const carried = await loadServingLocations(engine, traced);
  const specs = await index.texts({ kind: "spec" });
  const summaries = new Map(specs.map((text) => [text.key, lookUpSummary(createTextSubject(text), said)]));
  const components = await catalogueComponents(index, carriers, said);
  const all = await index.counts();
  const titleOf = (path: string): string => known.ids.get(path.replace(/^.*\/|\.md$/gi, ""))?.title ?? "";
  const material: DocsSectionData = {
    components,
    otherComponents: all.components - components.length,
    matrix: buildTraceMatrix(known.ids.values(), carried),
    summaries,
    docs: await listRepositoryDocuments(engine, said, titleOf),
    feature: (id) => {
      const subject = known.ids.get(id);
      return subject && createFeaturePageFacts(subject, carried(id), summaries.get(id) ?? "");
    },
  };
  return { known: [...known.ids.values()], material };
}

async function catalogueComponents(
  index: CodeIndex,
  carriers: readonly TraceLocation[],
  said: SummaryLookup,
): Promise<DocsSectionData["components"]> {
  const served = Map.groupBy(carriers, ({ path, ref }) => formatComponentKey(path, ref ?? ""));
  const rows = await selectKeyComponents(index, carriers);
  return rows
    .toSorted((a, b) => compareTexts(a.path, b.path) || a.line - b.line)
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
): Promise<DocsSectionData["docs"]> {
  const documents: DocsSectionData["docs"][number][] = [];
  for (const { path } of await engine.source.files()) {
    if (!isIndexedDocument(path)) continue;
    const text = await engine.source.text(path);
    if (text !== undefined) documents.push(createListedDocument(path, text, said, titleOf(path)));
  }
  return documents;
}

function createListedDocument(path: string, text: string, said: SummaryLookup, about: string) {
  const own = blankAutoSections(text).replace(/<!--[^]*?-->/g, "");
  const [first] = extractDocumentSections(path, own);
  const title = /^#{1,6}[ \t]+(\S.*)$/m.exec(own)?.[1] ?? (about === "" ? path : about);
  const byHand = said.get(first?.key ?? path);
  const words = first ? deriveSummary({ kind: "file", name: path, doc: first.text.replace(/^#.*$/gm, "") }) : "";
  const summary = byHand?.source === "manual" ? byHand.text : words;
  return { path, type: classifyDocumentPath(path), title, summary };
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
    status,
    specPath: path,
    summary,
    criteria: criteria.map((each) => ({ ...each, tests: filterCriterionTests(tests, each.id).length })),
    code,
    tests,
    docs: [...new Set([...docs, ...trace.docs.map(stripLocationSuffix)])].toSorted(),
  };
}
