import { escapeUnprintable } from "#kernel/model/text-format.ts";
import type { DecisionType, LeadEffect } from "../lead/lead-state.ts";

/** Empty fields are left out of the log. */
export type DecisionEntry = Omit<Extract<LeadEffect, { kind: "decision" }>, "kind">;

/** A hand-written type may be any word. */
export interface LoggedDecision extends Omit<DecisionEntry, "type"> {
  readonly number: number;
  readonly at: string;
  readonly type: DecisionType | (string & {});
}

/** User decisions also appear in the product's log and on the session page. */
const USER_DECISION_TYPES = /^(?:USER_DECISION|DIRECTION_CHANGE|ESCALATION_RESOLVED|STEERING_EXCEPTION)$/;
/** How the summary of a steering line starts that a review proposed and the user approved. */
export const APPROVED_LINE_PREFIX = "Approved for ";

/** Other steering updates only say that a file changed. */
export const isUserDecision = ({ type, summary }: Pick<LoggedDecision, "type" | "summary">): boolean =>
  USER_DECISION_TYPES.test(type) || (type === "STEERING_UPDATE" && summary.startsWith(APPROVED_LINE_PREFIX));

export const isSessionDecision = ({ type }: Pick<LoggedDecision, "type">): boolean => type.startsWith("SESSION_");

export const DECISION_LOG_TITLE = "# Decisions";
const DECISION_FIELDS = [
  ["Context", "context"],
  ["Decision", "decision"],
  ["Reason", "reason"],
  ["Impact", "impact"],
  ["Source", "source"],
  ["Steering-ref", "steeringRef"],
] as const satisfies readonly (readonly [string, keyof DecisionEntry])[];

export function formatDecisionEntry(number: number, at: string, decision: DecisionEntry): string {
  const lines = DECISION_FIELDS.map(([label, field]) => [label, escapeDecisionText(decision[field] ?? "")] as const);
  const fields = lines.filter(([, text]) => text !== "").map(([label, text]) => `- ${label}: ${text}`);
  const head = `[${at}] D${number}: ${decision.type} | ${escapeDecisionText(decision.summary)}`;
  return [head, ...(fields.length === 0 ? [] : ["", ...fields])].join("\n");
}

/** Append-only: existing text stays byte for byte. */
export function appendDecisionEntries(log: string | undefined, entries: readonly string[]): string {
  if (entries.length === 0) return log ?? "";
  const before = log ?? "";
  const eol = /\r?\n/.exec(before)?.[0] ?? "\n";
  const blank = `${eol}${eol}`;
  const added = entries.map((entry) => entry.replaceAll("\n", eol)).join(blank);
  if (before.trim() === "") return `${before}${DECISION_LOG_TITLE}${blank}${added}${eol}`;
  const gap = /\n[ \t]*\r?\n$/.test(before) ? "" : before.endsWith("\n") ? eol : blank;
  return `${before}${gap}${added}${eol}`;
}

const DECISION_NUMBER_SOURCE = String.raw`^\s*(?:[-*#]+\s+)?(?:\[([^\]]*)\]\s*)?\*{0,2}D(\d{1,9})\b`;
const DECISION_HEAD_PATTERN = new RegExp(
  String.raw`${DECISION_NUMBER_SOURCE}\*{0,2}\s*:\s*\*{0,2}([A-Z][A-Z_]*)\*{0,2}\s*(?:\||-|:|$)\s*(.*)$`,
);
const DECISION_NUMBER_PATTERN = new RegExp(DECISION_NUMBER_SOURCE, "gm");
const DECISION_FIELD_PATTERN = /^\s*[-*]\s+\*{0,2}([A-Za-z][A-Za-z -]*?)\*{0,2}\s*:\*{0,2}\s*(.*)$/;

export const EMPTY_DECISION_FIELDS = { context: "", decision: "", reason: "", impact: "", source: "" };

/** Oldest first. Other lines are ignored. */
export function parseDecisionLog(log: string): LoggedDecision[] {
  const found: (Pick<LoggedDecision, "number" | "at" | "type" | "summary"> & { fields: Map<string, string> })[] = [];
  for (const line of log.split(/\r\n|\r|\n/)) {
    const [, at = "", number, type = "", summary = ""] = DECISION_HEAD_PATTERN.exec(line) ?? [];
    if (number !== undefined) {
      const head = { number: Number(number), at: at.trim(), type, summary: unescapeDecisionText(summary) };
      found.push({ ...head, fields: new Map() });
      continue;
    }
    const [, label = "", text = ""] = DECISION_FIELD_PATTERN.exec(line) ?? [];
    const [, field] = DECISION_FIELDS.find(([name]) => name.toLowerCase() === label.toLowerCase()) ?? [];
    const fields = found.at(-1)?.fields;
    if (field !== undefined && !fields?.has(field)) fields?.set(field, unescapeDecisionText(text));
  }
  return found.map(({ fields, ...head }) => ({ ...head, ...EMPTY_DECISION_FIELDS, ...Object.fromEntries(fields) }));
}

export const findLastDecisionNumber = (log: string): number =>
  [...log.matchAll(DECISION_NUMBER_PATTERN)].reduce((largest, [, , number]) => Math.max(largest, Number(number)), 0);

export const formatProductLogLine = (number: number, at: string, { summary }: Pick<DecisionEntry, "summary">): string =>
  `${at.slice(0, 10)} D${number}: ${escapeUnprintable(summary.trim().replace(/\s+/g, " "))}`;

/** A reversible one-line form: line ends and backslashes are escaped. */
function escapeDecisionText(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .map((line) => escapeUnprintable(line.replaceAll("\t", " ")).replaceAll("\\", "\\\\"))
    .join("\\n");
}

const unescapeDecisionText = (line: string): string =>
  line.trim().replace(/\\([\\n])/g, (_, mark: string) => (mark === "n" ? "\n" : "\\"));
