import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import type { SuggestedFix } from "#domain/fault.ts";
import { formatLineDiff } from "#domain/line-diff.ts";
import { startOf } from "#domain/memory/snippet.ts";
import type { Page, PageQuotation } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { type Acceptance, readTraceId, partsOf, type TraceId, type TracedSymbol } from "#domain/trace/acceptance.ts";
import { type Drifted, graver, isAtLeast, type Severity } from "#domain/trace/drift.ts";
import type { Evidence } from "#domain/trace/wording.ts";
import { DEFAULT_ANSWER_TOKENS, fitAnswer } from "../fit.ts";
import { defineOperation } from "../operation.ts";
import { accept } from "./tracing/accepting.ts";
import { type DriftFound as Found, driftOf, type Traced, traced } from "./tracing/drifting.ts";
import { textOf } from "./tracing/former.ts";
import { everyAcceptance } from "./tracing/shelf.ts";
import { whereTagged } from "./tracing/where.ts";
import { wordingFor } from "./tracing/wording.ts";
import type { DriftFinding, DriftFound, DriftQuery } from "./schema.ts";

type Input = z.infer<typeof DriftQuery>;
type Output = z.infer<typeof DriftFound>;
type Finding = z.infer<typeof DriftFinding>;
type Item = Finding | { readonly accepted_id: string } | { readonly delta: string };

const MOST_LINES = 60;

/** Reports code that changed since it was accepted for a requirement. */
export const drift = defineOperation<Input, Output>({
  id: "trace.drift",
  effect: "change",
  isLong: true,
  input: async () => (await import("./schema.ts")).DriftQuery,
  output: async () => (await import("./schema.ts")).DriftFound,
  async run(engine, { id, accept: named, reason, level = "medium", max_tokens = DEFAULT_ANSWER_TOKENS }) {
    const asked = id === undefined ? undefined : readTraceId(id);
    const accepted = named === undefined ? [] : await accept(engine, named, reason);
    const { found: acceptances, damaged } = await engine.store.read(everyAcceptance);
    const where = await whereTagged(engine, acceptances);
    const isAccepted = (each: TraceId): boolean => acceptances.has(each);
    const now = await traced(engine, where.paths(isAccepted), where.names);
    const found = await driftOf(engine, acceptances, now);
    const isAsked = (each: TraceId): boolean => asked === undefined || each === asked || partsOf(each).spec === asked;
    const drifted = found.drifted.filter((each) => isAsked(each.id)).toSorted(bySeverity);
    const findings: Finding[] = damaged
      .filter((each) => asked === undefined || (each.id !== undefined && isAsked(each.id)))
      .map(({ path, why, id: of }) => ({ id: of ?? path, kind: "damaged", severity: "high", symbol: path, note: why }));
    for (const each of drifted) findings.push(await shown(each, found, now, acceptances));
    const speaking = findings.filter(({ severity }) => isAtLeast(severity, level)).length;
    const delta =
      asked && findings.length > 0 ? wordingFor(found.requirements.get(asked), evidenceOf(findings)) : undefined;
    const rest = {
      passed: speaking === 0,
      level,
      speaking,
      requirements: [...acceptances.keys()].filter(isAsked).length,
      unaccepted: [...where.ids].filter((each) => isAsked(each) && !isAccepted(each)).length,
    };
    return fitAnswer<Item, Output>(engine, max_tokens, {
      items: [
        ...accepted.map((each) => ({ accepted_id: each })),
        ...findings,
        ...(delta === undefined ? [] : [{ delta }]),
      ],
      build: (items, omitted) => ({ ...rest, ...parted(items), omitted }),
      page,
      shorten,
    });
  },
  page: (output) => page(output),
  isRefusal: ({ passed }) => !passed,
});

const bySeverity = (a: Drifted, b: Drifted): number =>
  graver(a.severity, b.severity) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

function parted(items: readonly Item[]): Pick<Output, "accepted" | "findings" | "delta"> {
  const delta = items.find((item) => "delta" in item)?.delta;
  return {
    accepted: items.flatMap((item) => ("accepted_id" in item ? [item.accepted_id] : [])),
    findings: items.flatMap((item) => ("kind" in item ? [item] : [])),
    ...(delta === undefined ? {} : { delta }),
  };
}

function shorten(item: Item, length: number): Item | undefined {
  if (!("kind" in item) || item.diff === undefined || item.diff.length <= length) return undefined;
  return { ...item, diff: `${startOf(item.diff, length)}\n…` };
}

const keyOf = ({ path, ref }: TracedSymbol): string => (ref === "" ? path : `${path}#${ref}`);

