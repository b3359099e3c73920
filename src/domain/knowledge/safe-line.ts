import { escapeUnprintable } from "../quote.ts";

const TAG_BEGIN = /(`+)[^`]+\1(?!`)|<(?=[A-Za-z/!?])/g;
const BLOCK_BEGIN = /^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*]{2,}|`{3}|~{3}|\||\[[^\]]*\]:)/;

/** One line of foreign text, in which nothing is hidden and nothing opens a block. */
export const safeLine = (text: string): string =>
  escapeUnprintable(text.replace(/\s+/g, " ").trim())
    .replaceAll("<!--", "&lt;!--")
    .replace(TAG_BEGIN, (found) => (found === "<" ? "\\<" : found));

export const safeParagraph = (text: string): string =>
  safeLine(text)
    .replace(BLOCK_BEGIN, "\\")
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");

export const safeCell = (text: string): string => safeLine(text).replaceAll("\\|", "|").replaceAll("|", "\\|");
