import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { isFeatureTag, formatTagName, type TagTarget } from "../../model/scan/spec-tags.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import {
  isUnknownId,
  type TraceableItem,
  isMissingCriterion,
  parseTraceReference,
} from "../../model/trace/traceable-ids.ts";
import { parseCommitIds } from "../../model/trace/id-mentions.ts";
import {
  groupServingLocations,
  stripLocationSuffix,
  filterCriterionTests,
  suggestTraceIds,
  findSpecGaps,
  findOrphanTags,
  type TraceProblem,
} from "../../model/trace/trace-matrix.ts";
import type { CodeEngine } from "../engine.ts";
import { findNamingDocuments, gatherTraceData, type TraceData } from "./trace-data.ts";
import { type TraceAnswerItem, createTraceItems, type TraceAnswer, createLocationEntries } from "./trace-answer.ts";

export interface TraceResult {
  readonly subject?: NonNullable<TraceAnswer["subject"]>;
  readonly older_commits?: number;
  readonly problems: readonly TraceProblem[];
  readonly items: readonly TraceAnswerItem[];
}

export async function traceSingleId(engine: CodeEngine, text: string): Promise<TraceResult> {
  const said = parseTraceReference(text);
  const gathered = await gatherTraceData(engine);
  const { known, carriers, index } = gathered;
  if (!said)
    throw createUnknownIdFault(
      text,
      `It has the form of none: AUTH-001, AUTH-001.AC-2, FR-001 or login.S1.AC2.`,
      gathered,
    );
  const own = carriers.filter(({ spec }) => spec === said.spec);
  rejectUnknownId(said, own, gathered);
  const subject = known.ids.get(said.spec);
  const naming = isFeatureTag(said.spec)
    ? []
    : ((await findNamingDocuments(engine, (id) => id === said.spec)).get(said.spec) ?? []);
  const around = await engine.requirements.references(said);
  const carried = groupServingLocations({
    carriers: own,
    docs: new Map([[said.spec, naming.map(({ path }) => path)]]),
  })(said.spec);
  const there = new Set((await engine.source.files()).map(({ path }) => path));
  // Tenon's own documents are not source files.
  const isThere = (path: string): boolean => there.has(path) || path.startsWith("sdd/");
  const lacks = subject ? findSpecGaps(subject, carried, isThere) : [];
  const problems = [...findOrphanTags(own, known), ...lacks].filter(({ id }) => isAboutReference(said, id));
  const told = new Set(naming.map(({ path }) => path));
  const docs = [
    ...naming,
    ...(subject?.trace.docs ?? [])
      .map(stripLocationSuffix)
      .filter((path) => !told.has(path) && isThere(path))
      .map((path) => ({ path })),
    ...around.docs.filter(({ path }) => path !== subject?.path),
  ];
  const { commits, older } = isFeatureTag(said.spec) ? NO_NAMING_COMMITS : await findNamingCommits(engine, said);
  const decisions = [...around.decisions, ...listNamedDecisions(subject, around.decisions)];
  return {
    ...(subject ? { subject: createTraceSubject(subject) } : {}),
    ...(older === 0 ? {} : { older_commits: older }),
    problems,
    items: [
      ...createTraceItems(
        "problems",
        problems.filter(({ due }) => due),
      ),
      ...createTraceItems("criteria", listCriteriaTests(said, subject, carried.tests)),
      ...createTraceItems("code", await createLocationEntries(index, selectNearestLocations(carried.code, said))),
      ...createTraceItems("tests", await createLocationEntries(index, selectNearestLocations(carried.tests, said))),
      ...createTraceItems("workflows", around.workflows),
      ...createTraceItems("receipts", around.receipts),
      ...createTraceItems("docs", docs),
      ...createTraceItems("decisions", decisions),
      ...createTraceItems("commits", commits),
      ...createTraceItems(
        "problems",
        problems.filter(({ due }) => !due),
      ),
    ],
  };
}

const NO_NAMING_COMMITS: NamingCommits = { commits: [], older: 0 };

