import { escapeUnprintable } from "#kernel/model/text-format.ts";
import {
  findMarkdownSection,
  getOwnText,
  hasOnlyPlaceholders,
  listMarkdownSections,
  replaceOwnText,
} from "../steering/markdown-section.ts";
import { ensureOrderedSection } from "../steering/steering-edit.ts";

/** Sections of `session.md` in their order, each with the heading around it. */
const SESSION_SECTIONS = {
  direction: ["Direction"],
  next: ["Immediate Next Action", "Direction"],
  goals: ["Active Goals", "Direction"],
  decisions: ["Key Decisions", "Direction"],
  warnings: ["Warnings", "Direction"],
  context: ["Session Context"],
  tone: ["Tone and Nuance", "Session Context"],
  exceptions: ["Steering Exceptions", "Session Context"],
  accomplished: ["Accomplished"],
  files: ["Modified Files", "Accomplished"],
  resume: ["Resume Instructions"],
} as const satisfies Record<string, readonly [title: string, within?: string]>;
export type SessionSection = keyof typeof SESSION_SECTIONS;

export const PROSE_SECTIONS = ["next", "goals", "warnings", "tone", "exceptions", "resume"] as const;
export type ProseSection = (typeof PROSE_SECTIONS)[number];

/** Level of the heading above a field: 3 for prose inside a parent section, otherwise 2. */
export const findHeadingLevel = (name: string): number =>
  PROSE_SECTIONS.some((section) => section === name && SESSION_SECTIONS[section].length > 1) ? 3 : 2;

const SESSION_FIELDS = { generated: "Generated", branch: "Branch", goal: "Session Goal", mode: "Mode" } as const;
export type SessionField = keyof typeof SESSION_FIELDS;
const SESSION_FIELD_ORDER = Object.keys(SESSION_FIELDS) as readonly SessionField[];
const AUTO_DRAFT_MODE = "auto-draft";

/** The known content of `session.md`. Other text is kept and ignored. */
export interface SessionDocument
  extends Readonly<Record<ProseSection | Exclude<SessionField, "mode">, string>>, KeyDecisions {
  /** Whether the engine wrote it last, without the user. */
  readonly isDraft: boolean;
  readonly accomplished: readonly string[];
  readonly files: readonly string[];
}

export function parseSessionDocument(text: string): SessionDocument {
  const prose = PROSE_SECTIONS.map((name) => [name, normalizeSectionText(readSessionSection(text, name))]);
  return {
    generated: readSessionField(text, "generated"),
    branch: readSessionField(text, "branch"),
    goal: readSessionField(text, "goal"),
    isDraft: isDraftSession(text),
    ...(Object.fromEntries(prose) as Record<ProseSection, string>),
    ...readKeyDecisions(text),
    accomplished: readSectionLines(text, "accomplished"),
    files: readSectionLines(text, "files"),
  };
}

export function formatSessionDocument(session: SessionDocument): string {
  const bodies: Partial<Record<SessionSection, string>> = {
    ...session,
    decisions: formatKeyDecisions(session),
    accomplished: session.accomplished.join("\n"),
    files: session.files.join("\n"),
  };
  const values: Readonly<Record<SessionField, string>> = { ...session, mode: session.isDraft ? AUTO_DRAFT_MODE : "" };
  const head = SESSION_FIELD_ORDER.flatMap((field) =>
    values[field] === "" ? [] : [formatSessionField(field, values[field])],
  );
  const sections = (Object.keys(SESSION_SECTIONS) as SessionSection[]).flatMap((name) => {
    const [title, within] = SESSION_SECTIONS[name];
    const body = bodies[name]?.trim() ?? "";
    return [`${within === undefined ? "##" : "###"} ${title}`, ...(body === "" ? [] : [body])];
  });
  return `${[["# Session Handover", ...head].join("\n"), ...sections].join("\n\n")}\n`;
}

/** Without subsections. Empty where the heading is missing. */
function readSessionSection(text: string, name: SessionSection): string {
  const section = findMarkdownSection(text, SESSION_SECTIONS[name][0]);
  return section ? getOwnText(text, section) : "";
}

/** Includes blank lines between them. Empty for unfilled placeholders. */
export const readBodyLines = (body: string): string[] =>
  hasOnlyPlaceholders(body) ? [] : trimOuterBlankLines(body.split(/\r\n|\r|\n/));

export const readSectionLines = (text: string, name: SessionSection): string[] =>
  readBodyLines(readSessionSection(text, name));

export function trimOuterBlankLines(lines: readonly string[]): string[] {
  const isFilled = (line: string): boolean => line.trim() !== "";
  const filled = lines.slice(Math.max(0, lines.findIndex(isFilled)), lines.findLastIndex(isFilled) + 1);
  return filled.map((line) => line.trimEnd());
}

/** Creates a missing heading and keeps every byte around the section. */
export function setSessionSection(text: string, name: SessionSection, body: string | readonly string[]): string {
  const said = typeof body === "string" ? body : body.join("\n");
  const order = Object.values(SESSION_SECTIONS);
  const [made, section] = ensureOrderedSection(order, text, SESSION_SECTIONS[name][0]);
  const isSame = normalizeSectionText(getOwnText(made, section)) === normalizeSectionText(said);
  return isSame ? text : replaceOwnText(made, section, said);
}

const normalizeSectionText = (body: string): string =>
  hasOnlyPlaceholders(body) ? "" : body.replace(/\r\n?/g, "\n").trim();

/** The lines before the first section, which contain the fields. */
function getSessionHead(text: string): string {
  const first = listMarkdownSections(text).find(({ heading }) => heading.level > 1);
  return text.slice(0, first?.start ?? text.length);
}

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

export const isDraftSession = (text: string): boolean =>
  readSessionField(text, "mode").toLowerCase() === AUTO_DRAFT_MODE;

export const setDraftMode = (text: string, isDraft: boolean): string =>
  setSessionField(text, "mode", isDraft ? AUTO_DRAFT_MODE : "");

/** Lines as written: from earlier sessions and from this one. */
export interface KeyDecisions {
  readonly continuing: readonly string[];
  readonly added: readonly string[];
}

const CONTINUING_LABEL = "**Continuing from previous sessions:**";
const ADDED_LABEL = "**Added this session:**";

const isDecisionLabel = (line: string, label: string): boolean =>
  line.replace(/[*:\s]/g, "").toLowerCase() === label.replace(/[*:\s]/g, "").toLowerCase();

/** Lines before both labels count as continuing. */
export function readKeyDecisions(text: string): KeyDecisions {
  const continuing: string[] = [];
  const added: string[] = [];
  let list = continuing;
  for (const line of readSectionLines(text, "decisions")) {
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

export const EMPTY_SESSION = parseSessionDocument("");
