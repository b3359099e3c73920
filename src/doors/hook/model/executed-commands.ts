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
const SHELL_PROGRAM = /^(?:(?:ba|da|z|k|c|tc|fi)?sh|busybox)$/;
const CODE_PROGRAM = /^(?:python[\d.]*|node|bun|deno|ruby|perl|php|osascript|expect|[gmn]?awk|lua\w*|tclsh)$/;
/** Only code that starts programs can run a command that it names. */
const STARTS_PROGRAM =
  /subprocess|system|popen|spawn|exec|child_process|`|%x|proc_open|passthru|getline|Command\(|do shell script/i;
/** Programs that can answer a prompt in place of the user. */
export const TERMINAL_EMULATOR_PATTERN = /^(?:script|expect|unbuffer|socat|tmux|screen|faketty|empty)$/;
/** Arguments of these are texts and paths. Any other program may run the command that its arguments name. */
const TEXT_PROGRAM =
  /^(?:git|gh|glab|hub|jj|rg|[ef]?grep|ag|ack|echo|printf|cat|bat|less|more|head|tail|sed|tee|wc|sort|diff|cmp|cut|tr|[jy]q|cp|mv|ln|rm|ls|mkdir|touch|chmod|stat|tar|zip|test|\[|which|type|whereis|man|cd|pushd|curl|wget|code|open|vitest|jest|mocha|ava|pytest|playwright|cargo|go|dotnet|mvn|gradle|rspec|phpunit|claude|codex|gemini|opencode|tenon)$/;
/** A command within an argument: `sh -c 'tenon …'`, `!tenon …` of an editor or an alias, `all:;tenon …` of make. */
const NESTED_COMMAND =
  /(?:^|[;&|({!:`\n]|\.(?:shell|system)\s|\b(?:exec|sudo|env|then|do|npx|eval)\s)\s*(?:\S*\/)?["']?(?:tenon|\$\w)/;
/** Variables whose value a program runs as a command. */
const COMMAND_VARIABLE = /^\w*(?:COMMAND|EDITOR|PAGER|ENV)=([\s\S]*)$/;
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
  for (const { owner, body, isExpanded } of bodies) {
    const programs = owner.split(/[\s|;&/]+/);
    if (programs.some((each) => SHELL_PROGRAM.test(each))) readLine(body, variables, depth + 1, found);
    else if (programs.some((each) => CODE_PROGRAM.test(each))) found.code.push(body);
    const [, file] = /(?:>>?|\btee)\s*["']?([^\s"'<>|;&]+)/.exec(owner) ?? [];
    if (file !== undefined) variables.set(nameFile(file), body);
    for (const inner of isExpanded ? listSubstitutions(body) : []) readLine(inner, variables, depth + 1, found);
  }
  const isSourced = /(?:^|[\s;&|])(?:source|\.|\w*sh)\s|_ENV=/.test(text);
  for (const inner of listSubstitutions(text)) {
    readLine(inner, variables, depth + 1, found);
    const printed = isSourced ? readPrintedText(inner.split(" "), undefined, variables) : undefined;
    if (printed !== undefined) readLine(printed, variables, depth + 1, found);
  }
  let words: string[] = [];
  let piped: string | undefined;
  const end = (isPipe: boolean): void => {
    const expanded = words.flatMap((word) => expandVariables(word, variables));
    readCommand(expanded, piped, variables, depth, found);
    const printed = readPrintedText(expanded, piped, variables);
    const target = expanded[expanded.findIndex((word) => /^>>?$/.test(word)) + 1];
    if (printed !== undefined && target !== undefined) variables.set(nameFile(target), printed);
    piped = isPipe ? (printed ?? UNKNOWN_WORD) : undefined;
    words = [];
  };
  for (const token of tokenizeShellLine(text)) {
    if (token.kind === "mark" && !/[<>]/.test(token.text)) end(token.text === "|" || token.text === "|&");
    else if (token.kind === "word" && !token.isQuoted && /^[{}]$/.test(token.text)) end(false);
    else words.push(...(token.isQuoted ? [token.text] : expandBraces(token.text)));
  }
  end(false);
}

/** Files that the line itself writes are kept beside its variables. */
const nameFile = (path: string): string => `file ${getName(path)}`;

const expandBraces = (word: string): string[] => /^\{([^{}\s]*,[^{}\s]*)\}$/.exec(word)?.[1]?.split(",") ?? [word];

function readCommand(
  words: readonly string[],
  piped: string | undefined,
  variables: Variables,
  depth: number,
  found: { commands: string[][]; code: string[] },
): void {
  const readNested = (text: string | undefined): void =>
    text === undefined ? undefined : readLine(text, variables, depth + 1, found);
  for (const word of words) readNested(COMMAND_VARIABLE.exec(word)?.[1]);
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
  const [alias] = variables.get(program)?.split(" ") ?? [];
  if (alias !== undefined && alias !== "") return readCommand([alias, ...rest], piped, variables, depth + 1, found);
  if (/^(?:cp|ln|mv)$/.test(program) && rest.slice(0, -1).some((word) => /tenon(?:\.\w+)?\)?$/.test(word)))
    variables.set(getName(rest.at(-1) ?? ""), "tenon");
  if (program === "xargs") {
    const command = rest.slice(rest.findIndex((word) => !/^-|^\d+$|^\{\}$/.test(word)));
    const given = piped === undefined ? [UNKNOWN_WORD] : piped.split(/\s+/).filter((word) => word !== "");
    return readCommand([...command, ...given], undefined, variables, depth + 1, found);
  }
  if (program === "find" || program === "fd" || program === "parallel") {
    const start = rest.findIndex((word) => /^-(?:exec|ok)(?:dir)?$|^-x$|^:::$/.test(word));
    const isNamed = program === "parallel" && rest[0] !== ":::";
    const command = isNamed ? rest : start >= 0 ? rest.slice(start + 1) : [];
    if (command.length > 0) readCommand([...command, UNKNOWN_WORD], undefined, variables, depth + 1, found);
    return;
  }
  if (words.slice(0, at).some((word) => word === "eval")) readNested(words.slice(at).join(" "));
  readNested(variables.get(nameFile(words[at] ?? "")));
  const isSource = program === "source" || program === ".";
  if (SHELL_PROGRAM.test(program) || isSource) {
    const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
    readNested(flag < 0 ? piped : rest[flag + 1]);
    const here = rest.indexOf("<<<");
    readNested(here < 0 ? undefined : rest[here + 1]);
    const file = rest.find((word) => !word.startsWith("-"));
    readNested(variables.get(nameFile(file ?? "")));
    // What `bash -s` runs with these arguments is not shown.
    if (rest.includes("-s")) found.commands.push([UNKNOWN_WORD, ...rest.slice(rest.indexOf("-s") + 1)]);
    if (program !== "busybox") return;
  }
  // `node bin/tenon.js trust` runs a file.
  if (CODE_PROGRAM.test(program)) {
    const file = rest.find((word) => !word.startsWith("-"));
    const code = [...rest.filter((word) => /[\s("'`]/.test(word)), piped, variables.get(nameFile(file ?? ""))];
    found.code.push(...code.filter((each) => each !== undefined));
  } else if (!TEXT_PROGRAM.test(program)) readArguments(words, [...words.slice(at), piped ?? ""], readNested);
  else if (program === "git") readArguments(words, listGitCommands(rest), readNested);
  found.commands.push([...words]);
}

/** A terminal emulator stays before the line that it runs. */
function readArguments(words: readonly string[], texts: readonly string[], readNested: (text: string) => void): void {
  const emulator = words.some((word) => TERMINAL_EMULATOR_PATTERN.test(getName(word))) ? "script " : "";
  for (const each of texts) {
    const text = each.replace(/^-S|^(?:EXEC|SYSTEM):([^,]*).*$/i, "$1").trim();
    if (/\s/.test(text) && NESTED_COMMAND.test(text)) readNested(emulator + text.replace(/^(?:\S+:;?|!|\.\w+)\s*/, ""));
  }
}

/** Aliases and other settings that are commands, and what `bisect run`, `foreach` and `rebase --exec` run. */
function listGitCommands(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^(?:run|foreach|--exec|-x)$/.test(word));
  return [
    ...words.flatMap((word) => /^(?:[\w.-]+=)?!([\s\S]*)$/.exec(word)?.[1] ?? []),
    ...(at < 0 ? [] : [words.slice(at + 1).join(" ")]),
  ];
}

/** The words of the program and its arguments, without the prefixes that may precede a program. */
export function dropCommandPrefix(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !PREFIX.test(word));
  return at < 0 ? [] : words.slice(at);
}

/** Where the words start Tenon, also by way of a program that runs its arguments. */
export function findStartedProgram(words: readonly string[], isWanted: (word: string) => boolean): number {
  const at = words.findIndex((word) => !PREFIX.test(word));
  const isText = TEXT_PROGRAM.test(getName(words[at] ?? "")) && !isWanted(words[at] ?? "");
  return isText ? -1 : words.findIndex(isWanted);
}

/** Words of code that starts programs, as if they were a command line. Joined texts count as one. */
export function listStartedWords(code: string): readonly string[] {
  if (!STARTS_PROGRAM.test(code)) return [];
  const joined = code.replace(/(["'`])\s*[+.]\s*\1/g, "");
  return joined.match(/[\w@./$-][\w@./$=:-]*/g) ?? [];
}

const getName = (program: string): string => program.split(/[/\\]/).at(-1) ?? "";

/** What `echo`, `printf` and programs that pass on or decode their input print, with their escapes. */
function readPrintedText(
  words: readonly string[],
  piped: string | undefined,
  variables: Variables,
): string | undefined {
  const [program = "", ...all] = dropCommandPrefix(words);
  const end = all.findIndex((word) => word.startsWith(">"));
  const rest = end < 0 ? all : all.slice(0, end);
  const name = getName(program);
  if (/^(?:cat|tee)$/.test(name)) {
    if (name === "tee" && piped !== undefined) variables.set(nameFile(rest.at(-1) ?? ""), piped);
    return piped ?? variables.get(nameFile(rest[0] ?? ""));
  }
  if (piped !== undefined && name === "base64") return Buffer.from(piped, "base64").toString();
  if (piped !== undefined && name === "rev") return piped.split("").toReversed().join("");
  if (!/^(?:echo|printf)$/.test(name)) return undefined;
  const said = rest.filter((word) => !/^-\w+$/.test(word));
  return decodeEscapes(said.slice(Number(name === "printf" && /%/.test(said[0] ?? ""))).join(" "));
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
  const text = word.replace(
    /\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/g,
    (all, one?: string, otherwise?: string, other?: string) => variables.get(one ?? other ?? "") ?? otherwise ?? all,
  );
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

interface Heredoc {
  readonly owner: string;
  readonly body: string;
  /** Its delimiter is not quoted, so that the shell runs substitutions. */
  readonly isExpanded: boolean;
}

/** Here-documents apart from the lines that they belong to. */
function splitHeredocs(line: string): { text: string; bodies: Heredoc[] } {
  const bodies: Heredoc[] = [];
  const kept: string[] = [];
  let until: string | undefined;
  let open: (Omit<Heredoc, "body"> & { readonly lines: string[] }) | undefined;
  for (const each of line.split("\n")) {
    if (open && until !== undefined) {
      if (each.trim() === until) {
        bodies.push({ ...open, body: open.lines.join("\n") });
        [open, until] = [undefined, undefined];
      } else open.lines.push(each);
      continue;
    }
    const [, mark = "", quoted, plain] = /(?<!<)<<(?!<)-?\s*(?:(["'])(.*?)\1|(\\?\w+))/.exec(each) ?? [];
    until = quoted ?? plain?.replace("\\", "");
    const isExpanded = mark === "" && plain?.startsWith("\\") === false;
    if (until !== undefined) open = { owner: each, isExpanded, lines: [] };
    kept.push(each);
  }
  if (open) bodies.push({ ...open, body: open.lines.join("\n") });
  return { text: kept.join("\n"), bodies };
}
