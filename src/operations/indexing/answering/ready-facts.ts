import { specIdsIn } from "#domain/indexing/feed.ts";
import { keyOf } from "#domain/indexing/outline.ts";
import type { AreaFacts, ReadyFacts, Told } from "#domain/indexing/ready.ts";
import { type Area, areasOf } from "#domain/indexing/ready/area.ts";
import { summaryFrom } from "#domain/indexing/summary.ts";
import { summaryText } from "#domain/indexing/summary/one-line.ts";
import { isTestPath } from "#domain/scan/test-path.ts";
import { commandLine } from "#domain/stack/command-line.ts";
import { carriersIn } from "#domain/trace/carrier.ts";
import { readerOfNames } from "#domain/trace/test-names.ts";
import type { Engine } from "../../engine.ts";
import type { CodeIndex, IndexedComponentRow } from "../../ports/code-index.ts";
import { knownIds } from "../../trace/known.ts";

export type Gatherer = Pick<Engine, "source" | "stacks" | "store" | "yaml" | "digest">;

const MOST_MAIN = 12;
const MOST_AREAS = 14;
const MOST_MEMBERS = 6;
const MOST_COUNTED = 24;
const MOST_COMMITS = 8;
const MOST_NEIGHBOURS = 4;
const MOST_FILES = 4;
const SAYS = 100;

export async function gatherFacts(engine: Gatherer, index: CodeIndex): Promise<ReadyFacts> {
  const areas = areasOf(await index.sizes(), MOST_AREAS);
  const { specs, untested } = await specFacts(engine, index);
  return {
    main: await mainComponents(index),
    areas: await Promise.all(areas.map((area) => areaFacts(index, area))),
    commits: await commitFacts(engine),
    checks: await checkFacts(engine),
    specs,
    untested,
  };
}

async function mainComponents(index: CodeIndex): Promise<ReadyFacts["main"]> {
  const called = await index.mostCalled(3 * MOST_MAIN);
  return (
    await mostUsed(
      index,
      called.map(({ component }) => component),
    )
  ).slice(0, MOST_MAIN);
}

async function mostUsed(index: CodeIndex, rows: readonly IndexedComponentRow[]): Promise<ReadyFacts["main"]> {
  const counted = [];
  for (const row of rows) {
    const users = await index.usedBy({ path: row.path, ref: row.ref });
    counted.push({ ...toldOf(row), users: users.filter(({ from }) => !isTestPath(from.path)).length });
  }
  return counted.toSorted((a, b) => b.users - a.users);
}

async function areaFacts(index: CodeIndex, { name, places, files, components }: Area): Promise<AreaFacts> {
  const leading = files.slice(0, MOST_FILES).map(({ path }) => path);
  const own = new Set(files.map(({ path }) => path));
  const [usedBy, uses, specs, rows] = [
    new Set<string>(),
    new Set<string>(),
    new Set<string>(),
    [] as IndexedComponentRow[],
  ];
  for (const path of leading) {
    for (const { from } of await index.usedBy({ path })) if (!own.has(from.path)) usedBy.add(placeOfFile(from.path));
    for (const { to } of await index.uses({ path })) if (!own.has(to.path)) uses.add(placeOfFile(to.path));
    for (const { spec, isTest } of await index.tags({ path })) if (!isTest) specs.add(spec);
    rows.push(...(await index.components({ path })));
  }
  const offered = rows.filter(({ isTest, within, kind }) => !isTest && within === "" && kind !== "constant");
  const first = (offered.length > 0 ? offered : rows.filter(({ isTest }) => !isTest)).toSorted(tellingFirst);
  const members = await mostUsed(index, first.slice(0, MOST_COUNTED));
  return {
    name,
    places,
    files: files.length,
    components,
    members: members.slice(0, MOST_MEMBERS),
    usedBy: [...usedBy].filter((each) => !isTestPath(`${each}/`)).slice(0, MOST_NEIGHBOURS),
    uses: [...uses].slice(0, MOST_NEIGHBOURS),
    specs: [...specs].slice(0, MOST_NEIGHBOURS),
  };
}

/** Exported and documented components first. */
const tellingFirst = (one: IndexedComponentRow, other: IndexedComponentRow): number =>
  tellingOf(other) - tellingOf(one);
const tellingOf = ({ isExported, doc, kind }: IndexedComponentRow): number =>
  (isExported ? 4 : 0) + (doc === "" ? 0 : 2) + (kind === "class" || kind === "function" ? 1 : 0);

const placeOfFile = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : path);

function toldOf(row: IndexedComponentRow): Told {
  const says = row.doc === "" ? "" : summaryFrom(row);
  return {
    key: keyOf(row.path, row.ref),
    at: `${row.path}:${row.line}`,
    name: row.ref,
    says: says === summaryFrom({ ...row, doc: "" }) ? "" : summaryText(says, SAYS),
  };
}

async function commitFacts({ source }: Gatherer): Promise<ReadyFacts["commits"]> {
  const commits = (await source.commits({ most: MOST_COMMITS })) ?? [];
  return commits.map(({ hash, at, subject, trailers, files }) => {
    const sum = (part: "insertions" | "deletions"): number =>
      files.reduce((total, file) => total + (file[part] ?? 0), 0);
    const specs = specIdsIn({ subject, trailers }).filter((id) => !subject.includes(id));
    const paths = files.slice(0, 2).map(({ path }) => path);
    const more = files.length - paths.length;
    const change = [
      `+${sum("insertions")} -${sum("deletions")}`,
      ...paths,
      ...(more > 0 ? [`${more} more`] : []),
      ...specs,
    ];
    return { hash, at, subject: summaryText(subject, 90), change: change.join(", ") };
  });
}

async function checkFacts({ stacks }: Gatherer): Promise<ReadyFacts["checks"]> {
  const definitions = await stacks.definitions();
  return (definitions?.stacks ?? []).flatMap(({ directory, checks }) =>
    checks.map(({ kind, run, variables }) => ({ directory, kind, command: commandLine(run, variables) })),
  );
}

async function specFacts(engine: Gatherer, index: CodeIndex): Promise<Pick<ReadyFacts, "specs" | "untested">> {
  const { ids } = await knownIds(engine);
  const carriers = carriersIn({ tags: await index.tags(), tests: await index.tests() }, readerOfNames(ids.keys()));
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
