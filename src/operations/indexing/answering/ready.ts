import { MOST_ANSWERS, type ReadyAnswer, readyFrom } from "#domain/indexing/ready.ts";
import { asksAbout, topicOf } from "#domain/indexing/ready/topic.ts";
import type { Answer } from "#domain/indexing/query/answer.ts";
import { isWhole, type Wish } from "#domain/indexing/query/ask.ts";
import { CONFIG_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexStamp } from "../../ports/code-index.ts";
import { type Gatherer, gatherFacts } from "./ready-facts.ts";

const NOTE = "answers";

interface Kept {
  readonly of: string;
  readonly answers: readonly ReadyAnswer[];
}

export interface ShownAnswer extends ReadyAnswer {
  readonly isStale: boolean;
}

type Answering = Gatherer & Pick<Engine, "clock" | "digest" | "notice">;

/**
 * Returns at most 20 answers, rebuilt if any possible source changed. If that fails, returns the earlier ones as stale.
 * The index must be up to date.
 */
export async function readyAnswers(engine: Answering, index: CodeIndex): Promise<readonly ShownAnswer[]> {
  const kept = read(await index.note(NOTE));
  const of = await fingerprint(engine, index);
  if (kept?.of === of) return fresh(kept.answers);
  try {
    const facts = await gatherFacts(engine, index);
    const before = kept?.answers ?? [];
    const answers = readyFrom(facts, { digest: (text) => engine.digest(text), now: engine.clock.now(), before });
    await index.keepNote(NOTE, JSON.stringify({ of, answers } satisfies Kept));
    return fresh(answers);
  } catch (error) {
    if (!kept) throw error;
    engine.notice(`The ready answers are those of before: ${error instanceof Error ? error.message : String(error)}`);
    return kept.answers.map((answer) => ({ ...answer, isStale: true }));
  }
}

const fresh = (answers: readonly ReadyAnswer[]): ShownAnswer[] =>
  answers.slice(0, MOST_ANSWERS).map((answer) => ({ ...answer, isStale: false }));

export async function readyFor(
  engine: Answering,
  index: CodeIndex,
  question: string,
  wish: Wish,
): Promise<Answer["ready"]> {
  const topic = wish === "changes" && isWhole(question) ? "changes" : topicOf(question);
  if (topic === undefined && !(wish === "meaning" && HOW.test(question))) return undefined;
  const answers = await readyAnswers(engine, index);
  const about = answers.find(({ name }) => name !== undefined && asksAbout(question, name));
  const found = about ?? answers.find((each) => each.topic === topic);
  return found && { question: found.question, answer: found.answer, isStale: found.isStale };
}

/** Matches how something works, not how to do something with it. */
const HOW =
  /^\W*(?:how\s+(?:does|do|is|are)\b(?!\s+(?:i|we|you|one)\b)|explain\b|describe\b|what\s+(?:is|does|are)\b)/i;

/** Covers files, manifests, documents, commits and settings. */
async function fingerprint(engine: Answering, index: CodeIndex): Promise<string> {
  const code = hashesIn(await index.stamps());
  const texts = hashesIn(await index.textStamps());
  const settings = await engine.store.read((tree) => tree.text(CONFIG_PATH));
  const head = await engine.source.head();
  return engine.digest(JSON.stringify([code, texts, settings ?? "", head ?? ""]));
}

const hashesIn = (stamps: ReadonlyMap<string, IndexStamp>): string[] =>
  [...stamps].map(([path, { hash }]) => `${path}\0${hash}`).toSorted();

function read(note: string | undefined): Kept | undefined {
  if (note === undefined) return undefined;
  try {
    return JSON.parse(note) as Kept;
  } catch {
    return undefined;
  }
}
