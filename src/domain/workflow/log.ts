import { formatDuration } from "../day.ts";
import { sanitizeText, quote } from "../quote.ts";
import { familyOf, isTakenOver, type LedgerEvent, numberIn, textIn, textsIn } from "./ledger-event.ts";

export const LOGS = ["workflows", "gates", "retry", "summaries"] as const;
export type LogName = (typeof LOGS)[number];

export interface LogLine {
  readonly log: LogName;
  readonly line: string;
}

type Level = "INFO" | "WARN" | "SUCCESS";

/** Event families that have a text log. Other events appear only in the ledger. */
const LOG_OF: Readonly<Record<string, LogName>> = {
  workflow: "workflows",
  change: "workflows",
  lock: "workflows",
  session: "workflows",
  timebox: "workflows",
};

const GOOD_NEWS = new Set(["completed", "stage-completed", "approved"]);
const BAD_NEWS = new Set(["abandoned", "rolled-back", "overlap", "refused", "warned", "stage-stale"]);

export function logLine(event: LedgerEvent, workflowKind?: string): LogLine | undefined {
  const [family, what] = familyOf(event.kind);
  if (event.kind === "gate.checked") return { log: "gates", line: gateLine(event) };
  if (event.kind === "gate.retried") return { log: "retry", line: retryLine(event) };
  if (family === "summary") return { log: "summaries", line: summaryLine(event, what) };
  const log = Object.hasOwn(LOG_OF, family) ? LOG_OF[family] : undefined;
  if (log === undefined) return undefined;
  const component = family === "workflow" ? (textIn(event, "kind") ?? workflowKind ?? family) : family;
  return { log, line: lineOf(event, levelOf(event, what), component, happening(event, family, what)) };
}

function lineOf({ at }: LedgerEvent, level: Level, component: string, parts: readonly string[]): string {
  return `[${word(at)}] [${level}] [${name(component)}] ${parts.join(", ")}`;
}

function levelOf(event: LedgerEvent, what: string): Level {
  if (GOOD_NEWS.has(what)) return "SUCCESS";
  return BAD_NEWS.has(what) || isTakenOver(event) ? "WARN" : "INFO";
}

/** `Stage: implement, Spec: AUTH-001, Action: Stage opened`, followed by the details. */
function happening(event: LedgerEvent, family: string, what: string): string[] {
  const stage = textIn(event, "stage");
  return [
    ...(stage === undefined ? [] : [`Stage: ${word(stage)}`]),
    ...subject(event, family === "session" && textIn(event, "session") === undefined ? "Session" : "Spec"),
    `Action: ${sentence(what)}`,
    ...DETAILS.flatMap(([label, tell]) => {
      const told = tell(event);
      return told === undefined ? [] : [`${label}: ${told}`];
    }),
  ];
}

const subject = (event: LedgerEvent, label: string): string[] =>
  event.subject === "" ? [] : [`${label}: ${word(event.subject)}`];

const sentence = (what: string): string =>
  sanitizeText(what.charAt(0).toUpperCase() + what.slice(1).replaceAll("-", " "));

type Tell = (event: LedgerEvent) => string | undefined;

const count =
  (field: string): Tell =>
  (event) =>
    numberIn(event, field)?.toString();

const wordIn =
  (field: string): Tell =>
  (event) => {
    const said = textIn(event, field);
    return said === undefined ? numberIn(event, field)?.toString() : word(said);
  };

const saidIn =
  (field: string): Tell =>
  (event) => {
    const said = textIn(event, field);
    return said === undefined ? undefined : inQuotes(said);
  };

const timeIn =
  (field: string): Tell =>
  (event) => {
    const seconds = numberIn(event, field);
    return seconds === undefined ? undefined : formatDuration(seconds);
  };

