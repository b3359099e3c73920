import { Fault } from "#domain/fault.ts";
import { fillAutoSections, findAutoSections } from "#domain/indexing/auto-sections.ts";
import { formatSectionContent, type DocsSectionData } from "#domain/indexing/docs/content.ts";
import { quote } from "#domain/quote.ts";
import { renderTemplate } from "#domain/template.ts";
import { isWorkflowId } from "#domain/workflow/id.ts";
import { getFeaturePagePath, parseFilledDocumentPath, type WorkspacePath } from "#domain/workspace/path.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import type { StoreStep, StoreTree } from "../../ports/store.ts";
import { gatherDocsSections, type DocsEngine, createListedDocument } from "./material.ts";

export interface DocsUpdateResult {
  readonly written: readonly string[];
  readonly created: readonly string[];
  readonly unchanged: number;
  /** Sections with unknown names, as `docs/a.md: weather`. They stay unchanged. */
  readonly unknown: readonly string[];
}

interface DocsUpdatePlan {
  readonly steps: readonly StoreStep[];
  readonly result: DocsUpdateResult;
}

interface DocsCandidate {
  readonly path: WorkspacePath;
  /** Byte order mark. The text does not include it, but it must stay. */
  readonly mark: string;
}

/**
 * Fills the AUTO sections in `docs/` and `README.md`, and creates missing feature pages, in one write. A mismatched
 * marker in any document stops everything.
 */
export async function updateAutoDocs(
  engine: DocsEngine & Pick<Engine, "assets" | "observers">,
  index: CodeIndex,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<DocsUpdateResult> {
  const { material, known } = await gatherDocsSections(engine, index);
  const candidates = await findDocsCandidates(engine);
  const template = await engine.assets.text("templates/docs/feature");
  const pages = known.flatMap(({ id, kind, title }) =>
    kind === "feature" && isWorkflowId(id) ? [{ id, title, path: getFeaturePagePath(id) }] : [],
  );
  const plan = (tree: StoreTree): DocsUpdatePlan => {
    const missing = pages.filter(({ path }) => !tree.has(path));
    const begun = missing.map(({ id, path, title }) => ({ path, title, text: renderTemplate(template, { id }) }));
    const whole = addFeaturePages(material, begun);
    const filled = candidates.map((candidate) => fillStoredDocument(tree, candidate, whole));
    const created = begun.map(({ path, text }) => fillDocumentText(path, text, whole));
    const changed = filled.filter((each) => each.text !== each.before);
    return {
      steps: [...changed, ...created].map(({ path, text }) => ({ kind: "document", path, text })),
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
    const occurrences = steps.flatMap((step) =>
      step.kind === "document" ? [{ kind: "docs.written", subject: step.path }] : [],
    );
    return { steps, occurrences, result };
  });
}

async function findDocsCandidates({ source }: Pick<Engine, "source">): Promise<DocsCandidate[]> {
  const found: DocsCandidate[] = [];
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
  return { ...material, docs: [...material.docs, ...begun].toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

interface FilledDocsFile {
  readonly path: WorkspacePath;
  readonly before: string;
  readonly text: string;
  readonly hasSections: boolean;
  readonly unknown: readonly string[];
}

function fillStoredDocument(tree: StoreTree, { path, mark }: DocsCandidate, material: DocsSectionData): FilledDocsFile {
  return fillDocumentText(path, `${mark}${tree.text(path) ?? ""}`, material);
}

function fillDocumentText(path: WorkspacePath, before: string, material: DocsSectionData): FilledDocsFile {
  const found = findAutoSections(before);
  if ("problem" in found) throw createDocsMarkerFault(path, found.problem);
  const { text, unknown } = fillAutoSections(before, found.sections, (name) =>
    formatSectionContent(material, path, name),
  );
  return { path, before, text, hasSections: found.sections.length > 0, unknown };
}

const createDocsMarkerFault = (
  path: WorkspacePath,
  { line, problem }: { readonly line: number; readonly problem: string },
): Fault =>
  new Fault("docs.markers", {
    what: "No document was changed.",
    why: `${quote(`${path}:${line}`)}: ${problem}`,
    fix: `Mend line ${line} of ${path}: a section is <!-- AUTO:specs --> … <!-- /AUTO -->, each marker on a line of its own.`,
  });
