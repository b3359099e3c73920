import { parse } from "smol-toml";

const LONGEST = 262_144;
const DEEPEST = 50;

/** Returns nothing for text that is not TOML, too long or too deep. */
export function readToml(text: string): unknown {
  if (text.length > LONGEST) return undefined;
  try {
    return parse(text, { maxDepth: DEEPEST, integersAsBigInt: "asNeeded" });
  } catch {
    return undefined;
  }
}
