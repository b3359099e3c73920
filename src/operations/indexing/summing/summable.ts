import type { Candidate } from "#domain/indexing/summary/choose.ts";
import { membersOf, ofComponent, ofFile, ofText } from "#domain/indexing/summary/subject.ts";
import { LONGEST_SHOWN, type Shown } from "#domain/indexing/summary/wording.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow, IndexedFileRow } from "../../ports/code-index.ts";

export interface Summable extends Candidate {
  /** Its indexed file; missing for specs and documents, whose text is in `doc`. */
  readonly file?: IndexedFileRow;
  readonly span?: Pick<IndexedComponentRow, "start" | "end">;
}

const MOST_LINES = 1_000;
/** Extra characters for the secret scan, so that a secret at the cut is still detected. */
const MARGIN = 4_000;

export async function everySummable(index: CodeIndex): Promise<Summable[]> {
  const [components, files, texts] = await Promise.all([index.components(), index.files(), index.texts()]);
  const inFile = Map.groupBy(components, ({ path }) => path);
  const code = files.filter(({ language, isTest }) => language !== "" && !isTest);
  return [
    ...code.flatMap((file): Summable[] => {
      const own = (inFile.get(file.path) ?? []).filter(({ isTest }) => !isTest);
      const members = membersOf(own);
      return [
        { ...ofFile(file, members.get("")), isExported: true, file },
        ...own.map((each) => ({
          ...ofComponent(each, members.get(each.within === "" ? each.name : `${each.within}.${each.name}`)),
          isExported: each.isExported,
          file,
          span: { start: each.start, end: each.end },
        })),
      ];
    }),
    ...texts.map((each) => ({ ...ofText(each), isExported: true })),
  ];
}

/** Masks secrets. Returns nothing if the file changed since it was indexed. */
export async function shownOf(
  engine: Pick<Engine, "source" | "secrets" | "digest">,
  each: Summable,
): Promise<Shown | undefined> {
  const text = await textToShow(engine, each);
  if (text === undefined) return undefined;
  const safe = await engine.secrets.mask(text.slice(0, LONGEST_SHOWN + MARGIN));
  const key = await keyToShow(engine, each);
  return { key, kind: each.kind, text: safe.text.slice(0, LONGEST_SHOWN).toWellFormed() };
}

/**
 * Names may contain secrets too. Then the path replaces the key, because masking cannot detect a secret in the anchor
 * of a heading.
 */
async function keyToShow({ secrets }: Pick<Engine, "secrets">, { key, path, name }: Summable): Promise<string> {
  const inName = await secrets.mask(name);
  return (await secrets.mask(inName.found.length > 0 ? path : key)).text;
}

async function textToShow(
  engine: Pick<Engine, "source" | "digest">,
  { file, span, doc = "", members = [] }: Summable,
): Promise<string | undefined> {
  if (!file) return doc;
  if (!span && file.lines > MOST_LINES) return `${file.lines} lines. ${doc}\n\nIn it: ${members.join(", ")}`;
  const text = await engine.source.text(file.path);
  if (text === undefined || engine.digest(text) !== file.hash) return undefined;
  return span ? text.slice(span.start, span.end) : text;
}
