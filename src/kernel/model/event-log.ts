import { formatDuration } from "./utc-time.ts";
import { sanitizeText, quote } from "./text-format.ts";

export const EVENT_LOG_NAMES = ["workflows", "gates", "retry", "summaries"] as const;
export type EventLogName = (typeof EVENT_LOG_NAMES)[number];

export interface EventLogLine {
  readonly log: EventLogName;
  readonly line: string;
}

type EventLogLevel = "INFO" | "WARN" | "SUCCESS";

/** Event families that have a text log. Other events appear only in the ledger. */
const LOG_BY_EVENT_FAMILY: Readonly<Record<string, EventLogName>> = {
  workflow: "workflows",
  change: "workflows",
  lock: "workflows",
  session: "workflows",
  timebox: "workflows",
};

const SUCCESS_ACTIONS = new Set(["completed", "stage-completed", "approved"]);
const WARNING_ACTIONS = new Set(["abandoned", "rolled-back", "overlap", "refused", "warned", "stage-stale"]);

export function formatEventLog(event: LedgerEvent, workflowKind?: string): EventLogLine | undefined {
  const [family, what] = splitEventKind(event.kind);
  if (event.kind === "gate.checked") return { log: "gates", line: formatGateEvent(event) };
  if (event.kind === "gate.retried") return { log: "retry", line: formatRetryEvent(event) };
  if (family === "summary") return { log: "summaries", line: formatSummaryEvent(event, what) };
  const log = Object.hasOwn(LOG_BY_EVENT_FAMILY, family) ? LOG_BY_EVENT_FAMILY[family] : undefined;
  if (log === undefined) return undefined;
  const component = family === "workflow" ? (readEventText(event, "kind") ?? workflowKind ?? family) : family;
  return {
    log,
    line: formatLogLine(event, classifyLogLevel(event, what), component, formatEventDetails(event, family, what)),
  };
}

function formatLogLine({ at }: LedgerEvent, level: EventLogLevel, component: string, parts: readonly string[]): string {
  return `[${formatLoggedWord(at)}] [${level}] [${formatComponentName(component)}] ${parts.join(", ")}`;
}

function classifyLogLevel(event: LedgerEvent, what: string): EventLogLevel {
  if (SUCCESS_ACTIONS.has(what)) return "SUCCESS";
  return WARNING_ACTIONS.has(what) || isTakeoverEvent(event) ? "WARN" : "INFO";
}

/** `Stage: implement, Spec: AUTH-001, Action: Stage opened`, followed by the details. */
function formatEventDetails(event: LedgerEvent, family: string, what: string): string[] {
  const stage = readEventText(event, "stage");
  return [
    ...(stage === undefined ? [] : [`Stage: ${formatLoggedWord(stage)}`]),
    ...formatEventSubject(
      event,
      family === "session" && readEventText(event, "session") === undefined ? "Session" : "Spec",
    ),
    `Action: ${formatActionName(what)}`,
    ...EVENT_DETAILS.flatMap(([label, tell]) => {
      const told = tell(event);
      return told === undefined ? [] : [`${label}: ${told}`];
    }),
  ];
}

const formatEventSubject = (event: LedgerEvent, label: string): string[] =>
  event.subject === "" ? [] : [`${label}: ${formatLoggedWord(event.subject)}`];

const formatActionName = (what: string): string =>
  sanitizeText(what.charAt(0).toUpperCase() + what.slice(1).replaceAll("-", " "));

type EventDetailFormatter = (event: LedgerEvent) => string | undefined;

const formatNumberField =
  (field: string): EventDetailFormatter =>
  (event) =>
    readEventNumber(event, field)?.toString();

const formatWordField =
  (field: string): EventDetailFormatter =>
  (event) => {
    const said = readEventText(event, field);
    return said === undefined ? readEventNumber(event, field)?.toString() : formatLoggedWord(said);
  };

const formatTextField =
  (field: string): EventDetailFormatter =>
  (event) => {
    const said = readEventText(event, field);
    return said === undefined ? undefined : quoteLoggedText(said);
  };

const formatDurationField =
  (field: string): EventDetailFormatter =>
  (event) => {
    const seconds = readEventNumber(event, field);
    return seconds === undefined ? undefined : formatDuration(seconds);
  };

