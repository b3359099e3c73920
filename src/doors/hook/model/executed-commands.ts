import { tokenizeShellLine } from "#kernel/model/shell-command.ts";

/** Commands that a shell line runs, as far as the line itself shows, and code that it passes to interpreters. */
export interface ExecutedCommands {
  readonly commands: readonly (readonly string[])[];
  readonly code: readonly string[];
}

type Variables = Map<string, string>;

/** Stands for arguments that the line does not show. */
export const UNKNOWN_WORD = "$UNKNOWN";

const MAX_DEPTH = 4;
const SHELL_FIELDS = ["command", "cmd", "commands", "command_line", "script", "code", "args", "arguments"];
const SHELL_PROGRAM = /^(?:ba|da|z|k)?sh$/;
const CODE_PROGRAM = /^(?:python[\d.]*|node|bun|deno|ruby|perl|php|osascript|expect)$/;
const CODE_FLAG = /^(?:-\w*[cer]|--eval|--print|eval)$/;
/** Only code that starts programs can run a command that it names. */
const STARTS_PROGRAM = /subprocess|system|popen|spawn|exec|child_process|`|%x|proc_open|do shell script/i;
const PREFIX =
  /^(?:npx|pnpx|bunx|pnpm|yarn|npm|dlx|exec|env|command|builtin|sudo|doas|time|timeout|nohup|setsid|nice|ionice|stdbuf|eval|script|unbuffer|socat|faketty|flock|if|then|elif|else|while|until|do|!|-\S*|\d+[smhd]?|\w+=.*)$/;

export function listExecutedCommands(input: Readonly<Record<string, unknown>>): ExecutedCommands {
  const found: { commands: string[][]; code: string[] } = { commands: [], code: [] };
  for (const field of SHELL_FIELDS) {
    const value = input[field];
    if (typeof value === "string") readLine(value, new Map(), 0, found);
    if (!Array.isArray(value)) continue;
    const words = value.filter((each) => typeof each === "string");
    readCommand(words, undefined, new Map(), 0, found);
    // An argument may be a whole shell line.
    for (const word of words.filter((each) => /\s/.test(each))) readLine(word, new Map(), 1, found);
  }
  return found;
}

function readLine(
  line: string,
  variables: Variables,
  depth: number,
  found: { commands: string[][]; code: string[] },
): void {
  if (depth > MAX_DEPTH) return;
  const { text, bodies } = splitHeredocs(decodeQuotedEscapes(line));
  for (const { owner, body } of bodies) {
    const programs = owner.split(/[\s|;&/]+/);
    if (programs.some((each) => SHELL_PROGRAM.test(each))) readLine(body, variables, depth + 1, found);
    else if (programs.some((each) => CODE_PROGRAM.test(each))) found.code.push(body);
  }
  for (const inner of listSubstitutions(text)) readLine(inner, variables, depth + 1, found);
  let words: string[] = [];
  let before: readonly string[] | undefined;
  const end = (isPipe: boolean): void => {
    const expanded = words.flatMap((word) => expandVariables(word, variables));
    readCommand(expanded, before, variables, depth, found);
    before = isPipe ? expanded : undefined;
    words = [];
  };
  for (const token of tokenizeShellLine(text)) {
    if (token.kind === "mark" && !/[<>]/.test(token.text)) end(token.text === "|" || token.text === "|&");
    else if (token.kind === "word" && !token.isQuoted && /^[{}]$/.test(token.text)) end(false);
    else words.push(token.text);
  }
  end(false);
}

function readCommand(
  words: readonly string[],
  before: readonly string[] | undefined,
  variables: Variables,
  depth: number,
  found: { commands: string[][]; code: string[] },
): void {
  if (words.every((word) => /^\w+=|^(?:export|declare|local|readonly|alias|typeset)$/.test(word))) {
    for (const word of words) {
      const [, name = "", value = ""] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
      if (name !== "") variables.set(name, value);
    }
    return;
  }
  const at = words.findIndex((word) => !PREFIX.test(word));
  const program = at < 0 ? "" : getName(words[at] ?? "");
  const rest = words.slice(at + 1);
  const piped = before && readPrintedText(before);
  const readNested = (text: string | undefined): void =>
    text === undefined ? undefined : readLine(text, variables, depth + 1, found);
  const [alias] = variables.get(program)?.split(" ") ?? [];
  if (alias !== undefined && alias !== "") return readCommand([alias, ...rest], before, variables, depth + 1, found);
  if (program === "xargs") {
    const command = rest.slice(rest.findIndex((word) => !/^-|^\d+$|^\{\}$/.test(word)));
    const given = piped === undefined ? [UNKNOWN_WORD] : piped.split(/\s+/).filter((word) => word !== "");
    return readCommand([...command, ...given], undefined, variables, depth + 1, found);
  }
  if (program === "find" || program === "fd" || program === "parallel") {
    const start = rest.findIndex((word) => /^-(?:exec|ok)(?:dir)?$|^-x$|^:::$/.test(word));
    if (start >= 0) readCommand([...rest.slice(start + 1), UNKNOWN_WORD], undefined, variables, depth + 1, found);
    return;
  }
  // A terminal emulator stays before the line that it runs.
  if (words.some((word) => getName(word) === "script"))
    for (const word of words) readNested(/\s/.test(word) ? `script ${word}` : undefined);
  if (words.slice(0, at).some((word) => word === "eval")) readNested(words.slice(at).join(" "));
  const isShell = SHELL_PROGRAM.test(program) || ((program === "source" || program === ".") && piped !== undefined);
  if (isShell) {
    const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
    readNested(flag < 0 ? piped : rest[flag + 1]);
    const here = rest.indexOf("<<<");
    readNested(here < 0 ? undefined : rest[here + 1]);
    return;
  }
  // `node bin/tenon.js trust` runs a file.
  if (CODE_PROGRAM.test(program)) {
    const code = rest.flatMap((word, i) => (CODE_FLAG.test(rest[i - 1] ?? "") ? [word] : []));
    if (code.length > 0 || piped !== undefined) {
      found.code.push(...code, ...(piped === undefined ? [] : [piped]));
      return;
    }
    const file = rest.findIndex((word) => !word.startsWith("-"));
    found.commands.push([...words.slice(0, at), ...(file < 0 ? [] : rest.slice(file))]);
    return;
  }
  found.commands.push([...words]);
}

/** The words of the program and its arguments, without the prefixes that may precede a program. */
export function dropCommandPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !PREFIX.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** Words of code that starts programs, as if they were a command line. Joined texts count as one. */
export function listStartedWords(code: string): readonly string[] {
  if (!STARTS_PROGRAM.test(code)) return [];
  const joined = code.replace(/(["'`])\s*[+.]\s*\1/g, "");
  return joined.match(/[\w@./$-][\w@./$=:-]*/g) ?? [];
}

