import { withoutSections } from "#domain/indexing/auto-sections.ts";
import { mentionsIn } from "#domain/trace/mention.ts";
import { isTestData } from "#domain/scan/test-path.ts";
import type { Engine } from "../engine.ts";

export interface Telling {
  readonly path: string;
  readonly line: number;
}

const DOCUMENT = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const LARGEST = 512 * 1024;
const MOST = 5_000;

export async function documentsNaming(
  { source }: Pick<Engine, "source">,
  isKnown: (id: string) => boolean,
): Promise<ReadonlyMap<string, readonly Telling[]>> {
  const found = new Map<string, Telling[]>();
  const files = (await source.files()).filter(({ path, bytes }) => DOCUMENT.test(path) && bytes <= LARGEST);
  for (const { path } of files.filter((file) => !isTestData(file.path)).slice(0, MOST)) {
    const text = (await source.text(path, LARGEST)) ?? "";
    for (const { id, line } of mentionsIn(withoutSections(text), isKnown)) {
      const told = found.get(id) ?? [];
      told.push({ path, line });
      found.set(id, told);
    }
  }
  return found;
}
