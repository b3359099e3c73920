import { escapeUnprintable } from "#kernel/model/text-format.ts";
import {
  ensureOrderedSection,
  findMarkdownSection,
  formatSafeListItem,
  getOwnText,
  hasOnlyPlaceholders,
  listMarkdownSections,
  replaceOwnText,
} from "../steering/markdown-section.ts";
import { isUserDecision, type LoggedDecision } from "./decision-log.ts";

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
type SessionSection = keyof typeof SESSION_SECTIONS;

const PROSE_SECTIONS = ["next", "goals", "warnings", "tone", "exceptions", "resume"] as const;
type ProseSection = (typeof PROSE_SECTIONS)[number];

/** Level of the heading above a field: 3 for prose inside a parent section, otherwise 2. */
export const findHeadingLevel = (name: string): number =>
  PROSE_SECTIONS.some((section) => section === name && SESSION_SECTIONS[section].length > 1) ? 3 : 2;

const SESSION_FIELDS = { generated: "Generated", branch: "Branch", goal: "Session Goal", mode: "Mode" } as const;
type SessionField = keyof typeof SESSION_FIELDS;
const SESSION_FIELD_ORDER = Object.keys(SESSION_FIELDS) as readonly SessionField[];
const AUTO_DRAFT_MODE = "auto-draft";

/** The known content of `session.md`. Other text is kept and ignored. */
export type SessionDocument = ReturnType<typeof parseSessionDocument>;

export function parseSessionDocument(text: string) {
  const prose = PROSE_SECTIONS.map((name) => [name, normalizeSectionText(readSessionSection(text, name))]);
  return {
    generated: readSessionField(text, "generated"),
    branch: readSessionField(text, "branch"),
    goal: readSessionField(text, "goal"),
    /** Whether the engine wrote it last, without the user. */
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
  return `${["# Session Handover", ...(head.length === 0 ? [] : [head.join("\n")]), ...sections].join("\n\n")}\n`;
}

/** Without subsections. Empty where the heading is missing. */
function readSessionSection(text: string, name: SessionSection): string {
  const section = findMarkdownSection(text, SESSION_SECTIONS[name][0]);
  return section ? getOwnText(text, section) : "";
}

/** Includes blank lines between them. Empty for unfilled placeholders. */
const readBodyLines = (body: string): string[] =>
  hasOnlyPlaceholders(body) ? [] : trimOuterBlankLines(body.split(/\r\n|\r|\n/));

const readSectionLines = (text: string, name: SessionSection): string[] =>
  readBodyLines(readSessionSection(text, name));

function trimOuterBlankLines(lines: readonly string[]): string[] {
  const isFilled = (line: string): boolean => line.trim() !== "";
  const filled = lines.slice(Math.max(0, lines.findIndex(isFilled)), lines.findLastIndex(isFilled) + 1);
  return filled.map((line) => line.trimEnd());
}

/** Creates a missing heading and keeps every byte around the section. */
export function setSessionSection(text: string, name: SessionSection, body: string | readonly string[]): string {
  const said = typeof body === "string" ? body : body.join("\n");
  const [made, section] = ensureOrderedSection(Object.values(SESSION_SECTIONS), text, SESSION_SECTIONS[name][0]);
  const isSame = normalizeSectionText(getOwnText(made, section)) === normalizeSectionText(said);
  return isSame ? text : replaceOwnText(made, section, said);
}

const normalizeSectionText = (body: string): string =>
  hasOnlyPlaceholders(body) ? "" : body.replace(/\r\n?/g, "\n").trim();

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
  const lines = head.split(/\r?\n/);
  const at = lines.findIndex((line) => createFieldPattern(field).test(line));
  const line = value === "" ? [] : [formatSessionField(field, value)];
  if (at >= 0) lines.splice(at, 1, ...line);
  else {
    const before = SESSION_FIELD_ORDER.slice(0, SESSION_FIELD_ORDER.indexOf(field));
    const last = lines.findLastIndex((other) => before.some((each) => createFieldPattern(each).test(other)));
    const title = lines.findIndex((other) => other.startsWith("# "));
    if (last >= 0) lines.splice(last + 1, 0, ...line);
    else if (title < 0 || lines[title + 1] !== "") lines.splice(title + 1, 0, ...line);
    // Blank lines around the first field keep the head apart from its neighbours.
    else lines.splice(title + 2, 0, ...line, ...((lines[title + 2] ?? "") === "" ? [""] : []));
  }
  return `${lines.join(/\r?\n/.exec(text)?.[0] ?? "\n")}${text.slice(head.length)}`;
}

const isDraftSession = (text: string): boolean => readSessionField(text, "mode").toLowerCase() === AUTO_DRAFT_MODE;

export const setDraftMode = (text: string, isDraft: boolean): string =>
  setSessionField(text, "mode", isDraft ? AUTO_DRAFT_MODE : "");

