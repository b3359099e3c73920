import { expect, test } from "vitest";
import { mergeSpecDeltas } from "./delta-merge.ts";
import { isDisturbingOtherItems, isContainedInItem } from "./item-edit.ts";

test.each([
  ["One line.", true],
  ["Two\nlines.", true],
  ["With a list:\n\n- one\n- two", true],
  ["With code:\n\n```\n# no heading\n```", true],
  ["Spoken of: `<!--` is how one begins.", true],
  ["Open <!-- comment", false],
  ["Open\n\n```\nfence", false],
  ["Open\n\n~~~\nfence", false],
  ["A heading\n# of its own", false],
  ["Another\n- **FR-002**: item", false],
])("%j stays within its item: %s", (text, isWithin) => {
  expect(isContainedInItem("FR-001", text)).toBe(isWithin);
});

const DOCUMENT = "## Must have\n\n- **FR-001**: a\n- **FR-002**: b\n\n## Should have\n\n- **FR-003**: c\n";

test("a stamped text changes no other item when it is merged", () => {
  const delta = { op: "modified", id: "FR-001", was: "a", base: "", text: "a <!-- and" } as const;
  const { books, conflicts } = mergeSpecDeltas({ requirements: DOCUMENT }, [delta], "x");
  expect(conflicts).toMatchObject([{ id: "FR-001", choices: ["document"] }]);
  expect(books.requirements).toBe(DOCUMENT);
  expect(isDisturbingOtherItems(DOCUMENT, DOCUMENT.replace("- **FR-002**", "### Won't have\n\n- **FR-002**"), [])).toBe(
    true,
  );
  expect(isDisturbingOtherItems(DOCUMENT, DOCUMENT.replace(": b", ": other"), ["FR-002"])).toBe(false);
});