const EVENT_DETAILS: readonly (readonly [label: string, tell: EventDetailFormatter])[] = [
  ["Priority", formatNumberField("priority")],
  ["From", formatWordField("from")],
  ["To", formatWordField("to")],
  ["Snapshot", formatNumberField("n")],
  ["Safety", formatNumberField("safety")],
  ["Why", formatWordField("why")],
  ["Session", formatWordField("session")],
  ["Taken over", (event) => (isTakeoverEvent(event) ? "yes" : undefined)],
  ["Holder", formatWordField("holder")],
  ["By", formatWordField("by")],
  ["By", formatDurationField("by_s")],
  ["Spent", formatDurationField("spent_s")],
  ["Limit", formatDurationField("limit_s")],
  ["Branch", formatWordField("branch")],
  ["Path", formatWordField("path")],
  [
    "Paths",
    (event) =>
      readEventTexts(event, "paths").length === 0 ? undefined : formatLoggedList(readEventTexts(event, "paths")),
  ],
  ["Title", formatTextField("title")],
  ["Description", formatTextField("description")],
  ["Reason", formatTextField("reason")],
];

function formatGateEvent(event: LedgerEvent): string {
  const isPassed = event.data?.["passed"] === true;
  const failed = readEventTexts(event, "failed");
  const named = (label: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${label}: ${formatLoggedList(names)}`];
  return formatLogLine(event, isPassed ? "SUCCESS" : "WARN", readEventText(event, "gate") ?? "gate", [
    ...formatEventSubject(event, "Spec"),
    isPassed ? "Gate passed" : `Gate failed${failed.length === 0 ? "" : `: ${formatLoggedList(failed)}`}`,
    ...named("Unknown", readEventTexts(event, "unknown")),
    ...named("Waived", readEventTexts(event, "waived")),
  ]);
}

function formatRetryEvent(event: LedgerEvent): string {
  const [attempt = 0, of = 0] = [readEventNumber(event, "attempt"), readEventNumber(event, "of")];
  const isPassed = event.data?.["success"] === true;
  const isLast = !isPassed && attempt >= of;
  const end = isPassed
    ? `Gate passed on attempt ${attempt + 1}`
    : isLast
      ? `Gate failed after ${of} retries, escalating to user`
      : "Gate failed again";
  const [waited, fixed] = [readEventNumber(event, "waited_s"), readEventTexts(event, "fixed")];
  return formatLogLine(event, isPassed ? "SUCCESS" : isLast ? "WARN" : "INFO", "retry-gate", [
    ...formatEventSubject(event, "Spec"),
    `Gate: ${formatLoggedWord(readEventText(event, "gate") ?? "unknown")}`,
    `Auto-retry attempt ${attempt}/${of}`,
    ...(waited === undefined ? [] : [`Waited: ${waited} s`]),
    ...(fixed.length === 0 ? [] : [`Fix: ${formatLoggedList(fixed)}`]),
    end,
  ]);
}

/** `Made: 9, Failed: 1, Left: 40, By: "claude -p"`, or the action for a summary written by hand. */
function formatSummaryEvent(event: LedgerEvent, what: string): string {
  const [made, failed] = [readEventNumber(event, "made"), readEventNumber(event, "failed") ?? 0];
  const level = made === undefined || (made > 0 && failed > 0) ? "INFO" : failed > 0 ? "WARN" : "SUCCESS";
  const numbers = ["made", "failed", "left"].flatMap((field) => {
    const told = readEventNumber(event, field);
    return told === undefined ? [] : [`${formatActionName(field)}: ${told}`];
  });
  return formatLogLine(event, level, "summaries", [
    ...formatEventSubject(event, "Of"),
    ...(made === undefined ? [`Action: ${formatActionName(what)}`] : numbers),
    ...EVENT_DETAILS.filter(([label]) => label === "By" || label === "Reason").flatMap(([label, tell]) => {
      const told = tell(event);
      return told === undefined ? [] : [`${label}: ${told}`];
    }),
  ]);
}

const MAX_LOGGED_ITEMS = 8;
const MAX_LOGGED_TEXT = 200;

function formatLoggedList(texts: readonly string[]): string {
  const more = texts.length - MAX_LOGGED_ITEMS;
  return [...texts.slice(0, MAX_LOGGED_ITEMS).map(formatLoggedWord), ...(more > 0 ? [`and ${more} more`] : [])].join(
    ", ",
  );
}

const formatComponentName = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : "unknown");

const formatLoggedWord = (text: string): string => (/^[\w./:@+*?~-]{1,200}$/.test(text) ? text : quoteLoggedText(text));

/** Free text on one line, without terminal control characters and without inner double quotes. */
const quoteLoggedText = (text: string): string => quote(text.trim().replaceAll('"', "'"), MAX_LOGGED_TEXT);

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
