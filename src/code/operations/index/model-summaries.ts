import {
  SUMMARY_BATCH_SIZE,
  formatFencedInputs,
  createDataFence,
  parseSummaryReply,
  type SummaryInput,
  MAX_SUMMARY_INPUT,
} from "../../model/summary/summary-prompt.ts";
import { computeSubjectVersion } from "../../model/summary/code-summary.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedSummary, IndexedComponentRow, IndexedFileRow } from "../ports/code-index.ts";
import type { LanguageModel } from "../ports/model.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { truncateSummary } from "../../model/summary/summary-text.ts";
import {
  type SummaryCandidate,
  groupMemberNames,
  createComponentSubject,
  createFileSubject,
  createTextSubject,
} from "../../model/summary/summary-subject.ts";

const MAX_EMPTY_REPLIES = 3;

type SummaryEngine = Pick<
  CodeEngine,
  "assets" | "source" | "secrets" | "digest" | "clock" | "progress" | "store" | "observers" | "notice"
>;

/** Asks for ten subjects at a time and stores each reply at once, so that a later failure loses nothing. */
export async function requestModelSummaries(
  engine: SummaryEngine,
  index: CodeIndex,
  model: LanguageModel,
  due: readonly SummarizableItem[],
): Promise<SummaryResult[]> {
  const template = await engine.assets.text("summaries/prompt");
  const taken: SummaryResult[] = [];
  let inVain = 0;
  for (let from = 0; from < due.length && inVain < MAX_EMPTY_REPLIES; from += SUMMARY_BATCH_SIZE) {
    throwIfCancelled(engine.progress);
    engine.progress.tell(`Asking ${model.name}`, from, due.length);
    const some = due.slice(from, from + SUMMARY_BATCH_SIZE);
    const batch = await requestSummaryBatch(engine, index, model, template, some);
    throwIfCancelled(engine.progress);
    const made = batch.filter((each) => "summary" in each).length;
    inVain = made > 0 ? 0 : inVain + 1;
    taken.push(...batch);
    await logSummaryResults(engine, batch, { by: model.name, left: due.length - from - batch.length });
  }
  if (inVain === MAX_EMPTY_REPLIES)
    engine.notice(`Nothing came of ${MAX_EMPTY_REPLIES} questions in a row, so no more was asked.`);
  return taken;
}

async function requestSummaryBatch(
  engine: SummaryEngine,
  index: CodeIndex,
  model: LanguageModel,
  template: string,
  some: readonly SummarizableItem[],
): Promise<SummaryResult[]> {
  const inputs = await Promise.all(some.map((each) => loadSummaryInput(engine, each)));
  const there = some.filter((_, i) => inputs[i]);
  const gone = some.filter((_, i) => !inputs[i]).map(({ key }): SummaryResult => ({ key, why: CHANGED_MEANWHILE }));
  if (there.length === 0) return gone;
  const answer = await model.answer(renderSummaryPrompt(engine, template, inputs), engine.progress.cancelled);
  if ("failed" in answer) {
    // An error message may contain secrets.
    const why = (await engine.secrets.mask(answer.failed)).text;
    return [...gone, ...there.map(({ key }) => ({ key, why }))];
  }
  const worded = parseSummaryReply(answer.said, there.length);
  const taken: SummaryResult[] = [];
  for (const [i, each] of there.entries()) {
    const text = worded.get(i + 1);
    taken.push(
      text === undefined
        ? { key: each.key, why: "The answer held none that could be read." }
        : await storeCheckedSummary(engine, index, each, text, "model"),
    );
  }
  return [...gone, ...taken];
}

export const CHANGED_MEANWHILE = "It changed meanwhile.";

