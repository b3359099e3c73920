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
  // Placeholders stay unquoted: their values do not need quotes.
  const formatWord = (word: string): string => (/^[\w./:@%+,=*-]*\{\w+\}$/.test(word) ? word : quoteShellWord(word));
  const words = "argv" in run ? run.argv.map(formatWord) : ["sh", "-c", quoteShellWord(run.shell)];
  return escapeUnprintable([...before, ...words].join(" "));
}

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
  if (letter === '"') {
    let [inner, end] = ["", i + 1];
    while (end < text.length && text.charAt(end) !== '"') {
      if (text.charAt(end) === "\\") end++;
      inner += text.charAt(end++);
    }
    return { text: inner, end: end + 1, isQuoted: true };
  }
  if (text.startsWith("$(", i)) {
    // Up to the matching bracket.
    let [end, depth] = [i + 2, 1];
    for (; end < text.length && depth > 0; end++) {
      if (text.charAt(end) === "(") depth++;
      if (text.charAt(end) === ")") depth--;
    }
    return { text: text.slice(i, end), end, isQuoted: true };
  }
  return undefined;
}
