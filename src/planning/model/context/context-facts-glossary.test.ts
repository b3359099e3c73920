import { expect, test } from "vitest";
import { listExplainedTerms, listUsedTerms, findUnexplainedTerms } from "./context-facts.ts";

test.each<[string, string[]]>([
  ["Raise the limit of a Premium Customer", ["Premium Customer"]],
  ["Premium Customer limits", []],
  ["Show Premium Customer limits", ["Premium Customer"]],
  ['Let a "grace period" begin', ["grace period"]],
  ["Let a “grace period” begin. Grace Period Ends later", ["Period Ends", "grace period"].toSorted()],
  ["Fix the login", []],
  ["Fix the API and the URL", []],
  ["Add Dark Mode To Settings Page", []],
  ["don't and can't", []],
  ['say "one"', []],
  ['say "one two three four five six"', []],
  ["In the end: Order Line totals", []],
  ["A Premium Customer, the Premium Customers, a premium customer", ["Premium Customers"]],
])("%j uses %j", (text, expected) => {
  expect(listUsedTerms(text).toSorted()).toEqual(expected);
});

test("reads explained terms only under Definitions and Glossary", () => {
  const text = [
    "# Business rules",
    "## Definitions",
    "- **Customer**: somebody who has bought",
    "- Grace Period means thirty days",
    "## Facts",
    "- **Order**: belongs to a customer",
    "## 5. Glossary",
    "| Refund | money back |",
  ].join("\n");
  expect(listExplainedTerms({ path: "sdd/business-rules.md", text })).toEqual(["Customer", "Grace Period", "Refund"]);
});

test.each<[used: string[], glossary: string[], expected: string[]]>([
  [["Premium Customer"], ["Customer"], ["Premium Customer"]],
  [["Premium Customers"], ["premium customer"], []],
  [["Customer Refund"], ["Customer", "Refund"], []],
  [["Grace Period"], [], ["Grace Period"]],
])("of %j with %j, reports %j as unexplained", (used, glossary, expected) => {
  expect(findUnexplainedTerms(used, glossary)).toEqual(expected);
});
