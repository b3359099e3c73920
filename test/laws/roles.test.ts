import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { listIncludedParts, expandTextParts } from "#roadmap/model/agent/brief-composition.ts";
import { AGENT_ROLES, REVIEW_INSPECTORS, ROADMAP_ROLES, ROLE_FACTS } from "#roadmap/model/agent/agent-roles.ts";
import { parseRoleAsset } from "#roadmap/model/agent/role-schema.ts";
import { WORKFLOW_ROLES } from "#planning/operations/workflow/schema.ts";
import { parseCompletionReport } from "#roadmap/model/agent/completion-report.ts";
import { AUDIT_FORM, INSPECTION_FORM } from "#roadmap/model/review/review-report.ts";
import { judgeReviewFindings } from "#roadmap/model/review/review-verdict.ts";
import { filesIn } from "./source.ts";

const readAsset = (path: string): string => fs.readFileSync(`assets/roles/${path}.md`, "utf8");
const asset = (role: string): string => parseRoleAsset(role, readAsset(role)).text;
const tokens = (text: string): number => encode(text).length;
const SHARED_PARTS = filesIn("assets/roles/parts").map((file) => file.replace(/\.md$/, ""));
const parts = new Map(SHARED_PARTS.map((name) => [name, readAsset(`parts/${name}`)]));
const whole = (role: string): string => expandTextParts(asset(role), parts);

test("every role has an asset and every asset a role", () => {
  const names = [...AGENT_ROLES, ...SHARED_PARTS.map((name) => `parts/${name}`)];
  expect(filesIn("assets/roles")).toEqual(names.map((name) => `${name}.md`).toSorted());
});

test("the generated facts match the assets", () => {
  const facts = AGENT_ROLES.map((role) => [role, parseRoleAsset(role, readAsset(role)).facts] as const);
  const sorted = facts.toSorted(([, a], [, b]) => a.order - b.order);
  expect(sorted).toEqual(Object.entries(ROLE_FACTS));
});

test("the roles with workflow stages match those that a workflow briefs", () => {
  expect(AGENT_ROLES.filter((role) => ROLE_FACTS[role].stages.length > 0)).toEqual(WORKFLOW_ROLES);
});

test.each([
  ["a fact that is not known", "order: 1\ncolour: red", "colour"],
  ["no front matter", "", "expected object"],
])("rejects an asset with %s and names its file", (_, front, problem) => {
  expect(() => parseRoleAsset("inspector-x", `---\n${front}\n---\n\n# X\n`)).toThrow(
    new RegExp(`assets/roles/inspector-x.md: [\\s\\S]*${problem}`),
  );
});

test("a role or part includes every shared part", () => {
  const taken = [...AGENT_ROLES.map(asset), ...parts.values()].flatMap(listIncludedParts);
  expect(SHARED_PARTS.filter((name) => !taken.includes(name))).toEqual([]);
});

test("an asset costs at most 900 tokens, and at most 1,800 with its parts", () => {
  expect([...AGENT_ROLES.map(asset), ...parts.values()].map(tokens).filter((cost) => cost > 900)).toEqual([]);
  const costs = AGENT_ROLES.map((role) => ({ role, cost: tokens(whole(role)) }));
  expect(costs.filter(({ cost }) => cost > 1_800)).toEqual([]);
});

test("every role states its purpose, its tools, its defence against instructions in data, and its report", () => {
  const asked = [
    "{{purpose}}",
    "{{tools}}",
    "between fences",
    '`sdd_report {action: "{{id}}", report}`',
    "If Tenon rejects it",
  ];
  expect(ROADMAP_ROLES.filter((role) => asked.some((text) => !whole(role).includes(text)))).toEqual([]);
});

test("every role of workflows states its purpose, its rules, its limits, and that its report proves nothing", () => {
  const asked = [
    "{{purpose}}",
    "{{tools}}",
    "between fences",
    "`{{spec}}`",
    "## Rules",
    "{{#isBugfix}}",
    "does not confirm counts for nothing",
    "Only Tenon writes records",
  ];
  // Texts differ in number: one report, several.
  const said = (role: string): string => whole(role).replaceAll("do not confirm", "does not confirm");
  expect(WORKFLOW_ROLES.filter((role) => asked.some((text) => !said(role).includes(text)))).toEqual([]);
});

test("the Lead's text explains assigning and reporting, and whose decisions are not its own", () => {
  const asked = [
    "`sdd_next`",
    "`sdd_report {action, report}`",
    "{{purpose}}",
    "{{tools}}",
    "Never edit records",
    "Only the user may trust",
  ];
  expect(asked.filter((text) => !asset("lead").includes(text))).toEqual([]);
});

test("a role's text names exactly the engine's tools that it may call", () => {
  const told = AGENT_ROLES.flatMap((role) =>
    [...new Set(Array.from(whole(role).matchAll(/`((?:sdd|mem)_[a-z_]+)`/g), ([, name = ""]) => name))]
      .filter((name) => !NOT_CALLED.has(name) && !ROLE_FACTS[role].engine.includes(name))
      .map((name) => `${role}: ${name}`),
  );
  expect(told).toEqual([]);
});