const DETAILS: readonly (readonly [label: string, tell: Tell])[] = [
  ["Priority", count("priority")],
  ["From", wordIn("from")],
  ["To", wordIn("to")],
  ["Snapshot", count("n")],
  ["Safety", count("safety")],
  ["Why", wordIn("why")],
  ["Session", wordIn("session")],
  ["Taken over", (event) => (isTakenOver(event) ? "yes" : undefined)],
  ["Holder", wordIn("holder")],
  ["By", wordIn("by")],
  ["By", timeIn("by_s")],
  ["Spent", timeIn("spent_s")],
  ["Limit", timeIn("limit_s")],
  ["Branch", wordIn("branch")],
  ["Path", wordIn("path")],
  ["Paths", (event) => (textsIn(event, "paths").length === 0 ? undefined : list(textsIn(event, "paths")))],
  ["Title", saidIn("title")],
  ["Description", saidIn("description")],
  ["Reason", saidIn("reason")],
];

function gateLine(event: LedgerEvent): string {
  const isPassed = event.data?.["passed"] === true;
  const failed = textsIn(event, "failed");
  const named = (label: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${label}: ${list(names)}`];
  return lineOf(event, isPassed ? "SUCCESS" : "WARN", textIn(event, "gate") ?? "gate", [
    ...subject(event, "Spec"),
    isPassed ? "Gate passed" : `Gate failed${failed.length === 0 ? "" : `: ${list(failed)}`}`,
    ...named("Unknown", textsIn(event, "unknown")),
    ...named("Waived", textsIn(event, "waived")),
  ]);
}

function retryLine(event: LedgerEvent): string {
  const [attempt = 0, of = 0] = [numberIn(event, "attempt"), numberIn(event, "of")];
  const isPassed = event.data?.["success"] === true;
  const isLast = !isPassed && attempt >= of;
  const end = isPassed
    ? `Gate passed on attempt ${attempt + 1}`
    : isLast
      ? `Gate failed after ${of} retries, escalating to user`
      : "Gate failed again";
  const [waited, fixed] = [numberIn(event, "waited_s"), textsIn(event, "fixed")];
  return lineOf(event, isPassed ? "SUCCESS" : isLast ? "WARN" : "INFO", "retry-gate", [
    ...subject(event, "Spec"),
    `Gate: ${word(textIn(event, "gate") ?? "unknown")}`,
    `Auto-retry attempt ${attempt}/${of}`,
    ...(waited === undefined ? [] : [`Waited: ${waited} s`]),
    ...(fixed.length === 0 ? [] : [`Fix: ${list(fixed)}`]),
    end,
  ]);
}

/** `Made: 9, Failed: 1, Left: 40, By: "claude -p"`, or the action for a summary written by hand. */
function summaryLine(event: LedgerEvent, what: string): string {
  const [made, failed] = [numberIn(event, "made"), numberIn(event, "failed") ?? 0];
  const level = made === undefined || (made > 0 && failed > 0) ? "INFO" : failed > 0 ? "WARN" : "SUCCESS";
  const numbers = ["made", "failed", "left"].flatMap((field) => {
    const told = numberIn(event, field);
    return told === undefined ? [] : [`${sentence(field)}: ${told}`];
  });
  return lineOf(event, level, "summaries", [
    ...subject(event, "Of"),
    ...(made === undefined ? [`Action: ${sentence(what)}`] : numbers),
    ...DETAILS.filter(([label]) => label === "By" || label === "Reason").flatMap(([label, tell]) => {
      const told = tell(event);
      return told === undefined ? [] : [`${label}: ${told}`];
    }),
  ]);
}

const MOST_LISTED = 8;
const LONGEST = 200;

function list(texts: readonly string[]): string {
  const more = texts.length - MOST_LISTED;
  return [...texts.slice(0, MOST_LISTED).map(word), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const name = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : "unknown");

const word = (text: string): string => (/^[\w./:@+*?~-]{1,200}$/.test(text) ? text : inQuotes(text));

/** Free text on one line, without terminal control characters and without inner double quotes. */
const inQuotes = (text: string): string => quote(text.trim().replaceAll('"', "'"), LONGEST);
