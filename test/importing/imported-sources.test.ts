import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testHouse } from "../kit/house.ts";
import { git } from "../kit/folder.ts";
import { takePicture, repositoryWith } from "./source.ts";

/** Each layout, in each of the forms that it had; where its source lies. */
const LAYOUTS: readonly (readonly [fixture: string, below: readonly string[]])[] = [
  ["kiro", [".kiro"]],
  ["cc-sdd", [".kiro"]],
  ["openspec", ["openspec"]],
  ["spec-kit", [".specify", "specs"]],
  ["hoofy-1", ["docs"]],
  ["spec-drive", [".spec-drive", "docs"]],
  ["sync-sdd", [".claude"]],
  ["sync-sdd-2", [".sdd/project", ".sdd/session", ".sdd/settings"]],
];

const status = (root: string): string => git(root, "status", "--porcelain", "--untracked-files=all", "--ignored");

/** What an import wrote, file by file. */
function readWritten(root: string): string {
  const files = fs.readdirSync(join(root, "sdd"), { recursive: true, withFileTypes: true, encoding: "utf8" });
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const shown = paths.filter((path) => !path.endsWith("sdd/config.yaml")).toSorted();
  return shown.map((path) => `=== ${path.slice(root.length + 1)}\n${fs.readFileSync(path, "utf8")}`).join("\n");
}

test.each(LAYOUTS)("%s: imports once what the plan lists, and keeps the source", async (name, below) => {
  using repository = repositoryWith(name);
  using tenon = testHouse(repository.path);
  const [before, source] = [status(repository.path), takePicture(repository.path, below)];
  const said = await tenon.run("import");
  expect(status(repository.path)).toBe(before);
  const done = await tenon.run("import", "--apply");
  await expect(`${said.out}\n${done.out}`).toMatchFileSnapshot(`golden/${name}.report.txt`);
  await expect(readWritten(repository.path)).toMatchFileSnapshot(`golden/${name}.result.txt`);
  const result = readWritten(repository.path);
  const again = await tenon.run("import", "--apply", "--json");
  expect(JSON.parse(again.out)).toMatchObject({ counts: { taken: 0, carried: 0, collision: 0 } });
  expect(readWritten(repository.path)).toBe(result);
  expect(takePicture(repository.path, below)).toEqual(source);
});

test.each(LAYOUTS)("%s: leaves a workspace that passes validate", async (name) => {
  using repository = repositoryWith(name);
  using tenon = testHouse(repository.path);
  expect((await tenon.run("import", "--apply")).code).toBe(0);
  const [valid, specs, state] = [
    await tenon.run("validate"),
    await tenon.run("spec", "validate"),
    await tenon.run("status", "--json"),
  ];
  expect({ valid: valid.out, code: valid.code }).toEqual({ valid: expect.stringMatching(/^Valid/), code: 0 });
  expect({ specs: specs.out, code: specs.code }).toEqual({
    specs: expect.stringMatching(/^(?:Valid|No specs in )/),
    code: 0,
  });
  expect(JSON.parse(state.out)).toMatchObject({ damaged: [] });
});
