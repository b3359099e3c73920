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
  ["bullets of every kind", `- ${ONE}\n* ${TWO}\n  + ${THREE}`, [ONE, TWO, THREE]],
  ["numbers before bullets", `- ${ONE}\n1. ${TWO}\n- ${THREE}`, [TWO]],
  ["only what is long enough", `- ${"x".repeat(19)}\n- ${"y".repeat(20)}`, ["y".repeat(20)]],
  ["what is long enough without its marks", `- **${"x".repeat(18)}**\n- **${"y".repeat(20)}**`, ["y".repeat(20)]],
  ["lines that are no items", `${ONE}\n${TWO}`, []],
  ["up to the next heading", `- ${ONE}\n## Next\n- ${TWO}`, [ONE]],
  ["lines that end as on Windows", `- ${ONE}\r\n- ${TWO}\r\n`, [ONE, TWO]],
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
  ["the last that has any", `## Learnings\n- ${ONE}\n## Key Learnings\nNothing new.`, [ONE]],
  ["the last that has any long enough", `## Learnings\n- ${ONE}\n## Key Learnings\n- nothing`, [ONE]],
  ["none in nothing", "", []],
])("counts %s", (_, text, learned) => {
  expect(extractLearnings(text)).toEqual(learned);
});
