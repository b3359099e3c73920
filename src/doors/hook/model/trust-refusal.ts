import type { HookRefusal } from "./edit-refusal.ts";

const COMMAND_TEXT_FIELDS = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
const TENON_PROGRAM_PATTERN = /(?:^|[/\\])tenon(?:@[\w.^~-]+)?(?:\.(?:[cm]?js|cmd|exe|ps1))?$/i;
/** Flags that change the trusted commands. `--input` may contain any of them. */
const TRUST_DECISION_FLAGS = /^--(?:confirm|revoke|pass|input)(?:=|$)/;
const TRUST_FLAG_PATTERN = /^--trust(?:=|$)/;
/** Programs that can answer a prompt in place of the user. */
const TERMINAL_EMULATOR_PATTERN = /^(?:script|expect|unbuffer|socat|tmux|screen|faketty|empty)$/;

/**
 * Refuses commands that decide for the user what the repository may run. Sees only the command itself, not what started
 * programs do.
 */
export function refuseTrustCommand(
  input: Readonly<Record<string, unknown>>,
  dataFolder: string,
): HookRefusal | undefined {
  const text = joinCommandText(input);
  if (!/trust/i.test(text.replace(/["'\\]/g, ""))) return undefined;
  if (isTrustFileMentioned(text, dataFolder)) return TRUST_FILE_REFUSAL;
  return splitSimpleCommands(text).some((words) => isTrustCommand(words, text)) ? TRUST_DECISION_REFUSAL : undefined;
}

export function refuseUserOnlyCommand(input: Readonly<Record<string, unknown>>): HookRefusal | undefined {
  const text = joinCommandText(input);
  const commands = splitSimpleCommands(text).filter((words) => !words.includes("--help"));
  const isSaid = (path: string): boolean =>
    commands.some((words) => ` ${extractTenonArguments(words, text).join(" ")} `.includes(` ${path} `));
  return USER_ONLY_COMMANDS.find(({ path }) => isSaid(path))?.refusal;
}

export const getTrustFileRefusal = (): HookRefusal => TRUST_FILE_REFUSAL;

const USER_ONLY_REASON = "Only the user says what a repository may run: an agent that did could run whatever it wrote.";

const TRUST_DECISION_REFUSAL: HookRefusal = {
  what: "This was not run: it would trust what the repository runs.",
  why: USER_ONLY_REASON,
  instead: "Ask the user to type tenon trust. Without flags it only shows, and you may run that.",
};

const TRUST_FILE_REFUSAL: HookRefusal = {
  what: "What the user trusts is not touched.",
  why: USER_ONLY_REASON,
  instead: "Ask the user to type tenon trust, or tenon trust --revoke.",
};

/** Commands reserved for the user. They have no MCP tool for that reason. */
const USER_ONLY_COMMANDS: readonly { readonly path: string; readonly refusal: HookRefusal }[] = [
  {
    path: "review waive",
    refusal: {
      what: "This was not run: it would let a finding stand.",
      why: "Only the user waives: an agent that did could pass every review that it is held to.",
      instead: "Tell the user about the finding, and ask them to type it if they agree.",
    },
  },
  {
    path: "knowledge approve",
    refusal: {
      what: "This was not run: it would make a skill.",
      why: "Only the user approves one: later sessions follow it as an order.",
      instead: "Show the user the candidate with tenon knowledge skills, and ask them to type it if they agree.",
    },
  },
];

const joinCommandText = (input: Readonly<Record<string, unknown>>): string =>
  COMMAND_TEXT_FIELDS.flatMap((field) => readCommandTexts(input[field])).join("\n");

function readCommandTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // An argument may contain a whole shell command.
  return Array.isArray(value) ? [value.filter((each) => typeof each === "string").join(" ")] : [];
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
  if (said.some((word) => TRUST_FLAG_PATTERN.test(word))) return true;
  if (!said.includes("trust")) return false;
  const isFilledIn = words.some((word) => TENON_PROGRAM_PATTERN.test(word)) && said.some((word) => word.includes("$"));
  return (
    isFilledIn ||
    said.some((word) => TRUST_DECISION_FLAGS.test(word)) ||
    words.some((word) => TERMINAL_EMULATOR_PATTERN.test(word))
  );
}

function isTrustFileMentioned(text: string, dataFolder: string): boolean {
  const plain = text.replace(/["'\\]/g, "");
  return /\btenon\/+trust\//i.test(plain) || (dataFolder !== "" && plain.includes(`${dataFolder}/trust`));
}
