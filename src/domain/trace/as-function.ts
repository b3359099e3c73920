const BRACES = (body: string): string => `function traced() {\n${body}\n}\n`;
const WRAPS: Readonly<Partial<Record<string, (body: string) => string>>> = {
  javascript: BRACES,
  typescript: BRACES,
  tsx: BRACES,
  php: (body) => `<?php\n${BRACES(body)}`,
  ruby: (body) => `def traced\n${body}\nend\n`,
};

/**
 * Wraps statements in a named function, because the syntax tree hashes only named parts, and a test such as `test("…",
 * () => …)` has no name. Returns nothing for languages whose tests are functions or methods.
 */
export const asFunction = (language: string, body: string): string | undefined => WRAPS[language]?.(body);
