import { extractDocumentSections, isIndexedDocument } from "../../model/index/indexed-content.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedTextFile } from "../ports/code-index.ts";
import type { IndexableText } from "../ports/requirements.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";

type TextIndexEngine = Pick<CodeEngine, "source" | "requirements" | "digest">;

const DOCUMENT_BATCH_SIZE = 100;

export async function indexTextFiles(
  engine: TextIndexEngine,
  index: CodeIndex,
  files: readonly SourceFile[],
  isEdited: (path: string) => boolean,
): Promise<{ readonly read: number; readonly unchanged: number; readonly gone: number }> {
  const known = await index.textStamps();
  const own = await engine.requirements.texts();
  const documents = files.filter(({ path }) => isIndexedDocument(path));
  const there = new Set([...own, ...documents].map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !there.has(path));
  const changed: IndexedTextFile[] = [];
  for (const prose of own) {
    const hash = engine.digest(prose.text);
    if (known.get(prose.path)?.hash !== hash) changed.push(await createTextFile(engine, prose, { hash, stamp: "" }));
  }
  if (gone.length + changed.length > 0) await index.putTexts(changed, gone);
  let changes = changed.length;
  const stale = documents.filter(({ path, stamp }) => known.get(path)?.stamp !== stamp || isEdited(path));
  for (let from = 0; from < stale.length; from += DOCUMENT_BATCH_SIZE) {
    const read = await Promise.all(
      stale.slice(from, from + DOCUMENT_BATCH_SIZE).map(async ({ path }) => readIndexedDocument(engine, path)),
    );
    changes += read.filter(({ path, hash }) => known.get(path)?.hash !== hash).length;
    await index.putTexts(read);
  }
  return { read: changes, unchanged: there.size - changes, gone: gone.length };
}

async function readIndexedDocument(engine: TextIndexEngine, path: string): Promise<IndexedTextFile> {
  const standing = await engine.source.stamped(path);
  const text = standing.kind === "text" ? standing.text : "";
  const prose: IndexableText = { path, text, kind: "doc", sections: () => extractDocumentSections(path, text) };
  return createTextFile(engine, prose, { hash: engine.digest(text), stamp: standing.stamp });
}

async function createTextFile(
  { digest }: TextIndexEngine,
  { path, kind, sections }: IndexableText,
  stamp: Pick<IndexedTextFile, "hash" | "stamp">,
): Promise<IndexedTextFile> {
  const texts = (await sections()).map((section) => ({ ...section, kind, path, hash: digest(section.text) }));
  return { path, ...stamp, texts };
}
