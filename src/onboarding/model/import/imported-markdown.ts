import { parseHeadings, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { parseGivenWhenThen } from "#planning/model/spec/criterion-sentence.ts";
import type { ForeignAdr, ForeignDocument } from "./import-source.ts";
import type { DecisionStatus } from "#planning/model/adr/decision-record.ts";
import { isPlainObject } from "#kernel/model/plain-object.ts";

export interface ForeignCriterion {
  readonly given?: string;
  readonly when?: string;
  readonly outcome?: string;
  readonly notes?: string;
}

export interface MarkdownChapter {
  readonly level: number;
  readonly title: string;
  /** Exact text up to the next heading of any level. */
  readonly own: string;
  readonly parts: MarkdownChapter[];
}

/** Text before the first heading belongs to the root. Headings in code do not count. */
export function parseMarkdownChapters(markdown: string): MarkdownChapter {
  const lines = markdown.split(/\r\n|\r|\n/);
  const found = parseHeadings(parseProseLines(markdown));
  const ownOf = (from: number, i: number): string =>
    lines.slice(from, (found[i]?.line ?? lines.length + 1) - 1).join("\n");
  const root: MarkdownChapter = { level: 0, title: "", own: ownOf(0, 0), parts: [] };
  const above = [root];
  for (const [i, { level, text, line }] of found.entries()) {
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const title = text.replace(/^\s*[*_]{1,3}|[*_]{1,3}\s*$/g, "").trim();
    const chapter: MarkdownChapter = { level, title, own: ownOf(line, i + 1), parts: [] };
    above.at(-1)?.parts.push(chapter);
    above.push(chapter);
  }
  return root;
}

export function* walkMarkdownChapters(chapter: MarkdownChapter): Generator<MarkdownChapter> {
  yield chapter;
  for (const part of chapter.parts) yield* walkMarkdownChapters(part);
}

export function findMarkdownChapter(root: MarkdownChapter, name: RegExp): MarkdownChapter | undefined {
  for (const chapter of walkMarkdownChapters(root)) if (chapter.level > 0 && name.test(chapter.title)) return chapter;
  return undefined;
}

export function formatMarkdownChapter({ level, title, own, parts }: MarkdownChapter): string {
  const head = level === 0 ? "" : `${"#".repeat(level)} ${title}\n`;
  return `${head}${own.trimEnd()}\n${parts.map((part) => `\n${formatMarkdownChapter(part)}`).join("")}`;
}

/** The first paragraph of prose, not a list, table, label, quote or comment. */
export function findFirstParagraph(text: string): string {
  const blocks = text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split(/\n\s*\n/)
    .map((block) => block.trim());
  const prose = blocks.find((block) => /^[\p{L}\p{N}"'“‘«(`_]/u.test(block) && !/^\d{1,4}[.)]\s/.test(block));
  return collapseWhitespace(prose ?? "");
}

const MARKDOWN_LIST_ITEM = /^ {0,3}(?:(\d{1,4}(?:\.\d{1,4})?)[.)]?|[-*+])[ \t]+(?:\[[ xX~-]\][ \t]+)?(.*)$/;
const LIST_ITEM_LABEL = /^\*\*([A-Z]{1,6}-?\d{1,4}[a-z]?)\*\*\s*:?\s*|^([A-Z]{2,6}-\d{1,4}[a-z]?)\s*:\s*/;

/** Items of the outermost lists, with labels such as `1.2` or `FR-001`. Indented lines belong to the item above. */
export function parseMarkdownListItems(text: string) {
  const items: { label?: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const { text: line, isCode } of parseProseLines(text)) {
    const [whole, number, said = ""] = MARKDOWN_LIST_ITEM.exec(line) ?? [];
    if (whole !== undefined) {
      const [mark, bold, plain] = LIST_ITEM_LABEL.exec(said) ?? [];
      const label = bold ?? plain ?? number;
      items.push({
        ...(label === undefined ? {} : { label }),
        lines: [mark === undefined ? said : said.slice(mark.length)],
      });
      isOpen = true;
    } else if (!isCode && isOpen && /^\s+\S/.test(line)) items.at(-1)?.lines.push(line.trim());
    else if (line.trim() !== "" && !/^\s/.test(line)) isOpen = false;
  }
  return items
    .map(({ lines, ...label }) => ({ ...label, text: collapseWhitespace(lines.join(" ")) }))
    .filter(({ text: said }) => said !== "");
}

const collapseWhitespace = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Words that begin an EARS condition, and the part of a criterion they introduce. */
const EARS_CONDITIONS: readonly (readonly [RegExp, "given" | "when"])[] = [
  [/^(?:while|where)\b/i, "given"],
  [/^(?:when|if|whenever)\b/i, "when"],
];

/** The boundary between condition and outcome: "…, THEN the system SHALL …", "…, the system SHALL …". */
const EARS_OUTCOME = /(?:,\s*|\s)then\b[,:]?\s+|,\s*(?=(?:the|a|an|it)\b[^,]{1,200}?\b(?:shall|must|should|will)\b)/i;

/** Only where the form is certain: Given, When, Then of Gherkin, or EARS. Any other sentence is an outcome. */
export function parseCriterionSentence(sentence: string): ForeignCriterion {
  const text = stripBoldMarks(sentence);
  const spoken = parseGivenWhenThen(text);
  const { given, when: event } = spoken;
  if (given !== undefined && event !== undefined) return { given, when: event, outcome: spoken.then ?? "" };
  const [word, part] = EARS_CONDITIONS.find(([begins]) => begins.test(text)) ?? [];
  const rest = word === undefined ? "" : text.replace(word, "").trim();
  const end = word === undefined ? null : EARS_OUTCOME.exec(rest);
  if (part === undefined || !end) return { outcome: text };
  const [condition, outcome] = [rest.slice(0, end.index).trim(), rest.slice(end.index + end[0].length).trim()];
  if (condition === "" || outcome === "") return { outcome: text };
  // The parts no longer show whether the author wrote "if" or "when".
  if (part === "when") return { when: condition, outcome, notes: text };
  // "While locked, when the door is opened" is a state and an event.
  const [state = "", occasion, more] = condition.split(/,\s*(?:when|if)\s+/i);
  const isTwo = occasion !== undefined && more === undefined && state.trim() !== "";
  const parts = isTwo ? { given: state.trim(), when: occasion.trim() } : { given: condition };
  return { ...parts, outcome, notes: text };
}

const GHERKIN_STEP = /^\s*(?:[-*+]\s+)?\*{0,2}(given|when|then|and|but)\*{0,2}\s*:?\s+(.*)$/i;

/** Parses lines that begin with Given, When, Then or And; undefined without a When or Then. */
export function parseCriterionSteps(text: string): ForeignCriterion | undefined {
  const said = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, word = "", rest = ""] = GHERKIN_STEP.exec(line) ?? [];
    const named = word.toLowerCase();
    if (named === "given" || named === "when" || named === "then") {
      lines = said.get(named) ?? [];
      said.set(named, lines);
    }
    if (named !== "") lines?.push(stripBoldMarks(rest));
    else if (line.trim() !== "")
      lines?.push(`${lines.pop() ?? ""} ${stripBoldMarks(line.replace(/^\s*[-*+]\s+/, ""))}`.trim());
  }
  if (!said.has("when") && !said.has("then")) return undefined;
  const [given, event, outcome] = ["given", "when", "then"].map((name) => said.get(name)?.join("; and "));
  return { ...(given ? { given } : {}), ...(event ? { when: event } : {}), ...(outcome ? { outcome } : {}) };
}

