import { BATCH, fenced, fenceFor, readWording, type Shown } from "#domain/indexing/summary/wording.ts";
import { versionOf } from "#domain/indexing/summary.ts";
import { renderTemplate } from "#domain/template.ts";
import { commitStoreWrite, type Engine } from "../../engine.ts";
import type { CodeIndex } from "../../ports/code-index.ts";
import type { LanguageModel } from "../../ports/model.ts";
import { throwIfCancelled } from "../../ports/runner.ts";
import { failuresIn, takeSummary, type Taken } from "./keeping.ts";
import { shownOf, type Summable } from "./summable.ts";

const MOST_IN_VAIN = 3;

type Asking = Pick<
  Engine,
  "assets" | "source" | "secrets" | "digest" | "clock" | "progress" | "store" | "observers" | "notice"
>;

/** Asks for ten subjects at a time and stores each reply at once, so that a later failure loses nothing. */
export async function askForAll(
  engine: Asking,
  index: CodeIndex,
  model: LanguageModel,
  due: readonly Summable[],
): Promise<Taken[]> {
  const template = await engine.assets.text("summaries/prompt");
  const taken: Taken[] = [];
  let inVain = 0;
  for (let from = 0; from < due.length && inVain < MOST_IN_VAIN; from += BATCH) {
    throwIfCancelled(engine.progress);
    engine.progress.tell(`Asking ${model.name}`, from, due.length);
    const batch = await askForSome(engine, index, model, { template, some: due.slice(from, from + BATCH) });
    throwIfCancelled(engine.progress);
    const made = batch.filter((each) => "summary" in each).length;
    inVain = made > 0 ? 0 : inVain + 1;
    taken.push(...batch);
    await tell(engine, batch, { by: model.name, left: due.length - from - batch.length });
  }
  if (inVain === MOST_IN_VAIN)
    engine.notice(`Nothing came of ${MOST_IN_VAIN} questions in a row, so no more was asked.`);
  return taken;
}

interface Batch {
  readonly template: string;
  readonly some: readonly Summable[];
}

async function askForSome(
  engine: Asking,
  index: CodeIndex,
  model: LanguageModel,
  { template, some }: Batch,
): Promise<Taken[]> {
  const shown = await Promise.all(some.map(async (each) => ({ each, thing: await shownOf(engine, each) })));
  const there = shown.flatMap(({ each, thing }) => (thing ? [{ each, thing }] : []));
  const gone = shown.filter(({ thing }) => !thing).map(({ each }): Taken => ({ key: each.key, why: CHANGED }));
  if (there.length === 0) return gone;
  const prompt = promptFor(
    engine,
    template,
    there.map(({ thing }) => thing),
  );
  const answer = await model.answer(prompt, engine.progress.cancelled);
  if ("failed" in answer) {
    // An error message may contain secrets.
    const why = (await engine.secrets.mask(answer.failed)).text;
    return [...gone, ...there.map(({ each }): Taken => ({ key: each.key, why }))];
  }
  const worded = readWording(answer.said, there.length);
  const taken: Taken[] = [];
  for (const [i, { each }] of there.entries()) {
    const text = worded.get(i + 1);
    taken.push(
      text === undefined
        ? { key: each.key, why: "The answer held none that could be read." }
        : await takeSummary(engine, index, { key: each.key, hash: versionOf(each), text, source: "model" }),
    );
  }
  return [...gone, ...taken];
}

export const CHANGED = "It changed meanwhile.";

export function promptFor(engine: Pick<Engine, "digest">, template: string, things: readonly Shown[]): string {
  const fence = fenceFor(
    things.flatMap(({ key, text }) => [key, text]),
    (text) => engine.digest(text),
  );
  return renderTemplate(template, { count: String(things.length), fence, things: fenced(things, fence) });
}

export async function tell(
  engine: Pick<Engine, "store" | "observers" | "notice">,
  taken: readonly Taken[],
  { by, left }: { readonly by: string; readonly left?: number },
): Promise<void> {
  const failures = failuresIn(taken);
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
