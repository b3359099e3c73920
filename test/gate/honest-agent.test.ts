import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { bugSpec, featureSpec } from "../kit/specs.ts";
import { meetHonestAgent } from "./honest-agent.ts";

const PROJECT = {
  "package.json": `${JSON.stringify({ name: "small", version: "1.0.0", type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  ".gitignore": ".sdd/\nnode_modules\n",
  "README.md": "# Small\n\nTurns titles into addresses.\n",
  "src/slug.js": 'export const slugify = (title) => title.toLowerCase().replace(" ", "-");\n',
  "test/slug.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slug.js";

test("joins words", () => {
  assert.equal(slugify("A Title"), "a-title");
});
`,
  "sdd/config.yaml": "gates:\n  waived:\n    lint: This library has no linter\n    coverage: Nothing measures it\n",
};

const LOGIN_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { login } from "../src/login.js";
import { slugify } from "../src/slug.js";

// @spec AUTH-001.AC-1
test("lets the right code in", () => {
  assert.equal(login("123456"), true);
});
// @spec AUTH-001.AC-2
test("keeps a wrong code out", () => {
  assert.equal(login("000000"), false);
});
test("keeps slugs in lower case", () => {
  // tenon-allow: it guards behaviour that must stay
  assert.equal(slugify("A"), "a");
});
`;

test("an honest agent that follows the guides meets no rejection", { timeout: 120_000 }, async () => {
  using repository = temporaryRepository();
  using home = temporaryFolder();
  const root = repository.path;
  for (const [path, text] of Object.entries(PROJECT)) put(root, path, text);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  await using agent = await meetHonestAgent(root, home.path);
  const { tell, refused } = agent;

  await tell("sdd_feature", { description: "Log in with a code", id: "AUTH-001" });
  put(root, "sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001").replace(/^trace:\n(?: .*\n)*/m, ""));
  await tell("sdd_workflow_advance", { id: "AUTH-001", approve: "Ann" });
  await tell("sdd_spec_validate", { id: "AUTH-001", depth: "complete" });
  await tell("sdd_workflow_advance", { id: "AUTH-001", approve: "Ann" });
  put(root, "test/login.test.js", LOGIN_TEST);
  await tell("sdd_evidence", { id: "AUTH-001" });
  put(root, "src/login.js", '// @spec AUTH-001\nexport const login = (code) => code === "123456";\n');
  put(root, "test/slug.test.js", PROJECT["test/slug.test.js"].replace("joins words", "joins two words"));
  await tell("sdd_gate", { id: "AUTH-001" });
  await tell("sdd_workflow_advance", { id: "AUTH-001" });
  put(root, "README.md", `${PROJECT["README.md"]}\nLog in with a code of six digits.\n`);
  await tell("sdd_gate", { id: "AUTH-001" });
  await tell("sdd_workflow_advance", { id: "AUTH-001", approve: "Ann" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "AUTH-001: Log in with a code");

  await tell("sdd_bugfix", { description: "slugify keeps every space after the first", id: "BUG-042" });
  put(root, "sdd/specs/BUG-042.yaml", bugSpec("BUG-042").replace(/^trace:\n(?: .*\n)*/m, ""));
  await tell("sdd_workflow_advance", { id: "BUG-042", approve: "Ann" });
  await tell("sdd_workflow_advance", { id: "BUG-042", approve: "Ann" });
  const shown = 'test("joins three words", () => {\n  assert.equal(slugify("A Long Title"), "a-long-title");\n});\n';
  put(
    root,
    "test/slug.test.js",
    `${fs.readFileSync(join(root, "test/slug.test.js"), "utf8")}// @spec BUG-042\n${shown}`,
  );
  await tell("sdd_evidence", { id: "BUG-042" });
  put(root, "src/slug.js", `// @spec BUG-042\n${PROJECT["src/slug.js"].replace("replace(", "replaceAll(")}`);
  await tell("sdd_gate", { id: "BUG-042" });
  await tell("sdd_workflow_advance", { id: "BUG-042" });
  await tell("sdd_workflow_advance", { id: "BUG-042", approve: "Ann" });

  expect(refused).toEqual([]);
  const states = ["AUTH-001", "BUG-042"].map((id) => fs.readFileSync(join(root, `sdd/specs/${id}.yaml`), "utf8"));
  expect(states.map((spec) => /^status: (.*)$/m.exec(spec)?.[1])).toEqual(["done", "done"]);
});
