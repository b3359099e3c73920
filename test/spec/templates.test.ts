import { expect, test } from "vitest";
import { createAssetFiles } from "#adapters/assets/assets.ts";
import { yamlAdapter } from "#adapters/yaml/yaml.ts";
import { checkSpecDocument } from "#domain/spec/yaml/checks.ts";
import { readSpecTree } from "#domain/spec/yaml/read.ts";
import { parseWorkflowId } from "#domain/workflow/id.ts";
import { renderSpecTemplate } from "#operations/spec/template.ts";

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
])("a new %s called %j is a draft in the one form, and not complete", async (id, title, summary) => {
  const { text, problems, read } = await begun(id, title, summary);
  expect([problems, read?.problems, read?.edits, text.includes("{{")]).toEqual([[], [], [], false]);
  const open = read?.document ? checkSpecDocument(read.document, "complete", new Set()) : [];
  expect(open.some(({ problem }) => problem.includes("is still open"))).toBe(true);
  expect(open.filter(({ line }) => line < 1 || line > text.split("\n").length)).toEqual([]);
});
