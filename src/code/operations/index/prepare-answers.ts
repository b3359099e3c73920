import {
  MAX_PREPARED_ANSWERS,
  type PreparedAnswer,
  prepareAnswers,
  type AreaFacts,
  type PreparedAnswerFacts,
  type ComponentMention,
  type ProjectArea,
  groupProjectAreas,
} from "../../model/query/prepared-answers.ts";
import {
  isQuestionAboutArea,
  matchAnswerTopic,
  isAboutAllChanges,
  type QuestionIntent,
} from "../../model/query/question-intent.ts";
import type { QueryAnswer } from "../../model/query/query-answer.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexStamp, IndexedComponentRow } from "../ports/code-index.ts";
import { createFeedEntry } from "./commit-feed.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import { deriveSummary } from "../../model/summary/code-summary.ts";
import { truncateSummary } from "../../model/summary/summary-text.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import { formatInvocationLine } from "#kernel/model/shell-command.ts";
import { loadTraceData } from "../trace/trace-data.ts";

const ANSWERS_NOTE = "answers";

interface StoredAnswers {
  readonly of: string;
  readonly answers: readonly PreparedAnswer[];
}

export interface LoadedAnswer extends PreparedAnswer {
  readonly isStale: boolean;
}

type AnswerEngine = AnswerFactsEngine & Pick<CodeEngine, "clock" | "digest" | "notice">;

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
    const answers = prepareAnswers(facts, before, engine.clock.now(), (text) => engine.digest(text));
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

type AnswerFactsEngine = Pick<CodeEngine, "source" | "stacks" | "store" | "requirements">;

const MAX_MAIN_COMPONENTS = 12;
const MAX_PROJECT_AREAS = 14;
const MAX_AREA_MEMBERS = 6;
const MAX_COUNTED_MEMBERS = 24;
const MAX_ANSWER_COMMITS = 8;
const MAX_AREA_NEIGHBOURS = 4;
const MAX_AREA_FILES = 4;
const MEMBER_SUMMARY_LENGTH = 100;

async function gatherAnswerFacts(engine: AnswerFactsEngine, index: CodeIndex): Promise<PreparedAnswerFacts> {
  const areas = groupProjectAreas(await index.sizes(), MAX_PROJECT_AREAS);
  const { specs, untested } = await gatherSpecFacts(engine, index);
  const called = (await index.mostCalled(3 * MAX_MAIN_COMPONENTS)).map(({ component }) => component);
  return {
    main: (await rankComponentUsers(index, called)).slice(0, MAX_MAIN_COMPONENTS),
    areas: await Promise.all(areas.map((area) => gatherAreaFacts(index, area))),
    commits: await gatherRecentCommits(engine),
    checks: await gatherCheckFacts(engine),
    specs,
    untested,
    featureStages: await engine.requirements.featureStages(),
  };
}

async function rankComponentUsers(
  index: CodeIndex,
  rows: readonly IndexedComponentRow[],
): Promise<PreparedAnswerFacts["main"]> {
  const counted = [];
  for (const row of rows) {
    const users = await index.usedBy({ path: row.path, ref: row.ref });
    counted.push({ ...createComponentMention(row), users: users.filter(({ from }) => !isTestPath(from.path)).length });
  }
  return counted.toSorted((a, b) => b.users - a.users);
}

