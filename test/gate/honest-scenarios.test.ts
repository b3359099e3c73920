import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { placeFixture, type Stack, toolchainProblem } from "../kit/fixtures.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { bugSpec, featureSpec, researchSpec } from "../kit/specs.ts";
import { NEW_WORK } from "../stacks/new-work.ts";
import { type HonestAgent, meetHonestAgent } from "./honest-agent.ts";

vi.setConfig({ testTimeout: 600_000 });

const dropTrace = (spec: string): string => spec.replace(/^trace:\n(?: .*\n)*/m, "");
const IGNORED = ".sdd/\nnode_modules\n.venv\ntarget\n__pycache__\n.*_cache\ncoverage\n.coverage\ndist\n";
const WAIVED = "gates:\n  waived:\n    coverage: Nothing measures it\n    lint: None\n    types: None\n";

type Files = Readonly<Record<string, string>>;
const putAll = (root: string, files: Files): void => {
  for (const [path, text] of Object.entries(files)) put(root, path, text);
};

/** The user's repository: one commit, on which every check passes. */
async function begin(root: string, home: string, files: Files): Promise<HonestAgent> {
  putAll(root, { "README.md": "# Small\n", ".gitignore": IGNORED, "sdd/config.yaml": WAIVED, ...files });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  return meetHonestAgent(root, home);
}

async function specify({ tell }: HonestAgent, root: string, id: string, extra: Files = {}): Promise<void> {
  const isBug = id.startsWith("BUG-");
  await tell(isBug ? "sdd_bugfix" : "sdd_feature", { description: "Greet users by their name", id, ...extra });
  put(root, `sdd/specs/${id}.yaml`, dropTrace(isBug ? bugSpec(id) : featureSpec(id)));
  await tell("sdd_workflow_advance", { id, approve: "Ann" });
  await tell("sdd_workflow_advance", { id, approve: "Ann" });
}

/** Tests first, then the code, then what the gates ask for. */
async function build({ tell }: HonestAgent, root: string, id: string, tests: Files, code: Files): Promise<void> {
  putAll(root, tests);
  await tell("sdd_evidence", { id });
  putAll(root, code);
  await tell("sdd_gate", { id });
  await tell("sdd_workflow_advance", { id });
}

async function finish({ tell }: HonestAgent, root: string, id: string): Promise<void> {
  put(root, "README.md", `# Small\n\n${id}: users are greeted by their name.\n`);
  await tell("sdd_gate", { id });
  await tell("sdd_workflow_advance", { id, approve: "Ann" });
}

const readStatus = (root: string, id: string): string | undefined =>
  /^status: (.*)$/m.exec(fs.readFileSync(join(root, `sdd/specs/${id}.yaml`), "utf8"))?.[1];

/** The same work for another id; its tests name both criteria of the spec. */
const retag = (files: Files, id: string, more = ""): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replaceAll(/@spec \w+-\d+/g, `@spec ${id}${more}`)]),
  );

describe.each<Stack>(["typescript-react", "python-fastapi", "go", "rust"])("alone in a project of %s", (stack) => {
  const problem = toolchainProblem(stack);
  test.skipIf(problem !== undefined)("builds a feature without a rejection", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    placeFixture(stack, root);
    await using agent = await begin(root, home.path, {});
    const { tests, code } = NEW_WORK[stack];
    await specify(agent, root, "AUTH-001");
    await build(
      agent,
      root,
      "AUTH-001",
      retag(tests, "AUTH-001", ".AC-1 @spec AUTH-001.AC-2"),
      retag(code, "AUTH-001"),
    );
    await finish(agent, root, "AUTH-001");
    expect([agent.refused, readStatus(root, "AUTH-001")]).toEqual([[], "done"]);
  });
});

const NODE: Files = {
  "package.json": `${JSON.stringify({ name: "small", version: "1.0.0", type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  "src/slug.js": 'export const slugify = (title) => title.toLowerCase().replace(" ", "-");\n',
  "test/slug.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slug.js";

test("joins words", () => assert.equal(slugify("A Title"), "a-title"));
`,
};