/** What whoever started the agent calls with what it made. */
const NOT_CALLED = new Set(["sdd_evidence", "sdd_gate"]);

/** The forms that a role is shown, as it would fill them in. */
const listForms = (role: string): string[] =>
  Array.from(whole(role).matchAll(/^```\n([A-Z_]+[\s\S]*?)^```$/gm), ([, form = ""]) =>
    form
      .replaceAll(/^\{\{[#/]\w+\}\}\n/gm, "")
      .replaceAll(/\{\{mode\}\}/g, "new")
      .replaceAll(/\{\{\w+\}\}/g, "user-login")
      .replaceAll(/\{([^{}]*)\}/g, (_, blank: string) => SAMPLES[blank] ?? "something"),
  );

const SAMPLES: Readonly<Record<string, string>> = {
  "full, light or minimal": "light",
  ids: "1.1, 1.2",
  passed: "11",
  all: "12",
  file: "tech.md",
  "C, H, M or L": "H",
  "CODIFY or PROPOSE": "PROPOSE",
  "specifications or design": "design",
  "GO, CONDITIONAL or NO-GO": "NO-GO",
  "GO, CONDITIONAL, NO-GO or SPEC-UPDATE-NEEDED": "SPEC-UPDATE-NEEDED",
  "your verdict: GO, CONDITIONAL or NO-GO": "CONDITIONAL",
};

test.each(ROADMAP_ROLES)("the engine accepts the report in the text of %s", (role) => {
  const kinds = listForms(role).map((form) => {
    const report = parseCompletionReport(role, form, "user-login");
    return "problems" in report ? report.problems : report.kind;
  });
  expect(kinds).toEqual(KINDS[ROLE_FACTS[role].report ?? ""]);
});

const KINDS: Readonly<Record<string, readonly string[]>> = {
  ARCHITECT_COMPLETE: ["architect"],
  TASKGEN_COMPLETE: ["tasks"],
  BUILDER_COMPLETE: ["builder", "builder-blocked"],
  inspection: ["inspection"],
  audit: ["audit"],
};

test.each([
  ["auditor-impl", AUDIT_FORM, []],
  ["auditor-design", AUDIT_FORM, ["SPEC_FEEDBACK"]],
  ["auditor-dead-code", AUDIT_FORM, ["ROADMAP_ADVISORY", "SPEC_FEEDBACK", "STEERING"]],
  ["inspector-quality", INSPECTION_FORM, ["CATEGORY"]],
])("the text of %s shows every keyword of its report", (role, { metadata, sections }, without) => {
  const shown = Array.from((listForms(role)[0] ?? "").matchAll(/^([A-Z_]+):/gm), ([, keyword = ""]) => keyword);
  const known = [...metadata.filter(({ isDropped }) => !isDropped), ...sections].map(({ keyword }) => keyword);
  expect(shown.toSorted()).toEqual(known.filter((keyword) => !without.some((one) => one === keyword)).toSorted());
});

test("a role's text names each category that stops an implementation", () => {
  const told = ROADMAP_ROLES.flatMap((role) =>
    Array.from(whole(role).matchAll(/`([a-z]+(?:-[a-z]+)+)`/g), ([, name]) => name),
  );
  const stopping = [
    "test-failure",
    "missing-test-file",
    "signature-mismatch",
    "call-site-error",
    "dependency-wrong",
    "type-mismatch",
  ];
  const finding = (category: string) => ({
    id: "F1",
    severity: "L" as const,
    category,
    location: "x",
    description: "x",
    sources: [],
    seen: "new" as const,
  });
  const opinion = { verdict: "GO" as const, spec_feedback: [], unresolved: [] };
  expect(stopping.filter((name) => judgeReviewFindings("impl", [finding(name)], opinion).computed !== "NO-GO")).toEqual(
    [],
  );
  expect(stopping.filter((name) => !told.includes(name))).toEqual([]);
});

test("inspectors and auditors report in CPF with its escapes, and their texts forbid writing", () => {
  const lookers = ROADMAP_ROLES.filter((role) => ROLE_FACTS[role].writes === null);
  expect(lookers).toEqual([
    ...Object.values(REVIEW_INSPECTORS).flatMap((names) => names.map((name) => `inspector-${name}`)),
    ...Object.keys(REVIEW_INSPECTORS).map((kind) => `auditor-${kind}`),
  ]);
  const asked = ["VERDICT:", "SCOPE:{{scope}}", "`\\|`, `\\+` and `\\\\`", "So write nothing", "Severity is the harm"];
  expect(lookers.filter((role) => asked.some((text) => !whole(role).includes(text)))).toEqual([]);
});

test("the text of each writing role says that records belong to the engine", () => {
  const writers = ROADMAP_ROLES.filter((role) => ROLE_FACTS[role].writes !== null);
  expect(writers.filter((role) => !whole(role).includes("Only Tenon writes records: `spec.yaml`"))).toEqual([]);
});
