import { escapeUnprintable, quoteShellWord } from "../quote.ts";
import type { Check, Invocation } from "./check.ts";

/** A command as a person would type it; a shell's line stands as it is, behind the shell that runs it. */
export function commandLine(run: Invocation, variables: Check["variables"] = {}): string {
  const before = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellWord(value)}`);
  const words = "argv" in run ? run.argv.map(sayWord) : ["sh", "-c", quoteShellWord(run.shell)];
  return escapeUnprintable([...before, ...words].join(" "));
}

/** Placeholders stay as they are: what takes their place has no need of quotes. */
const sayWord = (word: string): string => (/^[\w./:@%+,=*-]*\{\w+\}$/.test(word) ? word : quoteShellWord(word));
