import { sanitizeText } from "#kernel/model/text-format.ts";
import { type CommandInvocation, tokenizeShellLine, type ShellToken } from "#kernel/model/shell-command.ts";
import type { StackCheck } from "./stack-check.ts";
import type { ProjectFiles } from "./project-files.ts";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";

const PACKAGE_MANAGERS = new Set(["npm", "pnpm", "yarn", "bun"]);
const SCRIPT_GROUP_RUNNERS = new Set(["npm-run-all", "npm-run-all2", "run-s", "run-p"]);
/** Commands of the package manager itself, which do not run a script of that name. */
const MANAGER_COMMANDS = new Set([
  "install",
  "ci",
  "i",
  "add",
  "exec",
  "dlx",
  "x",
  "init",
  "publish",
  "pack",
  "version",
]);

/** Longer lines are reported already. */
const LONGEST_SPLIT_LINE = 4_000;

const MOST_CHECK_SCRIPTS = 200;

/** Reasons why a check would pass even if its script fails, one sentence per script. */
export function findDishonestScripts(site: ProjectFiles, directory: string, { tool, kind, run }: StackCheck): string[] {
  const told: string[] = [];
  const says = (where: string, line: string): void => {
    const words = findHiddenFailure(line);
    if (words !== undefined)
      told.push(
        `${where} swallows its own failure with \`${sanitizeText(words, 60)}\`, so ${kind} by ${tool} proves nothing`,
      );
  };
  if ("shell" in run) says(`The line of ${tool}`, run.shell);
  else {
    const line = readShellCommandLine(run.argv.slice(1));
    if (/^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/.test(run.argv[0] ?? "") && line !== undefined)
      says(`The line of ${tool}`, line);
  }
  const scripts = collectRunScripts(site, directory, splitInvocationWords(run));
  if (scripts.size > MOST_CHECK_SCRIPTS)
    told.push(`The check ${kind} by ${tool} runs more than ${MOST_CHECK_SCRIPTS} scripts, which nobody can follow`);
  for (const [name, line] of scripts) {
    says(`The script ${sanitizeText(name, 60)} of ${joinFolderAndPath(directory, "package.json")}`, line);
  }
  for (const [name, line] of listMakeRecipes(site, directory, splitInvocationWords(run))) {
    const where = `The target ${sanitizeText(name, 60)} of the Makefile in ${directory}`;
    if (/^[@+]*-/.test(line)) says(where, `${line.replace(/^[@+-]+/, "")} || true`);
    else says(where, line.replace(/^[@+]+/, ""));
  }
  return told;
}

export const splitInvocationWords = (run: CommandInvocation): string[][] =>
  "argv" in run ? [[...run.argv]] : splitShellCommands(run.shell);

export function splitShellCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const token of tokenizeShellLine(line.slice(0, LONGEST_SPLIT_LINE))) {
    if (token.kind === "mark") commands.push([]);
    else commands.at(-1)?.push(token.text);
  }
  return commands.filter((words) => words.length > 0);
}

/** All scripts that the commands run, directly or through other scripts, with their `pre` and `post` scripts. */
export function collectRunScripts(
  site: ProjectFiles,
  directory: string,
  commands: readonly string[][],
): Map<string, string> {
  const { scripts } = site.manifest(directory, "package.json");
  const names = [...scripts.keys()];
  const found = new Map<string, string>();
  const waiting = new Set(commands.flatMap((words) => listNamedScripts(words, names)));
  // The loop also visits names that it adds.
  for (const name of waiting) {
    for (const one of [`pre${name}`, name, `post${name}`]) {
      const line = scripts.get(one);
      if (line === undefined || found.has(one)) continue;
      found.set(one, line);
      for (const other of splitShellCommands(line).flatMap((words) => listNamedScripts(words, names)))
        waiting.add(other);
    }
    if (found.size > MOST_CHECK_SCRIPTS) break;
  }
  return found;
}

function listNamedScripts(command: readonly string[], scripts: readonly string[]): string[] {
  const words = command.filter((word) => !/^\w+=/.test(word));
  const start = words.findIndex(
    (word) => PACKAGE_MANAGERS.has(word) || SCRIPT_GROUP_RUNNERS.has(word) || word === "node",
  );
  if (start < 0) return [];
  const program = words[start] ?? "";
  const rest = words.slice(start + 1);
  if (program === "node")
    return rest.flatMap((word, i) => (word === "--run" ? (rest[i + 1] ?? []) : (/^--run=(.*)/.exec(word)?.[1] ?? [])));
  const named = rest.filter((word) => !word.startsWith("-"));
  if (SCRIPT_GROUP_RUNNERS.has(program)) return named.flatMap((word) => expandScriptPattern(word, scripts));
  const [first = "", second] = named;
  if (first === "run" || first === "run-script") return second === undefined ? [] : [second];
  if (first === "t" || first === "tst") return ["test"];
  return MANAGER_COMMANDS.has(first) || first === "" ? [] : [first];
}

function expandScriptPattern(word: string, scripts: readonly string[]): string[] {
  if (!word.includes("*")) return [word];
  const start = word.slice(0, word.indexOf("*"));
  return scripts.filter((script) => script.startsWith(start));
}

export function listMakeRecipes(
  site: ProjectFiles,
  directory: string,
  commands: readonly string[][],
): [string, string][] {
  return commands.flatMap(([program, ...words]) => {
    if (program !== "make") return [];
    const manifests = site.manifestsIn(directory);
    return words
      .filter((word) => /^\w/.test(word) && !word.includes("="))
      .flatMap((target) =>
        manifests.flatMap(({ targets }) => (targets.get(target) ?? []).map((line): [string, string] => [target, line])),
      );
  });
}

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
function readShellCommandLine(words: readonly string[]): string | undefined {
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
