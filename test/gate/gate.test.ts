import { expect, test } from "vitest";
import { temporaryRepository } from "../kit/folder.ts";
import { stand } from "../workflow/stand.ts";
import { NEW_CODE, NEW_TEST, typescriptStand } from "./project.ts";

test("a feature is built tests first, and its gate leaves a receipt", async () => {
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

test("an edit after a pass is checked again", async () => {
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

test("nothing is run before it is trusted, and nothing that is not run passes", async () => {
  using it = await typescriptStand();
  await it.begin();
  it.write("tests/login.test.ts", NEW_TEST);
  it.write("src/login.ts", NEW_CODE);
  const why = "Nobody has trusted on this machine what would be run here.";
  const { open, passed } = await it.gate();
  expect([passed, open]).toEqual([
    false,
    ["tests", "lint", "types", "tests-seen-to-fail"].map(
      (check) => `${check}: ${why} The user has to look and type: tenon trust`,
    ),
  ]);
  await expect(it.run("gate.evidence", { id: "AUTH-001" })).rejects.toMatchObject({ code: "trust.needed" });
});

test("without a commit from before, nothing can be seen to fail", async () => {
  using folder = temporaryRepository();
  using it = await stand(folder, false);
  await it.run("workflow.feature", { title: "Log in with a code", id: "AUTH-001" });
  await expect(it.run("gate.evidence", { id: "AUTH-001" })).rejects.toMatchObject({ code: "gate.no-base" });
});
