import { escapeUnprintable } from "#kernel/model/text-format.ts";
import { type MergedDocument, mergeDocumentLines } from "#planning/model/living-spec/document-merge.ts";
import { formatSafeListItem } from "../steering/markdown-section.ts";
import { isUserDecision, type LoggedDecision } from "./decision-log.ts";
import {
  EMPTY_SESSION,
  formatKeyDecisions,
  formatSessionDocument,
  isDraftSession,
  type KeyDecisions,
  parseSessionDocument,
  PROSE_SECTIONS,
  type ProseSection,
  readBodyLines,
  readKeyDecisions,
  readSectionLines,
  type SessionDocument,
  setDraftMode,
  setSessionField,
  setSessionSection,
  trimOuterBlankLines,
} from "./session-document.ts";

export interface FinishedSessionWork {
  readonly accomplished: readonly string[];
  /** The next command or step; empty where none is known. */
  readonly next: string;
  readonly files: readonly string[];
  readonly decided: readonly LoggedDecision[];
  readonly branch: string;
}

export const MAX_ACCOMPLISHED_LINES = 50;
const MAX_SESSION_FILES = 60;
const MAX_CONTINUING_DECISIONS = 20;
const MAX_SESSION_LINE = 200;

/** Adds the work of a command and the next step. All other text stays, and without news so does the whole document. */
export function draftSessionDocument(text: string | undefined, worked: FinishedSessionWork, at: string): string {
  const before = startSession(text);
  const day = at.slice(0, 10);
  const lines = worked.accomplished.filter((line) => line.trim() !== "");
  let draft = worked.next === "" ? before : setSessionSection(before, "next", worked.next);
  draft = updateKeyDecisions(draft, (known) => addKeyDecisions(known, worked.decided.filter(isUserDecision)));
  draft = addSteeringExceptions(draft, worked.decided);
  draft = extendSessionList(
    draft,
    "accomplished",
    lines.map((line) => `- ${day} ${formatSessionLine(line)}`),
  );
  draft = extendSessionList(
    draft,
    "files",
    worked.files.map((file) => formatSafeListItem(formatSessionLine(file))),
  );
  if (draft === before && text !== undefined && isDraftSession(text)) return text;
  return setDraftMode(setSessionDay(draft, day, worked.branch), true);
}

const startSession = (text: string | undefined): string =>
  text === undefined || text.trim() === "" ? formatSessionDocument(EMPTY_SESSION) : text;

export const carrySessionDecisions = (text: string): string => updateKeyDecisions(text, carryKeyDecisions);

/** The user's answers at the end of a session. A missing answer leaves its text unchanged. */
export type HandoverAnswers = Partial<Record<ProseSection | "goal" | "accomplished" | "decisions", string>>;

export function applyHandoverAnswers(
  text: string | undefined,
  answers: HandoverAnswers,
  { next, branch }: Pick<FinishedSessionWork, "next" | "branch">,
  at: string,
  since: string,
): string {
  let page = startSession(text);
  for (const name of PROSE_SECTIONS) {
    const said = answers[name] ?? (name === "next" ? next : "");
    const isExtended = name === "warnings" || name === "exceptions";
    if (said !== "") page = setSessionSection(page, name, isExtended ? appendNewLines(page, name, said) : said);
  }
  page = setSessionSection(page, "accomplished", listAccomplishedLines(page, answers.accomplished, since));
  page = updateKeyDecisions(page, ({ continuing, added }) => ({
    continuing,
    added: appendNumberedLines(added, answers.decisions ?? ""),
  }));
  if (answers.goal !== undefined) page = setSessionField(page, "goal", answers.goal.trim().replace(/\s+/g, " "));
  return setSessionDay(setDraftMode(page, false), at.slice(0, 10), branch);
}

function setSessionDay(text: string, day: string, branch: string): string {
  const dated = setSessionField(text, "generated", day);
  return branch === "" ? dated : setSessionField(dated, "branch", branch);
}

function updateKeyDecisions(text: string, change: (known: KeyDecisions) => KeyDecisions): string {
  const before = readKeyDecisions(text);
  const after = change(before);
  return JSON.stringify(before) === JSON.stringify(after)
    ? text
    : setSessionSection(text, "decisions", formatKeyDecisions(after));
}

