import { CORE_SCHEMA, loadAll } from "js-yaml";
import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";

const CHARACTERS = 262_144;
const LINES = 10_000;
const VALUES = 10_000;

export interface Place {
  readonly problem: string;
  readonly line: number;
}

/**
 * Why a text is rejected, or undefined. js-yaml is fast on any input and has a depth limit. The parser with positions
 * is slow on hostile input, so it only gets texts that passed here.
 */
export function refuse(text: string): Place | undefined {
  if (text.length > CHARACTERS) {
    return { problem: `It has ${text.length} characters, and at most ${CHARACTERS} are read.`, line: 1 };
  }
  const alone = /\r(?!\n)/.exec(text);
  if (alone) return { problem: "A line ends in a carriage return alone.", line: lineOf(text, alone.index) };
  const lines = text.split("\n").length;
  if (lines > LINES) return { problem: `It has ${lines} lines, and at most ${LINES} are read.`, line: LINES };
  return unparsable(text);
}

function unparsable(text: string): Place | undefined {
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    const { problem, line } = describe(error);
    // Errors at the end of the file are reported on the last line.
    return { problem, line: Math.min(line, text.trimEnd().split("\n").length) };
  }
  if (documents.length > 1) return { problem: "It holds more than one document.", line: secondDocument(text) };
  const values = size(documents[0]);
  if (values <= VALUES) return undefined;
  return { problem: `It has ${formatCount(values, "value")}, and at most ${VALUES} are read.`, line: 1 };
}

const SAID: readonly (readonly [said: RegExp, problem: string])[] = [
  [/maxAliases/, "Aliases are not read: say it again instead."],
  [/maxDepth/, "It is nested too deeply."],
  [/duplicated mapping key/, "A key is there twice."],
  [/complex keys/, "A key must be a word."],
];

function describe(error: unknown): Place {
  const { reason, message, mark } = error as { reason?: string; message?: string; mark?: { line?: number } };
  const why = sanitizeText((reason ?? message ?? String(error)).split("\n")[0] ?? "", 200);
  const [, problem = `It is not YAML: ${why}.`] = SAID.find(([said]) => said.test(why)) ?? [];
  return { problem, line: (mark?.line ?? 0) + 1 };
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function secondDocument(text: string): number {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !/^(?:#|---)/.test(line));
  const second = lines.findIndex((line, i) => i > first && line.startsWith("---"));
  return second + 1 || 1;
}

function size(value: unknown): number {
  const waiting = [value];
  let total = 0;
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    total++;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return total;
}
