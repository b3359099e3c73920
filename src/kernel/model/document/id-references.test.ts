import { expect, test } from "vitest";
import { parseDefinedItems } from "./id-references.ts";

test("reads the text of each item in any kind of list", () => {
  const text = `# Requirements

- **FR-001**: Searching for nothing
  answers an empty list.
- FR-002: An invoice has a total.
- BR-001: When a Then b.
1. **NFR-001** – Fast.

### FR-003: Archiving

It is not part of the title.

### FR-004

It stands below.

| FR-005 | A row | must |
FR-006: A paragraph
that goes on.

\`\`\`
FR-007: code
\`\`\`

- FR-001: said again
- see FR-008
`;
  expect(parseDefinedItems(text, "requirement")).toEqual([
    { id: "FR-001", line: 3, text: "Searching for nothing answers an empty list." },
    { id: "FR-002", line: 5, text: "An invoice has a total." },
    { id: "NFR-001", line: 7, text: "Fast." },
    { id: "FR-003", line: 9, text: "Archiving" },
    { id: "FR-004", line: 13, text: "It stands below." },
    { id: "FR-005", line: 17, text: "A row must" },
    { id: "FR-006", line: 18, text: "A paragraph that goes on." },
  ]);
  expect(parseDefinedItems(text, "rule")).toEqual([{ id: "BR-001", line: 6, text: "When a Then b." }]);
});