export function renderSummaryPrompt(
  engine: Pick<CodeEngine, "digest">,
  template: string,
  inputs: readonly (SummaryInput | undefined)[],
): string {
  const things = inputs.filter((each) => each !== undefined);
  const fence = createDataFence(
    things.flatMap(({ key, text }) => [key, text]),
    (text) => engine.digest(text),
  );
  return renderTemplate(template, { count: String(things.length), fence, things: formatFencedInputs(things, fence) });
}

export async function logSummaryResults(
  engine: Pick<CodeEngine, "store" | "observers" | "notice">,
  taken: readonly SummaryResult[],
  { by, left }: { readonly by: string; readonly left?: number },
): Promise<void> {
  const failures = groupSummaryFailures(taken);
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const data = {
    made: taken.length - failed,
    failed,
    by,
    ...(left === undefined ? {} : { left }),
    ...(failures[0] ? { reason: failures[0].why } : {}),
  };
  await commitStoreWrite(engine, () => ({
    steps: [],
    occurrences: [{ kind: "summary.made", subject: "", data }],
    result: undefined,
  }));
}

export type SummaryResult =
  | { readonly key: string; readonly summary: string; readonly source: IndexedSummary["source"] }
  | { readonly key: string; readonly why: string };

/** Rejects a summary that is empty or contains a secret. */
export async function storeCheckedSummary(
  engine: Pick<CodeEngine, "secrets" | "clock">,
  index: Pick<CodeIndex, "keepSummary">,
  item: SummarizableItem,
  text: string,
  source: IndexedSummary["source"],
): Promise<SummaryResult> {
  const { key } = item;
  const { found } = await engine.secrets.mask(text);
  if (found.length > 0) return { key, why: `It held what looks like a secret: ${found.join(", ")}.` };
  const summary = truncateSummary(stripReplyQuotes(text));
  if (!/[\p{L}\p{N}]/u.test(summary)) return { key, why: "It said nothing." };
  const hash = computeSubjectVersion(item);
  await index.keepSummary({ key, hash, text: summary, source, at: engine.clock.now() });
  return { key, summary, source };
}

/** Some models put quotes around their reply. */
const stripReplyQuotes = (text: string): string => /^\s*(["'`])(?!.*\1.*\1)([\s\S]*)\1\s*$/.exec(text)?.[2] ?? text;

export function groupSummaryFailures(
  taken: readonly SummaryResult[],
): { why: string; count: number; keys: string[] }[] {
  const failed = taken.filter((each) => "why" in each);
  return [...Map.groupBy(failed, ({ why }) => why)]
    .map(([why, some]) => ({ why, count: some.length, keys: some.slice(0, 3).map(({ key }) => key) }))
    .toSorted((a, b) => b.count - a.count);
}

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
  engine: Pick<CodeEngine, "source" | "secrets" | "digest">,
  each: SummarizableItem,
): Promise<SummaryInput | undefined> {
  const text = await readSubjectText(engine, each);
  if (text === undefined) return undefined;
  const safe = await engine.secrets.mask(text.slice(0, MAX_SUMMARY_INPUT + SECRET_SCAN_MARGIN));
  // Names may contain secrets too. Then the path replaces the key, because masking cannot detect a secret in the anchor
  // of a heading.
  const inName = await engine.secrets.mask(each.name);
  const key = (await engine.secrets.mask(inName.found.length > 0 ? each.path : each.key)).text;
  return { key, kind: each.kind, text: safe.text.slice(0, MAX_SUMMARY_INPUT).toWellFormed() };
}

async function readSubjectText(
  engine: Pick<CodeEngine, "source" | "digest">,
  { file, span, doc = "", members = [] }: SummarizableItem,
): Promise<string | undefined> {
  if (!file) return doc;
  if (!span && file.lines > MAX_SHOWN_FILE_LINES) return `${file.lines} lines. ${doc}\n\nIn it: ${members.join(", ")}`;
  const text = await engine.source.text(file.path);
  if (text === undefined || engine.digest(text) !== file.hash) return undefined;
  return span ? text.slice(span.start, span.end) : text;
}
