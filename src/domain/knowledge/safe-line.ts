import { printable } from "../quote.ts";

/** What would begin a tag or a comment, unless it stands in inline code. */
const TAG_BEGIN = /(`+)[^`]+\1(?!`)|<(?=[A-Za-z/!?])/g;
/** What a line may begin with to be more than a line of prose. */
const BLOCK_BEGIN = /^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*]{2,}|`{3}|~{3}|\||\[[^\]]*\]:)/;

/** One line that others wrote, in which nothing hides and nothing opens what it does not close. */
export const safeLine = (text: string): string =>
  printable(text.replace(/\s+/g, " ").trim())
    .replaceAll("<!--", "&lt;!--")
    .replace(TAG_BEGIN, (found) => (found === "<" ? "\\<" : found));

/** The same as a paragraph of its own: it begins no heading, list, quotation or block of code. */
export const safeParagraph = (text: string): string =>
  safeLine(text)
    .replace(BLOCK_BEGIN, "\\")
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");

/** The same in a cell of a table. */
export const safeCell = (text: string): string => safeLine(text).replaceAll("\\|", "|").replaceAll("|", "\\|");
