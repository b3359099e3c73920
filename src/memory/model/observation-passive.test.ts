import { expect, test } from "vitest";
import { extractLearnings } from "./observation.ts";

const ONE = "The cache is cleared by the deploy";
const TWO = "Tokens live for an hour and no longer";
const THREE = "Sessions are kept in one database";

test.each([
  "## Key Learnings",
  "## Key Learnings:",
  "### key learning",
  "## Learnings",
  "## Learning :",
  "## Aprendizajes",
  "### Aprendizajes Clave:",
  "##   KEY   LEARNINGS  ",
])("learns the text under %j", (heading) => {
  expect(extractLearnings(`Done.\n\n${heading}\n\n1. ${ONE}\n2) ${TWO}\n`)).toEqual([ONE, TWO]);
});

test.each([
  "# Key Learnings",
  "#### Learnings",
  "## Key Takeaways",
  "## Learnings so far",
  "Key Learnings:",
  "##Learnings",
])("does not learn the text under %j", (heading) => {
  expect(extractLearnings(`${heading}\n- ${ONE}`)).toEqual([]);
});

test.each([
  ["learns from bullets of every kind", `- ${ONE}\n* ${TWO}\n  + ${THREE}`, [ONE, TWO, THREE]],
  ["prefers numbers to bullets", `- ${ONE}\n1. ${TWO}\n- ${THREE}`, [TWO]],
  ["learns only texts that are long enough", `- ${"x".repeat(19)}\n- ${"y".repeat(20)}`, ["y".repeat(20)]],
  ["measures a text without its marks", `- **${"x".repeat(18)}**\n- **${"y".repeat(20)}**`, ["y".repeat(20)]],
  ["ignores lines that are not items", `${ONE}\n${TWO}`, []],
  ["learns up to the next heading", `- ${ONE}\n## Next\n- ${TWO}`, [ONE]],
  ["reads Windows line ends", `- ${ONE}\r\n- ${TWO}\r\n`, [ONE, TWO]],
  [
    "bold, code and italic as text",
    "- The **cache** needs `npm run clean` and *never* a _manual_ one",
    ["The cache needs npm run clean and never a manual one"],
  ],
  [
    "names with underscores as they are",
    "- the max_open_files and 2*3*4 limits",
    ["the max_open_files and 2*3*4 limits"],
  ],
])("%s", (_, section, learned) => {
  expect(extractLearnings(`## Learnings\n${section}`)).toEqual(learned);
});

test.each([
  ["the last section", `## Learnings\n- ${ONE}\n## Learnings\n- ${TWO}`, [TWO]],
  ["the last section with items", `## Learnings\n- ${ONE}\n## Key Learnings\nNothing new.`, [ONE]],
  ["the last section with items that are long enough", `## Learnings\n- ${ONE}\n## Key Learnings\n- nothing`, [ONE]],
  ["nothing in an empty text", "", []],
])("counts %s", (_, text, learned) => {
  expect(extractLearnings(text)).toEqual(learned);
});
