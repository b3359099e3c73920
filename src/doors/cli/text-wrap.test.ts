import { expect, test } from "vitest";
import { measureTextWidth, shortenPath, wrapCommandLine, wrapHelpText, wrapLine, wrapMarkdown } from "./text-wrap.ts";

test.each([
  ["fits", 80, "fits"],
  ["one two three four", 9, "one two\n  three\n  four"],
  ["unbreakably-long and short", 10, "unbreakably-long\n  and\n  short"],
  ["Type `tenon trace --path lib/a.js` to see it", 30, "Type\n  `tenon trace --path lib/a.js`\n  to see it"],
  ["修复 修复 修复", 9, "修复 修复\n  修复"],
])("wraps %j at %i columns", (text, width, wrapped) => {
  expect(wrapLine(text, width, "  ")).toBe(wrapped);
});

test.each([
  ["next: tenon gate", 20, "next: tenon gate"],
  [
    "next: tenon change advance --change-id fix --file <path>",
    40,
    "next: tenon change advance \\\n        --change-id fix --file <path>",
  ],
  [
    'next: To commit it: git commit -m "a long message"',
    40,
    'next: To commit it: git commit \\\n        -m "a long message"',
  ],
])("breaks the command %j at %i columns where a shell allows it", (text, width, wrapped) => {
  expect(wrapCommandLine(text, width, "    ")).toBe(wrapped);
});

test("counts two columns for wide characters", () => {
  expect([measureTextWidth("abc"), measureTextWidth("é"), measureTextWidth("修"), measureTextWidth("🚀")]).toEqual([
    3, 1, 2, 2,
  ]);
});

test.each([
  ["src/a.ts", 20, "src/a.ts"],
  ["packages/server/src/http/routes/login.ts:12", 30, "packages/…/routes/login.ts:12"],
  ["packages/server/src/http/routes/login.ts:12", 20, "…/routes/login.ts:12"],
  ["a/very-long-name-of-a-file-in-a-folder.ts", 20, "…file-in-a-folder.ts"],
  ["https://example.com/a/b/c/d/e/f", 10, "https://example.com/a/b/c/d/e/f"],
])("shortens %s to %i columns in the middle", (path, width, short) => {
  expect(shortenPath(path, width)).toBe(short);
});

test("continues help below its second column and breaks examples where a shell allows it", () => {
  const help = [
    "Check the receipts of passed gates, and their files",
    "",
    "  --file <path>  Read the content from a file or from standard input",
    '  tenon change start "Fix the login of users who have no password"',
  ].join("\n");
  expect(wrapHelpText(help, 42)).toMatchInlineSnapshot(`
    "Check the receipts of passed gates, and
    their files

      --file <path>  Read the content from a
                     file or from standard
                     input
      tenon change start \\
          "Fix the login of users who have no password""
  `);
});

test("wraps the prose of Markdown, but not code, tables or commands", () => {
  const text = [
    "A paragraph that is longer than forty columns.",
    "- an item that is also longer than forty columns",
    "  1. a nested item that is longer than forty columns",
    "> a quotation that is longer than forty columns",
    "| a table | that is | longer | than | forty |",
    "    indented code that is longer than forty columns",
    "tenon change advance --change-id fix-login --file a.md",
    "```",
    "code that is longer than forty columns, as it is",
    "```",
    "After the code, prose wraps again at forty columns.",
  ].join("\n");
  expect(wrapMarkdown(text, 40)).toMatchInlineSnapshot(`
    "A paragraph that is longer than forty
    columns.
    - an item that is also longer than forty
      columns
      1. a nested item that is longer than
         forty columns
    > a quotation that is longer than forty
    > columns
    | a table | that is | longer | than | forty |
        indented code that is longer than forty columns
    tenon change advance \\
        --change-id fix-login --file a.md
    \`\`\`
    code that is longer than forty columns, as it is
    \`\`\`
    After the code, prose wraps again at
    forty columns."
  `);
});
