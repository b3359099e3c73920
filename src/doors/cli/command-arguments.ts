import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText, quote, quoteShellWord, findClosestWord } from "#kernel/model/text-format.ts";
import type { ToolJsonSchema } from "../catalogue.ts";
import { type CliCommand, listGroupCommands } from "./command-table.ts";

export const COMMON_FLAGS: Readonly<Record<string, ToolJsonSchema>> = {
  json: { type: "boolean" },
  help: { type: "boolean" },
  workspace: { type: "string" },
  input: { type: "string" },
};

/** An empty value here is a mistake, such as an unset variable. It must not mean the current folder. */
const NONEMPTY_PATH_FLAGS = new Set(["workspace", "file", "input", "junit"]);

/** Flags under an earlier name still work. Help does not list them. */
const FORMER_FLAGS: Readonly<Record<string, string>> = { "doctor --mend": "repair" };

export const listExtraFlags = ({ fileFor, runsChecks }: CliCommand): string[] => [
  ...(fileFor ? ["file"] : []),
  ...(runsChecks ? ["trust"] : []),
];

export interface ParsedArguments {
  readonly input: Record<string, unknown>;
  readonly file?: string | undefined;
  readonly inputFile?: string | undefined;
  readonly own?: Readonly<Record<string, unknown>>;
  readonly common: {
    readonly json: boolean;
    readonly help: boolean;
    readonly workspace?: string | undefined;
    readonly trust?: string | undefined;
  };
}

export const toFlagName = (field: string): string => field.replaceAll("_", "-");

/** Parses the words after a command. Flags map to input fields; other words fill the positionals. */
export function parseCommandArguments(
  command: CliCommand,
  words: readonly string[],
  schema: ToolJsonSchema | undefined,
): ParsedArguments {
  const fields = schema?.properties ?? {};
  const kinds = new Map<string, ToolJsonSchema>([
    ...Object.entries(COMMON_FLAGS),
    ...Object.entries(fields).map(([name, field]) => [toFlagName(name), field] as const),
    ...Object.entries(command.ownFlags ?? {}),
    ...listExtraFlags(command).map((name) => [name, { type: "string" }] as const),
  ]);
  const refuse = (why: string): Fault => createBadFlagFault(command, why);
  const given = new Map<string, unknown>();
  const loose: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "--") {
      loose.push(...words.slice(i + 1));
      break;
    }
    const match = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word === "-h" ? "--help" : word);
    if (!match) {
      if (/^-[a-zA-Z]/.test(word)) throw refuse(`Unknown flag ${quote(word, 40).slice(1, -1)}.`);
      loose.push(word);
      continue;
    }
    const name = FORMER_FLAGS[`${command.path} --${match[1]}`] ?? match[1] ?? "";
    const kind = kinds.get(name);
    if (!kind) {
      const near = findClosestWord(name, [...kinds.keys()]);
      throw refuse(`Unknown flag --${quote(name, 40).slice(1, -1)}.${near ? ` Did you mean --${near}?` : ""}`);
    }
    if (given.has(name) && !isRepeatableFlag(kind)) throw refuse(`--${name} is given twice.`);
    const takesValue = kind.type !== "boolean";
    const value = match[2] ?? (takesValue ? words[++i] : undefined);
    const isMissing = value === undefined || (NONEMPTY_PATH_FLAGS.has(name) && value.trim() === "");
    if (takesValue && isMissing) throw refuse(`--${name} needs a value.`);
    if (name === "trust" && command.runsChecks && !/^[0-9a-f]{64}$/.test(value ?? ""))
      throw refuse("--trust needs the hash that tenon trust shows, 64 digits long.");
    if (!takesValue && !/^(?:true|false)?$/.test(value ?? "")) throw refuse(`--${name} takes only true or false.`);
    const choices = command.ownFlags?.[name]?.choices;
    if (choices && !choices.includes(value ?? "")) throw refuse(`--${name} takes ${choices.join(" or ")}.`);
    const understood = takesValue ? convertFlagValue(kind, value ?? "") : value !== "false";
    const earlier = given.get(name);
    given.set(name, Array.isArray(earlier) && Array.isArray(understood) ? [...earlier, ...understood] : understood);
  }
  return assembleArguments(command, given, loose, fields);
}

