import fs from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { partsNamed, withParts } from "#domain/agent/asset.ts";
import { INSPECTORS } from "#domain/agent/role.ts";
import { ROLE_NAMES, ROLES, SHARED_PARTS } from "#domain/agent/roles.ts";
import { filesIn } from "./source.ts";

const asset = (path: string): string => fs.readFileSync(`assets/roles/${path}.md`, "utf8");
const tokens = (text: string): number => encode(text).length;
const parts = new Map(SHARED_PARTS.map((name) => [name as string, asset(`parts/${name}`)]));
const whole = (role: string): string => withParts(asset(role), parts);

test("every role has an asset and every asset a role", () => {
  const names = [...ROLE_NAMES, ...SHARED_PARTS.map((name) => `parts/${name}`)];
  expect(filesIn("assets/roles")).toEqual(names.map((name) => `${name}.md`).toSorted());
});

test("every shared part is taken in by somebody", () => {
  const taken = [...ROLE_NAMES.map(asset), ...parts.values()].flatMap(partsNamed);
  expect(SHARED_PARTS.filter((name) => !taken.includes(name))).toEqual([]);
});

test("an asset costs at most 900 tokens, and with all that it takes in at most 1,800", () => {
  expect([...ROLE_NAMES.map(asset), ...parts.values()].map(tokens).filter((cost) => cost > 900)).toEqual([]);
  const costs = ROLE_NAMES.map((role) => ({ role, cost: tokens(whole(role)) }));
  expect(costs.filter(({ cost }) => cost > 1_800)).toEqual([]);
});

test("every role says its purpose, what it may do, how it is not led astray and how its report is handed in", () => {
  const asked = ["{{purpose}}", "{{tools}}", "between fences", "`sdd_report` under the id `{{id}}`"];
  expect(ROLE_NAMES.filter((role) => asked.some((text) => !whole(role).includes(text)))).toEqual([]);
});

test.each([
  ["ARCHITECT_COMPLETE", ["Feature", "Mode", "Artifacts", "Discovery", "Key findings"]],
  ["TASKGEN_COMPLETE", ["Feature", "Tasks", "Parallel tasks", "Specs covered", "Execution"]],
  ["BUILDER_COMPLETE", ["Feature", "Tasks completed", "Files", "Tests"]],
  ["BUILDER_BLOCKED", ["Feature", "Blocker", "Tasks affected", "Attempted"]],
])("%s is reported in one form by whoever reports it", (word, fields) => {
  const shown = ROLE_NAMES.filter((role) => whole(role).includes(word));
  const ours = word === "BUILDER_BLOCKED" ? "BUILDER_COMPLETE" : word;
  expect(shown).toEqual(ROLE_NAMES.filter((role) => ROLES[role].report === ours));
  const [, form = ""] = new RegExp(`^\`\`\`\n${word}\n([^\`]*)\`\`\`$`, "m").exec(whole(shown[0] ?? "")) ?? [];
  expect(Array.from(form.matchAll(/^([\w ]+):/gm), ([, name]) => name)).toEqual(fields);
});

test("inspectors and auditors report in CPF, with its escapes, and are told that they write nothing", () => {
  const lookers = ROLE_NAMES.filter((role) => ROLES[role].writes === null);
  expect(lookers).toEqual([
    ...Object.values(INSPECTORS).flatMap((names) => names.map((name) => `inspector-${name}`)),
    ...Object.keys(INSPECTORS).map((kind) => `auditor-${kind}`),
  ]);
  const asked = [
    "VERDICT:",
    "SCOPE:{{scope}}",
    "`\\|`, `\\+` and `\\\\`",
    "So write nothing",
    "Severity is what happens",
  ];
  expect(lookers.filter((role) => asked.some((text) => !whole(role).includes(text)))).toEqual([]);
});

test("whoever writes is told that records are the engine's", () => {
  const writers = ROLE_NAMES.filter((role) => ROLES[role].writes !== null);
  expect(writers.filter((role) => !whole(role).includes("Records are the engine's alone: `spec.yaml`"))).toEqual([]);
});
