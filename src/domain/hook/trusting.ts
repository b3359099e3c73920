import type { Refusal } from "./own-files.ts";

const FIELDS = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
const TENON = /(?:^|[/\\])tenon(?:@[\w.^~-]+)?(?:\.(?:[cm]?js|cmd|exe|ps1))?$/i;
/** Flags that change the trusted commands. `--input` may contain any of them. */
const DECIDES = /^--(?:confirm|revoke|pass|input)(?:=|$)/;
const VOUCHES = /^--trust(?:=|$)/;
/** Programs that can answer a prompt in place of the user. */
const TERMINAL = /^(?:script|expect|unbuffer|socat|tmux|screen|faketty|empty)$/;

/**
 * Refuses commands that decide for the user what the repository may run. Sees only the command itself, not what started
 * programs do.
 */
export function refuseTrusting(input: Readonly<Record<string, unknown>>, dataFolder: string): Refusal | undefined {
  const text = commandText(input);
  if (!/trust/i.test(text.replace(/["'\\]/g, ""))) return undefined;
  if (isTrustFile(text, dataFolder)) return TRUST_FILE;
  return commandsIn(text).some((words) => isTrusting(words, text)) ? DECISION : undefined;
}

export function refuseUsersWord(input: Readonly<Record<string, unknown>>): Refusal | undefined {
  const text = commandText(input);
  const commands = commandsIn(text).filter((words) => !words.includes("--help"));
  const isSaid = (path: string): boolean =>
    commands.some((words) => ` ${saidToTenon(words, text).join(" ")} `.includes(` ${path} `));
  return USERS_WORD.find(({ path }) => isSaid(path))?.refusal;
}

export const refuseTrustFile = (): Refusal => TRUST_FILE;

const ONLY_USER = "Only the user says what a repository may run: an agent that did could run whatever it wrote.";

const DECISION: Refusal = {
  what: "This was not run: it would trust what the repository runs.",
  why: ONLY_USER,
  instead: "Ask the user to type tenon trust. Without flags it only shows, and you may run that.",
};

const TRUST_FILE: Refusal = {
  what: "What the user trusts is not touched.",
  why: ONLY_USER,
  instead: "Ask the user to type tenon trust, or tenon trust --revoke.",
};

/** Commands reserved for the user. They have no MCP tool for that reason. */
const USERS_WORD: readonly { readonly path: string; readonly refusal: Refusal }[] = [
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

const commandText = (input: Readonly<Record<string, unknown>>): string =>
  FIELDS.flatMap((field) => textsIn(input[field])).join("\n");

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // An argument may contain a whole shell command.
  return Array.isArray(value) ? [value.filter((each) => typeof each === "string").join(" ")] : [];
}

/** Also splits quoted text, because it may be a command for a nested shell. */
function commandsIn(text: string): string[][] {
  const bare = text.replace(/\\\r?\n/g, " ").replace(/["'\\]/g, "");
  return bare.split(/[;&|\n(){}`]+/).map((each) => each.trim().split(/\s+/));
}

/** The program name may come from a variable. */
function saidToTenon(words: readonly string[], text: string): readonly string[] {
  const at = words.findIndex((word) => TENON.test(word));
  return at >= 0 ? words.slice(at + 1) : /tenon/i.test(text) ? words : [];
}

function isTrusting(words: readonly string[], text: string): boolean {
  const said = saidToTenon(words, text);
  if (said.some((word) => VOUCHES.test(word))) return true;
  if (!said.includes("trust")) return false;
  const isFilledIn = words.some((word) => TENON.test(word)) && said.some((word) => word.includes("$"));
  return isFilledIn || said.some((word) => DECIDES.test(word)) || words.some((word) => TERMINAL.test(word));
}

function isTrustFile(text: string, dataFolder: string): boolean {
  const plain = text.replace(/["'\\]/g, "");
  return /\btenon\/+trust\//i.test(plain) || (dataFolder !== "" && plain.includes(`${dataFolder}/trust`));
}
