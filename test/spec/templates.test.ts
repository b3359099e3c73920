import { expect, test } from "vitest";
import { createAssetFiles } from "#kernel/adapters/asset-files.ts";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { checkSpecDocument } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { renderSpecTemplate } from "#planning/operations/spec/spec-files.ts";

const assets = createAssetFiles(new URL(`file://${process.cwd()}/assets/`));
const AT = "2026-01-31T12:00:00Z";

async function begun(id: string, title: string, summary?: string) {
  const parsed = parseWorkflowId(id);
  const text = await renderSpecTemplate({ assets }, parsed, {
    title,
    at: AT,
    ...(summary === undefined ? {} : { summary }),
  });
  const { tree, problems } = yamlAdapter.read(text);
  return { text, problems, read: tree && readSpecTree(tree, parsed) };
}

test.each([
  ["AUTH-001", "Log in", "Members log in with a passkey instead of a password."],
  ["AUTH-001", "Log in", undefined],
  ["AUTH-001", 'A "title": with # all, [of] {it} & *more\n- and a line', "short"],
  ["BUG-042", "Log in fails", "Users see an error 500 when their token has expired."],
  ["BUG-042", "Log in fails", undefined],
  ["RES-007", "Which store?", undefined],
])("starts a %s called %j as an incomplete draft in the current form", async (id, title, summary) => {
  const { text, problems, read } = await begun(id, title, summary);
  expect([problems, read?.problems, read?.edits, text.includes("{{")]).toEqual([[], [], [], false]);
  const open = read?.document ? checkSpecDocument(read.document, "complete", new Set()) : [];
  expect(open.some(({ problem }) => problem.includes("is not filled in yet: "))).toBe(true);
  expect(open.filter(({ line }) => line < 1 || line > text.split("\n").length)).toEqual([]);
});
