import { tokenizeShellLine } from "#kernel/model/shell-command.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import toolWords from "./tool-words.json" with { type: "json" };

const COMMAND_PREFIXES = new Set(toolWords.commandPrefixes);
/** Programs that change every file they name. */
const FILE_CHANGING_PROGRAMS = new Set(toolWords.fileChangingPrograms);
/** Programs that change only the last file they name. */
const FILE_COPYING_PROGRAMS = new Set(toolWords.fileCopyingPrograms);
const STREAM_EDITORS = new Set(toolWords.streamEditors);
const GIT_WRITE_COMMANDS = new Set(toolWords.gitWriteCommands);
/** Editing tools of all supported clients, reduced to lower-case letters. */
const EDIT_TOOLS = new Set(toolWords.editTools);
const MAX_SHELL_DEPTH = 3;
const TEMPORARY_PATH_PATTERN =
  /^(?:(?:(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)|\/dev|\$\{?(?:TMPDIR|TMP)\b\}?)(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)|&)/;

interface ShellCommand {
  readonly words: string[];
  readonly targets: string[];
}

type ShellWrite = { readonly said: string; readonly paths: readonly string[] };

type ShellToolInput = Readonly<Record<string, unknown>>;

/**
 * As a clause after "and". Cannot see writes by started programs: `npm test` may write anything. `root` matters if the
 * repository is in a temporary folder.
 */
export function describeShellWrite(input: ShellToolInput, root?: string): string | undefined {
  for (const command of listShellCommands(input)) {
    const found = analyzeShellWrite(command, root);
    if (found !== undefined) return `${sanitizeText(found.said, 100)} writes`;
  }
  return undefined;
}

export const isShellCall = (input: ShellToolInput): boolean => SHELL_FIELDS.some((field) => input[field] !== undefined);

/** Whether git writes whole versions of files again, with edits and commits of any author. */
export const movesFiles = (input: ShellToolInput): boolean =>
  SHELL_FIELDS.some((field) => {
    const line = [input[field]].flat().join(" ");
    return GIT_MOVE_PATTERN.test(line.replace(NEW_BRANCH_PATTERN, ""));
  });

