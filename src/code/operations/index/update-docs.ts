import { Fault } from "#kernel/model/fault.ts";
import { fillAutoSections, findAutoSections, readHandwrittenText } from "../../model/docs/auto-sections.ts";
import { formatSectionContent, type DocsSectionData } from "../../model/docs/section-content.ts";
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
import { buildTraceMatrix, filterCriterionTests, stripLocationSuffix } from "../../model/trace/trace-matrix.ts";
import { loadServingLocations, loadTraceData } from "../trace/trace-data.ts";
import { selectKeyComponents, type SummaryLookup, lookUpSummary } from "./component-selection.ts";
import { loadStoredSummaries } from "./stored-summaries.ts";

interface DocsUpdate {
  readonly isDryRun: boolean;
  /** Whether features without a page get one. */
  readonly createsPages: boolean;
}

/** All in one write. A mismatched marker in any document stops everything; unknown sections stay unchanged. */
export async function updateAutoDocs(engine: CodeEngine, index: CodeIndex, { isDryRun, createsPages }: DocsUpdate) {
  const candidates = await findDocsCandidates(engine);
  const { material, known } = await gatherDocsSections(engine, index);
  const template = await engine.assets.text("templates/docs/feature");
  const pages = known.flatMap(({ id, kind, title }) =>
    createsPages && kind === "feature" && isWorkflowId(id) ? [{ id, title, path: getFeaturePagePath(id) }] : [],
  );
  const plan = (tree: StoreTree) => {
    const missing = pages.filter(({ path }) => !tree.has(path));
    const begun = missing.map(({ id, path, title }) => ({ path, title, text: renderTemplate(template, { id }) }));
    // A list of documents includes the pages about to be created.
    const listed = begun.map(({ path, text, title }) => createListedDocument(path, text, new Map(), title));
    const docs = [...material.docs, ...listed].toSorted((a, b) => compareTexts(a.path, b.path));
    const whole = { ...material, docs };
    const filled = candidates.map(({ path, mark }) => fillDocumentText(path, `${mark}${tree.text(path) ?? ""}`, whole));
    const created = begun.map(({ path, text }) => fillDocumentText(path, text, whole));
    const changed = filled.filter((each) => each.text !== each.before);
    return {
      steps: [...changed, ...created].map(({ path, text }) => ({ kind: "document" as const, path, text })),
      result: {
        written: changed.map(({ path }): string => path),
        created: created.map(({ path }): string => path),
        unchanged: filled.filter(({ hasSections }) => hasSections).length - changed.length,
        unknown: filled.flatMap(({ path, unknown }) => unknown.map((name) => `${path}: ${name}`)),
      },
    };
  };
  const planned = await engine.store.read(plan);
  if (isDryRun || planned.steps.length === 0) return planned.result;
  return commitStoreWrite(engine, (tree) => {
    const { steps, result } = plan(tree);
    const occurrences = steps.map(({ path }) => ({ kind: "docs.written", subject: path }));
    return { steps, occurrences, result };
  });
}

export const hasAutoDocs = async (engine: CodeEngine): Promise<boolean> =>
  (await findDocsCandidates(engine)).length > 0;

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

function fillDocumentText(path: WorkspacePath, before: string, material: DocsSectionData) {
  const found = findAutoSections(before);
  if ("problem" in found) {
    const { line, problem } = found.problem;
    throw new Fault("docs.markers", {
      what: "No document was changed.",
      why: `${quote(`${path}:${line}`)}: ${problem}`,
      fix: `Fix line ${line} of ${path}: a section is <!-- AUTO:specs --> … <!-- /AUTO -->, each marker on a line of its own.`,
    });
  }
  const { sections } = found;
  const filled = fillAutoSections(before, sections, (name) => formatSectionContent(material, path, name));
  return { path, before, ...filled, hasSections: sections.length > 0 };
}

async function gatherDocsSections(engine: CodeEngine, index: CodeIndex) {
  const traced = await loadTraceData(engine, index);
  const { known, carriers } = traced;
  const said = await loadStoredSummaries(engine, index);
  const carried = await loadServingLocations(engine, traced);
  const specs = await index.texts({ kind: "spec" });
  const summaries = new Map(specs.map((text) => [text.key, lookUpSummary(createTextSubject(text), said)]));
  const served = Map.groupBy(carriers, ({ path, ref }) => formatComponentKey(path, ref ?? ""));
  const components = (await selectKeyComponents(index, carriers))
    .toSorted((a, b) => compareTexts(a.path, b.path) || a.line - b.line)
    .map((row) => {
      const { ref, kind, path } = row;
      const ids = (served.get(formatComponentKey(path, ref)) ?? []).map(({ spec }) => spec);
      const summary = lookUpSummary(createComponentSubject(row), said);
      return { ref, kind, path, summary, specs: [...new Set(ids)].toSorted() };
    });
  const docs: DocsSectionData["docs"][number][] = [];
  for (const { path } of (await engine.source.files()).filter((file) => isIndexedDocument(file.path))) {
    const text = await engine.source.text(path);
    // A document with AUTO sections only gets the title of the item it is named after.
    const title = known.ids.get(path.replace(/^.*\/|\.md$/gi, ""))?.title ?? "";
    if (text !== undefined) docs.push(createListedDocument(path, text, said, title));
  }
  const material: DocsSectionData = {
    components,
    otherComponents: (await index.counts()).components - components.length,
    matrix: buildTraceMatrix(known.ids.values(), carried),
    summaries,
    docs,
    feature(id) {
      const subject = known.ids.get(id);
      if (!subject) return undefined;
      const { title, status, path: specPath, criteria = [], trace } = subject;
      const { code, tests, docs: naming } = carried(id);
      return {
        id,
        title,
        status,
        specPath,
        summary: summaries.get(id) ?? "",
        criteria: criteria.map((each) => ({ ...each, tests: filterCriterionTests(tests, each.id).length })),
        code,
        tests,
        docs: [...new Set([...naming, ...trace.docs.map(stripLocationSuffix)])].toSorted(),
      };
    },
  };
  return { known: [...known.ids.values()], material };
}

function createListedDocument(path: string, text: string, said: SummaryLookup, about: string) {
  const own = readHandwrittenText(text);
  const [first] = extractDocumentSections(path, own);
  const title = /^#{1,6}[ \t]+(\S.*)$/m.exec(own)?.[1] ?? (about === "" ? path : about);
  const byHand = said.get(first?.key ?? path);
  const words = first ? deriveSummary({ kind: "file", name: path, doc: first.text.replace(/^#.*$/gm, "") }) : "";
  const summary = byHand?.source === "manual" ? byHand.text : words;
  return { path, type: classifyDocumentPath(path), title, summary };
}
