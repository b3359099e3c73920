import { formatSafeListItem } from "../steering/markdown-section.ts";
import { isUserDecision, type LoggedDecision } from "./decision-log.ts";
import {
  carryKeyDecisions,
  type KeyDecisions,
  parseKeyDecisions,
  formatKeyDecisions,
  formatSessionLine,
  addKeyDecisions,
  EARLIER_COUNT_PATTERN,
  isListLine,
  readBodyLines,
  extendLimitedList,
  ACCOMPLISHED_HEADING,
  type SessionField,
  isDraftSession,
  KEY_DECISIONS_HEADING,
  markSessionDraft,
  MODIFIED_FILES_HEADING,
  EMPTY_SESSION,
  type ProseSection,
  PROSE_SECTIONS,
  formatSessionDocument,
  readSessionSection,
  setSessionField,
  setSessionSection,
  parseSessionDocument,
} from "./session-document.ts";
import { type MergedDocument, mergeDocumentLines } from "#planning/model/living-spec/document-merge.ts";

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

/** Adds the work of a command and the next step. All other text stays, and without news so does the whole document. */
export function draftSessionDocument(text: string | undefined, worked: FinishedSessionWork, at: string): string {
  const before = text === undefined || text.trim() === "" ? formatSessionDocument(EMPTY_SESSION) : text;
  const day = at.slice(0, 10);
  const told = [
    (now: string) => (worked.next === "" ? now : setSessionSection(now, PROSE_SECTIONS.next, worked.next)),
    (now: string) => updateKeyDecisions(now, (known) => addKeyDecisions(known, worked.decided.filter(isUserDecision))),
    (now: string) => addSteeringExceptions(now, worked.decided),
    (now: string) => addAccomplishedLines(now, worked.accomplished, day),
    (now: string) => addModifiedFiles(now, worked.files),
  ].reduce((now, tell) => tell(now), before);
  if (told === before && text !== undefined && isDraftSession(text)) return text;
  return markSessionDraft(setSessionDay(told, day, worked.branch));
}

export const carrySessionDecisions = (text: string): string => updateKeyDecisions(text, carryKeyDecisions);

/** The user's answers at the end of a session. A missing answer leaves its text unchanged. */
export type HandoverAnswers = Partial<Record<ProseSection | "goal" | "accomplished" | "decisions", string>>;

/** A new answer extends these sections instead of replacing them. */
const ACCUMULATING_SECTIONS: ReadonlySet<ProseSection> = new Set(["warnings", "exceptions"]);

export function applyHandoverAnswers(
  text: string | undefined,
  answers: HandoverAnswers,
  worked: FinishedSessionWork,
  at: string,
  since: string,
): string {
  const before = text === undefined || text.trim() === "" ? formatSessionDocument(EMPTY_SESSION) : text;
  const prose = (Object.keys(PROSE_SECTIONS) as ProseSection[]).map((name) => (now: string) => {
    const said = answers[name] ?? (name === "next" ? worked.next : "");
    if (said === "") return now;
    return setSessionSection(
      now,
      PROSE_SECTIONS[name],
      ACCUMULATING_SECTIONS.has(name) ? appendNewLines(readSessionSection(now, PROSE_SECTIONS[name]), said) : said,
    );
  });
  const told = [
    ...prose,
    (now: string) =>
      setSessionSection(now, ACCOMPLISHED_HEADING, formatAccomplishedText(now, answers.accomplished, since)),
    (now: string) =>
      updateKeyDecisions(now, (known) => ({
        ...known,
        added: appendNumberedLines(known.added, answers.decisions ?? ""),
      })),
    (now: string) =>
      answers.goal === undefined ? now : setSessionField(now, "goal", answers.goal.trim().replace(/\s+/g, " ")),
    (now: string) => setSessionField(now, "mode", ""),
  ].reduce((now, tell) => tell(now), before);
  return setSessionDay(told, at.slice(0, 10), worked.branch);
}

function setSessionDay(text: string, day: string, branch: string): string {
  const fields: readonly (readonly [SessionField, string])[] = [
    ["generated", day],
    ...(branch === "" ? [] : [["branch", branch] as const]),
  ];
  return fields.reduce((now, [field, value]) => setSessionField(now, field, value), text);
}

function updateKeyDecisions(text: string, change: (known: KeyDecisions) => KeyDecisions): string {
  const known = parseKeyDecisions(readSessionSection(text, KEY_DECISIONS_HEADING));
  const next = change(known);
  const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join("\n") === other.join("\n");
  if (isSame(known.continuing, next.continuing) && isSame(known.added, next.added)) return text;
  return setSessionSection(text, KEY_DECISIONS_HEADING, formatKeyDecisions(next));
}

function addSteeringExceptions(text: string, decided: readonly LoggedDecision[]): string {
  const made = decided.filter(({ type }) => type === "STEERING_EXCEPTION");
  const body = readSessionSection(text, PROSE_SECTIONS.exceptions);
  const fresh = made
    .filter(({ number }) => !new RegExp(String.raw`\bD${number}\b`).test(body))
    .map(formatExceptionLine);
  if (fresh.length === 0) return text;
  return setSessionSection(text, PROSE_SECTIONS.exceptions, [...readBodyLines(body), ...fresh].join("\n"));
}

