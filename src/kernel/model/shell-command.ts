import { escapeUnprintable, quoteShellWord } from "./text-format.ts";

/**
 * A program with its arguments, or a shell line if the profile declares one. `{report}` and `{coverage}` in an argument
 * become paths of files to write; `{files}` becomes one argument per file. A shell line reads them from the variables
 * `TENON_REPORT`, `TENON_COVERAGE` and `TENON_FILES` (one path per line), so that nothing is ever spliced into the
 * line.
 */
export type CommandInvocation = { readonly argv: readonly string[] } | { readonly shell: string };

export type CommandEnding = "exited" | "timed-out" | "silent" | "cancelled" | "not-found" | "signalled" | "not-started";

/** Formats a command as a user would type it. A shell line appears after the shell that runs it. */
export function formatInvocationLine(run: CommandInvocation, variables: Readonly<Record<string, string>> = {}): string {
  const before = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellWord(value)}`);
  const words = "argv" in run ? run.argv.map(formatCommandWord) : ["sh", "-c", quoteShellWord(run.shell)];
  return escapeUnprintable([...before, ...words].join(" "));
}

/** Placeholders stay unquoted: their values do not need quotes. */
const formatCommandWord = (word: string): string =>
  /^[\w./:@%+,=*-]*\{\w+\}$/.test(word) ? word : quoteShellWord(word);

export interface ShellToken {
  readonly kind: "word" | "mark";
  readonly text: string;
  /** A quoted word is never a keyword of the shell. */
  readonly isQuoted: boolean;
  /** Whether the next word is a file that the command writes: `>`, `>>` or `>|`. */
  readonly isRedirect?: boolean;
  /** Command lines inside `$(…)`, unless in double quotes. */
  readonly substitutions?: readonly string[];
}

const SHELL_OPERATORS = ["&&", "||", ";;", "|&", "&>", ">&", "<&", ";", "|", "&", "(", ")", "\n"];

const REDIRECTIONS = [">>", ">|", ">"];

/** Quoted text and `$(…)` are part of a word. A redirection is a word of its own. */
export function tokenizeShellLine(text: string): ShellToken[] {
  const tokens: ShellToken[] = [];
  let word = "";
  let isWord = false;
  let isQuoted = false;
  let substitutions: string[] = [];
  const end = (): void => {
    if (isWord) tokens.push({ kind: "word", text: word, isQuoted, substitutions });
    word = "";
    isWord = isQuoted = false;
    substitutions = [];
  };
  for (let i = 0; i < text.length;) {
    const letter = text.charAt(i);
    const quoted = readQuotedText(text, i);
    if (quoted) {
      if (text.startsWith("$(", i)) substitutions.push(quoted.text.slice(2, -1));
      word += quoted.text;
      i = quoted.end;
      isWord = true;
      isQuoted ||= quoted.isQuoted;
    } else if (letter === "#" && !isWord) {
      const next = text.indexOf("\n", i);
      i = next < 0 ? text.length : next;
    } else {
      const mark = [...SHELL_OPERATORS, ...REDIRECTIONS].find((candidate) => text.startsWith(candidate, i));
      if (mark !== undefined) {
        const isRedirect = REDIRECTIONS.includes(mark);
        // The number before a redirection is a stream, not a word.
        if (mark.startsWith(">") && !isQuoted && /^\d+$/.test(word)) isWord = false;
        end();
        tokens.push({ kind: isRedirect ? "word" : "mark", text: mark, isQuoted: false, isRedirect });
      } else if (/\s/.test(letter)) end();
      else {
        word += letter;
        isWord = true;
      }
      i += mark?.length ?? 1;
    }
  }
  end();
  return tokens;
}

function readQuotedText(text: string, i: number): { text: string; end: number; isQuoted: boolean } | undefined {
  const letter = text.charAt(i);
  if (letter === "\\") {
    // A backslash at the end of a line joins it with the next line.
    const next = text.charAt(i + 1);
    return { text: next === "\n" ? "" : next, end: i + 2, isQuoted: next !== "\n" };
  }
  if (letter === "'" || letter === "`") {
    const close = text.indexOf(letter, i + 1);
    const end = close < 0 ? text.length : close;
    return { text: text.slice(i + 1, end), end: end + 1, isQuoted: true };
  }
  if (letter === '"') return readDoubleQuoted(text, i);
  if (text.startsWith("$(", i)) {
    const end = findSubstitutionEnd(text, i + 1);
    return { text: text.slice(i, end), end, isQuoted: true };
  }
  return undefined;
}

function readDoubleQuoted(text: string, from: number): { text: string; end: number; isQuoted: boolean } {
  let inner = "";
  let i = from + 1;
  while (i < text.length && text.charAt(i) !== '"') {
    if (text.charAt(i) === "\\") i++;
    inner += text.charAt(i++);
  }
  return { text: inner, end: i + 1, isQuoted: true };
}

/** The offset after the matching bracket. */
function findSubstitutionEnd(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text.charAt(i) === "(") depth++;
    if (text.charAt(i) === ")" && --depth === 0) return i + 1;
  }
  return text.length;
}
