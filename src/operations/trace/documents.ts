import { withoutSections } from "#domain/indexing/auto-sections.ts";
import { mentionsIn } from "#domain/trace/mention.ts";
import { isTestData } from "#domain/scan/test-path.ts";
import type { Engine } from "../engine.ts";

/** A document that names an id. */
export interface Telling {
  readonly path: string;
  readonly line: number;
}

const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
/** Bytes of one document, and how many are looked at. */
const LARGEST = 512 * 1024;
const MOST = 5_000;

/** The documents of the repository that name each id. */
export async function documentsNaming(
  { source }: Pick<Engine, "source">,
  isKnown: (id: string) => boolean,
): Promise<ReadonlyMap<string, readonly Telling[]>> {
  const found = new Map<string, Telling[]>();
  const files = (await source.files()).filter(({ path, bytes }) => DOCUMENT.test(path) && bytes <= LARGEST);
  for (const { path } of files.filter((file) => !isTestData(file.path)).slice(0, MOST)) {
    const text = (await source.text(path, LARGEST)) ?? "";
    // What a tool wrote there documents nothing.
    for (const { id, line } of mentionsIn(withoutSections(text), isKnown)) {
      const told = found.get(id) ?? [];
      told.push({ path, line });
      found.set(id, told);
    }
  }
  return found;
}