const LINE_NUMBER_PATTERN = /^(\d{1,6})[.)] +/;
const findDecisionReference = (line: string): string | undefined => /\(D(\d{1,9})\)$/.exec(line)?.[1];

function addKeyDecisions({ continuing, added }: KeyDecisions, decided: readonly LoggedDecision[]): KeyDecisions {
  const known = new Set([...continuing, ...added].map(findDecisionReference));
  const fresh = decided
    .filter(({ number }) => !known.has(String(number)))
    .map(({ number, summary, reason }) => `1. ${joinSessionTexts(summary, reason)} (D${number})`);
  return { continuing, added: renumberDecisionLines(added, fresh) };
}

function carryKeyDecisions({ continuing, added }: KeyDecisions): KeyDecisions {
  if (added.length === 0) return { continuing, added };
  const all = renumberDecisionLines(continuing, added);
  const logged = all.filter((line) => findDecisionReference(line) !== undefined);
  const gone = new Set(logged.slice(0, Math.max(0, logged.length - MAX_CONTINUING_DECISIONS)));
  return { continuing: all.filter((line) => !gone.has(line)), added: [] };
}

function renumberDecisionLines(lines: readonly string[], more: readonly string[]): string[] {
  let last = Math.max(0, ...lines.map((line) => Number(LINE_NUMBER_PATTERN.exec(line)?.[1] ?? 0)));
  return [...lines, ...more.map((line) => line.replace(LINE_NUMBER_PATTERN, () => `${++last}. `))];
}

const joinSessionTexts = (...texts: readonly string[]): string =>
  texts
    .map(formatSessionLine)
    .filter((text) => text !== "")
    .join(": ");

/** Nothing in the line opens a block that hides later lines. */
function formatSessionLine(text: string): string {
  const line = formatSafeListItem(text).slice(2);
  return escapeUnprintable(line.length > MAX_SESSION_LINE ? `${line.slice(0, MAX_SESSION_LINE)}…` : line);
}

function addSteeringExceptions(text: string, decided: readonly LoggedDecision[]): string {
  const lines = readSectionLines(text, "exceptions");
  const fresh = decided
    .filter(({ type }) => type === "STEERING_EXCEPTION")
    .filter(({ number }) => !new RegExp(String.raw`\bD${number}\b`).test(lines.join("\n")))
    .map(({ number, summary, reason, steeringRef = "" }) => {
      return `- ${joinSessionTexts(steeringRef, summary, reason)} (D${number})`;
    });
  return fresh.length === 0 ? text : setSessionSection(text, "exceptions", [...lines, ...fresh]);
}

const DAY_LINE_PATTERN = /^- (\d{4}-\d{2}-\d{2}) /;
const EARLIER_COUNT_PATTERN = /^- Earlier: (\d{1,9}) more$/;

/**
 * The answer, then the lines that the engine added since the last handover. Older ones are in the archived sessions.
 * Without an answer the existing text stays.
 */
function listAccomplishedLines(text: string, said: string | undefined, since: string): string[] {
  const lines = readSectionLines(text, "accomplished").filter((line) => !EARLIER_COUNT_PATTERN.test(line));
  const own = said === undefined ? lines.filter((line) => !DAY_LINE_PATTERN.test(line)) : formatListLines(said);
  const isRecent = (line: string): boolean => (DAY_LINE_PATTERN.exec(line)?.[1] ?? "") >= since;
  return [...own, ...lines.filter((line) => DAY_LINE_PATTERN.test(line) && isRecent(line) && !own.includes(line))];
}

/**
 * Adds each new line once. Beyond the limit, a count replaces the oldest lines by the engine, because an endless list
 * goes unread. Lines by people stay.
 */
