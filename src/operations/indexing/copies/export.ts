import { Fault } from "#domain/fault.ts";
import {
  type ExportedChange,
  type ExportedComponent,
  type ExportedDocument,
  type ExportedFile,
  type ExportedSpec,
  indexYaml,
  MOST_EXPORTED,
} from "#domain/indexing/export.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import { membersOf, ofComponent, ofFile, ofText } from "#domain/indexing/summary/subject.ts";
import { type Carrier, carriersIn } from "#domain/trace/carrier.ts";
import type { Known } from "#domain/trace/known.ts";
import { mentionsIn } from "#domain/trace/mention.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import { CODE_INDEX_EXPORT_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow, IndexedText, ReplacedCopy } from "../../ports/code-index.ts";
import type { PastCommit } from "../../ports/source.ts";
import { knownIds } from "../../trace/known.ts";
import { fedCommit } from "../feed.ts";
import { chooseComponents, type Said, summed } from "./chosen.ts";
import { knownSummaries } from "../known-summaries.ts";
import { readyAnswers } from "../answering/ready.ts";

type Exporter = Pick<
  Engine,
  "store" | "yaml" | "digest" | "notice" | "source" | "stacks" | "clock" | "version" | "project" | "progress"
>;

const MOST_COMMITS = 200;
const NOTE = "export";

/** Writes the index to `.sdd/index.yaml`. A failure does not affect the index itself. */
export async function exportIndex(engine: Exporter, index: CodeIndex): Promise<void> {
  if (!index.isKept) return;
  const copy = await copyOf(engine, index);
  try {
    await index.alone(() => publish(engine, index, copy), { cancelled: engine.progress.cancelled });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    engine.notice(`The index is up to date, but ${CODE_INDEX_EXPORT_PATH} is not. ${error.why}`);
  }
}

async function publish(engine: Exporter, index: CodeIndex, copy: string): Promise<void> {
  const replaced = await index.publish(copy, engine.clock.now());
  const wasThere = (await index.note(NOTE)) !== undefined;
  if (!wasThere) await index.keepNote(NOTE, "1");
  const told = newsOf(replaced, wasThere);
  if (told !== undefined) engine.notice(`${CODE_INDEX_EXPORT_PATH} ${told}`);
}

function newsOf(replaced: ReplacedCopy, wasThere: boolean): string | undefined {
  switch (replaced.was) {
    case "damaged":
      return `was damaged: it is kept as ${replaced.aside} and written anew.`;
    case "old":
      return "was of an older version: it is written anew.";
    case "missing":
      return wasThere ? "was missing: it is written anew." : undefined;
    case "same":
    case "earlier":
      return undefined;
  }
}

async function copyOf(engine: Exporter, index: CodeIndex): Promise<string> {
  const commits = (await engine.source.commits({ most: MOST_COMMITS })) ?? [];
  const known = await knownIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = carriersIn({ tags, tests }, readerOfNames(known.ids.keys()));
  const texts = await index.texts();
  const chosen = await chooseComponents(index, carriers);
  const said = await knownSummaries(engine, index);
  const components = await componentsFrom(index, chosen, said);
  const code = await filesFrom(index, [...chosen.map(({ path }) => path), ...carriers.map(({ path }) => path)], {
    carriers,
    said,
  });
  const docs = documentsFrom(texts, commits, said);
  const counts = await index.counts();
  const project = (await engine.project())?.name;
  return indexYaml({
    generated: engine.clock.now(),
    tool: engine.version,
    ...(project === undefined ? {} : { project }),
    components,
    specs: specsFrom([...known.ids.values()], { carriers, texts, said }),
    docs: docs.slice(0, MOST_EXPORTED.docs),
    code,
    queries: await readyAnswers(engine, index),
    changes: commits.slice(0, MOST_EXPORTED.changes).map((commit): ExportedChange => fedCommit(commit)),
    all: { components: counts.components, specs: known.ids.size, docs: docs.length, code: counts.files },
  });
}

