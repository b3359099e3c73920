import { expect, test } from "vitest";
import {
  assignConstraintIds,
  parseBusinessConstraints,
  assignRequirementIds,
  parseRequirementItems,
} from "./requirement-items.ts";

const REQUIREMENTS = `## Must have

- **FR-001**: It shall sell.

## Removed

- **FR-002**: Nobody asked.
  (removed by tidy) Was: It shall sing.

### Of old

- FR-003: Now FR-001. (renamed by tidy)

## Non-functional requirements

- **NFR-001**: It shall be fast.
`;
const RULES =
  "## Constraints\n\n- **BR-001**: When a, then b.\n\n## Removed\n\n- **BR-002**: When asked, then nobody knew why.\n";

test("does not count a removed item as a requirement or a rule", () => {
  expect(parseRequirementItems(REQUIREMENTS).map(({ id }) => id)).toEqual(["FR-001", "NFR-001"]);
  expect(parseBusinessConstraints(RULES).map(({ id }) => id)).toEqual(["BR-001"]);
});

test("does not miss a removed item when the lists are written again, and never reuses its number", () => {
  const lists = { must: "- It shall sell.\n- It shall sing again.", should: "", qualities: "- It shall be fast." };
  const taken = ["FR-001", "FR-002", "FR-003", "NFR-001"];
  const { requirements, problems } = assignRequirementIds(lists, REQUIREMENTS, {
    taken,
    removed: ["FR-002", "FR-003"],
  });
  expect({ ids: requirements.map(({ id }) => id), problems }).toEqual({
    ids: ["FR-001", "FR-004", "NFR-001"],
    problems: [],
  });
  expect(
    assignConstraintIds("- When a, then b.\n- When c, then d.", RULES, {
      taken: ["BR-001", "BR-002"],
      removed: ["BR-002"],
    }),
  ).toMatchObject({
    items: [{ id: "BR-001" }, { id: "BR-003" }],
    problems: [],
  });
});
