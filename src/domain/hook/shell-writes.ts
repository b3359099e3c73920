import { plain } from "../quote.ts";

/** Fields in which clients put a line for the shell. */
const FIELDS = ["command", "cmd", "script"];
/** What stands before a program and starts it. */
const STARTERS = new Set(["sudo", "env", "time", "nice", "nohup", "command", "exec", "xargs", "then", "do", "else"]);
/** Programs that change each file they name. */
const CHANGE = new Set(["rm", "rmdir", "mv", "touch", "mkdir", "tee", "truncate", "chmod", "chown", "patch", "dd"]);
/** Programs that change the last file they name. */
const COPY = new Set(["cp", "ln", "install", "rsync"]);
const EDITORS = new Set(["sed", "perl", "ruby"]);
const GIT = new Set(
  "add am apply checkout cherry-pick clean commit merge mv pull push rebase reset restore revert rm stash switch".split(
    " ",
  ),
);
/** Where throw-away scripts may stand, and what is no file. */
const ELSEWHERE = /^(?:\/tmp|\/var\/tmp|\/private\/tmp|\/dev|\$\{?TMPDIR|\$\{?TMP\b|&)/;

/** A simple command: its words without their quotes, and the files that its output goes to. */
interface Command {
  readonly words: string[];
  readonly targets: string[];
}

/**
 * What in a line for the shell clearly writes into the repository, in words that follow "and". What a program does that
 * it starts is not seen: `npm test` may write what it likes.
 */
export function writeIn(input: Readonly<Record<string, unknown>>): string | undefined {
  for (const line of FIELDS.flatMap((field) => linesIn(input[field]))) {
    for (const command of commandsIn(line)) {
      const found = writeOf(command);
      if (found !== undefined) return `${plain(found, 100)} writes`;
    }
  }
  return undefined;
}

function linesIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  // `["bash", "-lc", "rm x"]`: its last word is a line by itself.
  const words = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return words.length === 0 ? [] : [words.join(" "), words.at(-1) ?? ""];
}

function writeOf({ words, targets }: Command): string | undefined {
  const target = targets.find((path) => !ELSEWHERE.test(path));
  if (target !== undefined) return `> ${target}`;
  const from = words.findIndex((word) => !STARTERS.has(word) && !/^\w+=/.test(word));
  const [program = "", ...rest] = from < 0 ? [] : words.slice(from);
  const name = program.split("/").at(-1) ?? "";
  const files = rest.filter((word) => !word.startsWith("-"));
  if (CHANGE.has(name)) return files.some(isOurs) ? `${name} ${files.find(isOurs)}` : undefined;
  if (COPY.has(name)) return isOurs(files.at(-1) ?? "") ? `${name} ${files.at(-1)}` : undefined;
  if (name === "git") return gitWrite(rest);
  const flag = rest.find(
    (word) => (EDITORS.has(name) && /^-\w*i/.test(word)) || /^--(?:fix|write|in-place)\b/.test(word),
  );
  return flag === undefined ? undefined : `${name} ${flag}`;
}

const isOurs = (path: string): boolean => path !== "" && !ELSEWHERE.test(path);

function gitWrite(words: readonly string[]): string | undefined {
  const verb = words.find((word, i) => !word.startsWith("-") && !/^-[cC]$/.test(words[i - 1] ?? ""));
  if (verb === undefined || !GIT.has(verb)) return undefined;
  // `git stash list` and `git apply --check` only look.
  const isLook = words.some((word) => /^(?:list|show|--check|--dry-run|-n)$/.test(word));
  return isLook ? undefined : `git ${verb}`;
}

const HERE = /(?<!<)<<(?!<)-?\s*["']?(\w+)/;
const PART =
  /(?:[^\S\n]|\\\n)*(?:(\n|[;&|(){}]+)|\d*(>>?\|?)(&?)[^\S\n]*|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s;&|(){}<>"'\\]|[<"'])+))/gy;

/** Each simple command of a line. Quotes hold a word together, so that a sign in them is no sign. */
function commandsIn(line: string): Command[] {
  const commands: Command[] = [{ words: [], targets: [] }];
  let isTarget = false;
  for (const [, end, redirect, toOther, word] of withoutTexts(line).replaceAll("&>", ">").matchAll(PART)) {
    const last = commands.at(-1);
    if (last === undefined) break;
    if (end !== undefined) commands.push({ words: [], targets: [] });
    else if (redirect !== undefined) isTarget = toOther === "";
    else if (word !== undefined && isTarget) last.targets.push(bare(word));
    else if (word !== undefined) last.words.push(bare(word));
    if (redirect === undefined) isTarget = false;
  }
  return commands;
}

const bare = (word: string): string => word.replace(/\\(\n)?|["']/g, "");

/** What stands between the marks of a here-document is text for a program. */
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
