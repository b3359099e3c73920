/** Characters that take two columns: East Asian wide forms and most emoji. */
const WIDE_CHARACTER =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

export function measureTextWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return Array.from(text).reduce((width, character) => width + (WIDE_CHARACTER.test(character) ? 2 : 1), 0);
}

const COMMAND_PATTERN = /(?<=^\s*(?:\$ )?|: )(?:tenon|git|npm|npx) /;

/** A word with the blanks before it. Text in backticks counts as one word, so that a command stays on one line. */
const WORD_PATTERN = /\s*(?:[^\s`]|`[^`]*`|`)+/g;

/** Breaks one line at blanks. Every line but the first begins with `hang`. */
export function wrapLine(line: string, width: number, hang = ""): string {
  if (measureTextWidth(line) <= width) return line;
  const lines: string[] = [];
  let current = "";
  for (const [word] of line.matchAll(WORD_PATTERN)) {
    if (current.trim() !== "" && measureTextWidth(current + word) > width) {
      lines.push(current);
      current = hang + word.trimStart();
    } else {
      current += word;
    }
  }
  return [...lines, current].join("\n");
}

/** A word of a shell command with the blanks before it. Text in quotes counts as one word. */
const COMMAND_WORD_PATTERN = /\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|\S)+/g;
const FLAG_PATTERN = /^\s*--?[a-z-]+$/;

/** The words of a command. A flag and its value stay together if they fit. */
function splitCommandWords(line: string, width: number): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(COMMAND_WORD_PATTERN)) {
    const flag = FLAG_PATTERN.test(words.at(-1) ?? "") && !FLAG_PATTERN.test(word) ? (words.at(-1) ?? "") : "";
    if (flag !== "" && measureTextWidth(flag + word) <= width) words.splice(-1, 1, flag + word);
    else words.push(word);
  }
  return words;
}

/** Breaks a command as a shell allows it, so that people can still copy it. Words before the command are prose. */
export function wrapCommandLine(line: string, width: number, hang = ""): string {
  if (measureTextWidth(line) <= width) return line;
  const start = COMMAND_PATTERN.exec(line)?.index ?? 0;
  const indent = `${hang}    `;
  const lines: string[] = [];
  let current = "";
  let index = 0;
  for (const word of splitCommandWords(line, width - indent.length - 2)) {
    const isLast = index + word.length >= line.length;
    if (current.trim() !== "" && measureTextWidth(current + word) > (isLast ? width : width - 2)) {
      lines.push(index > start ? `${current} \\` : current);
      current = (index > start ? indent : hang) + word.trimStart();
    } else {
      current += word;
    }
    index += word.length;
  }
  return [...lines, current].join("\n");
}

/** Wraps help text. A line with two columns continues below its second column. */
export function wrapHelpText(text: string, width: number): string {
  const lines = text.split("\n").map((line) => {
    const second = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
    if (second === 0 && isCommandLine(line)) return wrapCommandLine(line, width, /^ */.exec(line)?.[0]);
    const own = /^ */.exec(line)?.[0].length ?? 0;
    return wrapLine(line, width, " ".repeat(second > 0 && second < width - 20 ? second : own + (own > 0 ? 2 : 0)));
  });
  return lines.join("\n");
}

/** Wraps the prose of a Markdown text. Code, tables and commands keep their lines. */
export function wrapMarkdown(text: string, width: number): string {
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || /^(?: {4}|\t|\s*\|)/.test(line)) return line;
    if (isCommandLine(line)) return wrapCommandLine(line, width);
    const marker = /^\s*(?:[-*+]|\d+[.)]|>)?\s*/.exec(line)?.[0] ?? "";
    return wrapLine(line, width, marker.replace(/[^>\s]/g, " "));
  });
  return lines.join("\n");
}

/** Whether a line is, or ends in, a command that people copy. */
export const isCommandLine = (line: string): boolean => COMMAND_PATTERN.test(line);

/** `src/a/b/c/deep/file.ts` becomes `src/a/…/file.ts`: the file and as many folders as fit. */
export function shortenPath(path: string, width: number): string {
  if (measureTextWidth(path) <= width || path.includes("://")) return path;
  const parts = path.split("/");
  let [head, tail] = [0, 1];
  const join = (first: number, last: number): string =>
    [...parts.slice(0, first), "…", ...parts.slice(parts.length - last)].join("/");
  const fits = (first: number, last: number): boolean =>
    first + last < parts.length && measureTextWidth(join(first, last)) <= width;
  for (;;) {
    if (head < tail && fits(head + 1, tail)) head++;
    else if (fits(head, tail + 1)) tail++;
    else break;
  }
  const short = join(head, tail);
  return measureTextWidth(short) <= width ? short : `…${short.slice(short.length - width + 1)}`;
}