const GIT_MOVE_PATTERN =
  /\bgit(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+(?:stash|checkout(?![^;&|\n]*\s--\s)|switch|reset|merge|rebase|pull)\b/;
/** A new branch at the current commit writes no file. */
const NEW_BRANCH_PATTERN = /\b(?:checkout\s+-b|switch\s+-c)\s+[^\s;&|]+\s*(?=$|[;&|\n])/g;

/** Paths as written, and also relative to the folder of a preceding `cd`. */
export function listShellWrittenPaths(input: ShellToolInput, root?: string): string[] {
  const paths = new Set<string>();
  let folder: string | undefined;
  for (const command of listShellCommands(input)) {
    const { words } = command;
    if (words[0] === "cd" && words[1] !== undefined) folder = joinShellPath(words[1], folder);
    for (const path of analyzeShellWrite(command, root)?.paths ?? []) paths.add(path).add(joinShellPath(path, folder));
  }
  return [...paths];
}

const joinShellPath = (path: string, folder: string | undefined): string =>
  folder === undefined || path.startsWith("/") ? path : `${folder}/${path}`;

const SHELL_FIELDS = ["command", "cmd", "commands", "command_line", "script"] as const;

function listShellCommands(input: ShellToolInput): ShellCommand[] {
  const lines = SHELL_FIELDS.flatMap((field) => {
    const value = input[field];
    if (typeof value === "string") return [value];
    // The last word of `["bash", "-lc", "rm x"]` is a command line by itself.
    const words = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
    return words.length === 0 ? [] : [words.join(" "), words.at(-1) ?? ""];
  });
  return lines.flatMap((line) => parseShellCommands(line, 0));
}

function analyzeShellWrite({ words, targets }: ShellCommand, root: string | undefined): ShellWrite | undefined {
  const isOurs = (path: string): boolean =>
    path !== "" && (!TEMPORARY_PATH_PATTERN.test(path) || (root !== undefined && path.startsWith(`${root}/`)));
  const outputs = targets.filter(isOurs);
  if (outputs[0] !== undefined) return { said: `> ${outputs[0]}`, paths: outputs };
  const [program = "", ...rest] = words.slice(findProgramIndex(words));
  const name = getProgramName(program);
  const named =
    name === "dd"
      ? rest.flatMap((word) => /^of=(.+)/.exec(word)?.[1] ?? [])
      : rest.filter((word) => !word.startsWith("-"));
  const changed = FILE_CHANGING_PROGRAMS.has(name) ? named : [];
  const files = (FILE_COPYING_PROGRAMS.has(name) ? named.slice(-1) : changed).filter(isOurs);
  if (files[0] !== undefined) return { said: `${name} ${files[0]}`, paths: files };
  if (name === "git") return analyzeGitWrite(rest);
  if (name === "find") return analyzeFindWrite(rest);
  const flag = rest.find(
    (word) => (STREAM_EDITORS.has(name) && /^-\w*i/.test(word)) || /^--(?:fix|write|in-place)\b/.test(word),
  );
  const paths = STREAM_EDITORS.has(name) ? listStreamEditedFiles(rest) : [];
  return flag === undefined ? undefined : { said: `${name} ${flag}`, paths };
}

/** Skips prefixes, their flags and durations, and variable assignments. */
function findProgramIndex(words: readonly string[]): number {
  const at = words.findIndex((word, i) => {
    const isStarted = i > 0 && /^(?:-|\d+(?:\.\d+)?[smhd]?$)/.test(word);
    return !COMMAND_PREFIXES.has(word) && !/^\w+=/.test(word) && !isStarted;
  });
  return at < 0 ? words.length : at;
}

const getProgramName = (program: string): string => program.split("/").at(-1) ?? "";

/** The script follows `-e`, or is the first operand. */
function listStreamEditedFiles(words: readonly string[]): string[] {
  const isScripted = words.some((word) => SCRIPT_FLAG_PATTERN.test(word));
  const named = words.filter((word, i) => !word.startsWith("-") && !SCRIPT_FLAG_PATTERN.test(words[i - 1] ?? ""));
  return isScripted ? named : named.slice(1);
}

const SCRIPT_FLAG_PATTERN = /^(?:-\w*[ef]|--(?:expression|file))$/;

function analyzeFindWrite(words: readonly string[]): ShellWrite | undefined {
  if (words.includes("-delete")) return { said: "find -delete", paths: [] };
  const at = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  // "." represents the found file.
  const run = at < 0 ? [] : [...words.slice(at + 1), "."];
  const found = run.length === 0 ? undefined : analyzeShellWrite({ words: run, targets: [] }, undefined);
  return found && { said: `find ${words[at]} ${run[0]}`, paths: [] };
}

function analyzeGitWrite(words: readonly string[]): ShellWrite | undefined {
  const verb = words.find((word, i) => !word.startsWith("-") && !/^-[cC]$/.test(words[i - 1] ?? ""));
  if (verb === undefined || !GIT_WRITE_COMMANDS.has(verb)) return undefined;
  // `git stash list` and `git apply --check` write nothing.
  const isLook = words.some((word) => /^(?:list|show|--check|--dry-run|-n)$/.test(word));
  return isLook ? undefined : { said: `git ${verb}`, paths: [] };
}

/** Git commands that change files of every agent at once. */
const SHARED_GIT_COMMANDS = new Set(["stash", "reset", "clean", "switch", "rebase", "merge", "pull"]);
const INSTALL_COMMAND =
  /^(?:(?:npm|pnpm|yarn|bun) (?:install|i|ci|add|remove|rm|uninstall|update|up|upgrade)|(?:pip3?|gem) (?:install|uninstall)|(?:uv|poetry|cargo|bundle|composer|dotnet) (?:add|remove|require|install|update|sync)|uv pip (?:install|uninstall)|go (?:get|install)|python3? -m pip (?:install|uninstall))\b/;

/** The first command that changes files of all agents, or installs packages: `git stash`, `npm install`. */
export function findWorkspaceCommand(input: ShellToolInput): string | undefined {
  for (const { words } of listShellCommands(input)) {
    const [program = "", ...rest] = words.slice(findProgramIndex(words));
    const name = getProgramName(program);
    const flagless = [
      name,
      ...rest.filter((word) => (name !== "python3" && name !== "python" ? !word.startsWith("-") : true)),
    ];
    const install = name === "yarn" && flagless.length === 1 ? "yarn" : INSTALL_COMMAND.exec(flagless.join(" "))?.[0];
    if (install !== undefined) return install;
    if (name !== "git") continue;
    const write = analyzeGitWrite(rest);
    const verb = write?.said.replace("git ", "") ?? "";
    const operands = rest.slice(rest.indexOf(verb) + 1).filter((word) => !word.startsWith("-"));
    const isWhole = /^(?:checkout|restore)$/.test(verb) && !operands.some((path) => /[^.][./]|[./][^./]/.test(path));
    if (SHARED_GIT_COMMANDS.has(verb) || (verb !== "" && isWhole)) return `git ${verb}`;
  }
  return undefined;
}

function parseShellCommands(line: string, depth: number): ShellCommand[] {
  let last: ShellCommand = { words: [], targets: [] };
  const commands = [last];
  const nested: string[] = [];
  let isTarget = false;
  for (const { kind, text, isQuoted, isRedirect, substitutions = [] } of tokenizeShellLine(stripHeredocs(line))) {
    const isOutput = isRedirect === true || (kind === "mark" && text === "&>");
    const isSeparator = kind === "mark" ? !/[<>]/.test(text) : !isQuoted && /^[{}]$/.test(text);
    if (isSeparator) commands.push((last = { words: [], targets: [] }));
    else if (kind === "word" && !isOutput) (isTarget ? last.targets : last.words).push(text);
    nested.push(...substitutions);
    isTarget = isOutput;
  }
  if (depth >= MAX_SHELL_DEPTH) return commands;
  const inner = [...commands.map(({ words }) => findNestedLine(words)), ...nested];
  return [...commands, ...inner.flatMap((each) => (each === undefined ? [] : parseShellCommands(each, depth + 1)))];
}

/** A command line passed to a shell as text: `bash -c "rm x"`, `eval "rm x"`. */
function findNestedLine(words: readonly string[]): string | undefined {
  const at = findProgramIndex(words);
  const name = getProgramName(words[at] ?? "");
  if (name === "eval") return words.slice(at + 1).join(" ");
  const flag = /^(?:ba|da|z|k)?sh$/.test(name) ? words.findIndex((word, i) => i > at && /^-\w*c$/.test(word)) : -1;
  return flag < 0 ? undefined : words[flag + 1];
}

/** The body of a here-document is input for a program. */
function stripHeredocs(line: string): string {
  let until: string | undefined;
  const kept = line.split("\n").filter((each) => {
    const isText = until !== undefined;
    if (isText && each.trim() === until) until = undefined;
    else if (!isText) until = /(?<!<)<<(?!<)-?\s*["']?(\w+)/.exec(each)?.[1];
    return !isText;
  });
  return kept.join("\n");
}

const MAX_EDITED_PATHS = 500;

export function listEditedPaths(tool: string, input: Readonly<Record<string, unknown>>): string[] {
  // An MCP tool name starts with the name of its server.
  const letters = (tool.split("__").at(-1) ?? "").replace(/[^a-z]/gi, "").toLowerCase();
  const isLook = /^strreplace(?:basededittool|editor)$/.test(letters) && input["command"] === "view";
  const isEdit = EDIT_TOOLS.has(letters) && !isLook;
  const listOf = (field: string): unknown[] => (isEdit && Array.isArray(input[field]) ? input[field] : []);
  const edits = isEdit ? [input, ...["edits", "replacements", "files"].flatMap(listOf)] : [];
  const named = edits.flatMap((edit: unknown) =>
    typeof edit === "object" && edit !== null
      ? toolWords.editPathFields.map((field): unknown => Reflect.get(edit, field))
      : [],
  );
  // Some clients run patches through the shell.
  const patched = ["input", "patch", "patchText", "command", "cmd"].flatMap((field) => listPatchedPaths(input[field]));
  const paths = [...named, ...listOf("files"), ...patched].filter((path) => typeof path === "string");
  const usable = paths.filter((path) => path !== "" && path.length <= 4096 && !path.includes("\0"));
  return [...new Set(usable)].slice(0, MAX_EDITED_PATHS);
}

function listPatchedPaths(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listPatchedPaths);
  if (typeof value !== "string" || !value.includes("*** Begin Patch")) return [];
  const lines = value.matchAll(/^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$/gm);
  return [...lines].map(([, path = ""]) => path);
}
