import { escapeUnprintable } from "../quote.ts";
import { asItem } from "../steering/section.ts";
import type { LoggedDecision } from "./decisions.ts";
import { rawLines, withoutEdges } from "./lines.ts";

/** Lines as written: from earlier sessions and from this one. */
export interface KeyDecisions {
  readonly continuing: readonly string[];
  readonly added: readonly string[];
}

const CONTINUING = "**Continuing from previous sessions:**";
const ADDED = "**Added this session:**";
const MOST_CONTINUING = 20;
const LONGEST = 200;

const isLabel = (line: string, label: string): boolean =>
  line.replace(/[*:\s]/g, "").toLowerCase() === label.replace(/[*:\s]/g, "").toLowerCase();

/** Lines before both labels count as continuing. */
export function keyDecisionsIn(body: string): KeyDecisions {
  const continuing: string[] = [];
  const added: string[] = [];
  let list = continuing;
  for (const line of rawLines(body)) {
    if (isLabel(line, CONTINUING)) list = continuing;
    else if (isLabel(line, ADDED)) list = added;
    else list.push(line);
  }
  return { continuing: withoutEdges(continuing), added: withoutEdges(added) };
}

export const keyDecisionsText = ({ continuing, added }: KeyDecisions): string =>
  [
    ...(continuing.length > 0 ? [[CONTINUING, ...continuing].join("\n")] : []),
    ...(added.length > 0 ? [[ADDED, ...added].join("\n")] : []),
  ].join("\n\n");

type Told = Pick<LoggedDecision, "number" | "summary" | "reason">;

export function withDecided({ continuing, added }: KeyDecisions, decided: readonly Told[]): KeyDecisions {
  const all = [...continuing, ...added];
  const fresh = decided.filter(({ number }) => !all.some((line) => refOf(line) === number));
  return { continuing, added: numbered([...added], fresh.map(lineOf)) };
}

export function carriedOver({ continuing, added }: KeyDecisions): KeyDecisions {
  if (added.length === 0) return { continuing, added };
  const all = numbered([...continuing], added);
  const told = all.filter((line) => refOf(line) !== undefined);
  const gone = new Set(told.slice(0, Math.max(0, told.length - MOST_CONTINUING)));
  return { continuing: all.filter((line) => !gone.has(line)), added: [] };
}

function numbered(lines: readonly string[], more: readonly string[]): string[] {
  let last = lines.reduce((most, line) => Math.max(most, Number(NUMBER.exec(line)?.[1] ?? 0)), 0);
  return [...lines, ...more.map((line) => line.replace(NUMBER, () => `${++last}. `))];
}

const NUMBER = /^(\d{1,6})[.)] +/;
const REF = /\(D(\d{1,9})\)$/;
const refOf = (line: string): number | undefined => {
  const number = REF.exec(line)?.[1];
  return number === undefined ? undefined : Number(number);
};

function lineOf({ number, summary, reason }: Told): string {
  const said = [summary, reason].map(oneLine).filter((text) => text !== "");
  return `1. ${said.join(": ")} (D${number})`;
}

/** Nothing in the line opens a block that hides later lines. */
export function oneLine(text: string): string {
  const line = asItem(text).slice(2);
  return escapeUnprintable(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
}
