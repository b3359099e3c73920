import { escapeUnprintable } from "#kernel/model/text-format.ts";
import {
  hasOnlyPlaceholders,
  findMarkdownSection,
  getOwnText,
  listMarkdownSections,
  replaceOwnText,
  formatSafeListItem,
} from "../steering/markdown-section.ts";
import { ensureOrderedSection, type SectionOrder } from "../steering/steering-edit.ts";
import type { LoggedDecision } from "./decision-log.ts";

/** The known content of `session.md`. Other text is kept and ignored. */
export interface SessionDocument {
  readonly generated: string;
  readonly branch: string;
  readonly goal: string;
  /** Whether the engine wrote it last, without the user. */
  readonly isDraft: boolean;
  readonly next: string;
  readonly goals: string;
  readonly continuing: readonly string[];
  readonly added: readonly string[];
  readonly warnings: string;
  readonly tone: string;
  readonly exceptions: string;
  readonly accomplished: readonly string[];
  readonly files: readonly string[];
  readonly resume: string;
}

export const PROSE_SECTIONS = {
  next: "Immediate Next Action",
  goals: "Active Goals",
  warnings: "Warnings",
  tone: "Tone and Nuance",
  exceptions: "Steering Exceptions",
  resume: "Resume Instructions",
} as const satisfies Partial<Record<keyof SessionDocument, string>>;
export type ProseSection = keyof typeof PROSE_SECTIONS;

export const KEY_DECISIONS_HEADING = "Key Decisions";
export const ACCOMPLISHED_HEADING = "Accomplished";
export const MODIFIED_FILES_HEADING = "Modified Files";
const DIRECTION_HEADING = "Direction";
const SESSION_CONTEXT_HEADING = "Session Context";

const SESSION_SECTION_ORDER: SectionOrder = [
  [DIRECTION_HEADING],
  [PROSE_SECTIONS.next, DIRECTION_HEADING],
  [PROSE_SECTIONS.goals, DIRECTION_HEADING],
  [KEY_DECISIONS_HEADING, DIRECTION_HEADING],
  [PROSE_SECTIONS.warnings, DIRECTION_HEADING],
  [SESSION_CONTEXT_HEADING],
  [PROSE_SECTIONS.tone, SESSION_CONTEXT_HEADING],
  [PROSE_SECTIONS.exceptions, SESSION_CONTEXT_HEADING],
  [ACCOMPLISHED_HEADING],
  [MODIFIED_FILES_HEADING, ACCOMPLISHED_HEADING],
  [PROSE_SECTIONS.resume],
];

/** Level of the heading above a field: 3 for prose inside a parent section, otherwise 2. */
export function findHeadingLevel(name: string): number {
  const title = Object.hasOwn(PROSE_SECTIONS, name) ? PROSE_SECTIONS[name as ProseSection] : undefined;
  return SESSION_SECTION_ORDER.some(([each, within]) => each === title && within !== undefined) ? 3 : 2;
}

const SESSION_TITLE = "# Session Handover";
const AUTO_DRAFT_MODE = "auto-draft";
const SESSION_FIELDS = { generated: "Generated", branch: "Branch", goal: "Session Goal", mode: "Mode" } as const;
export type SessionField = keyof typeof SESSION_FIELDS;
const SESSION_FIELD_ORDER = Object.keys(SESSION_FIELDS) as readonly SessionField[];

export const EMPTY_SESSION: SessionDocument = {
  generated: "",
  branch: "",
  goal: "",
  isDraft: false,
  next: "",
  goals: "",
  continuing: [],
  added: [],
  warnings: "",
  tone: "",
  exceptions: "",
  accomplished: [],
  files: [],
  resume: "",
};

export function parseSessionDocument(text: string): SessionDocument {
  const prose = (name: ProseSection): string => normalizeSectionText(readSessionSection(text, PROSE_SECTIONS[name]));
  const { continuing, added } = parseKeyDecisions(readSessionSection(text, KEY_DECISIONS_HEADING));
  return {
    generated: readSessionField(text, "generated"),
    branch: readSessionField(text, "branch"),
    goal: readSessionField(text, "goal"),
    isDraft: isDraftSession(text),
    next: prose("next"),
    goals: prose("goals"),
    continuing,
    added,
    warnings: prose("warnings"),
    tone: prose("tone"),
    exceptions: prose("exceptions"),
    accomplished: readBodyLines(readSessionSection(text, ACCOMPLISHED_HEADING)),
    files: readBodyLines(readSessionSection(text, MODIFIED_FILES_HEADING)),
    resume: prose("resume"),
  };
}

