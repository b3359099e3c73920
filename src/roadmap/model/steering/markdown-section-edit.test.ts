import { expect, test } from "vitest";
import { hasLostText, writeSectionBody, writeTitleText } from "./markdown-section.ts";

const TEXT = "# T\n\n<what it is for>\n\n## Users\n\nPilots.\n\nMasters.\n\n## Intent\n";

test.each([
  ["adding", "Pilots fly.", TEXT.replace("Masters.\n", "Masters.\n\nPilots fly.\n")],
  ["adding", "Masters.", TEXT],
  ["adding", "Pilots.\n\n\n Masters. ", TEXT],
  ["replacing", "Nobody.", TEXT.replace("Pilots.\n\nMasters.", "Nobody.")],
  ["replacing", "pilots. masters", TEXT],
] as const)("writes a section by %s %j", (how, said, expected) => {
  expect(writeSectionBody(TEXT, "Users", said, how)).toBe(expected);
});

test("creates a missing section before a given one or at the end", () => {
  expect(writeSectionBody(TEXT, "New", "a", "adding", "Intent")).toBe(
    TEXT.replace("## Intent", "## New\n\na\n\n## Intent"),
  );
  expect(writeSectionBody(TEXT, "New", "a", "replacing", "Nowhere")).toBe(`${TEXT}\n## New\n\na\n`);
});

test.each(["# T\n\n<!-- open\n", "# T\n\n~~~\n"])("rejects a file that ends within %j", (text) => {
  expect(() => writeSectionBody(text, "New", "a", "adding")).toThrow(
    expect.objectContaining({ code: "steering.unreadable" }),
  );
});

test("writes below the title, or at the top without one", () => {
  expect(writeTitleText(TEXT, "Tides.", "adding")).toBe(TEXT.replace("<what it is for>", "Tides."));
  expect(writeTitleText("## A\n", "Tides.\n", "adding")).toBe("Tides.\n\n## A\n");
});

test.each([
  ["a\nb", "b\n\na", false],
  ["a\na", "a", true],
  ["- <what it is>\na", "a", false],
  ["a  b\r\n", "a b", false],
  ["a\nb", "a", true],
])("from %j to %j, text is lost: %s", (before, after, expected) => {
  expect(hasLostText(before, after)).toBe(expected);
});