async function shown(
  drifted: Drifted,
  { requirements, recall }: Found,
  now: Traced,
  acceptances: ReadonlyMap<TraceId, Acceptance>,
): Promise<Finding> {
  const { id, kind, severity, role, was, is, isReworded } = drifted;
  const acceptance = acceptances.get(id);
  const needsText = kind === "changed" || kind === "removed";
  const former = was && acceptance && needsText ? await recall(was, acceptance) : undefined;
  const before = former && textOf(former);
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
    ...(role ? { role } : {}),
    ...(symbol ? { symbol: keyOf(symbol) } : {}),
    ...(was && is && keyOf(was) !== keyOf(is) ? { was: keyOf(was) } : {}),
    ...(acceptance ? { accepted: acceptance.at } : {}),
    ...(former ? { commit: former.commit } : {}),
    ...(before === undefined ? {} : { diff: clipped(formatLineDiff(before, after)) }),
    ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
  };
}

function clipped(diff: string): string {
  const lines = diff.split("\n");
  return lines.length <= MOST_LINES ? diff : [...lines.slice(0, MOST_LINES), "…"].join("\n");
}

const evidenceOf = (findings: readonly Finding[]): Evidence[] =>
  findings
    .filter(({ kind }) => kind === "changed" || kind === "removed")
    .map((each) => ({ title: `${SAID[each.kind](each)} since it was accepted:`, diff: each.diff ?? "" }));

const SAID: Readonly<Record<Finding["kind"], (finding: Finding) => string>> = {
  changed: ({ symbol = "", was }) => (was ? `${symbol} (it was ${was}) changed` : `${symbol} changed`),
  removed: ({ symbol = "" }) => `${symbol} is gone`,
  renamed: ({ symbol = "", was = "" }) =>
    was === "" ? `${symbol} names something that was renamed` : `${was} is ${symbol} now`,
  added: ({ symbol = "" }) => `${symbol} serves it as well now`,
  "spec-changed": () => "What it asks was changed, and the code was not",
  damaged: ({ symbol = "" }) => `${symbol} cannot be read`,
};

function page(output: Output): Page {
  const { findings, level, speaking, accepted, requirements, unaccepted, delta, omitted } = output;
  const texts = findings.filter(({ diff }) => diff !== undefined && diff !== "");
  const lines = findings.filter(({ diff }) => diff === undefined || diff === "");
  return {
    title: titleOf(output),
    points: [
      ...(accepted.length > 0
        ? [`Accepted as it is now: ${accepted.join(", ")}. Commit sdd/trace/ with the work.`]
        : []),
      ...lines.map(sayFinding),
      ...(omitted > 0 ? [`${omitted} more left out for max_tokens.`] : []),
      ...(unaccepted > 0 && requirements === 0
        ? [
            `${formatCount(unaccepted, "requirement")} with a tag in the code ${unaccepted === 1 ? "was" : "were"} never accepted, and cannot drift.`,
          ]
        : []),
    ],
    quotes: [
      ...texts.map((each): PageQuotation => ({ label: labelOf(each), text: each.diff ?? "" })),
      ...(delta === undefined ? [] : [{ label: "To say it anew", text: delta.trimEnd() }]),
    ],
    next: nextOf(findings, speaking, level, delta),
  };
}

function titleOf({ findings, speaking, level, requirements, accepted, omitted }: Output): string {
  if (requirements === 0 && findings.length === 0) return "Nothing was accepted yet, so nothing can have drifted.";
  const all = findings.length + omitted;
  const whose = requirements === 1 ? "its" : "their";
  if (all === 0) return `${formatCount(requirements, "requirement")} and ${whose} code are as they were accepted.`;
  const of = speaking === all ? "" : ` of ${level} severity or more, ${all} in all`;
  if (speaking > 0) return `${formatCount(speaking, "thing")}${of} ${speaking === 1 ? "is" : "are"} not as accepted.`;
  return accepted.length > 0 || all > 0 ? `Nothing of ${level} severity or more has drifted.` : "Nothing has drifted.";
}

const labelOf = (finding: Finding): string => {
  const { id, severity, accepted, commit, kind } = finding;
  const since = accepted === undefined ? "" : `, accepted ${accepted.slice(0, 10)}`;
  const at = commit === undefined ? "" : ` in ${commit.slice(0, 12)}`;
  return `${severity} ${kind === "damaged" ? "" : `${id}: `}${sanitizeText(SAID[kind](finding), 600)}${since}${at}`;
};

/** One line, without the diff. */
export const sayFinding = (finding: Finding): string =>
  `${labelOf(finding)}.${finding.note === undefined ? "" : ` ${sanitizeText(finding.note, 400)}`}`;

function nextOf(
  findings: readonly Finding[],
  speaking: number,
  level: Severity,
  delta: string | undefined,
): SuggestedFix[] {
  const first = findings.find(({ kind, severity }) => kind !== "damaged" && isAtLeast(severity, level));
  const broken = findings.filter(({ kind }) => kind === "damaged");
  const mended = broken.map(({ symbol = "" }) => `Go back to a committed one: git checkout -- ${symbol}`);
  if (speaking === 0 || first === undefined) return mended;
  return [
    ...mended,
    { operation: "trace.drift", input: { accept: first.id, reason: "…" } },
    ...(delta === undefined ? [{ operation: "trace.drift", input: { id: first.id } }] : []),
  ];
}