const getName = (program: string): string => program.split(/[/\\]/).at(-1) ?? "";

/** What `echo` and `printf` print, with their escapes. */
function readPrintedText(words: readonly string[]): string | undefined {
  const [program = "", ...rest] = dropCommandPrefix(words);
  if (!/^(?:echo|printf)$/.test(getName(program))) return undefined;
  return decodeEscapes(rest.filter((word) => !/^-\w+$/.test(word)).join(" "));
}

const ESCAPED_LETTER = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|0?([0-7]{1,3})|([abefnrtv\\'"]))/g;

const decodeEscapes = (text: string): string =>
  text.replace(ESCAPED_LETTER, (_, hex?: string, unicode?: string, octal?: string, letter?: string) => {
    if (letter !== undefined) return /[nrtv]/.test(letter) ? "\n" : letter;
    return String.fromCodePoint(Number.parseInt(hex ?? unicode ?? octal ?? "20", octal === undefined ? 16 : 8));
  });

/** `$'tru\x73t'` */
const decodeQuotedEscapes = (line: string): string =>
  line.replace(/\$'((?:\\.|[^'\\])*)'/g, (_, inner: string) => `'${decodeEscapes(inner).replaceAll("'", "")}'`);

function expandVariables(word: string, variables: Variables): string[] {
  if (!word.includes("$")) return [word];
  const text = word.replace(/\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))/g, (all, one?: string, other?: string) => {
    return variables.get(one ?? other ?? "") ?? all;
  });
  return /^\$\{?\w+\}?$/.test(word) && !text.includes("$") ? text.split(/\s+/) : [text];
}

/** Lines inside `$(…)`, backticks and `<(…)`, except in single quotes. */
function listSubstitutions(text: string): string[] {
  const found: string[] = [];
  let isDouble = false;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i);
    if (letter === "\\") i++;
    else if (letter === '"') isDouble = !isDouble;
    else if (letter === "'" && !isDouble) i = findEnd(text, "'", i + 1);
    else if (letter === "`") {
      const end = findEnd(text, "`", i + 1);
      found.push(text.slice(i + 1, end));
      i = end;
    } else if (/^[$<>]\(/.test(text.slice(i, i + 2))) {
      let [end, depth] = [i + 2, 1];
      for (; end < text.length && depth > 0; end++) depth += Number(text[end] === "(") - Number(text[end] === ")");
      found.push(text.slice(i + 2, end - 1));
      i = end - 1;
    }
  }
  return found;
}

function findEnd(text: string, quote: string, from: number): number {
  const end = text.indexOf(quote, from);
  return end < 0 ? text.length : end;
}

/** Here-documents apart from the lines that they belong to. */
function splitHeredocs(line: string): { text: string; bodies: { owner: string; body: string }[] } {
  const bodies: { owner: string; body: string }[] = [];
  const kept: string[] = [];
  let until: string | undefined;
  let open: { owner: string; lines: string[] } | undefined;
  for (const each of line.split("\n")) {
    if (open && until !== undefined) {
      if (each.trim() === until) {
        bodies.push({ owner: open.owner, body: open.lines.join("\n") });
        [open, until] = [undefined, undefined];
      } else open.lines.push(each);
      continue;
    }
    until = /(?<!<)<<(?!<)-?\s*["']?(\w+)/.exec(each)?.[1];
    if (until !== undefined) open = { owner: each, lines: [] };
    kept.push(each);
  }
  if (open) bodies.push({ owner: open.owner, body: open.lines.join("\n") });
  return { text: kept.join("\n"), bodies };
}
