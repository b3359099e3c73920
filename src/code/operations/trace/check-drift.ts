import type { CodeEngine } from "../engine.ts";
import type * as z from "zod";
import { compareTexts, formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { formatLineDiff } from "#kernel/model/line-diff.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import type { Page } from "#kernel/model/page.ts";
import { requireTraceId, splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import type { TraceAcceptance, TracedSymbol } from "../../model/trace/trace-acceptance.ts";
import { type DriftItem, compareSeverity, isSeverityReached } from "../../model/trace/code-drift.ts";
import { draftRequirementText } from "../../model/trace/requirement-text.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "#kernel/operations/answer-budget.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { acceptRequirements } from "./accept-requirements.ts";
import type { FoundDrift, TracedCode } from "./find-drift.ts";
import { findDrift, readTracedCode, extractVersionText, locateTaggedFiles } from "./find-drift.ts";
import { loadAcceptances } from "./acceptance-records.ts";
import type { DriftFindingSchema, DriftCheckOutput } from "./schema.ts";

type DriftReport = z.infer<typeof DriftCheckOutput>;
type DriftFindingEntry = z.infer<typeof DriftFindingSchema>;

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
    for (const each of drifted) findings.push(await createDriftFinding(each, found, now, acceptances.get(each.id)));
    const speaking = findings.filter(({ severity }) => isSeverityReached(severity, level)).length;
    const evidence = findings
      .filter(({ kind }) => kind === "changed" || kind === "removed")
      .map((each) => ({
        title: `${DRIFT_DESCRIPTIONS[each.kind](each)} since it was accepted:`,
        diff: each.diff ?? "",
      }));
    const delta =
      asked && findings.length > 0 ? draftRequirementText(found.requirements.get(asked), evidence) : undefined;
    const rest = {
      passed: speaking === 0,
      level,
      speaking,
      requirements: [...acceptances.keys()].filter(isAsked).length,
      unaccepted: [...where.ids].filter((each) => isAsked(each) && !isAccepted(each)).length,
    };
    return fitAnswer(engine, max_tokens, {
      items: [
        ...accepted.map((accepted_id): DriftReportItem => ({ accepted_id })),
        ...findings.map((finding): DriftReportItem => ({ finding })),
        ...(delta === undefined ? [] : [{ delta }]),
      ],
      build: (items, omitted) => ({
        ...rest,
        accepted: items.flatMap(({ accepted_id }) => accepted_id ?? []),
        findings: items.flatMap(({ finding }) => finding ?? []),
        delta: items.find((item) => item.delta !== undefined)?.delta,
        omitted,
      }),
      page: formatDriftPage,
      shorten({ finding }, length) {
        if (finding?.diff === undefined || finding.diff.length <= length) return undefined;
        return { finding: { ...finding, diff: `${cutTextStart(finding.diff, length)}\n…` } };
      },
    });
  },
  page: formatDriftPage,
  isRefusal: ({ passed }) => !passed,
});

/** Exactly one of these. */
type DriftReportItem = { accepted_id?: string; finding?: DriftFindingEntry; delta?: string };

const MAX_DIFF_LINES = 60;

const formatTracedKey = ({ path, ref }: TracedSymbol): string => (ref === "" ? path : `${path}#${ref}`);

async function createDriftFinding(
  { id, kind, severity, role, was, is, isReworded }: DriftItem,
  { requirements, recall }: FoundDrift,
  now: TracedCode,
  acceptance: TraceAcceptance | undefined,
): Promise<DriftFindingEntry> {
  const needsText = kind === "changed" || kind === "removed";
  const former = was && acceptance && needsText ? await recall(was, acceptance) : undefined;
  const after = is === undefined ? "" : (now.textOf(is) ?? "");
  const diff = former && formatLineDiff(extractVersionText(former), after).split("\n");
  const symbol = is ?? was;
  const notes = [
    ...(needsText && former === undefined ? ["No commit here has the accepted version."] : []),
    ...(kind === "spec-changed" ? [`${requirements.get(id)?.path ?? "Its document"} changed.`] : []),
    ...(isReworded && needsText ? ["The requirement changed as well."] : []),
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
    diff: diff && [...diff.slice(0, MAX_DIFF_LINES), ...(diff.length > MAX_DIFF_LINES ? ["…"] : [])].join("\n"),
    note: notes.length > 0 ? notes.join(" ") : undefined,
  };
}

const DRIFT_DESCRIPTIONS: Readonly<Record<DriftFindingEntry["kind"], (finding: DriftFindingEntry) => string>> = {
  changed: ({ symbol = "", was }) => (was ? `${symbol} (it was ${was}) changed` : `${symbol} changed`),
  removed: ({ symbol = "" }) => `${symbol} is gone`,
  renamed: ({ symbol = "", was = "" }) =>
    was === "" ? `${symbol} names something that was renamed` : `${was} is ${symbol} now`,
  added: ({ symbol = "" }) => `${symbol} implements it as well now`,
  "spec-changed": () => "The requirement changed, and the code did not",
  damaged: ({ symbol = "" }) => `${symbol} cannot be read`,
};

function formatDriftPage(output: DriftReport): Page {
  const { findings, level, speaking, accepted, requirements, unaccepted, delta, omitted } = output;
  const first = findings.find(({ kind, severity }) => kind !== "damaged" && isSeverityReached(severity, level));
  const never = `${formatCount(unaccepted, "requirement")} with a tag in the code ${unaccepted === 1 ? "was" : "were"}`;
  return {
    title: formatDriftTitle(output),
    points: [
      ...(accepted.length > 0
        ? [`Accepted as it is now: ${accepted.join(", ")}. Commit sdd/trace/ with the work.`]
        : []),
      ...findings.filter(({ diff = "" }) => diff === "").map(formatDriftFinding),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(unaccepted > 0 && requirements === 0 ? [`${never} never accepted, so Tenon cannot see drift there.`] : []),
    ],
    quotes: [
      ...findings.flatMap((each) =>
        each.diff ? [{ label: formatDriftLabel(each), text: each.diff, isVerbatim: true }] : [],
      ),
      ...(delta === undefined ? [] : [{ label: "Updated requirement", text: delta.trimEnd() }]),
    ],
    next: [
      ...findings
        .filter(({ kind }) => kind === "damaged")
        .map(({ symbol = "" }) => `Restore the committed version: git checkout -- ${symbol}`),
      ...(speaking > 0 && first ? [{ operation: "trace.drift", input: { accept: first.id, reason: "…" } }] : []),
      ...(speaking > 0 && first && delta === undefined ? [{ operation: "trace.drift", input: { id: first.id } }] : []),
    ],
  };
}

function formatDriftTitle({ findings, speaking, level, requirements, omitted }: DriftReport): string {
  if (requirements === 0 && findings.length === 0) return "Nothing was accepted yet, so there is no drift to show.";
  const all = findings.length + omitted;
  const whose = requirements === 1 ? "its" : "their";
  if (all === 0)
    return `${formatCount(requirements, "requirement")} and ${whose} code are unchanged since they were accepted.`;
  const of = speaking === all ? "" : ` of ${level} severity or more, ${all} in all`;
  if (speaking > 0)
    return `${formatCount(speaking, "thing")}${of} changed since ${speaking === 1 ? "it was" : "they were"} accepted.`;
  return `Nothing of ${level} severity or more has drifted.`;
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
