import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText, quote, findClosestWord } from "#kernel/model/text-format.ts";
import type { ToolJsonSchema } from "../catalogue.ts";
import type { CliCommand } from "./command-types.ts";

export const COMMON_FLAGS: Readonly<Record<string, "boolean" | "string">> = {
  json: "boolean",
  help: "boolean",
  workspace: "string",
  input: "string",
};

/** An empty value here is a mistake, such as an unset variable. It must not mean the current folder. */
const NONEMPTY_PATH_FLAGS = new Set(["workspace", "file", "input", "junit"]);

const TRUST_HASH_FORMAT = /^[0-9a-f]{64}$/;

export const listExtraFlags = ({ fileFor, runsChecks }: CliCommand): string[] => [
  ...(fileFor ? ["file"] : []),
  ...(runsChecks ? ["trust"] : []),
];

export interface ParsedArguments {
  readonly input: Record<string, unknown>;
  readonly file?: string;
  readonly inputFile?: string;
  readonly own?: Readonly<Record<string, unknown>>;
  readonly common: {
    readonly json: boolean;
    readonly help: boolean;
    readonly workspace?: string;
    readonly trust?: string;
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
    ...Object.entries(COMMON_FLAGS).map(([name, type]): [string, ToolJsonSchema] => [name, { type }]),
    ...Object.entries(fields).map(([name, field]): [string, ToolJsonSchema] => [toFlagName(name), field]),
    ...Object.entries(command.ownFlags ?? {}).map(([name, { type }]): [string, ToolJsonSchema] => [name, { type }]),
    ...listExtraFlags(command).map((name): [string, ToolJsonSchema] => [name, { type: "string" }]),
  ]);
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
      if (/^-[a-zA-Z]/.test(word)) throw createBadFlagFault(command, `${quote(word, 40)} is not a flag.`, kinds.keys());
      loose.push(word);
      continue;
    }
    const name = match[1] ?? "";
    const kind = kinds.get(name);
    if (!kind) throw createBadFlagFault(command, describeUnknownFlag(name, [...kinds.keys()]), kinds.keys());
    if (given.has(name) && !isRepeatableFlag(kind))
      throw createBadFlagFault(command, `--${name} is given twice.`, kinds.keys());
    const takesValue = kind.type !== "boolean";
    const value = match[2] ?? (takesValue ? words[++i] : undefined);
    const isMissing = value === undefined || (NONEMPTY_PATH_FLAGS.has(name) && value.trim() === "");
    if (takesValue && isMissing) throw createBadFlagFault(command, `--${name} needs a value.`, kinds.keys());
    if (name === "trust" && command.runsChecks && !TRUST_HASH_FORMAT.test(value ?? ""))
      throw createBadFlagFault(command, "--trust needs the hash that tenon trust shows, 64 digits long.", kinds.keys());
    if (!takesValue && !/^(?:true|false)?$/.test(value ?? ""))
      throw createBadFlagFault(command, `--${name} takes no value but true or false.`, kinds.keys());
    const choices = command.ownFlags?.[name]?.choices;
    if (choices && !choices.includes(value ?? ""))
      throw createBadFlagFault(command, `--${name} takes ${choices.join(" or ")}.`, kinds.keys());
    const understood = takesValue ? convertFlagValue(kind, value ?? "") : value !== "false";
    const earlier = given.get(name);
    given.set(name, Array.isArray(earlier) && Array.isArray(understood) ? [...earlier, ...understood] : understood);
  }
  return assembleArguments(command, given, loose, fields);
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
    if (input[field] !== undefined || loose.length === 0) continue;
    // A list takes all remaining words.
    input[field] =
      fields[field]?.type === "array" ? loose.splice(0) : convertFlagValue(fields[field] ?? {}, loose.shift() ?? "");
  }
  if (loose.length > 0) throw createExtraWordFault(command, loose[0] ?? "");
  const file = given.get("file");
  if (file !== undefined && command.fileFor !== undefined && input[command.fileFor] !== undefined) {
    throw createBadFlagFault(
      command,
      `--${toFlagName(command.fileFor)} and --file both give its ${command.fileFor}.`,
      given.keys(),
    );
  }
  const workspace = given.get("workspace");
  const inputFile = given.get("input");
  const own = Object.keys(command.ownFlags ?? {}).filter((name) => given.has(name));
  const trust = command.runsChecks ? given.get("trust") : undefined;
  return {
    input,
    ...(own.length > 0 ? { own: Object.fromEntries(own.map((name) => [name, given.get(name)])) } : {}),
    ...(typeof inputFile === "string" ? { inputFile } : {}),
    ...(typeof file === "string" ? { file } : {}),
    common: {
      json: given.get("json") === true,
      help: given.get("help") === true,
      ...(typeof workspace === "string" ? { workspace } : {}),
      ...(typeof trust === "string" ? { trust } : {}),
    },
  };
}

export const isRepeatableFlag = (kind: ToolJsonSchema): boolean =>
  kind.type === "array" && kind.items?.type !== "object";

/** A list is given with commas, `--compact-ids 3,4,9`, or by repeating its flag; a list of objects is given as JSON. */
function convertFlagValue(kind: ToolJsonSchema, value: string): unknown {
  if (isRepeatableFlag(kind)) return value.split(",").map((each) => convertFlagValue(kind.items ?? {}, each.trim()));
  if (kind.type === "array") return parseJsonFlag(value) ?? value;
  const isNumber = (kind.type === "integer" || kind.type === "number") && /^-?\d+(?:\.\d+)?$/.test(value);
  return isNumber ? Number(value) : value;
}

function parseJsonFlag(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function describeUnknownFlag(name: string, known: readonly string[]): string {
  const near = findClosestWord(name, known);
  return `--${quote(name, 40).slice(1, -1)} is not a flag${near ? `; did you mean --${near}?` : "."}`;
}

function createBadFlagFault(command: CliCommand, why: string, known: Iterable<string>): Fault {
  const flags = [...known].filter((name) => name !== "help").map((name) => `--${name}`);
  return new Fault("usage.bad-flag", {
    what: `tenon ${command.path} was not run.`,
    why,
    fix: `tenon ${command.path} --help lists its flags: ${flags.join(", ")}`,
  });
}

function createExtraWordFault(command: CliCommand, word: string): Fault {
  const places = command.positionals ?? [];
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
