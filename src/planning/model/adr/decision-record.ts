import { Fault } from "#kernel/model/fault.ts";
import { quote } from "#kernel/model/text-format.ts";
import { createSlug } from "#kernel/model/slug.ts";

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
  readonly change_id?: string | undefined;
  readonly supersedes?: string | undefined;
  readonly created_at: string;
}

export const MAX_DECISION_NUMBER = 99_999;

const DECISION_FILE_PATTERN = /^(ADR-(\d{3,5}))(?:-[a-z0-9-]+)?\.md$/;

export function parseDecisionId(text: string): DecisionId {
  if (/^ADR-\d{3,5}$/.test(text)) return text as DecisionId;
  throw new Fault("adr.bad-id", {
    what: `${quote(text, 64)} does not name a decision.`,
    why: "A decision is named ADR-0001, or ADR-001 within a change.",
    fix: { operation: "adr.list" },
  });
}

export function formatDecisionId(n: number, isInChange: boolean): DecisionId {
  return `ADR-${String(n).padStart(isInChange ? 3 : 4, "0")}` as DecisionId;
}

export function formatDecisionFileName(id: DecisionId, title: string, isInChange: boolean): string {
  return isInChange ? `${id}.md` : `${id}-${createSlug(title, "decision")}.md`;
}

export function parseDecisionFileName(name: string): { id: DecisionId; number: number } | undefined {
  const match = DECISION_FILE_PATTERN.exec(name);
  return match ? { id: match[1] as DecisionId, number: Number(match[2]) } : undefined;
}

/** Never reuses a number, even if its file was deleted. */
export function getNextDecisionNumber(fileNames: readonly string[], lastGiven: number): number {
  return Math.max(lastGiven, 0, ...fileNames.map((name) => parseDecisionFileName(name)?.number ?? 0)) + 1;
}

export interface DecisionHead {
  readonly title: string;
  readonly status: DecisionStatus;
  readonly date?: string;
  readonly supersedes?: string;
  readonly superseded_by?: string;
}

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
    ["Alternatives rejected", adr.alternatives_rejected],
  ].flatMap(([name, text]) => (text ? [`## ${name}`, text.replace(/\r\n?/g, "\n").trim()] : []));
  return `${[`# ${adr.id}: ${joinToOneLine(adr.title)}`, facts.join("\n"), ...sections].join("\n\n")}\n`;
}

/** Throws if the head does not have the form that `renderDecision` writes, so a status change never guesses. */
export function readDecisionHead(id: DecisionId, text: string): DecisionHead {
  const title = new RegExp(`^# ${id}: (.+)$`, "m").exec(text)?.[1];
  const head = text.slice(0, findDecisionHeadEnd(text));
  const status = readDecisionField(head, "Status");
  if (title && DECISION_STATUSES.includes(status as DecisionStatus)) {
    const date = readDecisionField(head, "Date");
    const supersedes = readDecisionReference(head, "Supersedes");
    const supersededBy = readDecisionReference(head, "Superseded by");
    return {
      title,
      status: status as DecisionStatus,
      ...(date ? { date } : {}),
      ...(supersedes ? { supersedes } : {}),
      ...(supersededBy ? { superseded_by: supersededBy } : {}),
    };
  }
  throw new Fault("adr.unreadable", {
    what: `${id} cannot be read.`,
    why: title
      ? `Its line "- Status:" says ${quote(status ?? "nothing")}, not one of ${DECISION_STATUSES.join(", ")}.`
      : `Its first heading is not "# ${id}: <title>".`,
    fix: `Mend the head of the file, then run the command again.`,
  });
}

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

function readDecisionReference(text: string, name: string): string | undefined {
  const said = readDecisionField(text, name);
  return said !== undefined && /^(?:[a-z0-9-]{1,64}\/)?ADR-\d{3,5}$/.test(said) ? said : undefined;
}

function readDecisionField(text: string, name: string): string | undefined {
  return new RegExp(`^- ${name}: (.+?)\\r?$`, "m").exec(text)?.[1]?.trim();
}

const joinToOneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
