import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { compareTexts, formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { SuggestedFix } from "#kernel/model/fault.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import type { Page, PageQuotation } from "#kernel/model/page.ts";
import { requireTraceId, splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { type TraceAcceptance, type TracedSymbol } from "../../model/trace/trace-acceptance.ts";
import {
  type DriftItem,
  compareSeverity,
  isSeverityReached,
  type DriftSeverity,
} from "../../model/trace/code-drift.ts";
import { draftRequirementText, type DriftEvidence } from "../../model/trace/requirement-text.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { acceptRequirements } from "./accept-requirements.ts";
import {
  type FoundDrift,
  findDrift,
  type TracedCode,
  readTracedCode,
  extractVersionText,
  locateTaggedFiles,
} from "./find-drift.ts";
import { loadAcceptances } from "./acceptance-records.ts";
import type { DriftFindingSchema, DriftCheckOutput } from "./schema.ts";

type DriftReport = z.infer<typeof DriftCheckOutput>;
type DriftFindingEntry = z.infer<typeof DriftFindingSchema>;
type DriftReportItem = DriftFindingEntry | { readonly accepted_id: string } | { readonly delta: string };

const MAX_DIFF_LINES = 60;

/** Reports code that changed since it was accepted for a requirement. */
export const checkDrift = defineOperation({
  id: "trace.drift",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).DriftCheckInput,
  output: async () => (await import("./schema.ts")).DriftCheckOutput,
  async run(engine: CodeEngine, { id, accept: named, reason, level = "medium", max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const asked = id === undefined ? undefined : requireTraceId(id);
    const accepted = named === undefined ? [] : await acceptRequirements(engine, named, reason);
    const { found: acceptances, damaged } = await engine.store.read(loadAcceptances);
    const where = await locateTaggedFiles(engine, acceptances);
    const isAccepted = (each: TraceId): boolean => acceptances.has(each);
    const now = await readTracedCode(engine, where.paths(isAccepted), where.names);
    const found = await findDrift(engine, acceptances, now);
    const isAsked = (each: TraceId): boolean =>
      asked === undefined || each === asked || splitTraceId(each).spec === asked;
    const drifted = found.drifted
      .filter((each) => isAsked(each.id))
      .toSorted((a, b) => compareSeverity(a.severity, b.severity) || compareTexts(a.id, b.id));
    const findings: DriftFindingEntry[] = damaged
      .filter((each) => asked === undefined || (each.id !== undefined && isAsked(each.id)))
      .map(({ path, why, id: of }) => ({ id: of ?? path, kind: "damaged", severity: "high", symbol: path, note: why }));
    for (const each of drifted) findings.push(await createDriftFinding(each, found, now, acceptances));
    const speaking = findings.filter(({ severity }) => isSeverityReached(severity, level)).length;
    const delta =
      asked && findings.length > 0
        ? draftRequirementText(found.requirements.get(asked), collectDriftEvidence(findings))
        : undefined;
    const rest = {
      passed: speaking === 0,
      level,
      speaking,
      requirements: [...acceptances.keys()].filter(isAsked).length,
      unaccepted: [...where.ids].filter((each) => isAsked(each) && !isAccepted(each)).length,
    };
    return fitAnswer<DriftReportItem, DriftReport>(engine, max_tokens, {
      items: [
        ...accepted.map((each) => ({ accepted_id: each })),
        ...findings,
        ...(delta === undefined ? [] : [{ delta }]),
      ],
      build: (items, omitted) => ({ ...rest, ...groupDriftItems(items), omitted }),
      page: formatDriftPage,
      shorten: shortenDriftItem,
    });
  },
  page: formatDriftPage,
  isRefusal: ({ passed }) => !passed,
});

const groupDriftItems = (items: readonly DriftReportItem[]) => ({
  accepted: items.flatMap((item) => ("accepted_id" in item ? [item.accepted_id] : [])),
  findings: items.filter((item) => "kind" in item),
  delta: items.find((item) => "delta" in item)?.delta,
});

function shortenDriftItem(item: DriftReportItem, length: number): DriftReportItem | undefined {
  if (!("kind" in item) || item.diff === undefined || item.diff.length <= length) return undefined;
  return { ...item, diff: `${cutTextStart(item.diff, length)}\n…` };
}

const formatTracedKey = ({ path, ref }: TracedSymbol): string => (ref === "" ? path : `${path}#${ref}`);

async function createDriftFinding(
  drifted: DriftItem,
  { requirements, recall }: FoundDrift,
  now: TracedCode,
  acceptances: ReadonlyMap<TraceId, TraceAcceptance>,
): Promise<DriftFindingEntry> {
  const { id, kind, severity, role, was, is, isReworded } = drifted;
  const acceptance = acceptances.get(id);
  const needsText = kind === "changed" || kind === "removed";
  const former = was && acceptance && needsText ? await recall(was, acceptance) : undefined;
  const before = former && extractVersionText(former);
  const after = is === undefined ? "" : (now.textOf(is) ?? "");
  const symbol = is ?? was;
  const notes = [
    ...(needsText && former === undefined ? ["No commit here has the accepted version."] : []),
    ...(kind === "spec-changed" ? [`${requirements.get(id)?.path ?? "Its document"} says something else now.`] : []),
    ...(isReworded && needsText ? ["What it asks was changed as well."] : []),
  ];
  return {
    id,
    kind,
    severity,
    role,
    symbol: symbol && formatTracedKey(symbol),
    was: was && is && formatTracedKey(was) !== formatTracedKey(is) ? formatTracedKey(was) : undefined,
    accepted: acceptance?.at,
    commit: former?.commit,
    diff: before === undefined ? undefined : clipDiffLines(formatLineDiff(before, after)),
    note: notes.length > 0 ? notes.join(" ") : undefined,
  };
}

function clipDiffLines(diff: string): string {
  const lines = diff.split("\n");
  return lines.length <= MAX_DIFF_LINES ? diff : [...lines.slice(0, MAX_DIFF_LINES), "…"].join("\n");
}

const collectDriftEvidence = (findings: readonly DriftFindingEntry[]): DriftEvidence[] =>
  findings
    .filter(({ kind }) => kind === "changed" || kind === "removed")
    .map((each) => ({ title: `${DRIFT_DESCRIPTIONS[each.kind](each)} since it was accepted:`, diff: each.diff ?? "" }));

const DRIFT_DESCRIPTIONS: Readonly<Record<DriftFindingEntry["kind"], (finding: DriftFindingEntry) => string>> = {
  changed: ({ symbol = "", was }) => (was ? `${symbol} (it was ${was}) changed` : `${symbol} changed`),
  removed: ({ symbol = "" }) => `${symbol} is gone`,
  renamed: ({ symbol = "", was = "" }) =>
    was === "" ? `${symbol} names something that was renamed` : `${was} is ${symbol} now`,
  added: ({ symbol = "" }) => `${symbol} serves it as well now`,
  "spec-changed": () => "What it asks was changed, and the code was not",
  damaged: ({ symbol = "" }) => `${symbol} cannot be read`,
};

function formatDriftPage(output: DriftReport): Page {
  const { findings, level, speaking, accepted, requirements, unaccepted, delta, omitted } = output;
  const texts = findings.filter(({ diff }) => diff !== undefined && diff !== "");
  const lines = findings.filter(({ diff }) => diff === undefined || diff === "");
  return {
    title: formatDriftTitle(output),
    points: [
      ...(accepted.length > 0
        ? [`Accepted as it is now: ${accepted.join(", ")}. Commit sdd/trace/ with the work.`]
        : []),
      ...lines.map(formatDriftFinding),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(unaccepted > 0 && requirements === 0
        ? [
            `${formatCount(unaccepted, "requirement")} with a tag in the code ${unaccepted === 1 ? "was" : "were"} never accepted, and cannot drift.`,
          ]
        : []),
    ],
    quotes: [
      ...texts.map((each): PageQuotation => ({ label: formatDriftLabel(each), text: each.diff ?? "" })),
      ...(delta === undefined ? [] : [{ label: "To say it anew", text: delta.trimEnd() }]),
    ],
    next: suggestDriftSteps(findings, speaking, level, delta),
  };
}

function formatDriftTitle({ findings, speaking, level, requirements, accepted, omitted }: DriftReport): string {
  if (requirements === 0 && findings.length === 0) return "Nothing was accepted yet, so nothing can have drifted.";
  const all = findings.length + omitted;
  const whose = requirements === 1 ? "its" : "their";
  if (all === 0) return `${formatCount(requirements, "requirement")} and ${whose} code are as they were accepted.`;
  const of = speaking === all ? "" : ` of ${level} severity or more, ${all} in all`;
  if (speaking > 0) return `${formatCount(speaking, "thing")}${of} ${speaking === 1 ? "is" : "are"} not as accepted.`;
  return accepted.length > 0 || all > 0 ? `Nothing of ${level} severity or more has drifted.` : "Nothing has drifted.";
}

const formatDriftLabel = (finding: DriftFindingEntry): string => {
  const { id, severity, accepted, commit, kind } = finding;
  const since = accepted === undefined ? "" : `, accepted ${accepted.slice(0, 10)}`;
  const at = commit === undefined ? "" : ` in ${commit.slice(0, 12)}`;
  return `${severity} ${kind === "damaged" ? "" : `${id}: `}${sanitizeText(DRIFT_DESCRIPTIONS[kind](finding), 600)}${since}${at}`;
};

/** One line, without the diff. */
export const formatDriftFinding = (finding: DriftFindingEntry): string =>
  `${formatDriftLabel(finding)}.${finding.note === undefined ? "" : ` ${sanitizeText(finding.note, 400)}`}`;

function suggestDriftSteps(
  findings: readonly DriftFindingEntry[],
  speaking: number,
  level: DriftSeverity,
  delta: string | undefined,
): SuggestedFix[] {
  const first = findings.find(({ kind, severity }) => kind !== "damaged" && isSeverityReached(severity, level));
  const broken = findings.filter(({ kind }) => kind === "damaged");
  const mended = broken.map(({ symbol = "" }) => `Go back to a committed one: git checkout -- ${symbol}`);
  if (speaking === 0 || first === undefined) return mended;
  return [
    ...mended,
    { operation: "trace.drift", input: { accept: first.id, reason: "…" } },
    ...(delta === undefined ? [{ operation: "trace.drift", input: { id: first.id } }] : []),
  ];
}
