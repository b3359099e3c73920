import { expect, test } from "vitest";
import { addCodifiedLine } from "./markdown-section.ts";

const TECH = "# Technology\n\n## Testing\n\n- <what is tested>\n\n## Tools\n\nNode.\n";

test("adds a line under Codified, and creates that section", () => {
  const once = addCodifiedLine(TECH, "Ids are\nULIDs");
  expect(once).toBe(`${TECH}\n## Codified\n\n- Ids are ULIDs\n`);
  expect(addCodifiedLine(once, "Times are UTC")).toBe(`${TECH}\n## Codified\n\n- Ids are ULIDs\n- Times are UTC\n`);
});

test("adds a line that starts with a heading's name under that heading", () => {
  expect(addCodifiedLine(TECH, "Testing: No mocks")).toBe(TECH.replace("- <what is tested>", "- No mocks"));
  expect(addCodifiedLine(TECH, "tools: Git 2.40")).toBe(TECH.replace("Node.\n", "Node.\n\n- Git 2.40\n"));
});

test.each([
  ["a word that is not a heading", "Note: ids are ULIDs", "- Note: ids are ULIDs"],
  ["the title", "Technology: ids are ULIDs", "- Technology: ids are ULIDs"],
  ["an address", "https://example.com is ours", "- https://example.com is ours"],
  ["an open comment", "Testing <!-- x", "- Testing &lt;!-- x"],
])("keeps a line complete that starts with %s", (_, line, item) => {
  expect(addCodifiedLine(TECH, line)).toBe(`${TECH}\n## Codified\n\n${item}\n`);
});

test.each(["Ids are ULIDs", "ids  are ULIDs.", "Testing: No mocks", "No mocks"])("does not add %j again", (line) => {
  const text = addCodifiedLine(addCodifiedLine(TECH, "Ids are ULIDs"), "Testing: No mocks");
  expect(addCodifiedLine(text, line)).toBe(text);
});

test("recognizes a line that moved to another section", () => {
  const text = "# T\n\n## Rules\n\n* Ids are ULIDs\n";
  expect(addCodifiedLine(text, "Ids are ULIDs")).toBe(text);
});

test("rejects a file with an open fence", () => {
  const fault = expect.objectContaining({ code: "steering.unreadable" });
  expect(() => addCodifiedLine("# T\n\n```\nopen\n", "x")).toThrow(fault);
});
