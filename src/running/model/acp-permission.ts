import { isPlainObject } from "#kernel/model/plain-object.ts";

/** A call of a tool as the guard of Tenon's hooks reads it. */
export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Kinds of the protocol that change nothing. A new kind counts as a change. */
const READING_KINDS: ReadonlySet<unknown> = new Set(["read", "search", "think", "fetch"]);

/** What an agent asks to do: its command, and each file that it names, whatever its own tool is called. */
export function listPermissionCalls(call: Readonly<Record<string, unknown>>): ToolUse[] {
  const { kind, title, rawInput } = call;
  const input = isPlainObject(rawInput) ? rawInput : {};
  const tool = typeof title === "string" ? title : "";
  const own = kind === "execute" && !SHELL_FIELDS.some((field) => field in input) ? { command: tool } : input;
  const calls = [{ tool, input: own }];
  const diffs = readList(call["content"]).filter(({ type }) => type === "diff");
  const named = READING_KINDS.has(kind) || kind === "execute" ? [] : readList(call["locations"]);
  const paths = new Set([...diffs, ...named].map(({ path }) => path).filter((path) => typeof path === "string"));
  return [...calls, ...[...paths].map((file_path) => ({ tool: "Edit", input: { file_path } }))];
}

const SHELL_FIELDS = ["command", "cmd", "commands", "command_line", "script"];

const readList = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isPlainObject) : [];
