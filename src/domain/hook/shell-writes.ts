import { plain } from "../quote.ts";

const FIELDS = ["command", "cmd", "commands", "command_line", "script"];
const STARTERS = new Set(
  "sudo env time timeout nice nohup command exec builtin xargs if then elif else while until do !".split(" "),
);
const SHELLS = /^(?:ba|da|z|k)?sh$/;
const DEEPEST = 3;
/** Programs that change every file they name. */
const CHANGE = new Set([
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
const COPY = new Set(["cp", "ln", "install", "rsync"]);
const EDITORS = new Set(["sed", "gsed", "perl", "ruby"]);
const GIT = new Set(
  "add am apply checkout cherry-pick clean commit merge mv pull push rebase reset restore revert rm stash switch".split(
    " ",
  ),
);
const ELSEWHERE =
  /^(?:(?:(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)|\/dev|\$\{?(?:TMPDIR|TMP)\b\}?)(?:\/(?!(?:.*\/)?\.\.(?:\/|$))|$)|&)/;

interface Command {
  readonly words: string[];
  readonly raw: string[];
  readonly targets: string[];
}

interface Write {
  readonly said: string;
  readonly paths: readonly string[];
}

type Input = Readonly<Record<string, unknown>>;

/**
 * Describes the first obvious write into the repository, as a clause after "and". Cannot see writes by started
 * programs: `npm test` may write anything. `root` matters if the repository itself lies in a temporary folder.
 */
export function writeIn(input: Input, root?: string): string | undefined {
  for (const command of runBy(input)) {
    const found = writeOf(command, root);
    if (found !== undefined) return `${plain(found.said, 100)} writes`;
  }
  return undefined;
}

/** Paths as written, and also relative to the folder of a preceding `cd`. */
export function writtenBy(input: Input, root?: string): string[] {
  const paths = new Set<string>();
  let folder: string | undefined;
  for (const command of runBy(input)) {
    const { words } = command;
    if (words[0] === "cd" && words[1] !== undefined) folder = placed(words[1], folder);
    for (const path of writeOf(command, root)?.paths ?? []) paths.add(path).add(placed(path, folder));
  }
  return [...paths];
}

const placed = (path: string, folder: string | undefined): string =>
  folder === undefined || path.startsWith("/") ? path : `${folder}/${path}`;

const runBy = (input: Input): Command[] =>
  FIELDS.flatMap((field) => linesIn(input[field])).flatMap((line) => commandsIn(line, 0));

function linesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // The last word of `["bash", "-lc", "rm x"]` is a command line by itself.
  const words = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return words.length === 0 ? [] : [words.join(" "), words.at(-1) ?? ""];
}

function writeOf({ words, targets }: Command, root: string | undefined): Write | undefined {
  const isOurs = (path: string): boolean =>
    path !== "" && (!ELSEWHERE.test(path) || (root !== undefined && path.startsWith(`${root}/`)));
  const outputs = targets.filter(isOurs);
  if (outputs[0] !== undefined) return { said: `> ${outputs[0]}`, paths: outputs };
  const [program = "", ...rest] = words.slice(programAt(words));
  const name = nameOf(program);
  const named = name === "dd" ? rest.flatMap((word) => /^of=(.+)/.exec(word)?.[1] ?? []) : rest.filter(isNoFlag);
  const files = (COPY.has(name) ? named.slice(-1) : CHANGE.has(name) ? named : []).filter(isOurs);
  if (files[0] !== undefined) return { said: `${name} ${files[0]}`, paths: files };
  if (name === "git") return gitWrite(rest);
  if (name === "find") return findWrite(rest);
  const flag = rest.find(
    (word) => (EDITORS.has(name) && /^-\w*i/.test(word)) || /^--(?:fix|write|in-place)\b/.test(word),
  );
  return flag === undefined ? undefined : { said: `${name} ${flag}`, paths: EDITORS.has(name) ? editedBy(rest) : [] };
}

/** Skips prefixes, their flags and durations, and variable assignments. */
function programAt(words: readonly string[]): number {
  const at = words.findIndex((word, i) => {
    const isStarted = i > 0 && /^(?:-|\d+(?:\.\d+)?[smhd]?$)/.test(word);
    return !STARTERS.has(word) && !/^\w+=/.test(word) && !isStarted;
  });
  return at < 0 ? words.length : at;
}

const isNoFlag = (word: string): boolean => !word.startsWith("-");

const nameOf = (program: string): string => program.split("/").at(-1) ?? "";

/** The script follows `-e`, or is the first operand. */
function editedBy(words: readonly string[]): string[] {
  const isScripted = words.some((word) => SCRIPT.test(word));
  const named = words.filter((word, i) => !word.startsWith("-") && !SCRIPT.test(words[i - 1] ?? ""));
  return isScripted ? named : named.slice(1);
}

const SCRIPT = /^(?:-\w*[ef]|--(?:expression|file))$/;

function findWrite(words: readonly string[]): Write | undefined {
  if (words.includes("-delete")) return { said: "find -delete", paths: [] };
  const at = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word));
  // "." represents the found file.
  const run = at < 0 ? [] : [...words.slice(at + 1), "."];
  const found = run.length === 0 ? undefined : writeOf({ words: run, raw: [], targets: [] }, undefined);
  return found && { said: `find ${words[at]} ${run[0]}`, paths: [] };
}

