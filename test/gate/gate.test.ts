import { expect, test } from "vitest";
import { git, temporaryRepository } from "../kit/folder.ts";
import { stand } from "../workflow/stand.ts";
import { NEW_CODE, NEW_TEST, typescriptStand } from "./project.ts";

test("passes a feature that is built tests first, and writes a receipt", async () => {
  using it = await typescriptStand();
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  const before = await it.run("gate.evidence", { id: "AUTH-001" });
  expect(before["tests"]).toEqual([
    { file: "tests/login.test.ts", name: "lets the right code in", line: 4, red: "missing-symbol", green: false },
    { file: "tests/login.test.ts", name: "refuses a wrong code", line: 5, red: "missing-symbol", green: false },
  ]);
  it.write("src/login.ts", NEW_CODE);
  const gate = await it.gate();
  expect([gate.open, gate.passed, gate["receipt"]]).toEqual([[], true, "AUTH-001.R-3"]);
  expect(JSON.parse(it.read("sdd/receipts/AUTH-001.jsonl").trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    gate: "gate-3-implement",
    stage: "implement",
    passed: true,
    tree: await it.engine.snapshots.sourceTree(),
    spec_ids: ["AUTH-001"],
    criteria: ["AUTH-001.AC-1"],
  });
  // What has just passed on these files is not run again.
  const moved = await it.run("workflow.advance", { id: "AUTH-001" });
  expect([moved.passed, moved["attempts"], moved.workflow?.stage]).toEqual([true, [], "verify"]);
});

test("checks an edit after a pass again", async () => {
  using it = await typescriptStand();
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE);
  expect((await it.gate()).open).toEqual([]);
  it.write("src/login.ts", NEW_CODE.replace("===", "!=="));
  const moved = await it.run("workflow.advance", { id: "AUTH-001" });
  expect([moved.passed, moved.workflow?.stage]).toEqual([false, "implement"]);
});

test("runs nothing untrusted, and passes nothing that did not run", async () => {
  using it = await typescriptStand();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE);
  const why = "You have not trusted the commands of this repository on this machine.";
  const { open, passed } = await it.gate();
  expect([passed, open]).toEqual([
    false,
    ["tests", "lint", "types", "tests-seen-to-fail"].map(
      (check) => `${check}: ${why} Ask the user to review them: tenon trust`,
    ),
  ]);
  await expect(it.run("gate.evidence", { id: "AUTH-001" })).rejects.toMatchObject({ code: "trust.needed" });
});

test("fails for a formatter that is not installed", async () => {
  const profile =
    "extends: typescript-react\nchecks:\n  - kind: format\n    tool: neat\n    argv: [neat, --check, .]\n";
  const config = "gates:\n  waived:\n    coverage: No tool\nstack:\n  directories:\n    .: own\n";
  using it = await typescriptStand({ "sdd/stacks/own.yaml": profile, "sdd/config.yaml": config });
  await it.trust();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE);
  const { open, passed } = await it.gate();
  expect([passed, open]).toEqual([false, [expect.stringMatching(/^format: neat /)]]);
});

test("requires no types for plain JavaScript", async () => {
  const manifest = {
    name: "plain",
    type: "module",
    scripts: { test: "vitest run" },
    devDependencies: { vitest: "5.1.0" },
  };
  using it = await typescriptStand({
    "package.json": JSON.stringify(manifest),
    "src/add.ts": "",
    "tests/add.test.ts": "",
    "src/sum.js": "export const sum = (a, b) => a + b;\n",
    "tests/sum.test.js":
      'import { expect, test } from "vitest";\nimport { sum } from "../src/sum.js";\ntest("sums", () => expect(sum(1, 2)).toBe(3));\n',
    "sdd/config.yaml": "gates:\n  waived:\n    coverage: No tool\n    lint: No tool\n",
  });
  for (const path of ["tsconfig.json", "src/add.ts", "tests/add.test.ts", ".oxlintrc.json"])
    git(it.root, "rm", "-q", path);
  git(it.root, "commit", "-qm", "Drop TypeScript");
  await it.trust();
  await it.begin();
  it.write("tests/login.test.js", NEW_TEST.replace("login.ts", "login.js"));
  it.write("src/login.js", NEW_CODE.replace(": string): boolean", ")"));
  const { open, passed } = await it.gate();
  expect([passed, open]).toEqual([true, []]);
});

test("compares the work with its starting files before the first commit", async () => {
  using folder = temporaryRepository();
  using it = await stand(folder, false);
  await it.run("workflow.feature", { description: "Log in with a code", id: "AUTH-001" });
  expect((await it.run("gate.evidence", { id: "AUTH-001" }))["problems"]).toEqual([
    { problem: "No new test was found in the changed code." },
  ]);
});
