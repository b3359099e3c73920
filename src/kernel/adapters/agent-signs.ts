import fs from "node:fs";
import { basename } from "node:path";
import signs from "./agent-signs.json" with { type: "json" };

/** Undefined if a person typed the call. Only signs of a running agent count: people set `CODEX_HOME` too. */
export function findAgentSign({
  isTerminal,
  environment,
  ancestors,
}: {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Words of the command lines of the processes that started this one. */
  readonly ancestors: readonly (readonly string[])[];
}): string | undefined {
  if (!isTerminal) return "standard input or output is not a terminal";
  const variable = findAgentVariable(environment);
  if (variable !== undefined) return `an agent set ${variable} in this terminal`;
  const program = ancestors.map(findAgentProgram).find((name) => name !== undefined);
  return program === undefined ? undefined : `${program} started this terminal`;
}

export const findAgentVariable = (environment: Readonly<Record<string, string | undefined>>): string | undefined =>
  signs.variables.find((name) => environment[name]);

const INTERPRETERS = /^(?:node|bun|deno|python3?(?:\.\d+)?|sh|bash|zsh|npx|npm|uvx?|env)$/;

/** The program itself, or the script that an interpreter runs. */
function findAgentProgram([program = "", ...words]: readonly string[]): string | undefined {
  const name = nameProgram(program);
  if (signs.programs.includes(name)) return name;
  if (!INTERPRETERS.test(name)) return undefined;
  const script = words.find((word) => !word.startsWith("-"));
  const inPackage = /node_modules\/(?:@[\w-]+\/)?([\w-]+)\//.exec(script ?? "")?.[1];
  return [nameProgram(script ?? ""), inPackage ?? ""].find((each) => signs.programs.includes(each));
}

const nameProgram = (path: string): string => basename(path).replace(/\.(?:exe|cmd|[cm]?js|py)$/i, "");

const MAX_ANCESTORS = 64;

/** Empty where the system does not show other processes as files. */
export function readAncestorCommands(first: number): string[][] {
  const found: string[][] = [];
  let pid = first;
  while (pid > 1 && found.length < MAX_ANCESTORS) {
    try {
      found.push(fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
      pid = Number(/^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    } catch {
      break;
    }
  }
  return found;
}
