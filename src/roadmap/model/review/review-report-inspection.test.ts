import fc from "fast-check";
import { expect, test } from "vitest";
import { type InspectionResult, FINDING_SEVERITIES } from "./review-finding.ts";
import { parseInspectionReport, formatInspectionReport } from "./review-report.ts";

const finding = {
  severity: "M",
  category: "ambiguity",
  location: "Spec 1.AC1",
  description: '"quickly" not quantified',
  sources: ["testability"],
} as const;
const inspection: InspectionResult = {
  verdict: "GO",
  scope: "my-feature",
  findings: [finding],
  notes: ["No critical issues found"],
};
const CPF = `VERDICT:GO
SCOPE:my-feature
ISSUES:
M|ambiguity|Spec 1.AC1|"quickly" not quantified
NOTES:
No critical issues found
`;
const dead: InspectionResult = {
  scope: "",
  findings: [{ ...finding, category: "dead-config", location: "src/config.ts", description: "Nobody reads DEBUG" }],
  notes: [],
};

test.each<[string, string, InspectionResult]>([
  ["CPF", CPF, inspection],
  ["JSON", JSON.stringify(inspection), inspection],
  ["JSON over lines, in a fence", `\n\`\`\`json\n\n${JSON.stringify(inspection, null, 2)}\n\`\`\`\n`, inspection],
  [
    "JSON without the inspector's name",
    JSON.stringify({ ...inspection, findings: [{ ...finding, sources: undefined }] }),
    inspection,
  ],
  ["only a verdict", "VERDICT:NO-GO", { verdict: "NO-GO", scope: "", findings: [], notes: [] }],
  ["only a category", "CATEGORY:dead-code", { scope: "", findings: [], notes: [] }],
  ["only notes", "NOTES:\nAll well.", { scope: "", findings: [], notes: ["All well."] }],
  ["empty JSON", '{"verdict":null,"scope":"all","findings":null}', { scope: "all", findings: [], notes: [] }],
  ["a category at the top", "CATEGORY:dead-config\nM|src/config.ts|Nobody reads DEBUG", dead],
  ["a category above the issues", "CATEGORY:dead-config\nISSUES:\nM|src/config.ts|Nobody reads DEBUG", dead],
  [
    "a category at the top, and one of its own",
    "CATEGORY:dead-code\nISSUES:\nM|dead-config|src/config.ts|Nobody reads DEBUG",
    dead,
  ],
  [
    "a category at the top in JSON",
    '{"category":"dead-config","findings":[{"severity":"M","location":"src/config.ts","description":"Nobody reads DEBUG"}]}',
    dead,
  ],
  [
    "texts of several lines",
    '{"notes":["one\\n  two\\r\\n\\nthree "]}',
    { scope: "", findings: [], notes: ["one two three"] },
  ],
])("reads an inspection as %s", (_what, text, told) => {
  expect(parseInspectionReport(text, "testability")).toEqual(told);
});

test("does not invent a missing inspector's name", () => {
  expect(parseInspectionReport(CPF)).toEqual({ ...inspection, findings: [{ ...finding, sources: [] }] });
});

const NOTHING = "The inspection is empty. Without findings, give a verdict.";
const VERDICT = "verdict is empty, and may be GO, CONDITIONAL, NO-GO or SPEC-UPDATE-NEEDED.";
const row = (more: object): string => JSON.stringify({ findings: [{ ...finding, ...more }] });