export const stripBoldMarks = (text: string): string => collapseWhitespace(text.replace(/\*\*|__/g, ""));

const FOREIGN_ADR_STATUSES: Readonly<Record<string, DecisionStatus>> = {
  proposed: "proposed",
  draft: "proposed",
  accepted: "accepted",
  approved: "accepted",
  deprecated: "deprecated",
  superseded: "superseded",
};
const FOREIGN_ADR_DATE = /\b(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d{2}:\d{2}:\d{2}Z)?)/;

/** Parses another tool's decision record. Without a decision or a known status it stays a document. */
export function parseForeignAdr(from: string, text: string): ForeignAdr | ForeignDocument {
  const root = parseMarkdownChapters(text);
  const start = text.search(/^## /m);
  const head = start < 0 ? text : text.slice(0, start);
  const [top] = root.parts;
  // `ADR-001: Keep it`, `ADR 1 - Keep it` and `1. Keep it` give `Keep it`.
  const heading = top?.title.replace(/^(?:ADR[-\s]?\d{1,5}|\d{1,5})\s*[:.–—-]\s*/i, "").trim();
  const title = (top?.level === 1 ? heading : "") || (findLabelledValue(head, "title") ?? "");
  const said =
    findLabelledValue(head, "status") ?? findFirstParagraph(findMarkdownChapter(root, /^Status\b/i)?.own ?? "");
  const status = FOREIGN_ADR_STATUSES[/[a-z]+/.exec(said.toLowerCase())?.[0] ?? ""];
  const document = (why: string): ForeignDocument => ({ kind: "document", from, text, why });
  if (title === "" || start < 0) return document("it has no title, or no section");
  if (!findMarkdownChapter(root, /^(?:Decision|Decision Outcome)\b/i))
    return document("it has no section with the decision");
  if (status === undefined)
    return document("it does not say whether it was proposed, accepted, deprecated or superseded");
  const day = FOREIGN_ADR_DATE.exec(findLabelledValue(head, "date") ?? "")?.[1];
  const date = day !== undefined && day.length === 10 ? `${day}T00:00:00Z` : day;
  return { kind: "adr", from, title, status, ...(date === undefined ? {} : { date }), text: text.slice(start) };
}

/** A labelled line: `**Status**: accepted`, `- Status: accepted`, or a line of the front matter. */
function findLabelledValue(head: string, name: string): string | undefined {
  const line = new RegExp(String.raw`^(?:[-*]\s+)?\*{0,2}${name}(?::\*\*|\*{0,2}\s*:)\s*(.+)$`, "im");
  return line
    .exec(head)?.[1]
    ?.trim()
    .replace(/^["']|["']$/g, "");
}

/** `user-login` becomes `User login`. */
export function formatNameAsTitle(name: string): string {
  const words = collapseWhitespace(name.replace(/[-_]+/g, " "));
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

export function parseForeignJson(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function readForeignField(fields: ReturnType<typeof parseForeignJson>, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
