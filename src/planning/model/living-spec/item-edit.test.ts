import { expect, test } from "vitest";
import { checkProjectDocument } from "../project/project-document.ts";
import { parseRequirementItems } from "../project/requirement-items.ts";
import { type SpecDelta, findLiveItem, outlineSpecItems } from "./item-outline.ts";
import { mergeSpecDeltas } from "./delta-merge.ts";

const delta = (changes: Partial<SpecDelta> & Pick<SpecDelta, "op" | "id">): SpecDelta => ({
  base: "0".repeat(64),
  was: "",
  text: "",
  ...changes,
});
const apply = (document: string, deltas: readonly SpecDelta[]): string =>
  mergeSpecDeltas({ requirements: document }, deltas, "tidy").books.requirements ?? document;

test.each([
  ["2. Should have", "FR-003", "should"],
  ["**Should have**", "FR-003", "should"],
  ["SHOULD HAVE (second)", "FR-003", "should"],
  ["Should haves", "FR-003", "should"],
  ["Won’t have", "FR-003", "wont"],
  ["Quality requirements", "NFR-003", undefined],
  ["3. Nonfunctional", "NFR-003", undefined],
] as const)("%s: puts an item under the heading that makes it readable again", (heading, id, priority) => {
  const document = `# R\n\n## ${heading}\n\n- **${id.replace("3", "1")}**: A.\n\n## Notes\n`;
  const after = apply(document, [delta({ op: "added", id, text: "B.", ...(priority ? { priority } : {}) })]);
  expect(after).toBe(document.replace("A.\n", `A.\n- **${id}**: B.\n`));
  const found = parseRequirementItems(after);
  expect(found.map((each) => each.priority)).toEqual([priority, priority]);
});

const BOOK = `# Requirements

## Must have

- **FR-001**: A.

## Should have

Soon.

- **FR-002**: B, which has limits:
  None.

What is said below.

## Could have

### FR-003: C

More of it.

## Won't have

### Ever

- FR-004: D.

## Non-functional requirements

None.
`;

test("marks a list as empty once its last item goes, removes the mark with a new item, and passes the document's check", () => {
  const removed = ["FR-002", "FR-003", "FR-004"].map((id) =>
    delta({ op: "removed", id, was: findLiveItem(outlineSpecItems(BOOK), id)?.text ?? "", text: "Why." }),
  );
  const added = delta({ op: "added", id: "NFR-001", text: "Q." });
  const emptied = apply(BOOK, [...removed, added]);
  expect(emptied.slice(0, emptied.indexOf("## Removed"))).toBe(`# Requirements

## Must have

- **FR-001**: A.

## Should have

Soon.

None.

What is said below.

## Could have

None.

## Won't have

None.

### Ever

## Non-functional requirements

- **NFR-001**: Q.

`);
  expect(checkProjectDocument("specify", emptied, { adrs: [] })).toEqual([]);
  const begun = (["should", "could", "wont"] as const).map((priority, i) =>
    delta({ op: "added", id: `FR-01${i}`, text: "N.", priority }),
  );
  const again = apply(emptied, begun);
  expect(again).toBe([10, 11, 12].reduce((text, n) => text.replace("\nNone.", `\n- **FR-0${n}**: N.`), emptied));
});

test.each(["- None", "N/A", "nothing."])("reads %s as None.", (none) => {
  const document = `## Should have\n\n${none}\n\n## Notes\n`;
  expect(apply(document, [delta({ op: "added", id: "FR-001", text: "A.", priority: "should" })])).toBe(
    "## Should have\n\n- **FR-001**: A.\n\n## Notes\n",
  );
});

test("does not read a longer sentence or code that starts with a word for nothing as an empty list", () => {
  const added = [delta({ op: "added", id: "FR-001", text: "A.", priority: "should" })];
  for (const said of ["None.\nBut soon.", "```\nNone.\n```", "<!--\nNone.\n-->"]) {
    const document = `## Should have\n\n${said}\n`;
    expect(apply(document, added)).toBe(`${document}\n- **FR-001**: A.\n`);
  }
});
