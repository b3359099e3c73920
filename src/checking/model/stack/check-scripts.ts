import { sanitizeText } from "#kernel/model/text-format.ts";
import { type CommandInvocation, tokenizeShellLine, type ShellToken } from "#kernel/model/shell-command.ts";
import type { StackCheck } from "./stack-check.ts";
import type { ProjectFiles } from "./project-files.ts";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";
import { collectRunScripts, LONGEST_JUDGED_LINE, MOST_CHECK_SCRIPTS, splitShellCommands } from "./script-calls.ts";

const createWordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const SHELL_PROGRAMS = /^(?:.*\/)?(?:sh|bash|dash|zsh|ksh)$/;

/** Reasons why a check would pass even if its script fails, one sentence per script. */
export function findDishonestScripts(site: ProjectFiles, directory: string, { tool, kind, run }: StackCheck): string[] {
  const told: string[] = [];
  const says = (where: string, line: string): void => {
    const hiding = findHiddenFailure(line);
    if (hiding === undefined) return;
    const how = `swallows its own failure with \`${sanitizeText(hiding, 60)}\``;
    told.push(`${where} ${how}, so ${kind} by ${tool} proves nothing`);
  };
  const [program = "", ...words] = "shell" in run ? ["sh", "-c", run.shell] : run.argv;
  const own = SHELL_PROGRAMS.test(program) ? readShellCommandLine(words) : undefined;
  if (own !== undefined) says(`The line of ${tool}`, own);
  const commands = splitInvocationWords(run);
  const scripts = collectRunScripts(site.manifest(directory, "package.json").scripts, commands);
  if (scripts.size > MOST_CHECK_SCRIPTS)
    told.push(`The check ${kind} by ${tool} runs more than ${MOST_CHECK_SCRIPTS} scripts, too many to check`);
  for (const [name, line] of scripts)
    says(`The script ${sanitizeText(name, 60)} of ${joinFolderAndPath(directory, "package.json")}`, line);
  for (const [name, line] of listMakeRecipes(site, directory, commands)) {
    const forgiven = /^[@+]*-/.test(line) ? " || true" : "";
    says(`The target ${sanitizeText(name, 60)} of the Makefile in ${directory}`, stripRecipeMarks(line) + forgiven);
  }
  return told;
}

/** A recipe line may begin with `@`, `+` and `-`, which ignores a failure. */
export const stripRecipeMarks = (line: string): string => line.replace(/^[@+-]+/, "");

export const splitInvocationWords = (run: CommandInvocation): string[][] =>
  "argv" in run ? [[...run.argv]] : splitShellCommands(run.shell);

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

const SUCCEEDING_COMMANDS = createWordSet("true : echo printf /bin/true /usr/bin/true");
/** Commands that hide an earlier failure and rarely fail themselves. */
const INDIFFERENT_COMMANDS = createWordSet("cat ls pwd date sleep touch mkdir rm cp mv tail head tee wc");
/** Commands whose failure is an answer. */
const QUERY_COMMANDS = createWordSet("[ [[ test grep egrep fgrep rg ag git command which type hash");
const PREPARING_COMMANDS = createWordSet("cd export set unset source . ulimit umask shopt trap");
const SHELL_KEYWORDS = createWordSet("then do else elif fi done esac }");
const FORGIVING_OPTION = /^--(?:exit-zero|issues-exit-code=0|pass-?[wW]ith-?[nN]o-?[tT]ests)$/;
const DEEPEST_SHELL_NESTING = 5;

/** The part of a shell line that hides a failing command; nothing if every failure counts. */
export function findHiddenFailure(line: string, depth = 0): string | undefined {
  if (line.length > LONGEST_JUDGED_LINE) return `more than ${LONGEST_JUDGED_LINE} characters`;
  const tokens = tokenizeShellLine(line);
  let stops = false;
  let pipesFail = false;
  for (const [i, token] of tokens.entries()) {
    const command = token.kind === "word" && isCommandStart(tokens[i - 1]) ? readCommandWords(tokens, i) : [];
    if (command[0] === "set" && command.some((word) => /^-\w*e/.test(word) || word === "errexit")) stops = true;
    if (command[0] === "set" && command.includes("pipefail")) pipesFail = true;
    const told =
      token.kind === "word"
        ? findHidingCommand(command, token, depth)
        : findHidingOperator(tokens, i, { stops, pipesFail });
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
    const last = findLastCommand(tokens, i + 1);
    const wasAsked = QUERY_COMMANDS.has(readPreviousCommand(tokens, i)[0] ?? "");
    return isAlwaysSuccessful(last, wasAsked) ? `|| ${last.join(" ")}` : undefined;
  }
  if ((mark === "|" || mark === "|&") && !pipesFail) return `${mark} ${after[0] ?? ""}`.trim();
  // `2>&1` is read as a word, an operator and a word.
  if (mark === "&" && !/[<>]$/.test(tokens[i - 1]?.text ?? "")) return "&";
  if ((mark !== ";" && mark !== "\n") || after.length === 0 || stops) return undefined;
  const before = readPreviousCommand(tokens, i);
  const [program = ""] = before;
  const isHarmless =
    SHELL_KEYWORDS.has(after[0] ?? "") ||
    before.every((word) => /^\w+=/.test(word)) ||
    PREPARING_COMMANDS.has(program) ||
    SUCCEEDING_COMMANDS.has(program);
  return isHarmless ? undefined : `${mark === ";" ? ";" : "a new line and"} ${after.join(" ")}`;
}

function isCommandStart(before: ShellToken | undefined): boolean {
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
  for (const { kind, text, isQuoted } of tokens.slice(from)) {
    const isOpening = kind === "mark" ? text === "(" || text === "\n" : text === "{" && !isQuoted;
    if (words.length === 0 && isOpening) continue;
    if (kind === "mark") break;
    words.push(text);
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

function isAlwaysSuccessful([program = "", ...words]: readonly string[], wasAsked: boolean): boolean {
  if (program === "exit" || program === "return") return words[0] === "0" || (words[0] === "/b" && words[1] === "0");
  return SUCCEEDING_COMMANDS.has(program) || (!wasAsked && INDIFFERENT_COMMANDS.has(program));
}
