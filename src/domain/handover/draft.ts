import { asItem } from "../steering/section.ts";
import { isUsersWord, type LoggedDecision } from "./decisions.ts";
import {
  carriedOver,
  type KeyDecisions,
  keyDecisionsIn,
  keyDecisionsText,
  oneLine,
  withDecided,
} from "./key-decisions.ts";
import { EARLIER, isOfList, rawLines, withLines } from "./lines.ts";
import {
  ACCOMPLISHED,
  type Field,
  isDrafted,
  KEY_DECISIONS,
  markDrafted,
  MODIFIED_FILES,
  NOTHING,
  type Prose,
  PROSE,
  renderSession,
  sectionIn,
  withField,
  withSectionText,
} from "./session.ts";

export interface Worked {
  readonly accomplished: readonly string[];
  /** The next command or step; empty where none is known. */
  readonly next: string;
  readonly files: readonly string[];
  readonly decided: readonly LoggedDecision[];
  readonly branch: string;
}

export const MOST_ACCOMPLISHED = 50;
const MOST_FILES = 60;

/** Adds the work of a command and the next step. All other text stays, and without news so does the whole document. */
export function draftSession(text: string | undefined, worked: Worked, at: string): string {
  const before = text === undefined || text.trim() === "" ? renderSession(NOTHING) : text;
  const day = at.slice(0, 10);
  const told = [
    (now: string) => (worked.next === "" ? now : withSectionText(now, PROSE.next, worked.next)),
    (now: string) => withKey(now, (known) => withDecided(known, worked.decided.filter(isUsersWord))),
    (now: string) => withExceptions(now, worked.decided),
    (now: string) => withAccomplished(now, worked.accomplished, day),
    (now: string) => withFiles(now, worked.files),
  ].reduce((now, tell) => tell(now), before);
  if (told === before && text !== undefined && isDrafted(text)) return text;
  return markDrafted(withDay(told, day, worked.branch));
}

export const beginSession = (text: string): string => withKey(text, carriedOver);

/** The user's answers at the end of a session. A missing answer leaves its text unchanged. */
export type Answers = Partial<Record<Prose | "goal" | "accomplished" | "decisions", string>>;

/** A new answer extends these sections instead of replacing them. */
const KEPT: ReadonlySet<Prose> = new Set(["warnings", "exceptions"]);

export function polishSession(
  text: string | undefined,
  answers: Answers,
  worked: Worked,
  at: string,
  since: string,
): string {
  const before = text === undefined || text.trim() === "" ? renderSession(NOTHING) : text;
  const prose = (Object.keys(PROSE) as Prose[]).map((name) => (now: string) => {
    const said = answers[name] ?? (name === "next" ? worked.next : "");
    if (said === "") return now;
    return withSectionText(now, PROSE[name], KEPT.has(name) ? added(sectionIn(now, PROSE[name]), said) : said);
  });
  const told = [
    ...prose,
    (now: string) => withSectionText(now, ACCOMPLISHED, accomplishedText(now, answers.accomplished, since)),
    (now: string) => withKey(now, (known) => ({ ...known, added: joined(known.added, answers.decisions ?? "") })),
    (now: string) =>
      answers.goal === undefined ? now : withField(now, "goal", answers.goal.trim().replace(/\s+/g, " ")),
    (now: string) => withField(now, "mode", ""),
  ].reduce((now, tell) => tell(now), before);
  return withDay(told, at.slice(0, 10), worked.branch);
}

function withDay(text: string, day: string, branch: string): string {
  const fields: readonly (readonly [Field, string])[] = [
    ["generated", day],
    ...(branch === "" ? [] : [["branch", branch] as const]),
  ];
  return fields.reduce((now, [field, value]) => withField(now, field, value), text);
}

function withKey(text: string, change: (known: KeyDecisions) => KeyDecisions): string {
  const known = keyDecisionsIn(sectionIn(text, KEY_DECISIONS));
  const next = change(known);
  const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join("\n") === other.join("\n");
  if (isSame(known.continuing, next.continuing) && isSame(known.added, next.added)) return text;
  return withSectionText(text, KEY_DECISIONS, keyDecisionsText(next));
}

function withExceptions(text: string, decided: readonly LoggedDecision[]): string {
  const made = decided.filter(({ type }) => type === "STEERING_EXCEPTION");
  const body = sectionIn(text, PROSE.exceptions);
  const fresh = made.filter(({ number }) => !new RegExp(String.raw`\bD${number}\b`).test(body)).map(exceptionLine);
  if (fresh.length === 0) return text;
  return withSectionText(text, PROSE.exceptions, [...rawLines(body), ...fresh].join("\n"));
}

const exceptionLine = ({ number, summary, reason, steeringRef = "" }: LoggedDecision): string =>
  `- ${[steeringRef, summary, reason]
    .map(oneLine)
    .filter((said) => said !== "")
    .join(": ")} (D${number})`;

const DAY = /^- (\d{4}-\d{2}-\d{2}) /;

function withAccomplished(text: string, said: readonly string[], day: string): string {
  const lines = said.filter((line) => line.trim() !== "").map((line) => `- ${day} ${oneLine(line)}`);
  return withList(text, ACCOMPLISHED, lines, MOST_ACCOMPLISHED);
}

/**
 * The answer, then the lines that the engine added since the last handover. Older ones are in the archived sessions.
 * Without an answer the existing text stays.
 */
function accomplishedText(text: string, said: string | undefined, since: string): string {
  const lines = rawLines(sectionIn(text, ACCOMPLISHED)).filter((line) => !EARLIER.test(line));
  const [seen, others] = [lines.filter((line) => DAY.test(line)), lines.filter((line) => !DAY.test(line))];
  const own = said === undefined ? others : asList(said);
  return [...own, ...seen.filter((line) => (DAY.exec(line)?.[1] ?? "") >= since && !own.includes(line))].join("\n");
}

const withFiles = (text: string, files: readonly string[]): string =>
  withList(
    text,
    MODIFIED_FILES,
    files.map((file) => asItem(oneLine(file))),
    MOST_FILES,
  );

function withList(text: string, title: string, lines: readonly string[], most: number): string {
  const before = rawLines(sectionIn(text, title));
  const isOwn = (line: string): boolean => (title === ACCOMPLISHED ? DAY.test(line) : line.startsWith("- "));
  const after = withLines(before, lines, { most, isOwn });
  return after.length === before.length && after.every((line, i) => line === before[i])
    ? text
    : withSectionText(text, title, after.join("\n"));
}

function added(body: string, said: string): string {
  const lines = rawLines(body);
  const fresh = asList(said).filter((line) => !lines.includes(line));
  return [...asList(lines.join("\n")), ...fresh].join("\n");
}

const asList = (said: string): string[] =>
  rawLines(said).map((line) => (line.trim() === "" || isOfList(line) ? line : `- ${line}`));

function joined(lines: readonly string[], said: string): string[] {
  const fresh = rawLines(said).filter((line) => line.trim() !== "" && !lines.includes(line));
  return [...lines, ...fresh.map((line, i) => (isOfList(line) ? line : `${lines.length + i + 1}. ${line}`))];
}
