const wrapInBraces = (body: string): string => `function traced() {\n${body}\n}\n`;
const FUNCTION_WRAPPERS: Readonly<Partial<Record<string, (body: string) => string>>> = {
  javascript: wrapInBraces,
  typescript: wrapInBraces,
  tsx: wrapInBraces,
  php: (body) => `<?php\n${wrapInBraces(body)}`,
  ruby: (body) => `def traced\n${body}\nend\n`,
};

/**
 * Wraps statements in a named function, because the syntax tree hashes only named parts, and a test such as `test("…",
 * () => …)` has no name. Returns nothing for languages whose tests are functions or methods.
 */
export const wrapAsFunction = (language: string, body: string): string | undefined =>
  FUNCTION_WRAPPERS[language]?.(body);
