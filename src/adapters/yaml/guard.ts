import { CORE_SCHEMA, loadAll } from "js-yaml";
import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";

const MOST_YAML_CHARACTERS = 262_144;
const MOST_YAML_LINES = 10_000;
const MOST_YAML_VALUES = 10_000;

export interface YamlProblem {
  readonly problem: string;
  readonly line: number;
}

/**
 * Why a text is rejected, or undefined. js-yaml is fast on any input and has a depth limit. The parser with positions
 * is slow on hostile input, so it only gets texts that passed here.
 */
export function findYamlProblem(text: string): YamlProblem | undefined {
  if (text.length > MOST_YAML_CHARACTERS) {
    return { problem: `It has ${text.length} characters, and at most ${MOST_YAML_CHARACTERS} are read.`, line: 1 };
  }
  const alone = /\r(?!\n)/.exec(text);
  if (alone)
    return { problem: "A line ends in a carriage return alone.", line: countLinesUpToOffset(text, alone.index) };
  const lines = text.split("\n").length;
  if (lines > MOST_YAML_LINES)
    return { problem: `It has ${lines} lines, and at most ${MOST_YAML_LINES} are read.`, line: MOST_YAML_LINES };
  return findParseProblem(text);
}

function findParseProblem(text: string): YamlProblem | undefined {
  let documents: unknown[];
  try {
    documents = loadAll(text, { schema: CORE_SCHEMA, maxAliases: 0 });
  } catch (error) {
    const { problem, line } = describeYamlError(error);
    // Errors at the end of the file are reported on the last line.
    return { problem, line: Math.min(line, text.trimEnd().split("\n").length) };
  }
  if (documents.length > 1) return { problem: "It holds more than one document.", line: findSecondDocument(text) };
  const values = countYamlValues(documents[0]);
  if (values <= MOST_YAML_VALUES) return undefined;
  return { problem: `It has ${formatCount(values, "value")}, and at most ${MOST_YAML_VALUES} are read.`, line: 1 };
}

const CLEARER_YAML_MESSAGES: readonly (readonly [said: RegExp, problem: string])[] = [
  [/maxAliases/, "Aliases are not read: say it again instead."],
  [/maxDepth/, "It is nested too deeply."],
  [/duplicated mapping key/, "A key is there twice."],
  [/complex keys/, "A key must be a word."],
];

function describeYamlError(error: unknown): YamlProblem {
  const { reason, message, mark } = error as { reason?: string; message?: string; mark?: { line?: number } };
  const why = sanitizeText((reason ?? message ?? String(error)).split("\n")[0] ?? "", 200);
  const [, problem = `It is not YAML: ${why}.`] = CLEARER_YAML_MESSAGES.find(([said]) => said.test(why)) ?? [];
  return { problem, line: (mark?.line ?? 0) + 1 };
}

const countLinesUpToOffset = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function findSecondDocument(text: string): number {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "" && !/^(?:#|---)/.test(line));
  const second = lines.findIndex((line, i) => i > first && line.startsWith("---"));
  return second + 1 || 1;
}

function countYamlValues(value: unknown): number {
  const waiting = [value];
  let total = 0;
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    total++;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return total;
}
