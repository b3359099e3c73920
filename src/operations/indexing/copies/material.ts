import { withoutSections } from "#domain/indexing/auto-sections.ts";
import type { CataloguedComponent, DocsMaterial, FeatureFacts, ListedDocument } from "#domain/indexing/docs/content.ts";
import { documentType } from "#domain/indexing/export.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { summaryFrom } from "#domain/indexing/summary.ts";
import { ofComponent, ofText } from "#domain/indexing/summary/subject.ts";
import { isDocument, sectionsOf } from "#domain/indexing/texts.ts";
import { type Carrier, carriersIn } from "#domain/trace/carrier.ts";
import type { Known } from "#domain/trace/known.ts";
import { type Carried, carriedBy, matrixOf, testsOf } from "#domain/trace/matrix.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import { documentsNaming } from "../../trace/documents.ts";
import { knownIds } from "../../trace/known.ts";
import { chooseComponents, type Said, summed } from "./chosen.ts";
import { knownSummaries } from "../known-summaries.ts";

export type Gatherer = Pick<Engine, "store" | "yaml" | "digest" | "notice" | "source">;

export async function gatherMaterial(
  engine: Gatherer,
  index: CodeIndex,
): Promise<{ readonly material: DocsMaterial; readonly known: readonly Known[] }> {
  const known = await knownIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = carriersIn({ tags, tests }, readerOfNames(known.ids.keys()));
  const said = await knownSummaries(engine, index);
  const naming = await documentsNaming(engine, (id) => known.ids.has(id));
  const docs = new Map([...naming].map(([id, told]) => [id, told.map(({ path }) => path)]));
  const carried = carriedBy({ carriers, docs });
  const specs = await index.texts({ kind: "spec" });
  const summaries = new Map(specs.map((text) => [text.key, summed(ofText(text), said)]));
  const components = await catalogue(index, carriers, said);
  const all = await index.counts();
  const feature = (id: string): FeatureFacts | undefined => {
    const subject = known.ids.get(id);
    return subject && factsOf(subject, carried(id), summaries.get(id) ?? "");
  };
  return {
    known: [...known.ids.values()],
    material: {
      components,
      otherComponents: all.components - components.length,
      matrix: matrixOf(known.ids.values(), carried),
      summaries,
      docs: await listed(engine, said, (path) => known.ids.get(path.replace(/^.*\/|\.md$/gi, ""))?.title ?? ""),
      feature,
    },
  };
}

async function catalogue(index: CodeIndex, carriers: readonly Carrier[], said: Said): Promise<CataloguedComponent[]> {
  const served = Map.groupBy(carriers, ({ path, ref }) => keyOf(path, ref ?? ""));
  const rows = await chooseComponents(index, carriers);
  return rows
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))
    .map((row) => ({
      ref: row.ref,
      kind: row.kind,
      path: row.path,
      summary: summed(ofComponent(row), said),
      specs: [...new Set((served.get(keyOf(row.path, row.ref)) ?? []).map(({ spec }) => spec))].toSorted(),
    }));
}

/** A document with AUTO sections only gets the title of the item it is named after. */
async function listed(engine: Gatherer, said: Said, titleOf: (path: string) => string): Promise<ListedDocument[]> {
  const documents: ListedDocument[] = [];
  for (const { path } of await engine.source.files()) {
    if (!isDocument(path)) continue;
    const text = await engine.source.text(path);
    if (text !== undefined) documents.push(listedDocument(path, text, said, titleOf(path)));
  }
  return documents;
}

export function listedDocument(path: string, text: string, said: Said, about: string): ListedDocument {
  const own = withoutSections(text).replace(/<!--[^]*?-->/g, "");
  const [first] = sectionsOf(path, own);
  const title = /^#{1,6}[ \t]+(\S.*)$/m.exec(own)?.[1] ?? (about === "" ? path : about);
  const byHand = said.get(first?.key ?? path);
  const words = first ? summaryFrom({ kind: "file", name: path, doc: first.text.replace(/^#.*$/gm, "") }) : "";
  return {
    path,
    type: documentType(path),
    title,
    summary: byHand?.source === "manual" ? byHand.text : words,
  };
}

function factsOf(subject: Known, { code, tests, docs }: Carried, summary: string): FeatureFacts {
  const { id, title, status, path, criteria = [], trace } = subject;
  return {
    id,
    title,
    ...(status === undefined ? {} : { status }),
    specPath: path,
    summary,
    criteria: criteria.map((each) => ({ ...each, tests: testsOf(tests, each.id).length })),
    code: code.map((each) => ({ path: each.path, ...(each.ref === undefined ? {} : { ref: each.ref }) })),
    tests: tests.map((each) => ({ path: each.path, ...(each.test === undefined ? {} : { name: each.test }) })),
    docs: [...new Set([...docs, ...trace.docs.map((place) => place.replace(/[:#].*$/, ""))])].toSorted(),
  };
}
