import type { HookRefusal } from "./edit-refusal.ts";
import refusals from "./hook-refusals.json" with { type: "json" };

const TENON_PROGRAM_PATTERN = /(?:^|[/\\])tenon(?:@[\w.^~-]+)?(?:\.(?:[cm]?js|cmd|exe|ps1))?$/i;
/** Flags that change the trusted commands. `--input` may contain any of them. */
const TRUST_DECISION_FLAGS = /^--(?:confirm|revoke|pass|input)(?:=|$)/;
/** Programs that can answer a prompt in place of the user. */
const TERMINAL_EMULATOR_PATTERN = /^(?:script|expect|unbuffer|socat|tmux|screen|faketty|empty)$/;

export const TRUST_FILE_REFUSAL: HookRefusal = refusals.trustFile;

/**
 * Refuses commands that decide for the user what the repository may run. Sees only the command itself, not what started
 * programs do.
 */
export function refuseTrustCommand(
  input: Readonly<Record<string, unknown>>,
  dataFolder: string,
): HookRefusal | undefined {
  const text = joinCommandText(input);
  if (text === "") return undefined;
  const plain = text.replace(/["'\\]/g, "");
  if (!/trust/i.test(plain)) return undefined;
  const isFileNamed = dataFolder !== "" && plain.includes(`${dataFolder}/trust`);
  if (isFileNamed || /\btenon\/+trust\//i.test(plain)) return TRUST_FILE_REFUSAL;
  return splitSimpleCommands(text).some((words) => isTrustCommand(words, text)) ? refusals.trustDecision : undefined;
}

/** Refuses commands reserved for the user. They have no MCP tool for that reason. */
export function refuseUserOnlyCommand(input: Readonly<Record<string, unknown>>): HookRefusal | undefined {
  const text = joinCommandText(input);
  if (text === "") return undefined;
  const commands = splitSimpleCommands(text).filter((words) => !words.includes("--help"));
  const isSaid = (path: string): boolean =>
    commands.some((words) => ` ${extractTenonArguments(words, text).join(" ")} `.includes(` ${path} `));
  const found = refusals.userOnlyCommands.find(({ path }) => isSaid(path));
  const personal = commands.map(findPersonalCommand).find((refusal) => refusal !== undefined);
  return found ? { what: found.what, why: found.why, instead: found.instead } : personal;
}

/** Programs and options that may come before a command. Text that only mentions `tenon approve` has other words. */
const COMMAND_PREFIX =
  /^(?:npx|node|bun|deno|env|exec|command|sudo|time|timeout|nohup|setsid|nice|stdbuf|eval|script|expect|unbuffer|socat|faketty|bash|sh|zsh|-\S*|\d+[smh]?|\w+=\S*)$/;

/** `tenon approve AUTH-001`, but not `tenon approve --list`. */
function findPersonalCommand(words: readonly string[]): HookRefusal | undefined {
  const at = words.findIndex((word) => TENON_PROGRAM_PATTERN.test(word));
  const isCommand = at >= 0 && words.slice(0, at).every((word) => COMMAND_PREFIX.test(word));
  const said = isCommand ? words.slice(at + 1) : [];
  // The value of `--workspace` may come before the command.
  const names = said.filter((word) => !word.startsWith("-"));
  const name = names.slice(0, 2).find((word) => word === "approve" || word === "hook");
  if (name === undefined || (name === "approve" && (said.includes("--list") || names.at(-1) === name)))
    return undefined;
  return refusals.personalCommands[name];
}

function joinCommandText(input: Readonly<Record<string, unknown>>): string {
  const fields = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
  const texts = fields.flatMap((field) => {
    const value = input[field];
    if (typeof value === "string") return [value];
    // An argument may contain a whole shell command.
    return Array.isArray(value) ? [value.filter((each) => typeof each === "string").join(" ")] : [];
  });
  return texts.join("\n");
}

/** Also splits quoted text, because it may be a command for a nested shell. */
function splitSimpleCommands(text: string): string[][] {
  const bare = text.replace(/\\\r?\n/g, " ").replace(/["'\\]/g, "");
  return bare.split(/[;&|\n(){}`]+/).map((each) => each.trim().split(/\s+/));
}

/** The program name may come from a variable. */
function extractTenonArguments(words: readonly string[], text: string): readonly string[] {
  const at = words.findIndex((word) => TENON_PROGRAM_PATTERN.test(word));
  return at >= 0 ? words.slice(at + 1) : /tenon/i.test(text) ? words : [];
}

function isTrustCommand(words: readonly string[], text: string): boolean {
  const said = extractTenonArguments(words, text);
  if (said.some((word) => /^--trust(?:=|$)/.test(word))) return true;
  if (!said.includes("trust")) return false;
  const isFilledIn = words.some((word) => TENON_PROGRAM_PATTERN.test(word)) && said.some((word) => word.includes("$"));
  return (
    isFilledIn ||
    said.some((word) => TRUST_DECISION_FLAGS.test(word)) ||
    words.some((word) => TERMINAL_EMULATOR_PATTERN.test(word))
  );
}
