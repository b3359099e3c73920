import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";

/** What the text costs a present-day model, as near as a tokenizer that anybody may use can tell. */
export const countTokens = (text: string): number => count(text, { disallowedSpecial: new Set() });
