import { escapeUnprintable } from "../quote.ts";
import { formatSafeListItem } from "../steering/section.ts";
import type { LoggedDecision } from "./decisions.ts";
import { readBodyLines, trimOuterBlankLines } from "./lines.ts";

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
