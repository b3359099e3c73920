import type { ToolJsonSchema } from "../catalogue.ts";
import { toFlagName, isRepeatableFlag } from "./command-arguments.ts";
import { type CliOnlyFlag, COMMAND_GROUPS } from "../door-table.ts";
import type { CliCommand } from "./command-types.ts";
import { CLI_COMMANDS, listGroupCommands } from "./command-table.ts";

export const UTILITY_COMMAND_SUMMARIES: readonly { readonly path: string; readonly summary: string }[] = [
  { path: "mcp", summary: "Serve MCP over standard input and output" },
  { path: "queue <command>", summary: "What is under way, by the words scripts know: list, add, remove, prioritize" },
  { path: "demo", summary: "See what Tenon promises, kept in a temporary repository in a minute; needs no model" },
  { path: "completion <shell>", summary: "Print the completion script for bash, zsh or fish" },
  { path: "merge-driver", summary: "Merge a file for git; set up by tenon init --merge-drivers" },
  { path: "hook <event>", summary: "Answer a hook of an agent's client; see tenon hook --help" },
  { path: "version", summary: "Print the version" },
];

export function formatFullHelp(intro: string): string {
  const single = [...CLI_COMMANDS, ...UTILITY_COMMAND_SUMMARIES].filter(({ path }) => !isGroupedCommand(path));
  const rows = [
    ...single.map((command) => [command.path, command.summary] as const),
    ...Object.entries(COMMAND_GROUPS).map(
      ([group, summary]) => [`${group} <command>`, `${summary}: ${formatGroupVerbs(group)}`] as const,
    ),
  ];
  return `${intro}\n\nCommands:\n${formatHelpColumns(rows)}\n\nEvery command on a workspace takes --json, --workspace <folder> and --help.\n`;
}

const isGroupedCommand = (path: string): boolean =>
  path.includes(" ") && Object.hasOwn(COMMAND_GROUPS, path.split(" ")[0] ?? "");

/** A line holds this many characters of verbs; the help of the group lists them all. */
const MAX_VERBS_LENGTH = 60;

function formatGroupVerbs(group: string): string {
  const verbs = listGroupCommands(group).map(({ path }) => path.slice(group.length + 1));
  const fitting = verbs.filter((_, i) => verbs.slice(0, i + 1).join(", ").length <= MAX_VERBS_LENGTH);
  return [...fitting, ...(fitting.length < verbs.length ? ["…"] : [])].join(", ");
}

export function formatGroupHelp(group: string): string {
  const rows = listGroupCommands(group).map((command) => [command.path, command.summary] as const);
  return `tenon ${group} <command>\n\nCommands:\n${formatHelpColumns(rows)}\n`;
}

export function formatCommandHelp(command: CliCommand, schema: ToolJsonSchema | undefined): string {
  const fields = Object.entries(schema?.properties ?? {}).filter(([name]) => name !== "workspace");
  const required = new Set(schema?.required);
  const rows: (readonly [string, string])[] = [
    ...fields.map(
      ([name, field]) => [formatFlagUsage(name, field), describeFlagField(field, required.has(name))] as const,
    ),
    ...Object.entries(command.ownFlags ?? {}).map(
      ([name, flag]) => [formatCliOnlyFlag(name, flag), flag.description] as const,
    ),
    ...(command.fileFor
      ? [["--file <path>", `Read ${command.fileFor} from a file; - is standard input`] as const]
      : []),
    ...(fields.length > 0
      ? [["--input <path>", "Read flags from a JSON object in a file; - is standard input"] as const]
      : []),
    ...(command.runsChecks
      ? [["--trust <hash>", "Let what has this hash run, for this call; tenon trust shows it"] as const]
      : []),
    ["--workspace <folder>", "The workspace; default: the nearest folder above with sdd/ or .git"],
    ["--json", "Print the result as JSON"],
  ];
  const usage = [
    "tenon",
    command.path,
    ...(command.positionals ?? []).map((name) => formatPositional(name, required)),
    "[flags]",
  ];
  return [
    command.summary,
    `\nUsage:\n  ${usage.join(" ")}`,
    `\nFlags:\n${formatHelpColumns(rows)}`,
    `\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`,
    "",
  ].join("\n");
}

const formatCliOnlyFlag = (name: string, { type, value = "path" }: CliOnlyFlag): string =>
  type === "boolean" ? `--${name}` : `--${name} <${value}>`;

function formatFlagUsage(name: string, field: ToolJsonSchema): string {
  if (field.type === "boolean") return `--${toFlagName(name)}`;
  const value = field.enum
    ? formatFlagChoices(field.enum)
    : field.type === "integer"
      ? "n"
      : isObjectListFlag(field)
        ? "json"
        : "text";
  return `--${toFlagName(name)} <${value}>`;
}

const MAX_CHOICE_WIDTH = 100;

const formatFlagChoices = (values: readonly string[]): string =>
  values.reduce((text, value) => {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    return `${text}|${line.length + value.length > MAX_CHOICE_WIDTH ? "\n      " : ""}${value}`;
  });

const isObjectListFlag = (field: ToolJsonSchema): boolean => field.type === "array" && !isRepeatableFlag(field);

/** The fields of a list of objects: `[{name, dependencies?}]`. */
function formatObjectShape({ items }: ToolJsonSchema): string {
  const required = new Set(items?.required ?? []);
  const names = Object.keys(items?.properties ?? {}).map((name) => `${name}${required.has(name) ? "" : "?"}`);
  return `[{${names.join(", ")}}]`;
}

function describeFlagField(field: ToolJsonSchema, isRequired: boolean): string {
  const several = isRepeatableFlag(field)
    ? "(several: commas, or repeat it)"
    : isObjectListFlag(field)
      ? formatObjectShape(field)
      : "";
  return [field.description ?? "", several, isRequired ? "(required)" : ""].filter((part) => part !== "").join(" ");
}

const formatPositional = (name: string, required: ReadonlySet<string>): string =>
  required.has(name) ? `<${name}>` : `[${name}]`;

function formatHelpColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= 36));
  return rows
    .map(([left, right]) =>
      left.length > width ? `  ${left}\n  ${" ".repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
    )
    .map((line) => line.trimEnd())
    .join("\n");
}
