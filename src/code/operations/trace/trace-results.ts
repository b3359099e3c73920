import { Fault } from "#kernel/model/fault.ts";
import { quote, findClosestWord } from "#kernel/model/text-format.ts";
import { isFeatureTag, formatTagName, type TagTarget } from "../../model/scan/spec-tags.ts";
import type { TraceLocation, CodePosition, ServedLocation } from "../../model/trace/trace-locations.ts";
import { parseCodePosition, listServedLocations } from "../../model/trace/trace-locations.ts";
import type { TraceableIds } from "../../model/trace/traceable-ids.ts";
import { isUnknownId, isMissingCriterion, parseTraceReference } from "../../model/trace/traceable-ids.ts";
import { parseCommitIds } from "../../model/trace/id-mentions.ts";
import * as traceMatrix from "../../model/trace/trace-matrix.ts";
import type { CodeEngine } from "../engine.ts";
import { createPresenceCheck, findNamingDocuments, gatherShownTrace, loadServingLocations } from "./trace-data.ts";
import type { TraceResult, TraceLocationEntry, TraceAnswer } from "./trace-answer.ts";
import { createProblemItems, createTraceItems, createLocationEntry } from "./trace-answer.ts";
import { formatComponentKey, findSpanForLine } from "../../model/index/code-outline.ts";
import type { CodeIndex, IndexedComponentRow } from "../ports/code-index.ts";
import { isTestData } from "../../model/scan/test-files.ts";

