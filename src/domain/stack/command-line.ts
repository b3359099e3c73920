import { escapeUnprintable, quoteShellWord } from "../quote.ts";
import type { StackCheck, CommandInvocation } from "./check.ts";

/** Formats a command as a user would type it. A shell line appears after the shell that runs it. */
export function formatInvocationLine(run: CommandInvocation, variables: StackCheck["variables"] = {}): string {
  const before = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellWord(value)}`);
  const words = "argv" in run ? run.argv.map(formatCommandWord) : ["sh", "-c", quoteShellWord(run.shell)];
  return escapeUnprintable([...before, ...words].join(" "));
}

/** Placeholders stay unquoted: their values do not need quotes. */
const formatCommandWord = (word: string): string =>
  /^[\w./:@%+,=*-]*\{\w+\}$/.test(word) ? word : quoteShellWord(word);