test.each<[string, string, readonly object[]]>([
  [
    "an unknown severity",
    CPF.replace("M|", "X|"),
    [{ problem: 'The field severity is "X", and may be C, H, M or L.', line: 4 }],
  ],
  [
    "three fields without a category",
    "ISSUES:\nM|src/config.ts|Nobody reads DEBUG",
    [{ problem: "A row of ISSUES has 4 fields, severity|category|location|description, and this has 3.", line: 2 }],
  ],
  [
    "a section of an audit",
    "VERDICT:GO\nVERIFIED:\na|H|b|c|d",
    [
      {
        problem: '"VERIFIED" is not a keyword of an inspection. There are VERDICT, SCOPE, CATEGORY, ISSUES, NOTES.',
        line: 2,
      },
    ],
  ],
  [
    "an error",
    '{"error":"design.md is missing"}',
    [{ problem: 'An error was reported instead of an inspection: "design.md is missing".' }],
  ],
  ["a list", "[1]", [{ problem: "As JSON, an inspection is one object." }]],
  [
    "an unknown field",
    '{"issues":[]}',
    [{ problem: '"issues" is not known here. There are verdict, scope, category, findings, notes.' }],
  ],
  ["a misspelled field", '{"finding":[]}', [{ problem: '"finding" is not known here. Write findings.' }]],
  ["an empty object", "{}", [{ problem: NOTHING }]],
  ["an empty section", "ISSUES:", [{ problem: NOTHING }]],
  ["a verdict without a value", "VERDICT:", [{ problem: VERDICT.replace("verdict", "VERDICT"), line: 1 }]],
  ["a verdict without a value in JSON", '{"verdict":""}', [{ problem: VERDICT }]],
  [
    "a wrong verdict",
    '{"verdict":"OK"}',
    [{ problem: 'verdict is "OK", and may be GO, CONDITIONAL, NO-GO or SPEC-UPDATE-NEEDED.' }],
  ],
  ["a verdict that is not a text", '{"verdict":1}', [{ problem: "verdict is not a text." }]],
  ["findings that are not a list", '{"findings":{}}', [{ problem: "findings is not a list." }]],
  [
    "findings that are not objects",
    '{"findings":["x",null]}',
    [{ problem: "findings[0] is not an object." }, { problem: "findings[1] is not an object." }],
  ],
  [
    "a wrong severity",
    row({ severity: "high" }),
    [{ problem: 'findings[0].severity is "high", and may be C, H, M or L.' }],
  ],
  ["a field that is missing", row({ category: undefined }), [{ problem: "findings[0].category is missing." }]],
  ["a field that is empty", row({ location: " \n" }), [{ problem: "findings[0].location is empty." }]],
  ["a field that is not a text", row({ description: ["x"] }), [{ problem: "findings[0].description is not a text." }]],
  [
    "an unknown field",
    row({ id: "F1" }),
    [{ problem: 'findings[0]."id" is not known here. There are severity, category, location, description, sources.' }],
  ],
  [
    "a control character",
    row({ description: "a\u0000b" }),
    [{ problem: "findings[0].description has a control character in it." }],
  ],
  [
    "sources that are not a list",
    row({ sources: "test" }),
    [{ problem: "findings[0].sources is not a list of texts." }],
  ],
  ["a source that is not a text", row({ sources: [1] }), [{ problem: "findings[0].sources[0] is not a text." }]],
  ["notes that are not a list", '{"notes":"All well."}', [{ problem: "notes is not a list." }]],
  [
    "too many notes",
    JSON.stringify({ notes: Array(1_001).fill("x") }),
    [{ problem: "notes has more than 1000 items." }],
  ],
  [
    "a prototype",
    '{"__proto__":{"findings":[]}}',
    [{ problem: '"__proto__" is not known here. There are verdict, scope, category, findings, notes.' }],
  ],
])("rejects an inspection with %s", (_what, text, problems) => {
  expect(parseInspectionReport(text)).toEqual({ problems });
});

test.each([
  ['{"verdict":', 1],
  ['\n```\n{\n"verdict": "GO",\n}\n```', 5],
  ['{"verdict":GO}', undefined],
])("rejects invalid JSON, with the line that the parser reports: %j", (text, line) => {
  const problem: unknown = expect.stringMatching(/^The report begins as JSON, but is not valid: ".+"\.$/);
  expect(parseInspectionReport(text)).toEqual({ problems: [line === undefined ? { problem } : { problem, line }] });
});

const text = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((one) => !/\p{Cc}/u.test(one) && one.trim() === one && one !== "");

test("reads the same from CPF and JSON", () => {
  const any = fc.record({
    verdict: fc.constantFrom("GO", "NO-GO"),
    scope: text,
    findings: fc.array(
      fc.record({
        severity: fc.constantFrom(...FINDING_SEVERITIES),
        category: text,
        location: text,
        description: text,
        sources: fc.constant(["quality"]),
      }),
    ),
    notes: fc.array(text),
  });
  fc.assert(
    fc.property(any, (told) => {
      expect(parseInspectionReport(formatInspectionReport(told as InspectionResult), "quality")).toEqual(told);
      expect(parseInspectionReport(JSON.stringify(told))).toEqual(told);
    }),
  );
});

test("reads or rejects any JSON", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      expect(parseInspectionReport(json)).toBeTypeOf("object");
      expect(parseInspectionReport(`{"findings":[${json}],"notes":${json}}`)).toBeTypeOf("object");
    }),
  );
});
