import { escapeUnprintable } from "../quote.ts";

const MARKDOWN_TAG_START = /(`+)[^`]+\1(?!`)|<(?=[A-Za-z/!?])/g;
const MARKDOWN_BLOCK_START = /^(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|[-=_*]{2,}|`{3}|~{3}|\||\[[^\]]*\]:)/;

/** One line of foreign text, in which nothing is hidden and nothing opens a block. */
export const escapeMarkdownLine = (text: string): string =>
  escapeUnprintable(text.replace(/\s+/g, " ").trim())
    .replaceAll("<!--", "&lt;!--")
    .replace(MARKDOWN_TAG_START, (found) => (found === "<" ? "\\<" : found));

export const escapeMarkdownParagraph = (text: string): string =>
  escapeMarkdownLine(text)
    .replace(MARKDOWN_BLOCK_START, "\\")
    .replace(/^(\d{1,9})(?=[.)](?:\s|$))/, "$1\\");

export const escapeTableCell = (text: string): string =>
  escapeMarkdownLine(text).replaceAll("\\|", "|").replaceAll("|", "\\|");