export function formatSessionDocument(session: SessionDocument): string {
  const bodies: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      Object.entries(PROSE_SECTIONS).map(([name, title]) => [title, session[name as ProseSection]]),
    ),
    [KEY_DECISIONS_HEADING]: formatKeyDecisions(session),
    [ACCOMPLISHED_HEADING]: session.accomplished.join("\n"),
    [MODIFIED_FILES_HEADING]: session.files.join("\n"),
  };
  const values: Readonly<Record<SessionField, string>> = { ...session, mode: session.isDraft ? AUTO_DRAFT_MODE : "" };
  const head = SESSION_FIELD_ORDER.flatMap((field) =>
    values[field] === "" ? [] : [formatSessionField(field, values[field])],
  );
  const sections = SESSION_SECTION_ORDER.flatMap(([title, within]) => {
    const body = bodies[title]?.trim() ?? "";
    return [`${within === undefined ? "##" : "###"} ${title}`, ...(body === "" ? [] : [body])];
  });
  return `${[[SESSION_TITLE, ...head].join("\n"), ...sections].join("\n\n")}\n`;
}

export const isDraftSession = (text: string): boolean =>
  readSessionField(text, "mode").toLowerCase() === AUTO_DRAFT_MODE;

/** Without subsections. Empty where the heading is missing. */
export function readSessionSection(text: string, title: string): string {
  const section = findMarkdownSection(text, title);
  return section ? getOwnText(text, section) : "";
}

/** Creates a missing heading and keeps every byte around the section. */
export function setSessionSection(text: string, title: string, body: string): string {
  const [made, section] = ensureOrderedSection(SESSION_SECTION_ORDER, text, title);
  return normalizeSectionText(getOwnText(made, section)) === normalizeSectionText(body)
    ? text
    : replaceOwnText(made, section, body);
}

const normalizeSectionText = (body: string): string =>
  hasOnlyPlaceholders(body) ? "" : body.replace(/\r\n?/g, "\n").trim();

/** The lines before the first section, which contain the fields. */
const getSessionHead = (text: string): string => {
  const first = listMarkdownSections(text).find(({ heading }) => heading.level > 1);
  return text.slice(0, first?.start ?? text.length);
};

const createFieldPattern = (field: SessionField): RegExp =>
  new RegExp(String.raw`^\*\*${SESSION_FIELDS[field]}\*\*:[ \t]*(.*?)[ \t]*$`, "im");
const formatSessionField = (field: SessionField, value: string): string =>
  `**${SESSION_FIELDS[field]}**: ${escapeUnprintable(value.trim().replace(/\s+/g, " "))}`;

function readSessionField(text: string, field: SessionField): string {
  const value = createFieldPattern(field).exec(getSessionHead(text).replace(/\r\n?/g, "\n"))?.[1] ?? "";
  return /^\{[^{}]*\}$/.test(value) ? "" : value;
}

/** An empty value removes the field. */
export function setSessionField(text: string, field: SessionField, value: string): string {
  if (readSessionField(text, field) === value) return text;
  const head = getSessionHead(text);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = head.split(/\r?\n/);
  const at = lines.findIndex((line) => createFieldPattern(field).test(line));
  const line = value === "" ? [] : [formatSessionField(field, value)];
  if (at >= 0) lines.splice(at, 1, ...line);
  else lines.splice(findFieldPosition(lines, field), 0, ...line);
  return `${lines.join(eol)}${text.slice(head.length)}`;
}

function findFieldPosition(lines: readonly string[], field: SessionField): number {
  const before = SESSION_FIELD_ORDER.slice(0, SESSION_FIELD_ORDER.indexOf(field));
  const last = lines.findLastIndex((line) => before.some((each) => createFieldPattern(each).test(line)));
  return (last >= 0 ? last : lines.findIndex((line) => line.startsWith("# "))) + 1;
}

export const markSessionDraft = (text: string): string => setSessionField(text, "mode", AUTO_DRAFT_MODE);

/** Lines as written: from earlier sessions and from this one. */
export interface KeyDecisions {
  readonly continuing: readonly string[];
  readonly added: readonly string[];
}

const CONTINUING_LABEL = "**Continuing from previous sessions:**";
const ADDED_LABEL = "**Added this session:**";
const MAX_CONTINUING_DECISIONS = 20;
const MAX_SESSION_LINE = 200;

const isDecisionLabel = (line: string, label: string): boolean =>
  line.replace(/[*:\s]/g, "").toLowerCase() === label.replace(/[*:\s]/g, "").toLowerCase();

/** Lines before both labels count as continuing. */
export function parseKeyDecisions(body: string): KeyDecisions {
  const continuing: string[] = [];
  const added: string[] = [];
  let list = continuing;
  for (const line of readBodyLines(body)) {
    if (isDecisionLabel(line, CONTINUING_LABEL)) list = continuing;
    else if (isDecisionLabel(line, ADDED_LABEL)) list = added;
    else list.push(line);
  }
  return { continuing: trimOuterBlankLines(continuing), added: trimOuterBlankLines(added) };
}

