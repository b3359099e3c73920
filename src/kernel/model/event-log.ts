import { formatDuration } from "./utc-time.ts";
import { sanitizeText, quote } from "./text-format.ts";

export const EVENT_LOG_NAMES = ["workflows", "gates", "retry", "summaries"] as const;
export type EventLogName = (typeof EVENT_LOG_NAMES)[number];

type EventLogLevel = "INFO" | "WARN" | "SUCCESS";

/** Event families of the log of workflows. Families without a log appear only in the ledger. */
const WORKFLOW_LOG_FAMILIES = new Set(["workflow", "change", "lock", "session", "timebox"]);
const SUCCESS_ACTIONS = new Set(["completed", "stage-completed", "approved"]);
const WARNING_ACTIONS = new Set(["abandoned", "rolled-back", "overlap", "refused", "warned", "stage-stale"]);

export function formatEventLog(
  event: LedgerEvent,
  workflowKind?: string,
): { readonly log: EventLogName; readonly line: string } | undefined {
  const [family, what] = splitEventKind(event.kind);
  if (event.kind === "gate.checked") return { log: "gates", line: formatGateEvent(event) };
  if (event.kind === "gate.retried") return { log: "retry", line: formatRetryEvent(event) };
  if (family === "summary") return { log: "summaries", line: formatSummaryEvent(event, what) };
  if (!WORKFLOW_LOG_FAMILIES.has(family)) return undefined;
  const component = family === "workflow" ? (readEventText(event, "kind") ?? workflowKind ?? family) : family;
  const isWarning = WARNING_ACTIONS.has(what) || isTakeoverEvent(event);
  const level = SUCCESS_ACTIONS.has(what) ? "SUCCESS" : isWarning ? "WARN" : "INFO";
  const isSession = family === "session" && readEventText(event, "session") === undefined;
  // `Stage: implement, Spec: AUTH-001, Action: Stage opened`, followed by the details.
  const line = formatLogLine(event, level, component, [
    ...formatEventDetail(event, ["Stage", "stage", "word"]),
    ...formatEventSubject(event, isSession ? "Session" : "Spec"),
    `Action: ${formatActionName(what)}`,
    ...EVENT_DETAILS.flatMap((detail) => formatEventDetail(event, detail)),
  ]);
  return { log: "workflows", line };
}

function formatLogLine({ at }: LedgerEvent, level: EventLogLevel, component: string, parts: readonly string[]): string {
  const name = /^[\w.-]{1,64}$/.test(component) ? component : "unknown";
  return `[${formatLoggedWord(at)}] [${level}] [${name}] ${parts.join(", ")}`;
}

const formatEventSubject = (event: LedgerEvent, label: string): string[] =>
  event.subject === "" ? [] : [`${label}: ${formatLoggedWord(event.subject)}`];

const formatActionName = (what: string): string =>
  sanitizeText(what.charAt(0).toUpperCase() + what.slice(1).replaceAll("-", " "));

type EventDetail = readonly [
  label: string,
  field: string,
  kind: "number" | "word" | "list" | "text" | "seconds" | "flag",
];

const EVENT_DETAILS: readonly EventDetail[] = [
  ["Priority", "priority", "number"],
  ["From", "from", "word"],
  ["To", "to", "word"],
  ["Snapshot", "n", "number"],
  ["Safety", "safety", "number"],
  ["Why", "why", "word"],
  ["Session", "session", "word"],
  ["Taken over", "taken_over", "flag"],
  ["Holder", "holder", "word"],
  ["By", "by", "word"],
  ["By", "by_s", "seconds"],
  ["Spent", "spent_s", "seconds"],
  ["Limit", "limit_s", "seconds"],
  ["Branch", "branch", "word"],
  ["Path", "path", "word"],
  ["Paths", "paths", "list"],
  ["Title", "title", "text"],
  ["Description", "description", "text"],
  ["Reason", "reason", "text"],
];

/** Nothing for a field that the event lacks. */
function formatEventDetail(event: LedgerEvent, [label, field, kind]: EventDetail): string[] {
  const text = readEventText(event, field);
  const number = readEventNumber(event, field);
  const list = readEventTexts(event, field);
  if (kind === "flag") return isTakeoverEvent(event) ? [`${label}: yes`] : [];
  if (kind === "list") return list.length === 0 ? [] : [`${label}: ${formatLoggedList(list)}`];
  if (kind === "text") return text === undefined ? [] : [`${label}: ${quoteLoggedText(text)}`];
  if (kind === "word" && text !== undefined) return [`${label}: ${formatLoggedWord(text)}`];
  if (number === undefined) return [];
  return [`${label}: ${kind === "seconds" ? formatDuration(number) : number}`];
}

