import { COMMAND_GROUPS, type ToolJsonSchema } from "../catalogue.ts";
import { toFlagName, isRepeatableFlag } from "./command-arguments.ts";
import { CLI_COMMANDS, type CliCommand, listGroupCommands } from "./command-table.ts";

export const UTILITY_COMMAND_SUMMARIES: Readonly<Record<string, string>> = {
  mcp: "Serve MCP over standard input and output",
  ui: "Show the work in a browser, and answer what waits for you",
  queue: "The queue of work, with the names that scripts use: list, add, remove, prioritize",
  demo: "Play a scripted day with Tenon in a temporary repository; needs no model",
  completion: "Print the completion script for bash, zsh or fish",
  "merge-driver": "Merge a file for git; set up by tenon init --merge-drivers",
  hook: "Answer a hook of an agent's client",
  version: "Print the version",
};

/** Commands by the job they do. Commands that are in no list are plumbing. */
const COMMAND_JOBS: Readonly<Record<string, string>> = {
  Start: "init setup trust adopt import export demo",
  Plan: "explore project change feature bugfix research roadmap design steering",
  Build: "quick status run worker next report impl workflow work approve",
  Check: "gate evidence mutation-check verify review spec validate drift ci doctor",
  Understand: "ui documents query trace impact context stack index feed stats",
  Team: "team memory adr decide handover knowledge lock release release-notes",
};

/** A line holds this many characters of verbs; the help of the group lists them all. */
const MAX_VERBS_LENGTH = 60;

export function formatFullHelp(intro: string, isAll = false): string {
  const words = new Set([...CLI_COMMANDS.map(({ path }) => path), ...Object.keys(UTILITY_COMMAND_SUMMARIES)]);
  const names = [...new Set([...words].map((path) => path.split(" ")[0] ?? ""))];
  const jobs = Object.entries(COMMAND_JOBS).map(([job, list]) => [job, list.split(" ")] as const);
  const plumbing = names.filter((name) => !jobs.some(([, list]) => list.includes(name)));
  const width = Math.max(...names.map((name) => name.length));
  const blocks = [...jobs, ...(isAll ? [["Plumbing", plumbing] as const] : [])].map(([job, list]) => {
    const rows = list.map((name) => `  ${name.padEnd(width)}  ${summarizeTopCommand(name)}`);
    return `${job}:\n${rows.join("\n")}`;
  });
  const closing = isAll
    ? "Every command on a workspace takes --json, --workspace <folder> and --help."
    : "tenon <command> --help shows flags and examples.\ntenon --help --all also lists commands for scripts and clients.";
  return `${[intro.trimEnd(), ...blocks, closing].join("\n\n")}\n`;
}

/** A name that is a command and a group has one line, that of the command. */
function summarizeTopCommand(name: string): string {
  const own = CLI_COMMANDS.find(({ path }) => path === name)?.summary ?? UTILITY_COMMAND_SUMMARIES[name];
  // The help of the command has the rest.
  if (own !== undefined) return own.replace(/;.*$/, "");
  const verbs = listGroupCommands(name).map(({ path }) => path.slice(name.length + 1));
  const fitting = verbs.filter((_, i) => verbs.slice(0, i + 1).join(", ").length <= MAX_VERBS_LENGTH);
  const more = fitting.length < verbs.length ? ["…"] : [];
  return `${COMMAND_GROUPS[name] ?? ""}: ${[...fitting, ...more].join(", ")}`;
}

export function formatGroupHelp(group: string): string {
  const rows = listGroupCommands(group).map((command) => [command.path, command.summary] as const);
  return `tenon ${group} <command>\n\nCommands:\n${formatHelpColumns(rows)}\n`;
}

export function formatCommandHelp(command: CliCommand, schema: ToolJsonSchema | undefined): string {
  const { fileFor, runsChecks, ownFlags = {}, positionals = [] } = command;
  const fields = Object.entries(schema?.properties ?? {}).filter(([name]) => name !== "workspace");
  const required = new Set(schema?.required);
  const rows = [
    ...fields.map(([name, field]) => [
      formatFlagUsage(name, field),
      describeFlagField(name, field, required.has(name)),
    ]),
    ...Object.entries(ownFlags).map(([name, { type, value = "path", description }]) => [
      type === "boolean" ? `--${name}` : `--${name} <${value}>`,
      description,
    ]),
    ...(fileFor ? [["--file <path>", `Read ${fileFor} from a file; - is standard input`]] : []),
    ...(fields.length > 0 ? [["--input <path>", "Read flags from a JSON object in a file; - is standard input"]] : []),
    ...(runsChecks
      ? [["--trust <hash>", "Trust the commands with this hash for this call; tenon trust shows it"]]
      : []),
    ["--workspace <folder>", "The workspace; default: the nearest folder above with sdd/ or .git"],
    ["--json", "Print the result as JSON"],
  ];
  const words = positionals.map((name) => (required.has(name) ? `<${name}>` : `[${name}]`));
  return [
    command.summary,
    `\nUsage:\n  ${["tenon", command.path, ...words, "[flags]"].join(" ")}`,
    `\nFlags:\n${formatHelpColumns(rows)}`,
    `\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`,
    "",
  ].join("\n");
}

const MAX_CHOICE_WIDTH = 100;

function formatFlagUsage(name: string, field: ToolJsonSchema): string {
  const flag = `--${toFlagName(name)}`;
  if (field.type === "boolean") return flag;
  if (field.type === "integer") return `${flag} <n>`;
  const choices = field.enum?.reduce((text, value) => {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    return `${text}|${line.length + value.length > MAX_CHOICE_WIDTH ? "\n      " : ""}${value}`;
  });
  return `${flag} <${choices ?? (isObjectListFlag(field) ? "json" : "text")}>`;
}

const isObjectListFlag = (field: ToolJsonSchema): boolean => field.type === "array" && !isRepeatableFlag(field);

/** Arguments with the same meaning everywhere. Tools do not describe them, because each word costs tokens in every session. */
export const COMMON_ARGUMENTS: Readonly<Record<string, string>> = {
  max_tokens: "Limit of the answer in tokens",
  namespace: "A separate part of the project's memory",
  reason: "Why",
  session: "The agent session to act for",
  session_id: "Default manual-save",
};

function describeFlagField(name: string, field: ToolJsonSchema, isRequired: boolean): string {
  const parts = [field.description ?? COMMON_ARGUMENTS[name] ?? ""];
  if (isRepeatableFlag(field)) parts.push("(several: commas, or repeat it)");
  if (isObjectListFlag(field)) {
    // The fields of a list of objects: `[{name, dependencies?}]`.
    const { properties = {}, required = [] } = field.items ?? {};
    const names = Object.keys(properties).map((inner) => `${inner}${required.includes(inner) ? "" : "?"}`);
    parts.push(`[{${names.join(", ")}}]`);
  }
  if (isRequired) parts.push("(required)");
  return parts.filter((part) => part !== "").join(" ");
}

function formatHelpColumns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([left = ""]) => left.length).filter((length) => length <= 36));
  const lines = rows.map(([left = "", right = ""]) =>
    left.length > width ? `  ${left}\n  ${" ".repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  );
  return lines.map((line) => line.trimEnd()).join("\n");
}
