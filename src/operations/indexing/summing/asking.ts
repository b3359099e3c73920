import {
  SUMMARY_BATCH_SIZE,
  formatFencedInputs,
  createDataFence,
  parseSummaryReply,
  type SummaryInput,
} from "#domain/indexing/summary/wording.ts";
import { computeSubjectVersion } from "#domain/indexing/summary.ts";
import { renderTemplate } from "#domain/template.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import type { LanguageModel } from "../../ports/model.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import { groupSummaryFailures, storeCheckedSummary, type SummaryResult } from "./keeping.ts";
import { loadSummaryInput, type SummarizableItem } from "./summable.ts";

const MAX_EMPTY_REPLIES = 3;

type SummaryEngine = Pick<
  Engine,
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
    const batch = await requestSummaryBatch(engine, index, model, {
      template,
      some: due.slice(from, from + SUMMARY_BATCH_SIZE),
    });
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

interface SummaryBatch {
  readonly template: string;
  readonly some: readonly SummarizableItem[];
}

async function requestSummaryBatch(
  engine: SummaryEngine,
  index: CodeIndex,
  model: LanguageModel,
  { template, some }: SummaryBatch,
): Promise<SummaryResult[]> {
  const shown = await Promise.all(some.map(async (each) => ({ each, thing: await loadSummaryInput(engine, each) })));
  const there = shown.flatMap(({ each, thing }) => (thing ? [{ each, thing }] : []));
  const gone = shown
    .filter(({ thing }) => !thing)
    .map(({ each }): SummaryResult => ({ key: each.key, why: CHANGED_MEANWHILE }));
  if (there.length === 0) return gone;
  const prompt = renderSummaryPrompt(
    engine,
    template,
    there.map(({ thing }) => thing),
  );
  const answer = await model.answer(prompt, engine.progress.cancelled);
  if ("failed" in answer) {
    // An error message may contain secrets.
    const why = (await engine.secrets.mask(answer.failed)).text;
    return [...gone, ...there.map(({ each }): SummaryResult => ({ key: each.key, why }))];
  }
  const worded = parseSummaryReply(answer.said, there.length);
  const taken: SummaryResult[] = [];
  for (const [i, { each }] of there.entries()) {
    const text = worded.get(i + 1);
    taken.push(
      text === undefined
        ? { key: each.key, why: "The answer held none that could be read." }
        : await storeCheckedSummary(engine, index, {
            key: each.key,
            hash: computeSubjectVersion(each),
            text,
            source: "model",
          }),
    );
  }
  return [...gone, ...taken];
}

export const CHANGED_MEANWHILE = "It changed meanwhile.";

export function renderSummaryPrompt(
  engine: Pick<Engine, "digest">,
  template: string,
  things: readonly SummaryInput[],
): string {
  const fence = createDataFence(
    things.flatMap(({ key, text }) => [key, text]),
    (text) => engine.digest(text),
  );
  return renderTemplate(template, { count: String(things.length), fence, things: formatFencedInputs(things, fence) });
}

export async function logSummaryResults(
  engine: Pick<Engine, "store" | "observers" | "notice">,
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