function formatGateEvent(event: LedgerEvent): string {
  const isPassed = event.data?.["passed"] === true;
  const failed = readEventTexts(event, "failed");
  return formatLogLine(event, isPassed ? "SUCCESS" : "WARN", readEventText(event, "gate") ?? "gate", [
    ...formatEventSubject(event, "Spec"),
    isPassed ? "Gate passed" : `Gate failed${failed.length === 0 ? "" : `: ${formatLoggedList(failed)}`}`,
    ...formatEventDetail(event, ["Unknown", "unknown", "list"]),
    ...formatEventDetail(event, ["Waived", "waived", "list"]),
  ]);
}

function formatRetryEvent(event: LedgerEvent): string {
  const [attempt = 0, of = 0] = [readEventNumber(event, "attempt"), readEventNumber(event, "of")];
  const isPassed = event.data?.["success"] === true;
  const isLast = !isPassed && attempt >= of;
  const failure = isLast ? `Gate failed after ${of} retries, escalating to user` : "Gate failed again";
  const waited = readEventNumber(event, "waited_s");
  return formatLogLine(event, isPassed ? "SUCCESS" : isLast ? "WARN" : "INFO", "retry-gate", [
    ...formatEventSubject(event, "Spec"),
    `Gate: ${formatLoggedWord(readEventText(event, "gate") ?? "unknown")}`,
    `Auto-retry attempt ${attempt}/${of}`,
    ...(waited === undefined ? [] : [`Waited: ${waited} s`]),
    ...formatEventDetail(event, ["Fix", "fixed", "list"]),
    isPassed ? `Commands passed on attempt ${attempt + 1}` : failure,
  ]);
}

/** `Made: 9, Failed: 1, Left: 40, By: "claude -p"`, or the action for a summary written by hand. */
function formatSummaryEvent(event: LedgerEvent, what: string): string {
  const [made, failed] = [readEventNumber(event, "made"), readEventNumber(event, "failed") ?? 0];
  const level = made === undefined || (made > 0 && failed > 0) ? "INFO" : failed > 0 ? "WARN" : "SUCCESS";
  const numbers = ["made", "failed", "left"].flatMap((field) =>
    formatEventDetail(event, [formatActionName(field), field, "number"]),
  );
  const named = EVENT_DETAILS.filter(([label]) => label === "By" || label === "Reason");
  return formatLogLine(event, level, "summaries", [
    ...formatEventSubject(event, "Of"),
    ...(made === undefined ? [`Action: ${formatActionName(what)}`] : numbers),
    ...named.flatMap((detail) => formatEventDetail(event, detail)),
  ]);
}

const MAX_LOGGED_ITEMS = 8;

function formatLoggedList(texts: readonly string[]): string {
  const more = texts.length - MAX_LOGGED_ITEMS;
  const shown = texts.slice(0, MAX_LOGGED_ITEMS).map(formatLoggedWord);
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const formatLoggedWord = (text: string): string => (/^[\w./:@+*?~-]{1,200}$/.test(text) ? text : quoteLoggedText(text));

/** Free text on one line, without terminal control characters and without inner double quotes. */
const quoteLoggedText = (text: string): string => quote(text.trim().replaceAll('"', "'"), 200);

export interface LedgerEvent {
  readonly at: string;
  readonly kind: string;
  readonly subject: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly ms?: number;
}

type EventData = Pick<LedgerEvent, "data">;

export function readEventText({ data }: EventData, name: string): string | undefined {
  const value = data?.[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function readEventTexts({ data }: EventData, name: string): string[] {
  const value = data?.[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export function readEventNumber({ data }: EventData, name: string): number | undefined {
  const value = data?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export const isTakeoverEvent = ({ data }: EventData): boolean =>
  data?.["taken_over"] !== undefined && data["taken_over"] !== false;

/** Splits `workflow.stage-opened` into `workflow` and `stage-opened`. */
export function splitEventKind(kind: string): readonly [family: string, what: string] {
  const dot = kind.indexOf(".");
  return dot === -1 ? [kind, ""] : [kind.slice(0, dot), kind.slice(dot + 1)];
}
