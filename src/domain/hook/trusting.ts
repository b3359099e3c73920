import type { Refusal } from "./own-files.ts";

/** Fields in which clients put what is to be run. */
const FIELDS = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
const TENON = /(?:^|[/\\])tenon(?:@[\w.^~-]+)?(?:\.(?:[cm]?js|cmd|exe|ps1))?$/i;
/** What records, takes back or adds to what is trusted; `--input` may hold any of them. */
const DECIDES = /^--(?:confirm|revoke|pass|input)(?:=|$)/;
const VOUCHES = /^--trust(?:=|$)/;
/** What answers a question as if somebody sat there. */
const TERMINAL = /^(?:script|expect|unbuffer|socat|tmux|screen|faketty|empty)$/;

/**
 * Why an agent may not run a command: it would decide for its user what a repository may run. What a command says is
 * seen, and not what a program does that it starts.
 */
export function refuseTrusting(input: Readonly<Record<string, unknown>>, dataFolder: string): Refusal | undefined {
  const text = FIELDS.flatMap((field) => textsIn(input[field])).join("\n");
  if (!/trust/i.test(text.replace(/["'\\]/g, ""))) return undefined;
  if (isTrustFile(text, dataFolder)) return TRUST_FILE;
  return commandsIn(text).some((words) => isTrusting(words, text)) ? DECISION : undefined;
}

/** An edit of what the user trusts, wherever the user's data is kept. */
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

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // An argument may be a whole line for a shell.
  return Array.isArray(value) ? [value.filter((each) => typeof each === "string").join(" ")] : [];
}

/** Each simple command of a line as words. What quotes hold is read as well: it may be a line for another shell. */
function commandsIn(text: string): string[][] {
  const bare = text.replace(/\\\r?\n/g, " ").replace(/["'\\]/g, "");
  return bare.split(/[;&|\n(){}`]+/).map((each) => each.trim().split(/\s+/));
}

function isTrusting(words: readonly string[], text: string): boolean {
  const at = words.findIndex((word) => TENON.test(word));
  // A variable may stand for the program.
  const said = at >= 0 ? words.slice(at + 1) : /tenon/i.test(text) ? words : [];
  if (said.some((word) => VOUCHES.test(word))) return true;
  if (!said.includes("trust")) return false;
  const isFilledIn = at >= 0 && said.some((word) => word.includes("$"));
  return isFilledIn || said.some((word) => DECIDES.test(word)) || words.some((word) => TERMINAL.test(word));
}

function isTrustFile(text: string, dataFolder: string): boolean {
  const plain = text.replace(/["'\\]/g, "");
  return /\btenon\/+trust\//i.test(plain) || (dataFolder !== "" && plain.includes(`${dataFolder}/trust`));
}
