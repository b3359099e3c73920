import { Fault } from "#kernel/model/fault.ts";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { isFeatureTag, formatTagName, type TagTarget } from "../../model/scan/spec-tags.ts";
import type { TraceLocation } from "../../model/trace/trace-locations.ts";
import {
  isUnknownId,
  type TraceableIds,
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
} from "../../model/trace/trace-matrix.ts";
import type { CodeEngine } from "../engine.ts";
import { createPresenceCheck, findNamingDocuments, gatherTraceData } from "./trace-data.ts";
import { createProblemItems, createTraceItems, createLocationEntries, type TraceResult } from "./trace-answer.ts";

export async function traceSingleId(engine: CodeEngine, text: string): Promise<TraceResult> {
  const said = parseTraceReference(text);
  const { known, carriers, index } = await gatherTraceData(engine);
  if (!said)
    throw createUnknownIdFault(
      text,
      "It has the form of none: AUTH-001, AUTH-001.AC-2, FR-001 or login.S1.AC2.",
      known,
    );
  const own = carriers.filter(({ spec }) => spec === said.spec);
  rejectUnknownId(said, own, known);
  const subject = known.ids.get(said.spec);
  const isFeature = isFeatureTag(said.spec);
  const naming = isFeature ? [] : ((await findNamingDocuments(engine, (id) => id === said.spec)).get(said.spec) ?? []);
  const around = await engine.requirements.references(said);
  const paths = naming.map(({ path }) => path);
  const carried = groupServingLocations(own, new Map([[said.spec, paths]]))(said.spec);
  const isThere = await createPresenceCheck(engine);
  const lacks = subject ? findSpecGaps(subject, carried, isThere) : [];
  const problems = [...findOrphanTags(own, known), ...lacks].filter(({ id }) => isAboutReference(said, id));
  const docs = [
    ...naming,
    ...(subject?.trace.docs ?? [])
      .map(stripLocationSuffix)
      .filter((path) => !paths.includes(path) && isThere(path))
      .map((path) => ({ path })),
    ...around.docs.filter(({ path }) => path !== subject?.path),
  ];
  const commits = isFeature ? [] : await findNamingCommits(engine, said);
  const refs = new Set(around.decisions.map(({ ref }) => ref));
  const named = (subject?.trace.decisions ?? []).filter((ref) => !refs.has(ref));
  const older = commits.length - MAX_TRACE_COMMITS;
  return {
    subject: subject && pickSubjectFields(subject),
    ...(older > 0 ? { older_commits: older } : {}),
    problems,
    items: [
      ...createProblemItems(problems, true),
      ...createTraceItems("criteria", listCriteriaTests(said, subject, carried.tests)),
      ...createTraceItems("code", await createLocationEntries(index, selectNearestLocations(carried.code, said))),
      ...createTraceItems("tests", await createLocationEntries(index, selectNearestLocations(carried.tests, said))),
      ...createTraceItems("workflows", around.workflows),
      ...createTraceItems("receipts", around.receipts),
      ...createTraceItems("docs", docs),
      ...createTraceItems("decisions", around.decisions),
      ...createTraceItems(
        "decisions",
        named.map((ref) => ({ ref, path: subject?.path ?? "" })),
      ),
      ...createTraceItems("commits", commits.slice(0, MAX_TRACE_COMMITS)),
      ...createProblemItems(problems, false),
    ],
  };
}

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

const pickSubjectFields = ({ kind, title, status, path, line }: TraceableItem): TraceResult["subject"] => ({
  kind,
  title,
  status,
  path,
  line,
});

function rejectUnknownId(said: TagTarget, own: readonly TraceLocation[], known: TraceableIds): void {
  if (isUnknownId(known, said) || (isFeatureTag(said.spec) && !known.features && own.length === 0)) {
    const verb = own.length === 1 ? "names" : "name";
    const named = own.length === 0 ? "" : ` ${formatCount(own.length, "place")} of the code ${verb} it all the same.`;
    const why = `No spec, requirement or rule defines ${said.spec}.${named}`;
    throw createUnknownIdFault(formatTagName(said), why, known);
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

function createUnknownIdFault(text: string, why: string, known: TraceableIds): Fault {
  const near = suggestTraceIds(text, known);
  return new Fault("trace.unknown-id", {
    what: `${quote(text, 60)} cannot be traced.`,
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
