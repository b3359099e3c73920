import { escapeUnprintable, quoteShellWord } from "../quote.ts";
import type { Check, Invocation } from "./check.ts";

/** Formats a command as a user would type it. A shell line appears after the shell that runs it. */
export function commandLine(run: Invocation, variables: Check["variables"] = {}): string {
  const before = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellWord(value)}`);
  const words = "argv" in run ? run.argv.map(sayWord) : ["sh", "-c", quoteShellWord(run.shell)];
  return escapeUnprintable([...before, ...words].join(" "));
}

/** Placeholders stay unquoted: their values do not need quotes. */
const sayWord = (word: string): string => (/^[\w./:@%+,=*-]*\{\w+\}$/.test(word) ? word : quoteShellWord(word));
