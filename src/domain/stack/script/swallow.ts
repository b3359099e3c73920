import { type Token, tokensOf } from "./shell-line.ts";

const SUCCEEDS = new Set(["true", ":", "echo", "printf", "/bin/true", "/usr/bin/true"]);
/** Commands that hide an earlier failure and rarely fail themselves. */
const INDIFFERENT = new Set("cat ls pwd date sleep touch mkdir rm cp mv tail head tee wc".split(" "));
/** Commands whose failure is an answer. */
const ASKS = new Set("[ [[ test grep egrep fgrep rg ag git command which type hash".split(" "));
const PREPARES = new Set(["cd", "export", "set", "unset", "source", ".", "ulimit", "umask", "shopt", "trap"]);
const SHELLS = /^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/;
const CLOSING = new Set(["then", "do", "else", "elif", "fi", "done", "esac", "}"]);
const FORGIVING = /^--(?:exit-zero|issues-exit-code=0|pass-?[wW]ith-?[nN]o-?[tT]ests)$/;
const DEEPEST = 5;
/** Characters. A longer line is a program that cannot be judged. */
const LONGEST = 4_000;

/** The part of a shell line that hides a failing command; nothing if every failure counts. */
export function swallowsFailure(line: string, depth = 0): string | undefined {
  if (line.length > LONGEST) return `more than ${LONGEST} characters`;
  const tokens = tokensOf(line);
  let stops = false;
  let pipesFail = false;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === "word") {
      const command = isCommandStart(tokens, i) ? commandAt(tokens, i) : [];
      if (command[0] === "set" && command.some((word) => /^-\w*e/.test(word) || word === "errexit")) stops = true;
      if (command[0] === "set" && command.includes("pipefail")) pipesFail = true;
      const told = swallowedBy(command, token, depth);
      if (told !== undefined) return told;
      continue;
    }
    const told = swallowedAt(tokens, i, { stops, pipesFail });
    if (told !== undefined) return told;
  }
  return undefined;
}

function swallowedBy(command: readonly string[], token: Token, depth: number): string | undefined {
  if (!token.isQuoted && FORGIVING.test(token.text)) return token.text;
  const [program = "", ...words] = command;
  if (program === "set" && (words.includes("+e") || words.join(" ").includes("+o errexit")))
    return `set ${words.join(" ")}`;
  if (program === "!" && words.length > 0 && !ASKS.has(words[0] ?? "")) return `! ${words.join(" ")}`;
  if (program === "trap" && words.some((word) => /\bexit 0\b|^(?:true|:)$/.test(word)))
    return `trap ${words.join(" ")}`;
  const inner = program === "eval" ? words.join(" ") : SHELLS.test(program) ? shellLine(words) : undefined;
  return inner === undefined || depth >= DEEPEST ? undefined : swallowsFailure(inner, depth + 1);
}

/** The line after `-c`. With `-ec` the shell stops at a failure. */
export function shellLine(words: readonly string[]): string | undefined {
  const flag = words.findIndex((word) => /^-\w*c$/.test(word));
  const line = flag < 0 ? undefined : words[flag + 1];
  const stops = words.slice(0, flag + 1).some((word) => /^-\w*e/.test(word));
  return line === undefined ? undefined : `${stops ? "set -e; " : ""}${line}`;
}

function swallowedAt(
  tokens: readonly Token[],
  i: number,
  { stops, pipesFail }: { stops: boolean; pipesFail: boolean },
): string | undefined {
  const mark = tokens[i]?.text ?? "";
  const after = commandAt(tokens, i + 1);
  if (mark === "||") {
    const hides = alwaysSucceeds(tokens, i + 1, ASKS.has(commandBefore(tokens, i)[0] ?? ""));
    return hides ? `|| ${lastOf(tokens, i + 1).join(" ")}` : undefined;
  }
  if ((mark === "|" || mark === "|&") && !pipesFail) return `${mark} ${after[0] ?? ""}`.trim();
  if (mark === "&" && !isRedirection(tokens, i)) return "&";
  if ((mark === ";" || mark === "\n") && after.length > 0 && !stops) {
    if (CLOSING.has(after[0] ?? "")) return undefined;
    const before = commandBefore(tokens, i);
    const isSetUp = before.length === 0 || PREPARES.has(before[0] ?? "") || before.every((word) => /^\w+=/.test(word));
    return isSetUp || SUCCEEDS.has(before[0] ?? "")
      ? undefined
      : `${mark === ";" ? ";" : "a new line and"} ${after.join(" ")}`;
  }
  return undefined;
}

/** `2>&1` is read as a word, an operator and a word. */
const isRedirection = (tokens: readonly Token[], i: number): boolean => /[<>]$/.test(tokens[i - 1]?.text ?? "");

function isCommandStart(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  return (
    before === undefined ||
    before.kind === "mark" ||
    /^(?:then|do|else|!|\{|if|while|until|exec|command|env)$/.test(before.text) ||
    /^\w+=/.test(before.text)
  );
}

/** The words of the command at an index, without an opening bracket. */
function commandAt(tokens: readonly Token[], from: number): string[] {
  const words: string[] = [];
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    if (token.kind === "mark") {
      if (words.length === 0 && (token.text === "(" || token.text === "\n")) continue;
      break;
    }
    if (words.length === 0 && !token.isQuoted && token.text === "{") continue;
    words.push(token.text);
  }
  return words;
}

function commandBefore(tokens: readonly Token[], to: number): string[] {
  let from = to;
  while (from > 0 && tokens[from - 1]?.kind === "word") from--;
  return commandAt(tokens, from);
}

/** The last command of the chain after `||`, whose exit code is that of the whole chain. */
function lastOf(tokens: readonly Token[], from: number): string[] {
  let depth = 0;
  let start = from;
  for (let i = from; i < tokens.length; i++) {
    const { kind, text } = tokens[i] ?? { kind: "mark", text: ";" };
    if (kind === "word" && text === "{") depth++;
    else if (kind === "word" && text === "}") depth--;
    else if (kind === "word") continue;
    else if (text === "(") depth++;
    else if (text === ")") depth--;
    else if (depth === 0 && text !== "&&") break;
    else if (commandAt(tokens, i + 1).some((word) => word !== "}")) start = i + 1;
    if (depth < 0) break;
  }
  return commandAt(tokens, start).filter((word) => word !== "}");
}

function alwaysSucceeds(tokens: readonly Token[], from: number, wasAsked: boolean): boolean {
  const [program = "", ...words] = lastOf(tokens, from);
  if (program === "exit" || program === "return") return words[0] === "0" || (words[0] === "/b" && words[1] === "0");
  return SUCCEEDS.has(program) || (!wasAsked && INDIFFERENT.has(program));
}
