import { parse } from "smol-toml";

const LONGEST_TOML = 262_144;
const DEEPEST_TOML = 50;

/** Returns nothing for text that is not TOML, too long or too deep. */
export function parseTomlText(text: string): unknown {
  if (text.length > LONGEST_TOML) return undefined;
  try {
    return parse(text, { maxDepth: DEEPEST_TOML, integersAsBigInt: "asNeeded" });
  } catch {
    return undefined;
  }
}
