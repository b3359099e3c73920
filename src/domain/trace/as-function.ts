const BRACES = (body: string): string => `function traced() {\n${body}\n}\n`;
const WRAPS: Readonly<Partial<Record<string, (body: string) => string>>> = {
  javascript: BRACES,
  typescript: BRACES,
  tsx: BRACES,
  php: (body) => `<?php\n${BRACES(body)}`,
  ruby: (body) => `def traced\n${body}\nend\n`,
};

/**
 * Statements as the body of a function, for a syntax tree gives hashes to what has a name: a test such as
 * `test("…", () => …)` has none. Nothing for a language in which tests are functions or methods.
 */
export const asFunction = (language: string, body: string): string | undefined => WRAPS[language]?.(body);
