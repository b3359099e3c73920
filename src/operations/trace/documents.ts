import { blankAutoSections } from "#domain/indexing/auto-sections.ts";
import { findSpecIdMentions } from "#domain/trace/mention.ts";
import { isTestData } from "#domain/scan/test-path.ts";
import type { Engine } from "../engine.ts";

export interface NamingDocument {
  readonly path: string;
  readonly line: number;
}

const DOCUMENT_PATH = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const MAX_DOCUMENT_BYTES = 512 * 1024;
const MAX_SCANNED_DOCUMENTS = 5_000;

export async function findNamingDocuments(
  { source }: Pick<Engine, "source">,
  isKnown: (id: string) => boolean,
): Promise<ReadonlyMap<string, readonly NamingDocument[]>> {
  const found = new Map<string, NamingDocument[]>();
  const files = (await source.files()).filter(
    ({ path, bytes }) => DOCUMENT_PATH.test(path) && bytes <= MAX_DOCUMENT_BYTES,
  );
  for (const { path } of files.filter((file) => !isTestData(file.path)).slice(0, MAX_SCANNED_DOCUMENTS)) {
    const text = (await source.text(path, MAX_DOCUMENT_BYTES)) ?? "";
    for (const { id, line } of findSpecIdMentions(blankAutoSections(text), isKnown)) {
      const told = found.get(id) ?? [];
      told.push({ path, line });
      found.set(id, told);
    }
  }
  return found;
}