export const formatKeyDecisions = ({ continuing, added }: KeyDecisions): string =>
  [
    ...(continuing.length > 0 ? [[CONTINUING_LABEL, ...continuing].join("\n")] : []),
    ...(added.length > 0 ? [[ADDED_LABEL, ...added].join("\n")] : []),
  ].join("\n\n");

type DecisionSummary = Pick<LoggedDecision, "number" | "summary" | "reason">;

export function addKeyDecisions(
  { continuing, added }: KeyDecisions,
  decided: readonly DecisionSummary[],
): KeyDecisions {
  const all = [...continuing, ...added];
  const fresh = decided.filter(({ number }) => !all.some((line) => findDecisionReference(line) === number));
  return { continuing, added: renumberDecisionLines([...added], fresh.map(formatKeyDecision)) };
}

export function carryKeyDecisions({ continuing, added }: KeyDecisions): KeyDecisions {
  if (added.length === 0) return { continuing, added };
  const all = renumberDecisionLines([...continuing], added);
  const told = all.filter((line) => findDecisionReference(line) !== undefined);
  const gone = new Set(told.slice(0, Math.max(0, told.length - MAX_CONTINUING_DECISIONS)));
  return { continuing: all.filter((line) => !gone.has(line)), added: [] };
}

function renumberDecisionLines(lines: readonly string[], more: readonly string[]): string[] {
  let last = lines.reduce((most, line) => Math.max(most, Number(LINE_NUMBER_PATTERN.exec(line)?.[1] ?? 0)), 0);
  return [...lines, ...more.map((line) => line.replace(LINE_NUMBER_PATTERN, () => `${++last}. `))];
}

const LINE_NUMBER_PATTERN = /^(\d{1,6})[.)] +/;
const DECISION_REFERENCE_PATTERN = /\(D(\d{1,9})\)$/;
const findDecisionReference = (line: string): number | undefined => {
  const number = DECISION_REFERENCE_PATTERN.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
};

function formatKeyDecision({ number, summary, reason }: DecisionSummary): string {
  const said = [summary, reason].map(formatSessionLine).filter((text) => text !== "");
  return `1. ${said.join(": ")} (D${number})`;
}

/** Nothing in the line opens a block that hides later lines. */
export function formatSessionLine(text: string): string {
  const line = formatSafeListItem(text).slice(2);
  return escapeUnprintable(line.length > MAX_SESSION_LINE ? `${line.slice(0, MAX_SESSION_LINE)}…` : line);
}

/** Includes blank lines between them. Empty for unfilled placeholders. */
export const readBodyLines = (body: string): string[] =>
  hasOnlyPlaceholders(body) ? [] : trimOuterBlankLines(body.split(/\r\n|\r|\n/));

function trimOuterBlankLines(lines: readonly string[]): string[] {
  const isSaid = (line: string): boolean => line.trim() !== "";
  return lines
    .slice(Math.max(0, lines.findIndex(isSaid)), lines.findLastIndex(isSaid) + 1)
    .map((line) => line.trimEnd());
}

export const isListLine = (line: string): boolean => /^\s*(?:[-*+]|\d+[.)]) |^\s{2,}\S/.test(line);

interface LineLimit {
  readonly most: number;
  readonly isOwn: (line: string) => boolean;
}

export const EARLIER_COUNT_PATTERN = /^- Earlier: (\d{1,9}) more$/;

/**
 * Adds each new line once. Beyond `most`, a count replaces the oldest lines by the engine, because an endless list goes
 * unread. Lines by people stay.
 */
export function extendLimitedList(
  lines: readonly string[],
  more: readonly string[],
  { most, isOwn }: LineLimit,
): string[] {
  const known = new Set(lines);
  const fresh = [...new Set(more)].filter((line) => !known.has(line));
  if (fresh.length === 0) return [...lines];
  const earlier = lines.reduce((sum, line) => sum + Number(EARLIER_COUNT_PATTERN.exec(line)?.[1] ?? 0), 0);
  const there = lines.filter((line) => !EARLIER_COUNT_PATTERN.test(line));
  const own = [...there.filter(isOwn), ...fresh];
  const gone = new Set(own.slice(0, Math.max(0, own.length - most)));
  const left = earlier + gone.size;
  const kept = trimOuterBlankLines(there.filter((line) => !gone.has(line)));
  const gap = kept.length > 0 && !isListLine(kept.at(-1) ?? "") ? [""] : [];
  return [
    ...(left > 0 ? [`- Earlier: ${left} more`] : []),
    ...kept,
    ...gap,
    ...fresh.filter((line) => !gone.has(line)),
  ];
}
