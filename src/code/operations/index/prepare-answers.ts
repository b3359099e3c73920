import {
  MAX_PREPARED_ANSWERS,
  type PreparedAnswer,
  prepareAnswers,
  type AreaFacts,
  type PreparedAnswerFacts,
  type ProjectArea,
  groupProjectAreas,
} from "../../model/query/prepared-answers.ts";
import type { QuestionIntent } from "../../model/query/question-intent.ts";
import { isQuestionAboutArea, matchAnswerTopic, isAboutAllChanges } from "../../model/query/question-intent.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedComponentRow } from "../ports/code-index.ts";
import { createFeedEntry } from "./commit-feed.ts";
import { formatComponentKey } from "../../model/index/code-outline.ts";
import { deriveSummary } from "../../model/summary/code-summary.ts";
import { truncateSummary } from "../../model/summary/summary-text.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import { formatInvocationLine } from "#kernel/model/shell-command.ts";
import { loadTraceData } from "../trace/trace-data.ts";

const ANSWERS_NOTE = "answers";

type StoredAnswers = Readonly<{ of: string; answers: readonly PreparedAnswer[] }>;

type LoadedAnswer = PreparedAnswer & Readonly<{ isStale: boolean }>;

/** At most 20, rebuilt if a source changed; else the earlier ones as stale. The index must be up to date. */
export async function loadPreparedAnswers(engine: CodeEngine, index: CodeIndex): Promise<readonly LoadedAnswer[]> {
  const kept = parseStoredAnswers((await index.note(ANSWERS_NOTE)) ?? "");
  const of = await computeAnswerFingerprint(engine, index);
  let [answers, isStale] = [kept?.answers ?? [], false];
  try {
    if (kept?.of !== of) {
      const facts = await gatherAnswerFacts(engine, index);
      answers = prepareAnswers(facts, answers, engine.clock.now(), (text) => engine.digest(text));
      await index.keepNote(ANSWERS_NOTE, JSON.stringify({ of, answers } satisfies StoredAnswers));
    }
  } catch (error) {
    if (!kept) throw error;
    engine.notice(`The prepared answers are not up to date: ${error instanceof Error ? error.message : String(error)}`);
    [answers, isStale] = [kept.answers, true];
  }
  return answers.slice(0, MAX_PREPARED_ANSWERS).map((answer) => ({ ...answer, isStale }));
}

function parseStoredAnswers(note: string): StoredAnswers | undefined {
  try {
    return JSON.parse(note) as StoredAnswers;
  } catch {
    return undefined;
  }
}

export async function findPreparedAnswer(
  engine: CodeEngine,
  index: CodeIndex,
  question: string,
  intent: QuestionIntent,
) {
  const topic = intent === "changes" && isAboutAllChanges(question) ? "changes" : matchAnswerTopic(question);
  if (topic === undefined && !(intent === "meaning" && HOW_QUESTION.test(question))) return undefined;
  const answers = await loadPreparedAnswers(engine, index);
  const about = answers.find(({ name }) => name !== undefined && isQuestionAboutArea(question, name));
  const found = about ?? answers.find((each) => each.topic === topic);
  return found && { question: found.question, answer: found.answer, isStale: found.isStale };
}

/** Matches how something works, not how to do something with it. */
const HOW_QUESTION =
  /^\W*(?:how\s+(?:does|do|is|are)\b(?!\s+(?:i|we|you|one)\b)|explain\b|describe\b|what\s+(?:is|does|are)\b)/i;

/** Covers files, manifests, documents, commits and settings. */
async function computeAnswerFingerprint(engine: CodeEngine, index: CodeIndex): Promise<string> {
  const [code, texts] = [await index.stamps(), await index.textStamps()].map((stamps) =>
    [...stamps].map(([path, { hash }]) => `${path}\0${hash}`).toSorted(),
  );
  const settings = await engine.store.read((tree) => tree.text(CONFIG_PATH));
  const head = await engine.source.head();
  return engine.digest(JSON.stringify([code, texts, settings ?? "", head ?? ""]));
}

const MAX_MAIN_COMPONENTS = 12;
const MAX_PROJECT_AREAS = 14;
const MAX_AREA_MEMBERS = 6;
const MAX_COUNTED_MEMBERS = 24;
const MAX_ANSWER_COMMITS = 8;
const MAX_AREA_NEIGHBOURS = 4;
const MAX_AREA_FILES = 4;
const MEMBER_SUMMARY_LENGTH = 100;

async function gatherAnswerFacts(engine: CodeEngine, index: CodeIndex): Promise<PreparedAnswerFacts> {
  const areas = groupProjectAreas(await index.sizes(), MAX_PROJECT_AREAS);
  const called = (await index.mostCalled(3 * MAX_MAIN_COMPONENTS)).map(({ component }) => component);
  const { stacks = [] } = (await engine.stacks.definitions()) ?? {};
  return {
    main: (await rankComponentUsers(index, called)).slice(0, MAX_MAIN_COMPONENTS),
    areas: await Promise.all(areas.map((area) => gatherAreaFacts(index, area))),
    commits: await gatherRecentCommits(engine),
    checks: stacks.flatMap(({ directory, checks }) =>
      checks.map(({ kind, run, variables }) => ({ directory, kind, command: formatInvocationLine(run, variables) })),
    ),
    ...(await gatherSpecFacts(engine, index)),
    featureStages: await engine.requirements.featureStages(),
  };
}

async function rankComponentUsers(index: CodeIndex, rows: readonly IndexedComponentRow[]) {
  const counted: PreparedAnswerFacts["main"][number][] = [];
  for (const row of rows) {
    const { path, ref, line } = row;
    const users = (await index.usedBy({ path, ref })).filter(({ from }) => !isTestPath(from.path)).length;
    const derived = row.doc === "" ? "" : deriveSummary(row);
    const says = derived === deriveSummary({ ...row, doc: "" }) ? "" : truncateSummary(derived, MEMBER_SUMMARY_LENGTH);
    counted.push({ key: formatComponentKey(path, ref), at: `${path}:${line}`, name: ref, says, users });
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

async function gatherRecentCommits({ source }: CodeEngine): Promise<PreparedAnswerFacts["commits"]> {
  const commits = (await source.commits({ most: MAX_ANSWER_COMMITS })) ?? [];
  return commits.map((commit) => {
    const { hash, timestamp: at, message, files, files_changed, specs, ...lines } = createFeedEntry(commit);
    const paths = files.slice(0, 2).map(({ path }) => path);
    const more = files_changed - paths.length;
    const change = [
      `+${lines.insertions} -${lines.deletions}`,
      ...paths,
      ...(more > 0 ? [`${more} more`] : []),
      ...specs.filter((id) => !message.includes(id)),
    ];
    return { hash, at, subject: truncateSummary(message, 90), change: change.join(", ") };
  });
}

async function gatherSpecFacts(engine: CodeEngine, index: CodeIndex) {
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
