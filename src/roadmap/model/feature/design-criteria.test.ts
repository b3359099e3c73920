import { expect, test } from "vitest";
import { DESIGN } from "../../../../test/kit/feature.ts";
import { qualifyCriterionId, listCriterionIds, parseCriterionReferences } from "./design-criteria.ts";
import { checkDesign } from "./design-check.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";

test("gives criteria ids for use in test names", () => {
  const { specs } = checkDesign(DESIGN);
  expect(listCriterionIds(specs).map((id) => qualifyCriterionId(parseFeatureName("user-login"), id))).toEqual([
    "user-login.S1.AC1",
    "user-login.S1.AC2",
    "user-login.S2.AC1",
  ]);
});

test.each<[string, readonly string[], readonly string[]]>([
  ["1.1, 1.2; 2.1", ["S1.AC1", "S1.AC2", "S2.AC1"], []],
  ["Spec 1 and S2.AC1", ["S1.AC1", "S1.AC2", "S2.AC1"], []],
  ["1, 1.1", ["S1.AC1", "S1.AC2"], []],
  ["1.1–1.2", ["S1.AC1", "S1.AC2"], []],
  ["S1.AC1-AC2", ["S1.AC1", "S1.AC2"], []],
  ["None", [], []],
  ["1.10", [], ['"1.10" refers to nothing: Spec 1 has no criterion 10.']],
  ["3", [], ['"3" refers to nothing: there is no Spec 3.']],
  ["1.2-1.4", [], ['"1.2-1.4" refers to nothing: Spec 1 has no such criteria.']],
  ["all", [], ['"all" is not the id of a spec or criterion: write 1.2 for criterion 2 of Spec 1, or 1 for all of it.']],
])("reads %s as references to criteria", (text, criteria, problems) => {
  expect(parseCriterionReferences(text, checkDesign(DESIGN).specs)).toMatchObject({ criteria, problems });
});
