import { parse, type ParseError } from "jsonc-parser";

/** Parses JSON with comments and trailing commas, as in `tsconfig.json`. Returns nothing if it is invalid. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = [];
  try {
    const value: unknown = parse(text.replace(/^\uFEFF/, ""), errors, { allowTrailingComma: true });
    return errors.length > 0 ? undefined : value;
  } catch {
    // Deep nesting exhausts the stack.
    return undefined;
  }
}
