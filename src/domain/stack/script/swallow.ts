import { type ShellToken, tokenizeShellLine } from "./shell-line.ts";

const SUCCEEDING_COMMANDS = new Set(["true", ":", "echo", "printf", "/bin/true", "/usr/bin/true"]);
/** Commands that hide an earlier failure and rarely fail themselves. */
const INDIFFERENT_COMMANDS = new Set("cat ls pwd date sleep touch mkdir rm cp mv tail head tee wc".split(" "));
/** Commands whose failure is an answer. */
const QUERY_COMMANDS = new Set("[ [[ test grep egrep fgrep rg ag git command which type hash".split(" "));
const PREPARING_COMMANDS = new Set(["cd", "export", "set", "unset", "source", ".", "ulimit", "umask", "shopt", "trap"]);
const SHELL_PROGRAMS = /^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/;
const SHELL_KEYWORDS = new Set(["then", "do", "else", "elif", "fi", "done", "esac", "}"]);
const FORGIVING_OPTION = /^--(?:exit-zero|issues-exit-code=0|pass-?[wW]ith-?[nN]o-?[tT]ests)$/;
const DEEPEST_SHELL_NESTING = 5;
/** Characters. A longer line is a program that cannot be judged. */
const LONGEST_JUDGED_LINE = 4_000;

/** The part of a shell line that hides a failing command; nothing if every failure counts. */
export function findHiddenFailure(line: string, depth = 0): string | undefined {
  if (line.length > LONGEST_JUDGED_LINE) return `more than ${LONGEST_JUDGED_LINE} characters`;
  const tokens = tokenizeShellLine(line);
  let stops = false;
  let pipesFail = false;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === "word") {
      const command = isCommandStart(tokens, i) ? readCommandWords(tokens, i) : [];
      if (command[0] === "set" && command.some((word) => /^-\w*e/.test(word) || word === "errexit")) stops = true;
      if (command[0] === "set" && command.includes("pipefail")) pipesFail = true;
      const told = findHidingCommand(command, token, depth);
      if (told !== undefined) return told;
      continue;
    }
    const told = findHidingOperator(tokens, i, { stops, pipesFail });
    if (told !== undefined) return told;
  }
  return undefined;
}

function findHidingCommand(command: readonly string[], token: ShellToken, depth: number): string | undefined {
  if (!token.isQuoted && FORGIVING_OPTION.test(token.text)) return token.text;
  const [program = "", ...words] = command;
  if (program === "set" && (words.includes("+e") || words.join(" ").includes("+o errexit")))
    return `set ${words.join(" ")}`;
  if (program === "!" && words.length > 0 && !QUERY_COMMANDS.has(words[0] ?? "")) return `! ${words.join(" ")}`;
  if (program === "trap" && words.some((word) => /\bexit 0\b|^(?:true|:)$/.test(word)))
    return `trap ${words.join(" ")}`;
  const inner =
    program === "eval" ? words.join(" ") : SHELL_PROGRAMS.test(program) ? readShellCommandLine(words) : undefined;
  return inner === undefined || depth >= DEEPEST_SHELL_NESTING ? undefined : findHiddenFailure(inner, depth + 1);
}

/** The line after `-c`. With `-ec` the shell stops at a failure. */
export function readShellCommandLine(words: readonly string[]): string | undefined {
  const flag = words.findIndex((word) => /^-\w*c$/.test(word));
  const line = flag < 0 ? undefined : words[flag + 1];
  const stops = words.slice(0, flag + 1).some((word) => /^-\w*e/.test(word));
  return line === undefined ? undefined : `${stops ? "set -e; " : ""}${line}`;
}

function findHidingOperator(
  tokens: readonly ShellToken[],
  i: number,
  { stops, pipesFail }: { stops: boolean; pipesFail: boolean },
): string | undefined {
  const mark = tokens[i]?.text ?? "";
  const after = readCommandWords(tokens, i + 1);
  if (mark === "||") {
    const hides = isAlwaysSuccessful(tokens, i + 1, QUERY_COMMANDS.has(readPreviousCommand(tokens, i)[0] ?? ""));
    return hides ? `|| ${findLastCommand(tokens, i + 1).join(" ")}` : undefined;
  }
  if ((mark === "|" || mark === "|&") && !pipesFail) return `${mark} ${after[0] ?? ""}`.trim();
  if (mark === "&" && !isShellRedirection(tokens, i)) return "&";
  if ((mark === ";" || mark === "\n") && after.length > 0 && !stops) {
    if (SHELL_KEYWORDS.has(after[0] ?? "")) return undefined;
    const before = readPreviousCommand(tokens, i);
    const isSetUp =
      before.length === 0 || PREPARING_COMMANDS.has(before[0] ?? "") || before.every((word) => /^\w+=/.test(word));
    return isSetUp || SUCCEEDING_COMMANDS.has(before[0] ?? "")
      ? undefined
      : `${mark === ";" ? ";" : "a new line and"} ${after.join(" ")}`;
  }
  return undefined;
}

/** `2>&1` is read as a word, an operator and a word. */
const isShellRedirection = (tokens: readonly ShellToken[], i: number): boolean =>
  /[<>]$/.test(tokens[i - 1]?.text ?? "");

function isCommandStart(tokens: readonly ShellToken[], i: number): boolean {
  const before = tokens[i - 1];
  return (
    before === undefined ||
    before.kind === "mark" ||
    /^(?:then|do|else|!|\{|if|while|until|exec|command|env)$/.test(before.text) ||
    /^\w+=/.test(before.text)
  );
}

/** The words of the command at an index, without an opening bracket. */
function readCommandWords(tokens: readonly ShellToken[], from: number): string[] {
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

function readPreviousCommand(tokens: readonly ShellToken[], to: number): string[] {
  let from = to;
  while (from > 0 && tokens[from - 1]?.kind === "word") from--;
  return readCommandWords(tokens, from);
}

/** The last command of the chain after `||`, whose exit code is that of the whole chain. */
function findLastCommand(tokens: readonly ShellToken[], from: number): string[] {
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
    else if (readCommandWords(tokens, i + 1).some((word) => word !== "}")) start = i + 1;
    if (depth < 0) break;
  }
  return readCommandWords(tokens, start).filter((word) => word !== "}");
}

function isAlwaysSuccessful(tokens: readonly ShellToken[], from: number, wasAsked: boolean): boolean {
  const [program = "", ...words] = findLastCommand(tokens, from);
  if (program === "exit" || program === "return") return words[0] === "0" || (words[0] === "/b" && words[1] === "0");
  return SUCCEEDING_COMMANDS.has(program) || (!wasAsked && INDIFFERENT_COMMANDS.has(program));
}
