import { tokenizeShellLine } from "#kernel/model/shell-command.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";

const SHELL_COMMAND_FIELDS = ["command", "cmd", "commands", "command_line", "script"];
const COMMAND_PREFIXES = new Set(
  "sudo env time timeout nice nohup command exec builtin xargs if then elif else while until do !".split(" "),
);
const SHELL_PROGRAM_PATTERN = /^(?:ba|da|z|k)?sh$/;
const MAX_SHELL_DEPTH = 3;
/** Programs that change every file they name. */
const FILE_CHANGING_PROGRAMS = new Set([
  "rm",
  "rmdir",
  "mv",
  "touch",
  "mkdir",
  "tee",
  "truncate",
  "chmod",
  "chown",
  "patch",
  "dd",
  "unlink",
  "shred",
]);
/** Programs that change only the last file they name. */
const FILE_COPYING_PROGRAMS = new Set(["cp", "ln", "install", "rsync"]);
const STREAM_EDITORS = new Set(["sed", "gsed", "perl", "ruby"]);
const GIT_WRITE_COMMANDS = new Set(
  "add am apply checkout cherry-pick clean commit merge mv pull push rebase reset restore revert rm stash switch".split(
    " ",
  ),
);
const TEMPORARY_PATH_PATTERN =
  /^(?:(?:(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)|\/dev|\$\{?(?:TMPDIR|TMP)\b\}?)(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)|&)/;

interface ShellCommand {
  readonly words: string[];
  readonly targets: string[];
}

interface ShellWrite {
  readonly said: string;
  readonly paths: readonly string[];
}

type ShellToolInput = Readonly<Record<string, unknown>>;

/**
 * Describes the first obvious write into the repository, as a clause after "and". Cannot see writes by started
 * programs: `npm test` may write anything. `root` matters if the repository itself lies in a temporary folder.
 */
export function describeShellWrite(input: ShellToolInput, root?: string): string | undefined {
  for (const command of listShellCommands(input)) {
    const found = analyzeShellWrite(command, root);
    if (found !== undefined) return `${sanitizeText(found.said, 100)} writes`;
  }
  return undefined;
}

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

const listShellCommands = (input: ShellToolInput): ShellCommand[] =>
  SHELL_COMMAND_FIELDS.flatMap((field) => readShellLines(input[field])).flatMap((line) => parseShellCommands(line, 0));

function readShellLines(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // The last word of `["bash", "-lc", "rm x"]` is a command line by itself.
  const words = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return words.length === 0 ? [] : [words.join(" "), words.at(-1) ?? ""];
}

function analyzeShellWrite({ words, targets }: ShellCommand, root: string | undefined): ShellWrite | undefined {
  const isOurs = (path: string): boolean =>
    path !== "" && (!TEMPORARY_PATH_PATTERN.test(path) || (root !== undefined && path.startsWith(`${root}/`)));
  const outputs = targets.filter(isOurs);
  if (outputs[0] !== undefined) return { said: `> ${outputs[0]}`, paths: outputs };
  const [program = "", ...rest] = words.slice(findProgramIndex(words));
  const name = getProgramName(program);
  const named =
    name === "dd" ? rest.flatMap((word) => /^of=(.+)/.exec(word)?.[1] ?? []) : rest.filter(isCommandOperand);
  const files = (
    FILE_COPYING_PROGRAMS.has(name) ? named.slice(-1) : FILE_CHANGING_PROGRAMS.has(name) ? named : []
  ).filter(isOurs);
  if (files[0] !== undefined) return { said: `${name} ${files[0]}`, paths: files };
  if (name === "git") return analyzeGitWrite(rest);
  if (name === "find") return analyzeFindWrite(rest);
  const flag = rest.find(
    (word) => (STREAM_EDITORS.has(name) && /^-\w*i/.test(word)) || /^--(?:fix|write|in-place)\b/.test(word),
  );
  return flag === undefined
    ? undefined
    : { said: `${name} ${flag}`, paths: STREAM_EDITORS.has(name) ? listStreamEditedFiles(rest) : [] };
}

