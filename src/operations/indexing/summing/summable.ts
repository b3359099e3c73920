import type { Candidate } from "#domain/indexing/summary/choose.ts";
import { membersOf, ofComponent, ofFile, ofText } from "#domain/indexing/summary/subject.ts";
import { LONGEST_SHOWN, type Shown } from "#domain/indexing/summary/wording.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, ComponentRow, FileRow } from "../../ports/code-index.ts";

/** What can be summed up, with what it takes to show it. */
export interface Summable extends Candidate {
  /** The file that it stands in, as the index knows it; nothing for specs and documents, whose text is there. */
  readonly file?: FileRow;
  readonly span?: Pick<ComponentRow, "start" | "end">;
}

/** A larger file is shown by what is in it. */
const MOST_LINES = 1_000;
/** Characters around what is shown, so that a secret at its end is still known for one. */
const MARGIN = 4_000;

/** Everything that could be summed up; tests are not. */
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

/** What whoever words it gets to see, without secrets; nothing where it is not what the index knew any more. */
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

/** Names are written by people too. What became of a secret in the anchor of a heading no rule knows, so none is shown. */
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