async function componentsFrom(
  index: CodeIndex,
  rows: readonly IndexedComponentRow[],
  said: Said,
): Promise<ExportedComponent[]> {
  const exported: ExportedComponent[] = [];
  for (const row of rows) {
    const uses = await index.uses({ path: row.path, ref: row.ref });
    exported.push({
      key: keyOf(row.path, row.ref),
      kind: row.kind,
      path: row.path,
      ref: row.ref,
      line: row.line,
      summary: summed(ofComponent(row), said),
      uses: uses.flatMap(({ to }) => (to.ref === undefined ? [] : [keyOf(to.path, to.ref)])),
    });
  }
  return exported;
}

async function filesFrom(
  index: CodeIndex,
  paths: readonly string[],
  { carriers, said }: { readonly carriers: readonly Carrier[]; readonly said: Said },
): Promise<ExportedFile[]> {
  const wanted = [...new Set(paths)].slice(0, MOST_EXPORTED.code).toSorted();
  const served = Map.groupBy(carriers, ({ path }) => path);
  const files: ExportedFile[] = [];
  for (const path of wanted) {
    const [file] = await index.files({ path });
    if (!file || file.isTest) continue;
    const members = membersOf(await index.components({ path })).get("") ?? [];
    const specs = [...new Set((served.get(path) ?? []).map(({ spec }) => spec))].toSorted();
    files.push({ path, summary: summed(ofFile(file, members), said), specs });
  }
  return files;
}

interface SpecGround {
  readonly carriers: readonly Carrier[];
  readonly texts: readonly IndexedText[];
  readonly said: Said;
}

function specsFrom(known: readonly Known[], { carriers, texts, said }: SpecGround): ExportedSpec[] {
  const isKnown = new Set(known.map(({ id }) => id));
  const docs = new Map<string, Set<string>>();
  for (const { kind, path, text } of texts) {
    if (kind !== "doc" || path.startsWith("sdd/")) continue;
    for (const { id } of mentionsIn(text, (each) => isKnown.has(each)))
      docs.set(id, (docs.get(id) ?? new Set()).add(path));
  }
  const bySpec = Map.groupBy(carriers, ({ spec }) => spec);
  const byKey = new Map(texts.map((text) => [text.key, text]));
  const isSpec = ({ kind }: Known): boolean => kind !== "requirement" && kind !== "rule";
  const order = (a: Known, b: Known): number => Number(isSpec(b)) - Number(isSpec(a)) || (a.id < b.id ? -1 : 1);
  return known.toSorted(order).map(({ id, title, status, trace }) => {
    const own = bySpec.get(id) ?? [];
    const text = byKey.get(id);
    const places = (isTest: boolean): string[] =>
      own.filter((each) => each.isTest === isTest).map(({ path, line }) => `${path}:${line}`);
    return {
      id,
      title,
      ...(status === undefined ? {} : { status }),
      summary: text ? summed(ofText(text), said) : title,
      trace: {
        // Code and tests come from actual locations: the trace in the spec may be outdated.
        code: places(false),
        tests: places(true),
        docs: [...(docs.get(id) ?? []), ...trace.docs],
      },
    };
  });
}

function documentsFrom(texts: readonly IndexedText[], commits: readonly PastCommit[], said: Said): ExportedDocument[] {
  const touched = new Map<string, string>();
  for (const { at, files } of commits) for (const { path } of files) if (!touched.has(path)) touched.set(path, at);
  const first = new Map<string, IndexedText>();
  for (const text of texts) {
    const known = first.get(text.path);
    if (text.kind === "doc" && (!known || text.line < known.line)) first.set(text.path, text);
  }
  return [...first.values()]
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((text) => {
      const updated = touched.get(text.path);
      return { path: text.path, summary: summed(ofText(text), said), ...(updated === undefined ? {} : { updated }) };
    });
}
