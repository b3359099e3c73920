import { expect, test } from "vitest";
import { listEvidenceLinks, stripEvidence } from "./id-references.ts";

test.each([
  ["It answers. (evidence: src/app.ts:12; confidence: high)", ["src/app.ts:12"], "It answers."],
  ["It keeps (evidence: a.ts:1, b c.ts:2; confidence: low), always.", ["a.ts:1", "b c.ts:2"], "It keeps, always."],
  ["It is. (evidence: app/(shop)/page.tsx:3; confidence: high)", ["app/(shop)/page.tsx:3"], "It is."],
  ["By hand (evidence: src/app.ts).\nMore.", ["src/app.ts"], "By hand.\nMore."],
  ["Nothing (evidence: none", [], "Nothing (evidence: none"],
  ["Evidence: src/app.ts:12", [], "Evidence: src/app.ts:12"],
])("%j has the evidence %j and the text %j", (text, links, said) => {
  expect([listEvidenceLinks(text), stripEvidence(text)]).toEqual([links, said]);
});

test("reads the tests of an item separately from its code", () => {
  const text = "It runs. (evidence: src/a.ts#run, src/b.ts:3; tests: test/a.test.ts, test/b.test.ts; confidence: high)";
  expect([listEvidenceLinks(text), listEvidenceLinks(text, "tests")]).toEqual([
    ["src/a.ts#run", "src/b.ts:3"],
    ["test/a.test.ts", "test/b.test.ts"],
  ]);
});
