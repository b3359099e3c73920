import fs from "node:fs";
import type { ToolJsonSchema } from "#doors/catalogue.ts";
import { parseCommandArguments } from "#doors/cli/command-arguments.ts";
import { matchCommand } from "#doors/cli/command-table.ts";
import { Fault } from "#kernel/model/fault.ts";

/** Commands that are no operations. */
export const UTILITIES = ["help", "mcp", "ui", "hook", "demo", "completion", "version", "queue", "merge-driver"];

export function readInputSchema(operation: string): ToolJsonSchema {
  const surface = JSON.parse(fs.readFileSync(`assets/surface/${operation}.json`, "utf8")) as {
    inputSchema?: ToolJsonSchema;
  };
  return surface.inputSchema ?? {};
}

/** Splits a command line as a shell does. */
export const splitCommandLine = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, json, quoted, bare = ""]) =>
    (json ?? quoted ?? bare).replaceAll(/\\(.)/g, "$1"),
  );

/** Parses a command line as the program does. Returns its problem. */
export function findCommandProblem(line: string): string | undefined {
  const words = splitCommandLine(line);
  if (words.includes("--help") || UTILITIES.includes(words[1] ?? "")) return undefined;
  const found = matchCommand(words.slice(1));
  if (!found) return "Unknown command";
  const schema = readInputSchema(found.command.operation);
  try {
    const { input, file, inputFile } = parseCommandArguments(found.command, found.rest, schema);
    const { fileFor } = found.command;
    const given = new Set([...Object.keys(input), ...(file === undefined || !fileFor ? [] : [fileFor])]);
    const missing = inputFile === undefined ? (schema.required ?? []).filter((name) => !given.has(name)) : [];
    return missing.length > 0 ? `Missing ${missing.join(", ")}` : undefined;
  } catch (error) {
    if (error instanceof Fault) return error.why;
    throw error;
  }
}