/** Whether the text names a file rather than an id: it has a folder, a symbol or an extension. */
export const isPathReference = (text: string): boolean =>
  parseTraceReference(text) === undefined && /[/\\#]|^[^\s]*\.[a-z][a-z0-9]*(?::[0-9]+)?$/i.test(text);

/** Whether the text could be a function or class: one word that is not like an id, and not all capitals. */
export const isSymbolName = (text: string): boolean =>
  parseTraceReference(text) === undefined && /^[A-Za-z_$][\w$]*(?:\.[\w$]+)*$/.test(text) && /[a-z]/.test(text);

export async function traceSingleId(engine: CodeEngine, text: string): Promise<TraceResult> {
  const said = parseTraceReference(text);
  const { known, carriers, index } = await gatherShownTrace(engine, said?.spec);
  if (!said)
    throw createUnknownIdFault(
      text,
      "Ids look like AUTH-001, AUTH-001.AC-2, FR-001 or login.S1.AC2. To trace code, give its file or symbol.",
      known,
    );
  const { spec, criterion } = said;
  const own = carriers.filter((each) => each.spec === spec);
  rejectUnknownId(said, own, known);
  const subject = known.ids.get(spec);
  const isFeature = isFeatureTag(spec);
  const naming = isFeature ? [] : ((await findNamingDocuments(engine, (id) => id === spec)).get(spec) ?? []);
  const around = await engine.requirements.references(said);
  const paths = naming.map(({ path }) => path);
  const carried = traceMatrix.groupServingLocations(own, new Map([[spec, paths]]))(spec);
  const isThere = await createPresenceCheck(engine);
  const lacks = subject ? traceMatrix.findSpecGaps(subject, carried, isThere) : [];
  const problems = [...traceMatrix.findOrphanTags(own, known), ...lacks].filter(
    ({ id }) => criterion === undefined || id === formatTagName(said) || id === spec,
  );
  const docs = [
    ...naming,
    ...(subject?.trace.docs ?? [])
      .map(traceMatrix.stripLocationSuffix)
      .filter((path) => !paths.includes(path) && isThere(path))
      .map((path) => ({ path })),
    ...around.docs.filter(({ path }) => path !== subject?.path),
  ];
  const criteria = (subject?.criteria ?? [])
    .filter(({ id }) => criterion === undefined || id === criterion)
    .map((each) => ({
      ...each,
      tests: traceMatrix
        .filterCriterionTests(carried.tests, each.id)
        .map(({ path, line, test }) => (test === undefined ? `${path}:${line}` : `${path}: ${test}`)),
    }));
  /** Locations of the requested criterion, else those of its spec alone. */
  const createNearestEntries = async (all: readonly TraceLocation[]): Promise<TraceLocationEntry[]> => {
    const exact = all.filter((each) => criterion === undefined || each.criterion === criterion);
    const entries: TraceLocationEntry[] = [];
    for (const each of exact.length > 0 ? exact : all.filter((other) => other.criterion === undefined))
      entries.push(await createLocationEntry(index, each));
    return entries;
  };
  const commits = isFeature ? [] : await findNamingCommits(engine, said);
  const refs = new Set(around.decisions.map(({ ref }) => ref));
  const named = (subject?.trace.decisions ?? []).filter((ref) => !refs.has(ref));
  const decisions = [...around.decisions, ...named.map((ref) => ({ ref, path: subject?.path ?? "" }))];
  const older = commits.length - MAX_TRACE_COMMITS;
  const { kind = "", title = "", status, path, line } = subject ?? {};
  return {
    subject: subject && { kind, title, status, path, line },
    ...(older > 0 ? { older_commits: older } : {}),
    problems,
    items: [
      ...createProblemItems(problems, true),
      ...createTraceItems("criteria", criteria),
      ...createTraceItems("code", await createNearestEntries(carried.code)),
      ...createTraceItems("tests", await createNearestEntries(carried.tests)),
      ...createTraceItems("workflows", around.workflows),
      ...createTraceItems("receipts", around.receipts),
      ...createTraceItems("docs", docs),
      ...createTraceItems("decisions", decisions),
      ...createTraceItems("commits", commits.slice(0, MAX_TRACE_COMMITS)),
      ...createProblemItems(problems, false),
    ],
  };
}

function rejectUnknownId(said: TagTarget, own: readonly TraceLocation[], known: TraceableIds): void {
  const { spec, criterion } = said;
  // Code and tests that name it are shown, each with the problem that nothing defines it.
  if (own.length > 0 && !known.ids.has(spec)) return;
  if (isUnknownId(known, said) || (isFeatureTag(spec) && !known.features))
    throw createUnknownIdFault(formatTagName(said), `No spec, requirement or rule defines ${spec}.`, known);
  if (!isMissingCriterion(known, said)) return;
  const has = known.ids.get(spec)?.criteria?.map(({ id }) => id) ?? [];
  throw new Fault("trace.unknown-id", {
    what: `${spec} has no ${criterion}.`,
    why: has.length === 0 ? "It has no criteria." : `Its criteria are ${has.join(", ")}.`,
    fix: { operation: "trace.show", input: { id: spec } },
  });
}

function createUnknownIdFault(text: string, why: string, known: TraceableIds): Fault {
  const near = traceMatrix.suggestTraceIds(text, known);
  return new Fault("trace.unknown-id", {
    what: parseTraceReference(text) ? `Unknown id ${quote(text, 60)}.` : `${quote(text, 60)} is not an id.`,
    why,
    fix: [...near.slice(0, 3).map((id) => ({ operation: "trace.show", input: { id } })), { operation: "trace.show" }],
  });
}

const MAX_TRACE_COMMITS = 20;
const MAX_SCANNED_COMMITS = 1_000;

/** Newest first; none outside git. */
async function findNamingCommits({ source }: Pick<CodeEngine, "source">, { spec, criterion }: TagTarget) {
  const all = (await source.commits({ most: MAX_SCANNED_COMMITS, naming: spec })) ?? [];
  const isNamed = (said: TagTarget): boolean =>
    said.spec === spec && (criterion === undefined || said.criterion === criterion);
  return all
    .filter((commit) => parseCommitIds(commit).some(isNamed))
    .map(({ hash, at, subject }) => ({ hash, date: at, subject }));
}

export async function traceFilePath(engine: CodeEngine, text: string, symbol?: string): Promise<TraceResult> {
  const spot = parseCodePosition(text);
  const { index, carriers, known } = await gatherShownTrace(engine);
  const path = await findIndexedPath(engine, index, spot.path);
  const components = await index.components({ path });
  const of = findRequestedComponent(components, { ...spot, path, ...(symbol === undefined ? {} : { symbol }) });
  const here = carriers.filter((each) => each.path === path);
  const served = listServedLocations(here, components, of);
  const serves: NonNullable<TraceAnswer["serves"]> = [];
  for (const { carrier, from } of served) {
    const subject = known.ids.get(carrier.spec);
    const place = await createLocationEntry(index, carrier);
    // The entry of a test has no key yet: adds that of its component.
    const key = place.key ?? (carrier.ref === undefined ? undefined : formatComponentKey(path, carrier.ref));
    serves.push({
      ...place,
      ...(key === undefined ? {} : { key }),
      from,
      title: subject?.title,
      status: subject?.status,
    });
  }
  const problems = traceMatrix.findOrphanTags(
    served.map(({ carrier }) => carrier),
    known,
  );
  const tests: TraceLocationEntry[] = [];
  for (const test of findRelatedTests(carriers, served)) tests.push(await createLocationEntry(index, test));
  return {
    path,
    ...(of ? { symbol: of.ref } : {}),
    problems,
    items: [
      ...createTraceItems("problems", problems),
      ...createTraceItems("serves", serves),
      ...createTraceItems("tests", tests),
    ],
  };
}

async function findIndexedPath(engine: CodeEngine, index: CodeIndex, path: string): Promise<string> {
  const [exact] = await index.files({ path, most: 1 });
  if (exact) return exact.path;
  const all = (await index.files()).map((file) => file.path);
  const [only, second] = all.filter((each) => each.endsWith(`/${path}`));
  if (only !== undefined && second === undefined) return only;
  if ((await createPresenceCheck(engine))(path))
    throw new Fault("trace.unknown-path", {
      what: `No code in the file ${quote(path, 200)}.`,
      why: "Only files of code have a trace of their own.",
      fix: [{ operation: "indexing.query", input: { question: path } }, { operation: "trace.show" }],
    });
  const name = path.slice(path.lastIndexOf("/") + 1);
  const near = findClosestWord(path, all);
  const alike = all.filter((each) => each === near || each.endsWith(`/${name}`) || each === name);
  throw new Fault("trace.unknown-path", {
    what: `No file ${quote(path, 200)}.`,
    why:
      near === undefined
        ? "The index contains files that git tracks or could track."
        : `Did you mean ${quote(near, 200)}?`,
    fix: [
      ...[...new Set(alike)].slice(0, 3).map((each) => ({ operation: "trace.show", input: { path: each } })),
      { operation: "trace.show" },
    ],
  });
}

function findRequestedComponent(components: readonly IndexedComponentRow[], { path, symbol, line }: CodePosition) {
  if (symbol === undefined) return line === undefined ? undefined : findSpanForLine(components, line);
  const found =
    components.find(({ ref }) => ref === symbol) ??
    components.find(({ ref, name }) => name === symbol || ref.endsWith(`.${symbol}`));
  if (found) return found;
  const names = [...components.map(({ ref }) => ref), ...components.map(({ name }) => name)];
  const near = findClosestWord(symbol, names);
  throw new Fault("trace.unknown-symbol", {
    what: `${quote(path, 200)} has no symbol ${quote(symbol, 100)}.`,
    why: near === undefined ? "Name a function, class or method of that file." : `Did you mean ${quote(near, 100)}?`,
    fix: { operation: "trace.show", input: { path, ...(near === undefined ? {} : { symbol: near }) } },
  });
}

/** Other tests that name the same criteria, or the same spec if only a spec is named. */
function findRelatedTests(carriers: readonly TraceLocation[], served: readonly ServedLocation[]): TraceLocation[] {
  const own = new Set(served.map(({ carrier }) => carrier));
  // The name of a carrier without a criterion is its spec.
  const names = new Set([...own].map(formatTagName));
  return carriers.filter(
    (each) => each.isTest && !own.has(each) && (names.has(formatTagName(each)) || names.has(each.spec)),
  );
}

const MAX_UNTRACED_FILES = 20;

export async function traceAllIds(engine: CodeEngine): Promise<TraceResult> {
  const gathered = await gatherShownTrace(engine);
  const { index, known, carriers, tests } = gathered;
  const carried = await loadServingLocations(engine, gathered);
  const isThere = await createPresenceCheck(engine);
  const rows = traceMatrix.buildTraceMatrix(known.ids.values(), carried);
  const lacks = rows.flatMap(({ id }) => {
    const subject = known.ids.get(id);
    return subject ? traceMatrix.findSpecGaps(subject, carried(id), isThere) : [];
  });
  const problems = [...traceMatrix.findOrphanTags(carriers, known), ...lacks];
  const without = traceMatrix.listUntracedTestFiles(tests, carriers);
  const code = (await index.files()).filter(
    ({ path, language, isTest }) => language !== "" && !isTest && !isTestData(path),
  );
  const tagged = new Set(carriers.map(({ path }) => path));
  return {
    problems,
    totals: {
      aimless_tests: without.reduce((sum, each) => sum + each.tests, 0),
      code_files: code.length,
      untagged_files: code.filter(({ path }) => !tagged.has(path)).length,
    },
    items: [
      ...createProblemItems(problems, true),
      ...createTraceItems("specs", rows),
      ...createProblemItems(problems, false),
      ...createTraceItems("aimless", without.slice(0, MAX_UNTRACED_FILES)),
    ],
  };
}
