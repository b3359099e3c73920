import { listCommitSpecs } from "#domain/indexing/feed.ts";
import { formatComponentKey } from "#domain/indexing/outline.ts";
import type { AreaFacts, PreparedAnswerFacts, ComponentMention } from "#domain/indexing/ready.ts";
import { type ProjectArea, groupProjectAreas } from "#domain/indexing/ready/area.ts";
import { deriveSummary } from "#domain/indexing/summary.ts";
import { truncateSummary } from "#domain/indexing/summary/one-line.ts";
import { isTestPath } from "#domain/scan/test-path.ts";
import { formatInvocationLine } from "#domain/stack/command-line.ts";
import { collectTraceLocations } from "#domain/trace/carrier.ts";
import { createTestNameReader } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow } from "../../ports/code-index.ts";
import { loadTraceableIds } from "../../trace/known.ts";

export type AnswerFactsEngine = Pick<Engine, "source" | "stacks" | "store" | "yaml" | "digest">;

const MAX_MAIN_COMPONENTS = 12;
const MAX_PROJECT_AREAS = 14;
const MAX_AREA_MEMBERS = 6;
const MAX_COUNTED_MEMBERS = 24;
const MAX_ANSWER_COMMITS = 8;
const MAX_AREA_NEIGHBOURS = 4;
const MAX_AREA_FILES = 4;
const MEMBER_SUMMARY_LENGTH = 100;

export async function gatherAnswerFacts(engine: AnswerFactsEngine, index: CodeIndex): Promise<PreparedAnswerFacts> {
  const areas = groupProjectAreas(await index.sizes(), MAX_PROJECT_AREAS);
  const { specs, untested } = await gatherSpecFacts(engine, index);
  return {
    main: await loadMainComponents(index),
    areas: await Promise.all(areas.map((area) => gatherAreaFacts(index, area))),
    commits: await gatherRecentCommits(engine),
    checks: await gatherCheckFacts(engine),
    specs,
    untested,
  };
}

async function loadMainComponents(index: CodeIndex): Promise<PreparedAnswerFacts["main"]> {
  const called = await index.mostCalled(3 * MAX_MAIN_COMPONENTS);
  return (
    await rankComponentUsers(
      index,
      called.map(({ component }) => component),
    )
  ).slice(0, MAX_MAIN_COMPONENTS);
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
  const [usedBy, uses, specs, rows] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    [] as IndexedComponentRow[],
  ];
  for (const path of leading) {
    for (const { from } of await index.usedBy({ path }))
      if (!own.has(from.path)) usedBy.add(formatAreaNeighbour(from.path));
    for (const { to } of await index.uses({ path })) if (!own.has(to.path)) uses.add(formatAreaNeighbour(to.path));
    for (const { spec, isTest } of await index.tags({ path })) if (!isTest) specs.add(spec);
    rows.push(...(await index.components({ path })));
  }
  const offered = rows.filter(({ isTest, within, kind }) => !isTest && within === "" && kind !== "constant");
  const first = (offered.length > 0 ? offered : rows.filter(({ isTest }) => !isTest)).toSorted(compareDescriptiveness);
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

/** Exported and documented components first. */
const compareDescriptiveness = (one: IndexedComponentRow, other: IndexedComponentRow): number =>
  scoreDescriptiveness(other) - scoreDescriptiveness(one);
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
  return commits.map(({ hash, at, subject, trailers, files }) => {
    const sum = (part: "insertions" | "deletions"): number =>
      files.reduce((total, file) => total + (file[part] ?? 0), 0);
    const specs = listCommitSpecs({ subject, trailers }).filter((id) => !subject.includes(id));
    const paths = files.slice(0, 2).map(({ path }) => path);
    const more = files.length - paths.length;
    const change = [
      `+${sum("insertions")} -${sum("deletions")}`,
      ...paths,
      ...(more > 0 ? [`${more} more`] : []),
      ...specs,
    ];
    return { hash, at, subject: truncateSummary(subject, 90), change: change.join(", ") };
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
  const { ids } = await loadTraceableIds(engine);
  const carriers = collectTraceLocations(
    { tags: await index.tags(), tests: await index.tests() },
    createTestNameReader(ids.keys()),
  );
  const tested = carriers.filter(({ isTest }) => isTest);
  const isTested = (id: string, criterion?: string): boolean =>
    tested.some((each) => each.spec === id && (criterion === undefined || each.criterion === criterion));
  const known = [...ids.values()].filter(({ kind }) => kind !== "rule");
  return {
    specs: known.map(({ id, title, path, status = "" }) => ({ id, title, path, status })),
    untested: known.flatMap(({ id, kind, criteria = [] }) => {
      if (criteria.length === 0) return isTested(id) || kind === "roadmap" ? [] : [id];
      return criteria.filter((criterion) => !isTested(id, criterion.id)).map((criterion) => `${id}.${criterion.id}`);
    }),
  };
}