async function gatherAreaFacts(index: CodeIndex, { name, places, files, components }: ProjectArea): Promise<AreaFacts> {
  const leading = files.slice(0, MAX_AREA_FILES).map(({ path }) => path);
  const own = new Set(files.map(({ path }) => path));
  const [usedBy, uses, specs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const rows: IndexedComponentRow[] = [];
  for (const path of leading) {
    for (const { from } of await index.usedBy({ path }))
      if (!own.has(from.path)) usedBy.add(formatAreaNeighbour(from.path));
    for (const { to } of await index.uses({ path })) if (!own.has(to.path)) uses.add(formatAreaNeighbour(to.path));
    for (const { spec, isTest } of await index.tags({ path })) if (!isTest) specs.add(spec);
    rows.push(...(await index.components({ path })));
  }
  const offered = rows.filter(({ isTest, within, kind }) => !isTest && within === "" && kind !== "constant");
  const described = offered.length > 0 ? offered : rows.filter(({ isTest }) => !isTest);
  const first = described.toSorted((one, other) => scoreDescriptiveness(other) - scoreDescriptiveness(one));
  const members = await rankComponentUsers(index, first.slice(0, MAX_COUNTED_MEMBERS));
  return {
    name,
    places,
    files: files.length,
    components,
    members: members.slice(0, MAX_AREA_MEMBERS),
    usedBy: [...usedBy].filter((each) => !isTestPath(`${each}/`)).slice(0, MAX_AREA_NEIGHBOURS),
    uses: [...uses].slice(0, MAX_AREA_NEIGHBOURS),
    specs: [...specs].slice(0, MAX_AREA_NEIGHBOURS),
  };
}

/** Exported and documented components come first. */
const scoreDescriptiveness = ({ isExported, doc, kind }: IndexedComponentRow): number =>
  (isExported ? 4 : 0) + (doc === "" ? 0 : 2) + (kind === "class" || kind === "function" ? 1 : 0);

const formatAreaNeighbour = (path: string): string =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path;

function createComponentMention(row: IndexedComponentRow): ComponentMention {
  const says = row.doc === "" ? "" : deriveSummary(row);
  return {
    key: formatComponentKey(row.path, row.ref),
    at: `${row.path}:${row.line}`,
    name: row.ref,
    says: says === deriveSummary({ ...row, doc: "" }) ? "" : truncateSummary(says, MEMBER_SUMMARY_LENGTH),
  };
}

async function gatherRecentCommits({ source }: AnswerFactsEngine): Promise<PreparedAnswerFacts["commits"]> {
  const commits = (await source.commits({ most: MAX_ANSWER_COMMITS })) ?? [];
  return commits.map((commit) => {
    const {
      hash,
      timestamp: at,
      message,
      insertions,
      deletions,
      files,
      files_changed,
      specs,
    } = createFeedEntry(commit);
    const paths = files.slice(0, 2).map(({ path }) => path);
    const more = files_changed - paths.length;
    const change = [
      `+${insertions} -${deletions}`,
      ...paths,
      ...(more > 0 ? [`${more} more`] : []),
      ...specs.filter((id) => !message.includes(id)),
    ];
    return { hash, at, subject: truncateSummary(message, 90), change: change.join(", ") };
  });
}

async function gatherCheckFacts({ stacks }: AnswerFactsEngine): Promise<PreparedAnswerFacts["checks"]> {
  const definitions = await stacks.definitions();
  return (definitions?.stacks ?? []).flatMap(({ directory, checks }) =>
    checks.map(({ kind, run, variables }) => ({ directory, kind, command: formatInvocationLine(run, variables) })),
  );
}

async function gatherSpecFacts(
  engine: AnswerFactsEngine,
  index: CodeIndex,
): Promise<Pick<PreparedAnswerFacts, "specs" | "untested">> {
  const { known: all, carriers } = await loadTraceData(engine, index);
  const tested = carriers.filter(({ isTest }) => isTest);
  const isTested = (id: string, criterion?: string): boolean =>
    tested.some((each) => each.spec === id && (criterion === undefined || each.criterion === criterion));
  const known = [...all.ids.values()].filter(({ kind }) => kind !== "rule");
  return {
    specs: known.map(({ id, title, path, status = "" }) => ({ id, title, path, status })),
    untested: known.flatMap(({ id, kind, criteria = [] }) => {
      if (criteria.length === 0) return isTested(id) || kind === "roadmap" ? [] : [id];
      return criteria.filter((criterion) => !isTested(id, criterion.id)).map((criterion) => `${id}.${criterion.id}`);
    }),
  };
}