function gitWrite(words: readonly string[]): Write | undefined {
  const verb = words.find((word, i) => !word.startsWith("-") && !/^-[cC]$/.test(words[i - 1] ?? ""));
  if (verb === undefined || !GIT.has(verb)) return undefined;
  // `git stash list` and `git apply --check` write nothing.
  const isLook = words.some((word) => /^(?:list|show|--check|--dry-run|-n)$/.test(word));
  return isLook ? undefined : { said: `git ${verb}`, paths: [] };
}

const HERE = /(?<!<)<<(?!<)-?\s*["']?(\w+)/;
const PART =
  /(?:[^\S\n]|\\\n)*(?:(\n|[;&|(){}]+)|\d*(>>?\|?)(&?)[^\S\n]*|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s;&|(){}<>"'\\]|[<"'])+))/gy;

/** Operators inside quotes do not separate commands. */
function commandsIn(line: string, depth: number): Command[] {
  const commands: Command[] = [{ words: [], raw: [], targets: [] }];
  let isTarget = false;
  for (const [, end, redirect, toOther, word] of withoutTexts(line).replaceAll("&>", ">").matchAll(PART)) {
    const last = commands.at(-1);
    if (last === undefined) break;
    if (end !== undefined) commands.push({ words: [], raw: [], targets: [] });
    else if (redirect !== undefined) isTarget = toOther === "";
    else if (word !== undefined && isTarget) last.targets.push(bare(word));
    else if (word !== undefined) {
      last.words.push(bare(word));
      last.raw.push(word);
    }
    if (redirect === undefined) isTarget = false;
  }
  return depth < DEEPEST ? commands.flatMap((each) => [each, ...innerOf(each, depth)]) : commands;
}

/** Commands passed to a shell as text: `bash -c "rm x"`, `eval "rm x"`. */
function innerOf({ words, raw }: Command, depth: number): Command[] {
  const at = programAt(words);
  const name = nameOf(words[at] ?? "");
  if (name === "eval")
    return commandsIn(
      raw
        .slice(at + 1)
        .map(opened)
        .join(" "),
      depth + 1,
    );
  const flag = SHELLS.test(name) ? words.findIndex((word, i) => i > at && /^-\w*c$/.test(word)) : -1;
  return flag < 0 ? [] : commandsIn(opened(raw[flag + 1] ?? ""), depth + 1);
}

const bare = (word: string): string => word.replace(/\\(\n)?|["']/g, "");

function opened(word: string): string {
  if (/^'[^']*'$/.test(word)) return word.slice(1, -1);
  return /^"[^]*"$/.test(word) ? word.slice(1, -1).replace(/\\(["\\$`])/g, "$1") : word;
}

/** The body of a here-document is input for a program. */
function withoutTexts(line: string): string {
  let until: string | undefined;
  const kept = line.split("\n").filter((each) => {
    const isText = until !== undefined;
    if (isText && each.trim() === until) until = undefined;
    else if (!isText) until = HERE.exec(each)?.[1];
    return !isText;
  });
  return kept.join("\n");
}
