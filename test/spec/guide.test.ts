import fs from "node:fs";
import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { checkSpecDocument, computeWeightedTotals } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import type { ResearchSpec } from "#planning/model/spec/spec-schemas.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";

const guide = fs.readFileSync("docs/guide/specs.md", "utf8");
const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => {
  const id = /^id: (\S+)$/m.exec(text)?.[1] ?? "";
  return [id, text] as const;
});

test("the guide has an example of each kind", () => {
  expect(examples.map(([id]) => id)).toEqual(["AUTH-001", "BUG-042", "RES-007"]);
});

test.each(examples)("the guide's %s is complete, in the current form", (id, text) => {
  const { tree, problems } = yamlAdapter.read(text);
  const read = tree && readSpecTree(tree, parseWorkflowId(id));
  const more = read?.document && checkSpecDocument(read.document, "complete", new Set([id]));
  expect([problems, read?.problems, read?.edits, more]).toEqual([[], [], [], []]);
});

test("the guide shows the totals that Tenon computes", () => {
  const { tree } = yamlAdapter.read(examples.at(-1)?.[1] ?? "");
  const spec = tree && readSpecTree(tree, parseWorkflowId("RES-007")).document?.spec;
  const [best, other] = computeWeightedTotals(spec as ResearchSpec);
  expect(guide).toContain(`${best?.total} for ${best?.option} and ${other?.total} for ${other?.option}`);
});
