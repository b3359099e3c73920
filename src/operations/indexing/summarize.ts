import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { type KeptSummary, summaryOf, versionOf } from "#domain/indexing/summary.ts";
import { choose } from "#domain/indexing/summary/choose.ts";
import { oneLineOf } from "#domain/indexing/summary/one-line.ts";
import { BATCH } from "#domain/indexing/summary/wording.ts";
import { quote } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import type { CodeIndex } from "../ports/code-index.ts";
import { knownSummaries } from "./known-summaries.ts";
import type { Summarize, Summarized } from "./schema.ts";
import { askForAll, CHANGED, promptFor, tell } from "./summing/asking.ts";
import { writeByHand } from "./summing/by-hand.ts";
import { failuresIn, takeSummary, type Taken } from "./summing/keeping.ts";
import { summarizedPage } from "./summing/page.ts";
import { everySummable, shownOf, type Summable } from "./summing/summable.ts";
import { bringIndexUpToDate } from "./up-to-date.ts";

type Input = z.infer<typeof Summarize>;
type Output = z.infer<typeof Summarized>;
type Item =
  | { readonly failed: Output["failed"][number] }
  | { readonly summary: Output["summaries"][number] }
  | { readonly thing: Output["batch"][number] };
type Done = Pick<Output, "did"> & Partial<Omit<Output, "omitted">>;

/** Default limit of subjects per call, because a model may cost money. */
const MOST = 100;

export const summarize = defineOperation<Input, Output>({
  id: "indexing.summarize",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).Summarize,
  output: async () => (await import("./schema.ts")).Summarized,
  async run(engine, input) {
    const { index } = await bringIndexUpToDate(engine);
    const done = await carryOut(engine, new Summing(engine, index, await everySummable(index)), input);
    const { failed = [], summaries = [], batch = [], ...rest } = done;
    return fitAnswer<Item, Output>(engine, input.max_tokens ?? DEFAULT_ANSWER_TOKENS, {
      items: [
        ...failed.map((each) => ({ failed: each })),
        ...summaries.map((summary) => ({ summary })),
        ...batch.map((thing) => ({ thing })),
      ],
      build: (shown, omitted) => ({
        made: 0,
        left: 0,
        ...rest,
        failed: shown.flatMap((each) => ("failed" in each ? [each.failed] : [])),
        summaries: shown.flatMap((each) => ("summary" in each ? [each.summary] : [])),
        batch: shown.flatMap((each) => ("thing" in each ? [each.thing] : [])),
        omitted,
      }),
      page: summarizedPage,
      shorten: (item, length) =>
        "thing" in item
          ? { thing: { ...item.thing, text: `${item.thing.text.slice(0, length).toWellFormed()}…` } }
          : undefined,
    });
  },
  page: (output) => summarizedPage(output),
  isRefusal: ({ did, made, failed }) => did === "worded" && made === 0 && failed.length > 0,
});

async function carryOut(engine: Engine, summing: Summing, input: Input): Promise<Done> {
  const { key, text, forget = false, answers, dry_run: isDry = false, most = MOST } = input;
  if (key !== undefined) summing.mustKnow(key, forget);
  if (key !== undefined && (text !== undefined || forget)) return byHand(engine, summing, key, text);
  const taken = answers ? await takeAnswers(engine, summing, answers) : [];
  const model = answers ? undefined : await engine.model();
  const due = await summing.due(input);
  const own = (): Promise<Output["summaries"]> => summing.standing(key === undefined ? [] : [key]);
  if (isDry) return { ...(await counted(engine, due.slice(0, most), due.length)), summaries: await own() };
  if (!model) {
    const batch = await handOut(engine, due);
    const { summaries, ...result } = outcome(taken);
    return { did: "handed-out", ...result, summaries: [...summaries, ...(await own())], left: due.length, batch };
  }
  const { summaries, ...result } = outcome(await askForAll(engine, summing.index, model, due.slice(0, most)));
  const shown = key === undefined ? summaries : await own();
  return { did: "worded", model: model.name, ...result, summaries: shown, left: due.length - result.made };
}

function outcome(taken: readonly Taken[]): Pick<Output, "made" | "failed" | "summaries"> {
  const summaries = taken.flatMap((each) => ("summary" in each ? [each] : []));
  return { made: summaries.length, failed: failuresIn(taken), summaries };
}

class Summing {
  readonly index: CodeIndex;
  readonly #engine: Engine;
  readonly #all: ReadonlyMap<string, Summable>;