/** Whether the words form a call that has every required argument. */
export function acceptsArguments(
  { command, rest }: { readonly command: CliCommand; readonly rest: readonly string[] },
  schema: ToolJsonSchema | undefined,
): boolean {
  try {
    const { input, inputFile, file } = parseCommandArguments(command, rest, schema);
    const isGiven = (field: string): boolean => field in input || (field === command.fileFor && file !== undefined);
    return inputFile !== undefined || (schema?.required ?? []).every(isGiven);
  } catch {
    return false;
  }
}

function assembleArguments(
  command: CliCommand,
  given: Map<string, unknown>,
  loose: string[],
  fields: Readonly<Record<string, ToolJsonSchema>>,
): ParsedArguments {
  const input: Record<string, unknown> = {};
  for (const field of Object.keys(fields))
    if (given.has(toFlagName(field)) && field !== "workspace") input[field] = given.get(toFlagName(field));
  for (const field of command.positionals ?? []) {
    const isFromFile = field === command.fileFor && given.has("file");
    if (input[field] !== undefined || isFromFile || loose.length === 0) continue;
    // A list takes all remaining words.
    input[field] =
      fields[field]?.type === "array" ? loose.splice(0) : convertFlagValue(fields[field] ?? {}, loose.shift() ?? "");
  }
  if (loose.length > 0) throw createExtraWordFault(command, loose);
  const { fileFor, runsChecks, ownFlags = {} } = command;
  if (given.has("file") && fileFor !== undefined && input[fileFor] !== undefined)
    throw createBadFlagFault(command, `Pass --${toFlagName(fileFor)} or --file, not both.`);
  const own = [...given].filter(([name]) => Object.hasOwn(ownFlags, name));
  const readText = (name: string): string | undefined => {
    const value = given.get(name);
    return typeof value === "string" ? value : undefined;
  };
  return {
    input,
    ...(own.length > 0 ? { own: Object.fromEntries(own) } : {}),
    inputFile: readText("input"),
    file: readText("file"),
    common: {
      json: given.get("json") === true,
      help: given.get("help") === true,
      workspace: readText("workspace"),
      trust: runsChecks ? readText("trust") : undefined,
    },
  };
}

export const isRepeatableFlag = (kind: ToolJsonSchema): boolean =>
  kind.type === "array" && kind.items?.type !== "object";

/** A list is given with commas, `--compact-ids 3,4,9`, or by repeating its flag; a list of objects is given as JSON. */
function convertFlagValue(kind: ToolJsonSchema, value: string): unknown {
  if (isRepeatableFlag(kind)) return value.split(",").map((each) => convertFlagValue(kind.items ?? {}, each.trim()));
  if (kind.type === "array") {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      return value;
    }
  }
  const isNumber = (kind.type === "integer" || kind.type === "number") && /^-?\d+(?:\.\d+)?$/.test(value);
  return isNumber ? Number(value) : value;
}

const createBadFlagFault = (command: CliCommand, why: string): Fault =>
  new Fault("usage.bad-flag", {
    what: `tenon ${command.path} was not run.`,
    why,
    fix: `tenon ${command.path} --help`,
  });

function createExtraWordFault(command: CliCommand, [word = "", ...rest]: readonly string[]): Fault {
  const places = command.positionals ?? [];
  const siblings = listGroupCommands(command.path).map(({ path }) => path);
  const near = findClosestWord(`${command.path} ${word}`, siblings);
  if (near !== undefined)
    return new Fault("usage.unknown-command", {
      what: `Unknown command ${quote(`${command.path} ${word}`, 60)}.`,
      why: `Did you mean "${near}"?`,
      fix: `tenon ${[near, ...rest.map(quoteShellWord)].join(" ")}`,
    });
  const why =
    places.length === 0
      ? `tenon ${command.path} takes flags only${command.fileFor ? `; a file is given with --file ${sanitizeText(word, 40)}` : ""}.`
      : `tenon ${command.path} takes ${places.join(" and ")} without a flag, once; put quotes around several words.`;
  return new Fault("usage.bad-flag", {
    what: `${quote(word, 60)} is one word too many.`,
    why,
    fix: `tenon ${command.path} --help`,
  });
}