/** Skips prefixes, their flags and durations, and variable assignments. */
function findProgramIndex(words: readonly string[]): number {
  const at = words.findIndex((word, i) => {
    const isStarted = i > 0 && /^(?:-|\d+(?:\.\d+)?[smhd]?$)/.test(word);
    return !COMMAND_PREFIXES.has(word) && !/^\w+=/.test(word) && !isStarted;
  });
  return at < 0 ? words.length : at;
}

const isCommandOperand = (word: string): boolean => !word.startsWith("-");

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

const HEREDOC_PATTERN = /(?<!<)<<(?!<)-?\s*["']?(\w+)/;

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
  const flag = SHELL_PROGRAM_PATTERN.test(name) ? words.findIndex((word, i) => i > at && /^-\w*c$/.test(word)) : -1;
  return flag < 0 ? undefined : words[flag + 1];
}

/** The body of a here-document is input for a program. */
function stripHeredocs(line: string): string {
  let until: string | undefined;
  const kept = line.split("\n").filter((each) => {
    const isText = until !== undefined;
    if (isText && each.trim() === until) until = undefined;
    else if (!isText) until = HEREDOC_PATTERN.exec(each)?.[1];
    return !isText;
  });
  return kept.join("\n");
}

/** Editing tools of all supported clients, reduced to lower-case letters. */
const EDIT_TOOLS = new Set([
  "applydiff",
  "applypatch",
  "create",
  "createfile",
  "delete",
  "deletefile",
  "edit",
  "editfile",
  "editfiles",
  "editnotebookfile",
  "inserteditintofile",
  "insertcontent",
  "movefile",
  "multiedit",
  "multireplacestringinfile",
  "notebookedit",
  "patch",
  "postwritecode",
  "prewritecode",
  "renamefile",
  "replace",
  "replaceinfile",
  "replacestringinfile",
  "searchreplace",
  "strreplace",
  "strreplacebasededittool",
  "strreplaceeditor",
  "write",
  "writefile",
  "writetofile",
]);

const VIEW_CAPABLE_TOOLS = new Set(["strreplacebasededittool", "strreplaceeditor"]);

const EDIT_PATH_FIELDS = [
  "file_path",
  "filePath",
  "notebook_path",
  "notebookPath",
  "path",
  "target_file",
  "targetFile",
  "source",
  "destination",
  "old_path",
  "new_path",
];
const PATCH_FIELDS = ["input", "patch", "patchText", "command", "cmd"];
const PATCHED_FILE_PATTERN = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$/gm;
const MAX_EDITED_PATHS = 500;

export function listEditedPaths(tool: string, input: Readonly<Record<string, unknown>>): string[] {
  // An MCP tool name starts with the name of its server.
  const letters = (tool.split("__").at(-1) ?? "").replace(/[^a-z]/gi, "").toLowerCase();
  const isLook = VIEW_CAPABLE_TOOLS.has(letters) && input["command"] === "view";
  const isEdit = EDIT_TOOLS.has(letters) && !isLook;
  const named = isEdit ? EDIT_PATH_FIELDS.map((field) => input[field]) : [];
  const several = isEdit
    ? [
        ...["edits", "replacements", "files"].flatMap((field) =>
          asUnknownArray(input[field]).flatMap(listEditPathValues),
        ),
        ...asUnknownArray(input["files"]),
      ]
    : [];
  // Some clients run patches through the shell.
  const patched = PATCH_FIELDS.flatMap((field) => listPatchedPaths(input[field]));
  const paths = [...named, ...several, ...patched].filter((path) => typeof path === "string" && isUsablePath(path));
  return [...new Set(paths as string[])].slice(0, MAX_EDITED_PATHS);
}

const isUsablePath = (path: string): boolean => path !== "" && path.length <= 4096 && !path.includes("\0");

const asUnknownArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const listEditPathValues = (edit: unknown): unknown[] =>
  typeof edit === "object" && edit !== null
    ? EDIT_PATH_FIELDS.map((field) => (edit as Readonly<Record<string, unknown>>)[field])
    : [];

function listPatchedPaths(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listPatchedPaths);
  if (typeof value !== "string" || !value.includes("*** Begin Patch")) return [];
  return [...value.matchAll(PATCHED_FILE_PATTERN)].map(([, path = ""]) => path);
}