/** Lines as written: from earlier sessions and from this one. */
type KeyDecisions = ReturnType<typeof readKeyDecisions>;

const CONTINUING_LABEL = "**Continuing from previous sessions:**";
const ADDED_LABEL = "**Added this session:**";

const isDecisionLabel = (line: string, label: string): boolean =>
  line.replace(/[*:\s]/g, "").toLowerCase() === label.replace(/[*:\s]/g, "").toLowerCase();

/** Lines before both labels count as continuing. */
function readKeyDecisions(text: string) {
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
  (
    [
      [CONTINUING_LABEL, continuing],
      [ADDED_LABEL, added],
    ] as const
  )
    .filter(([, lines]) => lines.length > 0)
    .map(([label, lines]) => `${label}\n\n${lines.join("\n")}`)
    .join("\n\n");

/** A function, because hooks load this file at every edit. */
export const createEmptySession = () => parseSessionDocument("");

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
  const done = worked.accomplished.filter((line) => line.trim() !== "");
  const lines = done.map((line) => `- ${day} ${formatSessionLine(line)}`);
  const files = worked.files.map((file) => formatSafeListItem(formatSessionLine(file)));
  let draft = worked.next === "" ? before : setSessionSection(before, "next", worked.next);
  draft = updateKeyDecisions(draft, ({ continuing, added }) => {
    const known = new Set([...continuing, ...added].map(findDecisionReference));
    const fresh = worked.decided
      .filter((decision) => isUserDecision(decision) && !known.has(String(decision.number)))
      .map(({ number, summary, reason }) => `1. ${joinSessionTexts(summary, reason)} (D${number})`);
    return { continuing, added: renumberDecisionLines(added, fresh) };
  });
  draft = addSteeringExceptions(draft, worked.decided);
  draft = extendSessionList(draft, "accomplished", lines);
  draft = extendSessionList(draft, "files", files);
  if (draft === before && text !== undefined && isDraftSession(text)) return text;
  return setDraftMode(setSessionDay(draft, day, worked.branch), true);
}

const startSession = (text: string | undefined): string =>
  text === undefined || text.trim() === "" ? formatSessionDocument(createEmptySession()) : text;

export const carrySessionDecisions = (page: string): string =>
  updateKeyDecisions(page, ({ continuing, added }) => {
    if (added.length === 0) return { continuing, added };
    const all = renumberDecisionLines(continuing, added);
    const logged = all.filter((line) => findDecisionReference(line) !== undefined);
    const gone = new Set(logged.slice(0, Math.max(0, logged.length - MAX_CONTINUING_DECISIONS)));
    return { continuing: all.filter((line) => !gone.has(line)), added: [] };
  });

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
    if (said === "") continue;
    const lines = isExtended ? readSectionLines(page, name) : [];
    const fresh = formatListLines(said).filter((line) => !lines.includes(line));
    page = setSessionSection(page, name, isExtended ? [...formatListLines(lines.join("\n")), ...fresh] : said);
  }
  page = setSessionSection(page, "accomplished", listAccomplishedLines(page, answers.accomplished, since));
  page = updateKeyDecisions(page, ({ continuing, added }) => {
    const fresh = readBodyLines(answers.decisions ?? "").filter((line) => line.trim() !== "" && !added.includes(line));
    const numbered = fresh.map((line, i) => (isListLine(line) ? line : `${added.length + i + 1}. ${line}`));
    return { continuing, added: [...added, ...numbered] };
  });
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
      const said = joinSessionTexts(steeringRef, summary, reason);
      return `- ${said} (D${number})`;
    });
  return fresh.length === 0 ? text : setSessionSection(text, "exceptions", [...lines, ...fresh]);
}

const DAY_LINE_PATTERN = /^- (\d{4}-\d{2}-\d{2}) /;
const EARLIER_COUNT_PATTERN = /^- Earlier: (\d{1,9}) more$/;

/** The answer or the existing text, then the engine's lines since the last handover. Older ones are archived. */
function listAccomplishedLines(text: string, said: string | undefined, since: string): string[] {
  const lines = readSectionLines(text, "accomplished").filter((line) => !EARLIER_COUNT_PATTERN.test(line));
  const own = said === undefined ? lines.filter((line) => !DAY_LINE_PATTERN.test(line)) : formatListLines(said);
  const isRecent = (line: string): boolean => (DAY_LINE_PATTERN.exec(line)?.[1] ?? "") >= since;
  return [...own, ...lines.filter((line) => DAY_LINE_PATTERN.test(line) && isRecent(line) && !own.includes(line))];
}

/** Adds each new line once. Beyond the limit, a count replaces the engine's oldest lines. Lines by people stay. */
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

const formatListLines = (said: string): string[] =>
  readBodyLines(said).map((line) => (line.trim() === "" || isListLine(line) ? line : `- ${line}`));
