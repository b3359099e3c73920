import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { createReadableSlug, READABLE_SLUG_WORD } from "#kernel/model/slug.ts";

export const DECISION_STATUSES = ["proposed", "accepted", "deprecated", "superseded"] as const;
export type DecisionStatus = (typeof DECISION_STATUSES)[number];

declare const decisionIdBrand: unique symbol;
/** `ADR-001` within a change, `ADR-0001` in the workspace. Only this file makes one. */
export type DecisionId = string & { readonly [decisionIdBrand]: "AdrId" };

export interface DecisionRecord {
  readonly id: DecisionId;
  readonly title: string;
  readonly status: DecisionStatus;
  readonly context: string;
  readonly decision: string;
  readonly rationale: string;
  readonly alternatives_rejected?: string | undefined;
  /** More sections, by heading. An empty one is left out. */
  readonly sections?: readonly (readonly [heading: string, text: string])[] | undefined;
  readonly change_id?: string | undefined;
  readonly supersedes?: string | undefined;
  readonly created_at: string;
}

export const MAX_DECISION_NUMBER = 99_999;

const DECISION_REFERENCE = /^(?:[^/\s]{1,64}\/)?ADR-\d{3,5}$/;

export function parseDecisionId(text: string): DecisionId {
  if (/^ADR-\d{3,5}$/.test(text)) return text as DecisionId;
  throw new Fault("adr.bad-id", {
    what: `${quote(text, 64)} does not name a decision.`,
    why: "A decision is named ADR-0001, or ADR-001 within a change.",
    fix: { operation: "adr.list" },
  });
}

export const formatDecisionId = (n: number, isInChange: boolean): DecisionId =>
  `ADR-${String(n).padStart(isInChange ? 3 : 4, "0")}` as DecisionId;

export const formatDecisionFileName = (id: DecisionId, title: string, isInChange: boolean): string =>
  isInChange ? `${id}.md` : `${id}-${createReadableSlug(title, "decision")}.md`;

const DECISION_FILE_NAME = new RegExp(`^(ADR-(\\d{3,5}))(?:-${READABLE_SLUG_WORD})*\\.md$`, "u");

export function parseDecisionFileName(name: string): { id: DecisionId; number: number } | undefined {
  const match = DECISION_FILE_NAME.exec(name.normalize("NFKC"));
  return match ? { id: match[1] as DecisionId, number: Number(match[2]) } : undefined;
}

/** Never reuses a number, even if its file was deleted. */
export const getNextDecisionNumber = (fileNames: readonly string[], lastGiven: number): number =>
  Math.max(lastGiven, 0, ...fileNames.map((name) => parseDecisionFileName(name)?.number ?? 0)) + 1;

export interface DecisionStatusChange {
  readonly status: DecisionStatus;
  readonly at: string;
  readonly reason?: string | undefined;
  readonly superseded_by?: string | undefined;
}

export function renderDecision(adr: DecisionRecord): string {
  const facts = [
    `- Status: ${adr.status}`,
    `- Date: ${adr.created_at}`,
    ...(adr.change_id ? [`- Change: ${adr.change_id}`] : []),
    ...(adr.supersedes ? [`- Supersedes: ${adr.supersedes}`] : []),
  ];
  const sections = [
    ["Context", adr.context],
    ["Decision", adr.decision],
    ["Rationale", adr.rationale],
    ...(adr.sections ?? []),
    ["Alternatives rejected", adr.alternatives_rejected],
  ].flatMap(([name, text]) => (text ? [`## ${name}`, text.replace(/\r\n?/g, "\n").trim()] : []));
  return `${[`# ${adr.id}: ${joinToOneLine(adr.title)}`, facts.join("\n"), ...sections].join("\n\n")}\n`;
}

/** Throws if the head does not have the form that `renderDecision` writes, so a status change never guesses. */
export function readDecisionHead(id: DecisionId, text: string) {
  const title = new RegExp(`^# ${id}: (.+)$`, "m").exec(text)?.[1];
  const head = text.slice(0, findDecisionHeadEnd(text));
  const read = (name: string): string | undefined => new RegExp(`^- ${name}: (.+?)\\r?$`, "m").exec(head)?.[1]?.trim();
  const said = read("Status");
  const status = DECISION_STATUSES.find((each) => each === said);
  if (!title || !status) {
    throw new Fault("adr.unreadable", {
      what: `${id} cannot be read.`,
      why: title
        ? `Its line "- Status:" has ${quote(said ?? "nothing")}, not one of ${DECISION_STATUSES.join(", ")}.`
        : `Its first heading is not "# ${id}: <title>".`,
      fix: `Fix the head of the file, then run the command again.`,
    });
  }
  const [date, supersedes, superseded_by] = [read("Date"), read("Supersedes"), read("Superseded by")];
  return {
    title,
    status,
    ...(date ? { date } : {}),
    ...(supersedes && DECISION_REFERENCE.test(supersedes) ? { supersedes } : {}),
    ...(superseded_by && DECISION_REFERENCE.test(superseded_by) ? { superseded_by } : {}),
  };
}

/** The sections that a context check compares with a change. */
export const readDecisionTexts = (text: string) => ({
  decision: extractSectionText(text, "Decision") ?? "",
  rejected: extractSectionText(text, "Alternatives rejected") ?? "",
});

/** Changes the status line and adds one line of history. Every other byte stays the same. */
export function updateDecisionStatus(id: DecisionId, text: string, change: DecisionStatusChange): string {
  readDecisionHead(id, text);
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const successor = change.superseded_by ? `${eol}- Superseded by: ${change.superseded_by}` : "";
  const end = findDecisionHeadEnd(text);
  const head = text
    .slice(0, end)
    .replace(/^- Superseded by: .*\r?\n/m, "")
    .replace(/^- Status: .*$/m, () => `- Status: ${change.status}${successor}`);
  const by = change.superseded_by ? ` by ${change.superseded_by}` : "";
  const entry = `- ${change.at}: ${change.status}${by}${change.reason ? `, ${joinToOneLine(change.reason)}` : ""}`;
  return appendStatusHistory(head + text.slice(end), entry, eol);
}

function findDecisionHeadEnd(text: string): number {
  const section = text.search(/^## /m);
  return section < 0 ? text.length : section;
}

/** Uses the last section of that name: an earlier one may be part of the decision's text. */
function appendStatusHistory(text: string, entry: string, eol: string): string {
  const heading = [...text.matchAll(/^## Status history[ \t]*$/gm)].at(-1);
  if (!heading) {
    const gap = /\n\r?\n$/.test(text) ? "" : text.endsWith("\n") ? eol : eol + eol;
    return `${text}${gap}## Status history${eol}${eol}${entry}${eol}`;
  }
  const bodyStart = heading.index + heading[0].length;
  const following = /^#{1,2} /m.exec(text.slice(bodyStart));
  const end = following ? bodyStart + following.index : text.length;
  const lastEntry = text.slice(0, end).trimEnd().length;
  const newline = text.indexOf("\n", lastEntry);
  const at = newline < 0 ? text.length : newline + 1;
  return `${text.slice(0, at)}${newline < 0 ? eol : ""}${entry}${eol}${text.slice(at)}`;
}

const joinToOneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