function extendSessionList(text: string, name: "accomplished" | "files", more: readonly string[]): string {
  const lines = readSectionLines(text, name);
  const fresh = [...new Set(more)].filter((line) => !lines.includes(line));
  if (fresh.length === 0) return text;
  const isFiles = name === "files";
  const isOwn = (line: string): boolean => (isFiles ? line.startsWith("- ") : DAY_LINE_PATTERN.test(line));
  const earlier = lines.reduce((sum, line) => sum + Number(EARLIER_COUNT_PATTERN.exec(line)?.[1] ?? 0), 0);
  const there = lines.filter((line) => !EARLIER_COUNT_PATTERN.test(line));
  const own = [...there.filter(isOwn), ...fresh];
  const most = isFiles ? MAX_SESSION_FILES : MAX_ACCOMPLISHED_LINES;
  const gone = new Set(own.slice(0, Math.max(0, own.length - most)));
  const left = earlier + gone.size;
  const kept = trimOuterBlankLines(there.filter((line) => !gone.has(line)));
  return setSessionSection(text, name, [
    ...(left > 0 ? [`- Earlier: ${left} more`] : []),
    ...kept,
    ...(kept.length > 0 && !isListLine(kept.at(-1) ?? "") ? [""] : []),
    ...fresh.filter((line) => !gone.has(line)),
  ]);
}

const isListLine = (line: string): boolean => /^\s*(?:[-*+]|\d+[.)]) |^\s{2,}\S/.test(line);

function appendNewLines(text: string, name: ProseSection, said: string): string[] {
  const lines = readSectionLines(text, name);
  return [...formatListLines(lines.join("\n")), ...formatListLines(said).filter((line) => !lines.includes(line))];
}

const formatListLines = (said: string): string[] =>
  readBodyLines(said).map((line) => (line.trim() === "" || isListLine(line) ? line : `- ${line}`));

function appendNumberedLines(lines: readonly string[], said: string): string[] {
  const fresh = readBodyLines(said).filter((line) => line.trim() !== "" && !lines.includes(line));
  return [...lines, ...fresh.map((line, i) => (isListLine(line) ? line : `${lines.length + i + 1}. ${line}`))];
}

/**
 * Merges the sessions of two branches. Lists are joined without duplicates. The next action comes from the later
 * session, because only one step can be next. All other text is merged line by line, so that no words are lost
 * silently.
 */
export function mergeSessionDocuments(base: string, ours: string, theirs: string): MergedDocument {
  if (base === theirs) return { text: ours, conflicts: [] };
  if (base === ours) return { text: theirs, conflicts: [] };
  try {
    const was = base === "" ? formatSessionDocument(EMPTY_SESSION) : base;
    const settle = createSessionSettlement([was, ours, theirs].map(parseSessionDocument));
    return mergeDocumentLines(settle(was), settle(ours), settle(theirs));
  } catch {
    // A document with hidden headings.
    return mergeDocumentLines(base, ours, theirs);
  }
}

/** Writes the same lists, fields and next action into all sides, so that only other text can conflict. */
function createSessionSettlement([base, ours, theirs]: readonly SessionDocument[]): (text: string) => string {
  const own = ours ?? EMPTY_SESSION;
  const other = theirs ?? EMPTY_SESSION;
  const later = other.generated > own.generated ? other : own;
  const merge = (list: "continuing" | "added" | "accomplished" | "files"): string[] =>
    mergeLineLists(base?.[list] ?? [], own[list], other[list]);
  const continuing = merge("continuing");
  const added = merge("added").filter((line) => !continuing.includes(line));
  return (text) => {
    let settled = setSessionSection(text, "next", later.next);
    settled = setSessionSection(settled, "decisions", formatKeyDecisions({ continuing, added }));
    settled = setSessionSection(settled, "accomplished", merge("accomplished"));
    settled = setSessionSection(settled, "files", merge("files"));
    settled = setSessionField(settled, "generated", later.generated);
    settled = setSessionField(settled, "branch", later.branch);
    // A merge with an unreviewed side is a draft again.
    return setDraftMode(settled, own.isDraft || other.isDraft);
  };
}

function mergeLineLists(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const gone = new Set(base.filter((line) => !ours.includes(line) || !theirs.includes(line)));
  const kept = ours.filter((line) => !gone.has(line) || line === "");
  return [...kept, ...theirs.filter((line) => line !== "" && !kept.includes(line) && !gone.has(line))];
}
