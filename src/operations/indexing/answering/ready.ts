import { MAX_PREPARED_ANSWERS, type PreparedAnswer, prepareAnswers } from "#domain/indexing/ready.ts";
import { isQuestionAboutArea, matchAnswerTopic } from "#domain/indexing/ready/topic.ts";
import type { QueryAnswer } from "#domain/indexing/query/answer.ts";
import { isAboutAllChanges, type QuestionIntent } from "#domain/indexing/query/ask.ts";
import { CONFIG_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexStamp } from "../../ports/code-index.ts";
import { type AnswerFactsEngine, gatherAnswerFacts } from "./ready-facts.ts";

const ANSWERS_NOTE = "answers";

interface StoredAnswers {
  readonly of: string;
  readonly answers: readonly PreparedAnswer[];
}

export interface LoadedAnswer extends PreparedAnswer {
  readonly isStale: boolean;
}

type AnswerEngine = AnswerFactsEngine & Pick<Engine, "clock" | "digest" | "notice">;

/**
 * Returns at most 20 answers, rebuilt if any possible source changed. If that fails, returns the earlier ones as stale.
 * The index must be up to date.
 */
export async function loadPreparedAnswers(engine: AnswerEngine, index: CodeIndex): Promise<readonly LoadedAnswer[]> {
  const kept = parseStoredAnswers(await index.note(ANSWERS_NOTE));
  const of = await computeAnswerFingerprint(engine, index);
  if (kept?.of === of) return markAnswersFresh(kept.answers);
  try {
    const facts = await gatherAnswerFacts(engine, index);
    const before = kept?.answers ?? [];
    const answers = prepareAnswers(facts, { digest: (text) => engine.digest(text), now: engine.clock.now(), before });
    await index.keepNote(ANSWERS_NOTE, JSON.stringify({ of, answers } satisfies StoredAnswers));
    return markAnswersFresh(answers);
  } catch (error) {
    if (!kept) throw error;
    engine.notice(`The ready answers are those of before: ${error instanceof Error ? error.message : String(error)}`);
    return kept.answers.map((answer) => ({ ...answer, isStale: true }));
  }
}

const markAnswersFresh = (answers: readonly PreparedAnswer[]): LoadedAnswer[] =>
  answers.slice(0, MAX_PREPARED_ANSWERS).map((answer) => ({ ...answer, isStale: false }));

export async function findPreparedAnswer(
  engine: AnswerEngine,
  index: CodeIndex,
  question: string,
  wish: QuestionIntent,
): Promise<QueryAnswer["ready"]> {
  const topic = wish === "changes" && isAboutAllChanges(question) ? "changes" : matchAnswerTopic(question);
  if (topic === undefined && !(wish === "meaning" && HOW_QUESTION.test(question))) return undefined;
  const answers = await loadPreparedAnswers(engine, index);
  const about = answers.find(({ name }) => name !== undefined && isQuestionAboutArea(question, name));
  const found = about ?? answers.find((each) => each.topic === topic);
  return found && { question: found.question, answer: found.answer, isStale: found.isStale };
}

/** Matches how something works, not how to do something with it. */
const HOW_QUESTION =
  /^\W*(?:how\s+(?:does|do|is|are)\b(?!\s+(?:i|we|you|one)\b)|explain\b|describe\b|what\s+(?:is|does|are)\b)/i;

/** Covers files, manifests, documents, commits and settings. */
async function computeAnswerFingerprint(engine: AnswerEngine, index: CodeIndex): Promise<string> {
  const code = listStampHashes(await index.stamps());
  const texts = listStampHashes(await index.textStamps());
  const settings = await engine.store.read((tree) => tree.text(CONFIG_PATH));
  const head = await engine.source.head();
  return engine.digest(JSON.stringify([code, texts, settings ?? "", head ?? ""]));
}

const listStampHashes = (stamps: ReadonlyMap<string, IndexStamp>): string[] =>
  [...stamps].map(([path, { hash }]) => `${path}\0${hash}`).toSorted();

function parseStoredAnswers(note: string | undefined): StoredAnswers | undefined {
  if (note === undefined) return undefined;
  try {
    return JSON.parse(note) as StoredAnswers;
  } catch {
    return undefined;
  }
}
