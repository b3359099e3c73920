import type { SummaryCandidate } from "#domain/indexing/summary/choose.ts";
import {
  groupMemberNames,
  createComponentSubject,
  createFileSubject,
  createTextSubject,
} from "#domain/indexing/summary/subject.ts";
import { MAX_SUMMARY_INPUT, type SummaryInput } from "#domain/indexing/summary/wording.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow, IndexedFileRow } from "../../ports/code-index.ts";

export interface SummarizableItem extends SummaryCandidate {
  /** Its indexed file; missing for specs and documents, whose text is in `doc`. */
  readonly file?: IndexedFileRow;
  readonly span?: Pick<IndexedComponentRow, "start" | "end">;
}

const MAX_SHOWN_FILE_LINES = 1_000;
/** Extra characters for the secret scan, so that a secret at the cut is still detected. */
const SECRET_SCAN_MARGIN = 4_000;

export async function listSummarizableItems(index: CodeIndex): Promise<SummarizableItem[]> {
  const [components, files, texts] = await Promise.all([index.components(), index.files(), index.texts()]);
  const inFile = Map.groupBy(components, ({ path }) => path);
  const code = files.filter(({ language, isTest }) => language !== "" && !isTest);
  return [
    ...code.flatMap((file): SummarizableItem[] => {
      const own = (inFile.get(file.path) ?? []).filter(({ isTest }) => !isTest);
      const members = groupMemberNames(own);
      return [
        { ...createFileSubject(file, members.get("")), isExported: true, file },
        ...own.map((each) => ({
          ...createComponentSubject(each, members.get(each.within === "" ? each.name : `${each.within}.${each.name}`)),
          isExported: each.isExported,
          file,
          span: { start: each.start, end: each.end },
        })),
      ];
    }),
    ...texts.map((each) => ({ ...createTextSubject(each), isExported: true })),
  ];
}

/** Masks secrets. Returns nothing if the file changed since it was indexed. */
export async function loadSummaryInput(
  engine: Pick<Engine, "source" | "secrets" | "digest">,
  each: SummarizableItem,
): Promise<SummaryInput | undefined> {
  const text = await readSubjectText(engine, each);
  if (text === undefined) return undefined;
  const safe = await engine.secrets.mask(text.slice(0, MAX_SUMMARY_INPUT + SECRET_SCAN_MARGIN));
  const key = await maskSubjectKey(engine, each);
  return { key, kind: each.kind, text: safe.text.slice(0, MAX_SUMMARY_INPUT).toWellFormed() };
}

/**
 * Names may contain secrets too. Then the path replaces the key, because masking cannot detect a secret in the anchor
 * of a heading.
 */
async function maskSubjectKey(
  { secrets }: Pick<Engine, "secrets">,
  { key, path, name }: SummarizableItem,
): Promise<string> {
  const inName = await secrets.mask(name);
  return (await secrets.mask(inName.found.length > 0 ? path : key)).text;
}

async function readSubjectText(
  engine: Pick<Engine, "source" | "digest">,
  { file, span, doc = "", members = [] }: SummarizableItem,
): Promise<string | undefined> {
  if (!file) return doc;
  if (!span && file.lines > MAX_SHOWN_FILE_LINES) return `${file.lines} lines. ${doc}\n\nIn it: ${members.join(", ")}`;
  const text = await engine.source.text(file.path);
  if (text === undefined || engine.digest(text) !== file.hash) return undefined;
  return span ? text.slice(span.start, span.end) : text;
}
