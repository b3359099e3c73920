import { parse } from "smol-toml";

/** Characters. No manifest that a person keeps is longer. */
const LONGEST = 262_144;
const DEEPEST = 50;

/** What a TOML text says; nothing where it is none, too long or too deep. */
export function readToml(text: string): unknown {
  if (text.length > LONGEST) return undefined;
  try {
    return parse(text, { maxDepth: DEEPEST, integersAsBigInt: "asNeeded" });
  } catch {
    return undefined;
  }
}