const isAboutReference = ({ spec, criterion }: TagTarget, id: string): boolean =>
  criterion === undefined || id === formatTagName({ spec, criterion }) || id === spec;

/** Locations of the requested criterion, else those of its spec alone. */
function selectNearestLocations(
  carriers: readonly TraceLocation[],
  { criterion }: TagTarget,
): readonly TraceLocation[] {
  if (criterion === undefined) return carriers;
  const exact = carriers.filter((each) => each.criterion === criterion);
  return exact.length > 0 ? exact : carriers.filter((each) => each.criterion === undefined);
}

function listCriteriaTests(said: TagTarget, subject: TraceableItem | undefined, tests: readonly TraceLocation[]) {
  return (subject?.criteria ?? [])
    .filter(({ id }) => said.criterion === undefined || id === said.criterion)
    .map(({ id, text }) => ({
      id,
      text,
      tests: filterCriterionTests(tests, id).map(({ path, line, test }) =>
        test === undefined ? `${path}:${line}` : `${path}: ${test}`,
      ),
    }));
}

const createTraceSubject = ({
  kind,
  title,
  status,
  path,
  line,
}: TraceableItem): NonNullable<TraceAnswer["subject"]> => ({
  kind,
  title,
  ...(status === undefined ? {} : { status }),
  path,
  line,
});

function rejectUnknownId(said: TagTarget, own: readonly TraceLocation[], gathered: TraceData): void {
  const { known } = gathered;
  if (isUnknownId(known, said) || (isFeatureTag(said.spec) && !known.features && own.length === 0)) {
    const verb = own.length === 1 ? "names" : "name";
    const named = own.length === 0 ? "" : ` ${formatCount(own.length, "place")} of the code ${verb} it all the same.`;
    throw createUnknownIdFault(
      formatTagName(said),
      `No spec, requirement or rule defines ${said.spec}.${named}`,
      gathered,
    );
  }
  if (!isMissingCriterion(known, said)) return;
  const has = known.ids.get(said.spec)?.criteria?.map(({ id }) => id) ?? [];
  const why = has.length === 0 ? "It has no criteria." : `Its criteria are ${has.join(", ")}.`;
  throw new Fault("trace.unknown-id", {
    what: `${said.spec} has no ${said.criterion}.`,
    why,
    fix: { operation: "trace.show", input: { id: said.spec } },
  });
}

function createUnknownIdFault(text: string, why: string, { known }: TraceData): Fault {
  const near = suggestTraceIds(text, known);
  return new Fault("trace.unknown-id", {
    what: `${quote(text, 60)} cannot be traced.`,
    why,
    fix: [...near.slice(0, 3).map((id) => ({ operation: "trace.show", input: { id } })), { operation: "trace.show" }],
  });
}

function listNamedDecisions(subject: TraceableItem | undefined, found: readonly { readonly ref: string }[]) {
  const refs = new Set(found.map(({ ref }) => ref));
  return (subject?.trace.decisions ?? [])
    .filter((ref) => !refs.has(ref))
    .map((ref) => ({ ref, path: subject?.path ?? "" }));
}

const MAX_TRACE_COMMITS = 20;
const MAX_SCANNED_COMMITS = 1_000;

export interface NamingCommits {
  readonly commits: NonNullable<TraceAnswer["commits"]>;
  readonly older: number;
}

/** Newest first; none outside git. */
export async function findNamingCommits(
  { source }: Pick<CodeEngine, "source">,
  { spec, criterion }: TagTarget,
): Promise<NamingCommits> {
  const all = (await source.commits({ most: MAX_SCANNED_COMMITS, naming: spec })) ?? [];
  const own = all.filter((commit) =>
    parseCommitIds(commit).some(
      (said) => said.spec === spec && (criterion === undefined || said.criterion === criterion),
    ),
  );
  return {
    commits: own.slice(0, MAX_TRACE_COMMITS).map(({ hash, at, subject }) => ({ hash, date: at, subject })),
    older: Math.max(0, own.length - MAX_TRACE_COMMITS),
  };
}