const formatExceptionLine = ({ number, summary, reason, steeringRef = "" }: LoggedDecision): string =>
  `- ${[steeringRef, summary, reason]
    .map(formatSessionLine)
    .filter((said) => said !== "")
    .join(": ")} (D${number})`;

const DAY_LINE_PATTERN = /^- (\d{4}-\d{2}-\d{2}) /;

function addAccomplishedLines(text: string, said: readonly string[], day: string): string {
  const lines = said.filter((line) => line.trim() !== "").map((line) => `- ${day} ${formatSessionLine(line)}`);
  return extendSessionList(text, ACCOMPLISHED_HEADING, lines, MAX_ACCOMPLISHED_LINES);
}

/**
 * The answer, then the lines that the engine added since the last handover. Older ones are in the archived sessions.
 * Without an answer the existing text stays.
 */
function formatAccomplishedText(text: string, said: string | undefined, since: string): string {
  const lines = readBodyLines(readSessionSection(text, ACCOMPLISHED_HEADING)).filter(
    (line) => !EARLIER_COUNT_PATTERN.test(line),
  );
  const [seen, others] = [
    lines.filter((line) => DAY_LINE_PATTERN.test(line)),
    lines.filter((line) => !DAY_LINE_PATTERN.test(line)),
  ];
  const own = said === undefined ? others : formatListLines(said);
  return [
    ...own,
    ...seen.filter((line) => (DAY_LINE_PATTERN.exec(line)?.[1] ?? "") >= since && !own.includes(line)),
  ].join("\n");
}

const addModifiedFiles = (text: string, files: readonly string[]): string =>
  extendSessionList(
    text,
    MODIFIED_FILES_HEADING,
    files.map((file) => formatSafeListItem(formatSessionLine(file))),
    MAX_SESSION_FILES,
  );

function extendSessionList(text: string, title: string, lines: readonly string[], most: number): string {
  const before = readBodyLines(readSessionSection(text, title));
  const isOwn = (line: string): boolean =>
    title === ACCOMPLISHED_HEADING ? DAY_LINE_PATTERN.test(line) : line.startsWith("- ");
  const after = extendLimitedList(before, lines, { most, isOwn });
  return after.length === before.length && after.every((line, i) => line === before[i])
    ? text
    : setSessionSection(text, title, after.join("\n"));
}

function appendNewLines(body: string, said: string): string {
  const lines = readBodyLines(body);
  const fresh = formatListLines(said).filter((line) => !lines.includes(line));
  return [...formatListLines(lines.join("\n")), ...fresh].join("\n");
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
  const before = base === "" ? formatSessionDocument(EMPTY_SESSION) : base;
  try {
    const [was, own, other] = settleSessionSections(before, ours, theirs);
    return mergeDocumentLines(was, own, other);
  } catch {
    // A document with hidden headings.
    return mergeDocumentLines(base, ours, theirs);
  }
}

function settleSessionSections(base: string, ours: string, theirs: string): readonly [string, string, string] {
  const [own, other] = [parseSessionDocument(ours), parseSessionDocument(theirs)];
  const later = other.generated > own.generated ? other : own;
  const edits: readonly ((text: string) => string)[] = [
    (text) => setSessionSection(text, PROSE_SECTIONS.next, later.next),
    (text) => setSessionSection(text, KEY_DECISIONS_HEADING, formatKeyDecisions(mergeKeyDecisions(base, ours, theirs))),
    ...[ACCOMPLISHED_HEADING, MODIFIED_FILES_HEADING].map((title) => (text: string) => {
      const lists = [base, ours, theirs].map((side) => readBodyLines(readSessionSection(side, title)));
      return setSessionSection(text, title, mergeLineLists(lists).join("\n"));
    }),
    (text) => setSessionField(text, "generated", later.generated),
    (text) => setSessionField(text, "branch", later.branch),
    // A merge with an unreviewed side is a draft again.
    (text) => (own.isDraft || other.isDraft ? markSessionDraft(text) : setSessionField(text, "mode", "")),
  ];
  const settle = (text: string): string => edits.reduce((now, edit) => edit(now), text);
  return [settle(base), settle(ours), settle(theirs)];
}

function mergeLineLists([base = [], ours = [], theirs = []]: readonly (readonly string[])[]): string[] {
  const gone = new Set(base.filter((line) => !ours.includes(line) || !theirs.includes(line)));
  const kept = ours.filter((line) => !gone.has(line) || line === "");
  return [...kept, ...theirs.filter((line) => line !== "" && !kept.includes(line) && !gone.has(line))];
}

function mergeKeyDecisions(base: string, ours: string, theirs: string): KeyDecisions {
  const [was, own, other] = [base, ours, theirs].map((text) =>
    parseKeyDecisions(readSessionSection(text, KEY_DECISIONS_HEADING)),
  );
  const of = (list: keyof KeyDecisions): string[] =>
    mergeLineLists([was, own, other].map((side) => [...(side?.[list] ?? [])]));
  const continuing = of("continuing");
  return { continuing, added: of("added").filter((line) => !continuing.includes(line)) };
}
