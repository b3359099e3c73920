import { expect, test } from "vitest";
import { NEW_CODE, NEW_TEST, typescriptStand } from "./project.ts";

const PRETTIER = {
  "package.json": JSON.stringify(
    {
      name: "small",
      type: "module",
      scripts: { test: "vitest run" },
      devDependencies: { vitest: "5.1.0", oxlint: "1.93.0", prettier: "3.9.10", typescript: "7.0.2" },
    },
    undefined,
    2,
  ).concat("\n"),
  ".prettierrc": "{}\n",
  ".prettierignore": "tsconfig.json\n.oxlintrc.json\ntests\n",
};

test("does not charge the work for the format of files that Tenon writes", { timeout: 120_000 }, async () => {
  using it = await typescriptStand(PRETTIER);
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE.replace("  ", " "));
  const spec = "sdd/specs/AUTH-001.yaml";
  it.write(spec, it.read(spec).replace("schema_version: 2", "schema_version:   2"));
  it.write("docs/60-features/AUTH-001.md", "<!-- AUTO:specs -->\n*  AUTH-001\n<!-- /AUTO -->\n");
  const gate = await it.gate();
  expect([gate.open, gate["notes"], gate["attempts"]]).toEqual([
    [],
    ["format: Tenon writes docs/60-features/AUTH-001.md, sdd/specs/AUTH-001.yaml, so a failure there does not count."],
    [{ n: 1, waited_s: 0, fixed: [], failed: [] }],
  ]);
  it.write("src/login.ts", `${NEW_CODE}export const   wide = 1;\n`);
  const fixed = await it.gate();
  expect([fixed.open, it.read("src/login.ts").includes("const wide = 1;")]).toEqual([[], true]);
  it.write("docs/login.md", "*  badly formatted\n");
  expect([(await it.gate()).open, it.read("docs/login.md")]).toEqual([[], "- badly formatted\n"]);
});