  constructor(engine: Engine, index: CodeIndex, all: readonly Summable[]) {
    this.#engine = engine;
    this.index = index;
    this.#all = new Map(all.map((each) => [each.key, each]));
  }

  at(key: string): Summable | undefined {
    return this.#all.get(key);
  }

  /** The summary of a deleted subject can still be forgotten. */
  mustKnow(key: string, isForgotten: boolean): void {
    if (isForgotten || this.#all.has(key)) return;
    const path = key.split("#")[0] ?? "";
    const near = [...this.#all.values()].find((each) => each.key !== path && each.path === path);
    throw new Fault("summary.unknown", {
      what: "Nothing was summed up.",
      why: `The index knows nothing of ${quote(key)}; a key is as src/auth.ts#Session.login, src/auth.ts or AUTH-001.`,
      fix: { operation: "indexing.summarize", input: { ...(near ? { path, type: "components" } : {}), dry_run: true } },
    });
  }

  known(keys?: readonly string[]): Promise<ReadonlyMap<string, KeptSummary>> {
    return knownSummaries(this.#engine, this.index, keys);
  }

  async due(meant: Input): Promise<Summable[]> {
    const known = await this.known();
    return choose([...this.#all.values()], meant).filter(
      (each) => summaryOf(each, known.get(each.key)).source === "itself",
    );
  }

  async standing(keys: readonly string[]): Promise<Output["summaries"]> {
    const known = await this.known(keys);
    return keys.flatMap((key) => {
      const each = this.#all.get(key);
      if (!each) return [];
      const { text, source } = summaryOf(each, known.get(key));
      return [{ key, summary: text, source }];
    });
  }
}

async function byHand(engine: Engine, summing: Summing, key: string, text: string | undefined): Promise<Done> {
  const { found } = await engine.secrets.mask(text ?? "");
  if (found.length > 0) {
    throw new Fault("summary.secret", {
      what: "The summary was not kept.",
      why: `It holds what looks like a secret (${found.join(", ")}), and it would be committed.`,
      fix: "Say it without the secret.",
    });
  }
  await writeByHand(engine, key, text === undefined ? undefined : oneLineOf(text));
  const summaries = await summing.standing([key]);
  return { did: text === undefined ? "forgotten" : "kept", made: text === undefined ? 0 : 1, summaries };
}

async function counted(engine: Engine, due: readonly Summable[], left: number): Promise<Done> {
  const [template, tokensOf] = await Promise.all([engine.assets.text("summaries/prompt"), engine.tokens.counter()]);
  let tokens = 0;
  for (let from = 0; from < due.length; from += BATCH) {
    const shown = await Promise.all(due.slice(from, from + BATCH).map((each) => shownOf(engine, each)));
    tokens += tokensOf(
      promptFor(
        engine,
        template,
        shown.filter((each) => each !== undefined),
      ),
    );
  }
  return { did: "counted", made: due.length, left, tokens };
}

/** An answer repeats this hash, so that an outdated answer is detected. */
const shortHash = (engine: Engine, each: Summable): string => engine.digest(versionOf(each)).slice(0, 8);

/** Skips a subject whose key contains a secret: its masked key could not be answered. */
async function handOut(engine: Engine, due: readonly Summable[]): Promise<Output["batch"]> {
  const batch: Output["batch"] = [];
  for (const each of due) {
    if (batch.length === BATCH) break;
    const thing = await shownOf(engine, each);
    if (thing?.key === each.key) batch.push({ ...thing, hash: shortHash(engine, each) });
  }
  return batch;
}

async function takeAnswers(engine: Engine, summing: Summing, answers: NonNullable<Input["answers"]>): Promise<Taken[]> {
  const known = await summing.known(answers.map(({ key }) => key));
  const taken: Taken[] = [];
  for (const { key, hash, summary } of answers) {
    const each = summing.at(key);
    if (!each) taken.push({ key, why: "There is no such thing." });
    else if (shortHash(engine, each) !== hash) taken.push({ key, why: CHANGED });
    else if (known.get(key)?.source === "manual") taken.push({ key, why: "It has a summary by hand." });
    else
      taken.push(
        await takeSummary(engine, summing.index, { key, hash: versionOf(each), text: summary, source: "agent" }),
      );
  }
  if (taken.length > 0) await tell(engine, taken, { by: "agent" });
  return taken;
}
