import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";

/** The tokenizer needs quadratic time for a very long word. In pieces it is linear and counts hardly more. */
const LONG_TOKEN_WORD = /[^\s]{256,}/;
const TOKEN_PIECE = /[\s\S]{1,128}/g;

export function countTokens(text: string): number {
  if (!LONG_TOKEN_WORD.test(text)) return countPieceTokens(text);
  const parts = text.split(/(?<=\s)(?=\S{256,})|(?<=\S{256})(?=\s)/);
  return parts.reduce((sum, part) => {
    const pieces = LONG_TOKEN_WORD.test(part) ? (part.match(TOKEN_PIECE) ?? []) : [part];
    return sum + pieces.reduce((cost, piece) => cost + countPieceTokens(piece), 0);
  }, 0);
}

const countPieceTokens = (text: string): number => count(text, { disallowedSpecial: new Set() });
