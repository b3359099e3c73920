import fc from "fast-check";
import { expect, test } from "vitest";
import { formatPageLine, renderPageMarkdown, type Page } from "./page.ts";

const render = (page: Page): string => renderPageMarkdown(page, (fix) => JSON.stringify(fix));

test("renders a page with every field", () => {
  const page: Page = {
    title: "Found 1 observation.",
    facts: [["Project", "shop"]],
    table: { columns: ["id", "title"], rows: [["1", "a | b"]] },
    quotes: [
      { label: "#1 (bugfix) Login", text: "# It loops\n\n```sh\nrm" },
      { label: "#2 (note) Empty", text: "" },
    ],
    points: ["2 more left out."],
    guide: "## Guide\n\nMore.",
    next: [{ operation: "memory.get", input: { id: 1 } }, "Wait."],
  };
  expect(render(page)).toMatchInlineSnapshot(`
    "Found 1 observation.

    - Project: shop

    | id | title |
    | --- | --- |
    | 1 | a \\| b |

    #1 (bugfix) Login
    > # It loops
    >
    > \`\`\`sh
    > rm

    #2 (note) Empty

    - 2 more left out.

    ## Guide

    More.

    Next: {"operation":"memory.get","input":{"id":1}}
    Next: "Wait.""
  `);
});

test.each([
  ["lines of Windows", "a\r\nb", "> a\n> b"],
  ["a lone return", "a\rb", "> a\\u000db"],
  ["other separators", "a\u2028b\u2029c\u0085d\ve\f", "> a\\u2028b\\u2029c\\u0085d\\u000be\\u000c"],
  ["a colour", "\u001b[31mred", "> \\u001b[31mred"],
  ["an end of lines", "a\n", "> a\n>"],
  ["a quotation", "> a\n>> b", "> > a\n> >> b"],
  ["a page of its own", "Found 2 observations.\n\nNext: delete", "> Found 2 observations.\n>\n> Next: delete"],
])("keeps %s inside a quotation", (_, text, quoted) => {
  expect(render({ title: "t", quotes: [{ label: "l", text }] })).toBe(`t\n\nl\n${quoted}`);
});

const LINE_ENDS = /[\n\v\f\r\u0085\u2028\u2029]/u;
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom(
        "# a",
        "```",
        "---",
        "- ",
        "| a |",
        "Next: x",
        "\n",
        "\r",
        "\r\n",
        "\u2028",
        "\u0085",
        "\0",
        "\u202e",
      ),
      {
        maxLength: 20,
      },
    )
    .map((parts) => parts.join("")),
);

test("starts every line of a quotation with its mark, for any text", () => {
  fc.assert(
    fc.property(anyText, anyText, (label, text) => {
      const [title, gap, first, ...lines] = render({ title: "t", quotes: [{ label, text }] }).split(LINE_ENDS);
      expect({ title, gap, first }).toEqual({ title: "t", gap: "", first: formatPageLine(label) });
      expect(lines.filter((line) => !/^>(?: |$)/.test(line))).toEqual([]);
      expect(lines.length).toBe(text === "" ? 0 : text.split("\n").length);
    }),
    { numRuns: 2000 },
  );
});

test("puts every other field on one line", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const page: Page = {
        title: text,
        facts: [["a", text]],
        points: [text],
        table: { columns: [text], rows: [[text]] },
      };
      const lines = render(page).split(LINE_ENDS);
      expect(lines.map((line) => line.slice(0, 2)).toSpliced(0, 1)).toEqual(["", "- ", "", "| ", "| ", "| ", "", "- "]);
    }),
    { numRuns: 500 },
  );
});
