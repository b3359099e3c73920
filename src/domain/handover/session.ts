import { escapeUnprintable } from "../quote.ts";
import { isBlank } from "../steering/blank.ts";
import { ensuredIn, type Order } from "../steering/ordered.ts";
import { findSection, ownText, sectionsIn, withOwnText } from "../steering/section.ts";
import { keyDecisionsIn, keyDecisionsText } from "./key-decisions.ts";
import { rawLines } from "./lines.ts";

/** The known content of `session.md`. Other text is kept and ignored. */
export interface Session {
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

export const PROSE = {
  next: "Immediate Next Action",
  goals: "Active Goals",
  warnings: "Warnings",
  tone: "Tone and Nuance",
  exceptions: "Steering Exceptions",
  resume: "Resume Instructions",
} as const satisfies Partial<Record<keyof Session, string>>;
export type Prose = keyof typeof PROSE;

export const KEY_DECISIONS = "Key Decisions";
export const ACCOMPLISHED = "Accomplished";
export const MODIFIED_FILES = "Modified Files";
const DIRECTION = "Direction";
const CONTEXT = "Session Context";

const ORDER: Order = [
  [DIRECTION],
  [PROSE.next, DIRECTION],
  [PROSE.goals, DIRECTION],
  [KEY_DECISIONS, DIRECTION],
  [PROSE.warnings, DIRECTION],
  [CONTEXT],
  [PROSE.tone, CONTEXT],
  [PROSE.exceptions, CONTEXT],
  [ACCOMPLISHED],
  [MODIFIED_FILES, ACCOMPLISHED],
  [PROSE.resume],
];

/** Level of the heading above a field: 3 for prose inside a parent section, otherwise 2. */
export function levelOf(name: string): number {
  const title = Object.hasOwn(PROSE, name) ? PROSE[name as Prose] : undefined;
  return ORDER.some(([each, within]) => each === title && within !== undefined) ? 3 : 2;
}

const TITLE = "# Session Handover";
const AUTO_DRAFT = "auto-draft";
const FIELDS = { generated: "Generated", branch: "Branch", goal: "Session Goal", mode: "Mode" } as const;
export type Field = keyof typeof FIELDS;
const FIELD_ORDER = Object.keys(FIELDS) as readonly Field[];

export const NOTHING: Session = {
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

export function readSession(text: string): Session {
  const prose = (name: Prose): string => asSaid(sectionIn(text, PROSE[name]));
  const { continuing, added } = keyDecisionsIn(sectionIn(text, KEY_DECISIONS));
  return {
    generated: fieldIn(text, "generated"),
    branch: fieldIn(text, "branch"),
    goal: fieldIn(text, "goal"),
    isDraft: isDrafted(text),
    next: prose("next"),
    goals: prose("goals"),
    continuing,
    added,
    warnings: prose("warnings"),
    tone: prose("tone"),
    exceptions: prose("exceptions"),
    accomplished: rawLines(sectionIn(text, ACCOMPLISHED)),
    files: rawLines(sectionIn(text, MODIFIED_FILES)),
    resume: prose("resume"),
  };
}

export function renderSession(session: Session): string {
  const bodies: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(PROSE).map(([name, title]) => [title, session[name as Prose]])),
    [KEY_DECISIONS]: keyDecisionsText(session),
    [ACCOMPLISHED]: session.accomplished.join("\n"),
    [MODIFIED_FILES]: session.files.join("\n"),
  };
  const values: Readonly<Record<Field, string>> = { ...session, mode: session.isDraft ? AUTO_DRAFT : "" };
  const head = FIELD_ORDER.flatMap((field) => (values[field] === "" ? [] : [fieldLine(field, values[field])]));
  const sections = ORDER.flatMap(([title, within]) => {
    const body = bodies[title]?.trim() ?? "";
    return [`${within === undefined ? "##" : "###"} ${title}`, ...(body === "" ? [] : [body])];
  });
  return `${[[TITLE, ...head].join("\n"), ...sections].join("\n\n")}\n`;
}

export const isDrafted = (text: string): boolean => fieldIn(text, "mode").toLowerCase() === AUTO_DRAFT;

/** Without subsections. Empty where the heading is missing. */
export function sectionIn(text: string, title: string): string {
  const section = findSection(text, title);
  return section ? ownText(text, section) : "";
}

/** Creates a missing heading and keeps every byte around the section. */
export function withSectionText(text: string, title: string, body: string): string {
  const [made, section] = ensuredIn(ORDER, text, title);
  return asSaid(ownText(made, section)) === asSaid(body) ? text : withOwnText(made, section, body);
}

const asSaid = (body: string): string => (isBlank(body) ? "" : body.replace(/\r\n?/g, "\n").trim());

/** The lines before the first section, which contain the fields. */
const headOf = (text: string): string => {
  const first = sectionsIn(text).find(({ heading }) => heading.level > 1);
  return text.slice(0, first?.start ?? text.length);
};

const fieldOf = (field: Field): RegExp => new RegExp(String.raw`^\*\*${FIELDS[field]}\*\*:[ \t]*(.*?)[ \t]*$`, "im");
const fieldLine = (field: Field, value: string): string =>
  `**${FIELDS[field]}**: ${escapeUnprintable(value.trim().replace(/\s+/g, " "))}`;

function fieldIn(text: string, field: Field): string {
  const value = fieldOf(field).exec(headOf(text).replace(/\r\n?/g, "\n"))?.[1] ?? "";
  return /^\{[^{}]*\}$/.test(value) ? "" : value;
}

/** An empty value removes the field. */
export function withField(text: string, field: Field, value: string): string {
  if (fieldIn(text, field) === value) return text;
  const head = headOf(text);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const lines = head.split(/\r?\n/);
  const at = lines.findIndex((line) => fieldOf(field).test(line));
  const line = value === "" ? [] : [fieldLine(field, value)];
  if (at >= 0) lines.splice(at, 1, ...line);
  else lines.splice(placeOf(lines, field), 0, ...line);
  return `${lines.join(eol)}${text.slice(head.length)}`;
}

function placeOf(lines: readonly string[], field: Field): number {
  const before = FIELD_ORDER.slice(0, FIELD_ORDER.indexOf(field));
  const last = lines.findLastIndex((line) => before.some((each) => fieldOf(each).test(line)));
  return (last >= 0 ? last : lines.findIndex((line) => line.startsWith("# "))) + 1;
}

export const markDrafted = (text: string): string => withField(text, "mode", AUTO_DRAFT);
