import { decisionOf, isDocument, type Section, sectionsOf, specText } from "#domain/indexing/texts.ts";
import { BUSINESS_RULES_PATH, REQUIREMENTS_PATH } from "#domain/workspace/path.ts";
import { readDecisionFileText, listWorkspaceDecisions } from "../../adr/shelf.ts";
import { loadTemplateLines } from "../../context/own-lines.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedText, IndexedTextFile } from "../../ports/code-index.ts";
import type { SourceFile } from "../../ports/source.ts";
import { listSpecFiles } from "../../spec/shelf.ts";

type Reader = Pick<Engine, "source" | "store" | "assets" | "yaml" | "digest">;

interface Prose {
  readonly path: string;
  readonly text: string;
  readonly kind: IndexedText["kind"];
  readonly sections: () => Section[] | Promise<Section[]>;
}

export interface ReadTexts {
  readonly read: number;
  readonly unchanged: number;
  readonly gone: number;
}

const BATCH = 100;

export async function readTexts(
  engine: Reader,
  index: CodeIndex,
  files: readonly SourceFile[],
  isEdited: (path: string) => boolean,
): Promise<ReadTexts> {
  const known = await index.textStamps();
  const own = await ownDocuments(engine);
  const documents = files.filter(({ path }) => isDocument(path));
  const there = new Set([...own, ...documents].map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !there.has(path));
  const changed: IndexedTextFile[] = [];
  for (const prose of own) {
    const hash = engine.digest(prose.text);
    if (known.get(prose.path)?.hash !== hash) changed.push(await textFile(engine, prose, { hash, stamp: "" }));
  }
  if (gone.length + changed.length > 0) await index.putTexts(changed, gone);
  let changes = changed.length;
  const stale = documents.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp || isEdited(path));
  for (let from = 0; from < stale.length; from += BATCH) {
    const read = await Promise.all(stale.slice(from, from + BATCH).map(async ({ path }) => readDocument(engine, path)));
    changes += read.filter(({ path, hash }) => known.get(path)?.hash !== hash).length;
    await index.putTexts(read);
  }
  return { read: changes, unchanged: there.size - changes, gone: gone.length };
}

async function readDocument(engine: Reader, path: string): Promise<IndexedTextFile> {
  const standing = await engine.source.stamped(path);
  const text = standing.kind === "text" ? standing.text : "";
  const prose: Prose = { path, text, kind: "doc", sections: () => sectionsOf(path, text) };
  return textFile(engine, prose, { hash: engine.digest(text), stamp: standing.stamp });
}

async function textFile(
  { digest }: Reader,
  { path, kind, sections }: Prose,
  stamp: Pick<IndexedTextFile, "hash" | "stamp">,
): Promise<IndexedTextFile> {
  const texts = (await sections()).map((section) => ({ ...section, kind, path, hash: digest(section.text) }));
  return { path, ...stamp, texts };
}

/** Tenon's own documents are few, so they are read every time. */
async function ownDocuments(engine: Reader): Promise<Prose[]> {
  return engine.store.read((tree): Prose[] => [
    ...listSpecFiles(tree).specs.map(({ id, path, text }): Prose => {
      const sections = async () => [specText(id, text, (await engine.yaml()).read(text).tree)];
      return { path, text, kind: "spec", sections };
    }),
    ...[REQUIREMENTS_PATH, BUSINESS_RULES_PATH].flatMap((path): Prose[] => {
      const text = tree.text(path);
      if (text === undefined) return [];
      return [
        { path, text, kind: "spec", sections: async () => sectionsOf(path, text, await loadTemplateLines(engine)) },
      ];
    }),
    ...listWorkspaceDecisions(tree).map((place): Prose => {
      const text = readDecisionFileText(tree, place);
      return { path: place.path, text, kind: "doc", sections: () => [decisionOf(place.ref, text)] };
    }),
  ]);
}