/** A new module and its tests, one for each criterion. */
const createFeature = (id: string, name: string): { readonly tests: Files; readonly code: Files } => ({
  tests: {
    [`test/${name}.test.js`]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { ${name} } from "../src/${name}.js";

// @spec ${id}.AC-1
test("${name} says yes", () => assert.equal(${name}(1), true));
// @spec ${id}.AC-2
test("${name} says no", () => assert.equal(${name}(2), false));
`,
  },
  code: { [`src/${name}.js`]: `// @spec ${id}\nexport const ${name} = (number) => number === 1;\n` },
});

const createFix = (root: string, id: string): { readonly tests: Files; readonly code: Files } => ({
  tests: {
    "test/spaces.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "../src/slug.js";

// @spec ${id}
test("joins three words", () => assert.equal(slugify("A Long Title"), "a-long-title"));
`,
  },
  code: {
    "src/slug.js": `// @spec ${id}\n${fs.readFileSync(join(root, "src/slug.js"), "utf8").replace("replace(", "replaceAll(")}`,
  },
});

describe("in a project of node --test", () => {
  test("fixes a bug beside a paused feature with failing tests without a rejection", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    await specify(agent, root, "AUTH-001");
    const feature = createFeature("AUTH-001", "login");
    putAll(root, feature.tests);
    await agent.tell("sdd_evidence", { id: "AUTH-001" });
    await specify(agent, root, "BUG-042");
    const fix = createFix(root, "BUG-042");
    await build(agent, root, "BUG-042", fix.tests, fix.code);
    await agent.tell("sdd_gate", { id: "BUG-042" });
    await agent.tell("sdd_workflow_advance", { id: "BUG-042", approve: "Ann" });
    await agent.tell("sdd_workflow_switch", { id: "AUTH-001" });
    putAll(root, feature.code);
    await agent.tell("sdd_gate", { id: "AUTH-001" });
    await agent.tell("sdd_workflow_advance", { id: "AUTH-001" });
    await finish(agent, root, "AUTH-001");
    expect([agent.refused, readStatus(root, "BUG-042"), readStatus(root, "AUTH-001")]).toEqual([[], "done", "done"]);
  });

  test("serves two unnamed clients in one folder without a rejection", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using first = await begin(root, home.path, NODE);
    await using second = await meetHonestAgent(root, home.path);
    await specify(first, root, "CLEAR-001");
    await specify(second, root, "BUG-042");
    const [feature, fix] = [createFeature("CLEAR-001", "clear"), createFix(root, "BUG-042")];
    putAll(root, feature.tests);
    putAll(root, fix.tests);
    await first.tell("sdd_evidence", { id: "CLEAR-001" });
    await second.tell("sdd_evidence", { id: "BUG-042" });
    putAll(root, feature.code);
    putAll(root, fix.code);
    await first.tell("sdd_gate", { id: "CLEAR-001" });
    await first.tell("sdd_workflow_advance", { id: "CLEAR-001" });
    await second.tell("sdd_gate", { id: "BUG-042" });
    await second.tell("sdd_workflow_advance", { id: "BUG-042" });
    await second.tell("sdd_gate", { id: "BUG-042" });
    await second.tell("sdd_workflow_advance", { id: "BUG-042", approve: "Ann" });
    await finish(first, root, "CLEAR-001");
    expect([first.refused, second.refused]).toEqual([[], []]);
  });

  test("does not charge the agent for the user's open file and a teammate's merge", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    put(root, "src/queue.js", "// TODO: write it\nexport const queue = [];\n");
    await specify(agent, root, "PEEK-001");
    const { tests, code } = createFeature("PEEK-001", "peek");
    putAll(root, tests);
    await agent.tell("sdd_evidence", { id: "PEEK-001" });
    putAll(root, code);
    await agent.tell("sdd_gate", { id: "PEEK-001" });
    git(root, "stash", "push", "-q", "--include-untracked");
    git(root, "checkout", "-q", "-b", "mate");
    put(root, "src/mate.js", "// TODO: later\nexport const mate = () => 1;\n");
    put(root, "test/slug.test.js", (NODE["test/slug.test.js"] ?? "").replace("joins words", "joins two words"));
    git(root, "add", "-A");
    git(root, "commit", "-qm", "Work of a mate");
    git(root, "checkout", "-q", "-");
    git(root, "stash", "pop", "-q");
    git(root, "merge", "-q", "--no-edit", "mate");
    await agent.tell("sdd_gate", { id: "PEEK-001" });
    await agent.tell("sdd_workflow_advance", { id: "PEEK-001" });
    await finish(agent, root, "PEEK-001");
    expect([agent.refused, readStatus(root, "PEEK-001")]).toEqual([[], "done"]);
  });

  test("fixes a bug in a worktree beside a feature without a rejection", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    await specify(agent, root, "AUTH-001");
    putAll(root, createFeature("AUTH-001", "login").tests);
    const started = await agent.tell("sdd_bugfix", { description: "Spaces stay", id: "BUG-043", worktree: true });
    const { worktree: workspace = "" } = (started["workflow"] ?? {}) as { worktree?: string };
    expect(fs.existsSync(join(workspace, "src/slug.js"))).toBe(true);
    put(workspace, "sdd/specs/BUG-043.yaml", dropTrace(bugSpec("BUG-043")));
    await agent.tell("sdd_workflow_advance", { id: "BUG-043", approve: "Ann", workspace });
    await agent.tell("sdd_workflow_advance", { id: "BUG-043", approve: "Ann", workspace });
    const fix = createFix(workspace, "BUG-043");
    // The user edits the same file by hand in the other folder.
    put(root, "src/slug.js", `${NODE["src/slug.js"] ?? ""}// mine\n`);
    putAll(workspace, fix.tests);
    await agent.tell("sdd_evidence", { id: "BUG-043", workspace });
    putAll(workspace, fix.code);
    await agent.tell("sdd_gate", { id: "BUG-043", workspace });
    await agent.tell("sdd_workflow_advance", { id: "BUG-043", workspace });
    await agent.tell("sdd_gate", { id: "BUG-043", workspace });
    await agent.tell("sdd_workflow_advance", { id: "BUG-043", approve: "Ann", workspace });
    expect(agent.refused).toEqual([]);
  });

  test("a rebase, a stash and a switch of branches in the middle are not charged to the agent", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    git(root, "checkout", "-q", "-b", "login");
    await specify(agent, root, "AUTH-001");
    const { tests, code } = createFeature("AUTH-001", "login");
    putAll(root, tests);
    await agent.tell("sdd_evidence", { id: "AUTH-001" });
    putAll(root, code);
    git(root, "add", "-A");
    git(root, "commit", "-qm", "AUTH-001: Log in");
    git(root, "checkout", "-q", "main");
    put(root, "src/mate.js", "// TODO: later\nexport const mate = () => 1;\n");
    put(root, "test/slug.test.js", (NODE["test/slug.test.js"] ?? "").replace("joins words", "joins two words"));
    git(root, "add", "-A");
    git(root, "commit", "-qm", "Work of a mate");
    git(root, "checkout", "-q", "login");
    git(root, "rebase", "-q", "main");
    await agent.tell("sdd_gate", { id: "AUTH-001" });
    put(root, "README.md", "# Small\n\nAUTH-001: users log in.\n");
    git(root, "stash", "push", "-q", "--include-untracked");
    git(root, "checkout", "-q", "main");
    git(root, "checkout", "-q", "login");
    git(root, "stash", "pop", "-q");
    await agent.tell("sdd_workflow_advance", { id: "AUTH-001" });
    git(root, "checkout", "-q", "-b", "login-2");
    await agent.tell("sdd_gate", { id: "AUTH-001" });
    await agent.tell("sdd_workflow_advance", { id: "AUTH-001", approve: "Ann" });
    expect([agent.refused, readStatus(root, "AUTH-001")]).toEqual([[], "done"]);
  });

  test("a user at the keyboard beside a client with hooks is not charged to the agent", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    await specify(agent, root, "PEEK-001");
    const { tests, code } = createFeature("PEEK-001", "peek");
    for (const [path, text] of Object.entries(tests)) agent.edit(path, text);
    await agent.tell("sdd_evidence", { id: "PEEK-001" });
    put(root, "src/queue.js", "// TODO: write it\nexport const queue = [];\n");
    put(root, "test/slug.test.js", (NODE["test/slug.test.js"] ?? "").replace("joins words", "joins two words"));
    for (const [path, text] of Object.entries(code)) agent.edit(path, text);
    await agent.tell("sdd_gate", { id: "PEEK-001" });
    await agent.tell("sdd_workflow_advance", { id: "PEEK-001" });
    put(root, "src/slug.js", `${NODE["src/slug.js"] ?? ""}// FIXME: mine, too\n`);
    agent.edit("README.md", "# Small\n\nPEEK-001: users peek.\n");
    await agent.tell("sdd_gate", { id: "PEEK-001" });
    // With hooks, the user's own answer in the client is the approval.
    await agent.tell("sdd_workflow_advance", { id: "PEEK-001" });
    agent.hear("approve");
    await agent.tell("sdd_workflow_advance", { id: "PEEK-001" });
    expect([agent.refused, readStatus(root, "PEEK-001")]).toEqual([[], "done"]);
  });

  test("an agent that goes on where a killed client stopped meets no refusal", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using first = await begin(root, home.path, NODE);
    await specify(first, root, "AUTH-001");
    const { tests, code } = createFeature("AUTH-001", "login");
    putAll(root, tests);
    await first.tell("sdd_evidence", { id: "AUTH-001" });
    await first.kill();
    await using next = await meetHonestAgent(root, home.path);
    await next.tell("sdd_workflow_resume");
    putAll(root, code);
    await next.tell("sdd_gate");
    await next.tell("sdd_workflow_advance");
    await finish(next, root, "AUTH-001");
    expect([first.refused, next.refused, readStatus(root, "AUTH-001")]).toEqual([[], [], "done"]);
  });

  test("completes a research without a rejection", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const root = repository.path;
    await using agent = await begin(root, home.path, NODE);
    await agent.tell("sdd_research", { topic: "Which auth provider", id: "RES-001", timebox: "2 hours" });
    put(root, "sdd/specs/RES-001.yaml", researchSpec("RES-001"));
    for (const _ of ["explore", "synthesize", "decide"])
      await agent.tell("sdd_workflow_advance", { id: "RES-001", approve: "Ann" });
    expect(agent.refused).toEqual([]);
  });
});
