import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ProjectStand, projectStand } from "../gate/project.ts";

const HALF = "export const half = (number) => number / 3;\n";
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { half } from "@small/maths";

// @spec AUTH-001.AC-1
test("halves", () => assert.equal(half(4), 2));
test("halves nothing", () => assert.equal(half(0), 0));
`;

/** Two packages, linked by a real npm: the tests of one import the other by its name. */
async function workspaceStand(maths: Readonly<Record<string, string>> = {}): Promise<ProjectStand> {
  const it = await projectStand({
    "package.json": JSON.stringify({
      name: "small",
      private: true,
      type: "module",
      workspaces: ["packages/*"],
      scripts: { test: "node --test" },
    }),
    "packages/maths/package.json": JSON.stringify({
      name: "@small/maths",
      version: "1.0.0",
      type: "module",
      exports: "./index.js",
    }),
    "packages/maths/index.js": HALF,
    "packages/web/package.json": JSON.stringify({
      name: "@small/web",
      version: "1.0.0",
      type: "module",
      dependencies: { "@small/maths": "1.0.0" },
    }),
    "packages/web/old.test.js": 'import { test } from "node:test";\ntest("old", () => {});\n',
    "sdd/config.yaml": "gates:\n  waived: { lint: None, types: None, coverage: None }\n",
    ...maths,
  });
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: it.root,
    stdio: "pipe",
  });
  it.commit("Install");
  await it.trust();
  await it.begin();
  return it;
}

const listTests = (answer: Readonly<Record<string, unknown>>): string[] =>
  (answer["tests"] as { name: string; red?: string; green: boolean }[]).map(
    ({ name, red, green }) => `${name}: ${red ?? "not red"}, ${green ? "green" : "not green"}`,
  );

test("imports the packages of an npm workspace without the work", async () => {
  using it = await workspaceStand();
  expect(fs.readlinkSync(join(it.root, "node_modules/@small/maths"))).toBe("../../packages/maths");
  it.write("packages/web/half.test.js", TEST);
  it.write("packages/maths/index.js", HALF.replace("/ 3", "/ 2"));
  expect(listTests(await it.run("gate.evidence", { id: "AUTH-001" }))).toEqual([
    "halves: assertion, green",
    "halves nothing: not red, green",
  ]);
});

test("lacks a new package of the workspace without the work", async () => {
  using it = await workspaceStand();
  const text = TEST.replaceAll("half", "double").replace("@small/maths", "@small/more").replace("(4), 2", "(2), 4");
  it.write("packages/web/double.test.js", text.split("\n").slice(0, 6).join("\n"));
  const manifest = JSON.stringify({ name: "@small/more", version: "1.0.0", type: "module", exports: "./index.js" });
  it.write("packages/more/package.json", manifest);
  it.write("packages/more/index.js", "export const double = (number) => number * 2;\n");
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: it.root, stdio: "pipe" });
  await it.trust();
  expect(listTests(await it.run("gate.evidence", { id: "AUTH-001" }))).toEqual(["halves: missing-symbol, green"]);
});

test("refuses to judge if a changed package is used as built, and names the way out", async () => {
  using it = await workspaceStand({
    "packages/maths/package.json": JSON.stringify({
      name: "@small/maths",
      version: "1.0.0",
      type: "module",
      exports: { ".": { default: "./out.log/index.js" } },
    }),
  });
  it.write("packages/web/half.test.js", TEST);
  const built = join(it.root, "packages/maths/out.log");
  fs.mkdirSync(built, { recursive: true });
  fs.writeFileSync(join(built, "index.js"), HALF);
  const before = await it.run("gate.evidence", { id: "AUTH-001" });
  expect(listTests(before)).toEqual(["halves: assertion, not green", "halves nothing: not red, green"]);
  it.write("packages/web/half.test.js", `${TEST}\n`);
  const fixed = HALF.replace("/ 3", "/ 2");
  it.write("packages/maths/index.js", fixed);
  fs.writeFileSync(join(built, "index.js"), fixed);
  const answer = await it.run("gate.evidence", { id: "AUTH-001" });
  expect((answer["problems"] as { problem: string }[]).map(({ problem }) => problem)).toContain(
    "packages/maths was changed, and tests import it as built in a folder that git ignores, so they prove nothing. Move the new code aside, build, run `tenon evidence`, and put it back.",
  );
});
