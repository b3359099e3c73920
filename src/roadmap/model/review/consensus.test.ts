import { expect, test } from "vitest";
import { audit, finding, inspection } from "../../../../test/kit/lead.ts";
import { findUnaccountedFindings, listAgreements, listConsensusInspectors } from "./consensus.ts";

const VALUE = { category: "testable-criterion", location: "Spec 1.AC2" };
const WORDS = ["The limit has no value", "No number is given for how often", "It names no limit"];
const said = (description: string) => finding({ ...VALUE, severity: "M", description });
const alone = finding({
  category: "edge-case",
  location: "Spec 2",
  severity: "M",
  description: "Empty lists are open",
});

/** Three inspectors of one view: two name the limit in their own words, one names something else. */
const inspections = {
  testability: inspection({ findings: [said(WORDS[0] ?? "")] }),
  "testability@2": inspection({ findings: [said(WORDS[1] ?? ""), said(WORDS[2] ?? "")] }),
  "testability@3": inspection({ findings: [alone] }),
  rulebase: inspection({ findings: [finding()] }),
};

test("inspectors of one view are counted by view", () => {
  expect(listConsensusInspectors(["rulebase", "testability"], 2)).toEqual([
    "rulebase",
    "testability",
    "rulebase@2",
    "testability@2",
  ]);
  expect(listConsensusInspectors(["rulebase"], 1)).toEqual(["rulebase"]);
});

test("an agreement counts each inspector once, whatever its words, and a view with one inspector has none", () => {
  expect(listAgreements({ inspections }).map(({ finding: { location }, count, of }) => [location, count, of])).toEqual([
    ["Spec 1.AC2", 2, 3],
    ["Spec 2", 1, 3],
  ]);
});

test("an audit may not leave out what most inspectors of a view report", () => {
  expect(findUnaccountedFindings({ inspections }, audit())).toEqual([
    { problem: expect.stringMatching(/^The finding of 2 of 3 testability inspectors at "Spec 1.AC2"/) },
  ]);
  const removed = [{ agent: "testability", reason: "Spec 1 gives it", finding: "The limit has no value" }];
  expect(findUnaccountedFindings({ inspections }, audit({ removed }))).toEqual([]);
  expect(findUnaccountedFindings({ inspections }, audit({ verified: [said("The limit is open")] }))).toEqual([]);
});
