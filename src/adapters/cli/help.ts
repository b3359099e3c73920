import type { ToolJsonSchema } from "#operations/surface.ts";
import { flagOf, isPlainList } from "./argv.ts";
import type { Command, OwnFlag } from "./command.ts";
import { COMMANDS, groupOf, GROUPS } from "./commands.ts";

export const OTHER_COMMANDS: readonly { readonly path: string; readonly summary: string }[] = [
  { path: "mcp", summary: "Serve MCP over standard input and output" },
  { path: "queue <command>", summary: "What is under way, by the words scripts know: list, add, remove, prioritize" },
  { path: "demo", summary: "See what Tenon promises, kept in a temporary repository in a minute; needs no model" },
  { path: "completion <shell>", summary: "Print the completion script for bash, zsh or fish" },
  { path: "merge-driver", summary: "Merge a file for git; set up by tenon init --merge-drivers" },
  { path: "hook <event>", summary: "Answer a hook of an agent's client; see tenon hook --help" },
  { path: "version", summary: "Print the version" },
];

export function helpForAll(intro: string): string {
  const single = [...COMMANDS, ...OTHER_COMMANDS].filter(({ path }) => !isInGroup(path));
  const rows = [
    ...single.map((command) => [command.path, command.summary] as const),
    ...Object.entries(GROUPS).map(
      ([group, summary]) => [`${group} <command>`, `${summary}: ${verbsOf(group)}`] as const,
    ),
  ];
  return `${intro}\n\nCommands:\n${columns(rows)}\n\nEvery command on a workspace takes --json, --workspace <folder> and --help.\n`;
}

const isInGroup = (path: string): boolean => path.includes(" ") && Object.hasOwn(GROUPS, path.split(" ")[0] ?? "");

/** A line holds this many characters of verbs; the help of the group lists them all. */
const LONGEST_VERBS = 60;

function verbsOf(group: string): string {
  const verbs = groupOf(group).map(({ path }) => path.slice(group.length + 1));
  const fitting = verbs.filter((_, i) => verbs.slice(0, i + 1).join(", ").length <= LONGEST_VERBS);
  return [...fitting, ...(fitting.length < verbs.length ? ["…"] : [])].join(", ");
}

export function helpForGroup(group: string): string {
  const rows = groupOf(group).map((command) => [command.path, command.summary] as const);
  return `tenon ${group} <command>\n\nCommands:\n${columns(rows)}\n`;
}

export function helpForCommand(command: Command, schema: ToolJsonSchema | undefined): string {
  const fields = Object.entries(schema?.properties ?? {}).filter(([name]) => name !== "workspace");
  const required = new Set(schema?.required);
  const rows: (readonly [string, string])[] = [
    ...fields.map(([name, field]) => [flagUsage(name, field), about(field, required.has(name))] as const),
    ...Object.entries(command.ownFlags ?? {}).map(([name, flag]) => [ownUsage(name, flag), flag.description] as const),
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
    ...(command.positionals ?? []).map((name) => usageWord(name, required)),
    "[flags]",
  ];
  return [
    command.summary,
    `\nUsage:\n  ${usage.join(" ")}`,
    `\nFlags:\n${columns(rows)}`,
    `\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`,
    "",
  ].join("\n");
}

const ownUsage = (name: string, { type, value = "path" }: OwnFlag): string =>
  type === "boolean" ? `--${name}` : `--${name} <${value}>`;

function flagUsage(name: string, field: ToolJsonSchema): string {
  if (field.type === "boolean") return `--${flagOf(name)}`;
  const value = field.enum ? choices(field.enum) : field.type === "integer" ? "n" : isShape(field) ? "json" : "text";
  return `--${flagOf(name)} <${value}>`;
}

const WIDEST_CHOICE = 100;

const choices = (values: readonly string[]): string =>
  values.reduce((text, value) => {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    return `${text}|${line.length + value.length > WIDEST_CHOICE ? "\n      " : ""}${value}`;
  });

const isShape = (field: ToolJsonSchema): boolean => field.type === "array" && !isPlainList(field);

/** The fields of a list of objects: `[{name, dependencies?}]`. */
function shapeOf({ items }: ToolJsonSchema): string {
  const required = new Set(items?.required ?? []);
  const names = Object.keys(items?.properties ?? {}).map((name) => `${name}${required.has(name) ? "" : "?"}`);
  return `[{${names.join(", ")}}]`;
}

function about(field: ToolJsonSchema, isRequired: boolean): string {
  const several = isPlainList(field) ? "(several: commas, or repeat it)" : isShape(field) ? shapeOf(field) : "";
  return [field.description ?? "", several, isRequired ? "(required)" : ""].filter((part) => part !== "").join(" ");
}

const usageWord = (name: string, required: ReadonlySet<string>): string =>
  required.has(name) ? `<${name}>` : `[${name}]`;

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= 36));
  return rows
    .map(([left, right]) =>
      left.length > width ? `  ${left}\n  ${" ".repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
    )
    .map((line) => line.trimEnd())
    .join("\n");
}
