import { expect, test } from "vitest";
import { git, temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/fault.ts";
import { featureSpec } from "../kit/specs.ts";
import { listFailedChecks, stand } from "./stand.ts";

test("takes a feature through its four gates with their own requirements", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  expect(listFailedChecks(await it.run("workflow.advance", { id: "AUTH-001" }))).toEqual(["approval"]);
  const specify = await it.advance("AUTH-001");
  expect([specify.passed, specify.workflow?.stage]).toEqual([true, "specify"]);
  expect(listFailedChecks(await it.advance("AUTH-001"))).toEqual([
    "no-markers",
    "criteria-testable",
    "success-measurable",
  ]);
  it.write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001").replace(/then: the session[^]*/, "then: it works\n"));
  expect(listFailedChecks(await it.advance("AUTH-001"))).toEqual([
    "spec-valid",
    "criteria-testable",
    "success-measurable",
    "contracts",
    "scenarios",
  ]);
  it.fill("AUTH-001");
  const implement = await it.advance("AUTH-001");
  expect([implement.passed, implement.workflow?.stage, listFailedChecks(implement)]).toEqual([true, "implement", []]);
  expect(it.read("sdd/specs/AUTH-001.yaml")).toContain("status: specified");
  expect(listFailedChecks(await it.advance("AUTH-001"))).toEqual([
    "tests",
    "lint",
    "types",
    "tags",
    "tests-seen-to-fail",
    "coverage",
  ]);
  it.build("AUTH-001");
  await it.waive();
  const verify = await it.run("workflow.advance", { id: "AUTH-001" });
  expect([verify.passed, verify.workflow?.stage]).toEqual([true, "verify"]);
  const done = await it.advance("AUTH-001");
  expect([done.passed, done.workflow?.status, listFailedChecks(done)]).toEqual([true, "completed", []]);
  expect(it.read("sdd/specs/AUTH-001.yaml")).toContain("status: done");
});

test("asks for approval again after an edit of the spec", async () => {
  using it = await stand();
  await it.waive();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.advance("AUTH-001");
  it.fill("AUTH-001");
  await it.advance("AUTH-001");
  it.build("AUTH-001");
  it.write("sdd/specs/AUTH-001.yaml", `${it.read("sdd/specs/AUTH-001.yaml")}constraints: [No SMS]\n`);
  expect(listFailedChecks(await it.run("workflow.advance", { id: "AUTH-001" }))).toEqual(["spec-unchanged"]);
  expect((await it.advance("AUTH-001")).workflow?.stage).toBe("verify");
});

test("keeps the stage open for a missing, invalid or foreign spec", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  const path = "sdd/specs/AUTH-001.yaml";
  const said = async (text: string): Promise<string | undefined> => {
    it.write(path, text);
    return (await it.advance("AUTH-001")).checks?.find(({ check }) => check === "spec-draft")?.problems[0]?.problem;
  };
  expect(await said("id: [")).toMatch(/./);
  expect(await said(featureSpec("AUTH-002"))).toBe('The id is "AUTH-002", but the file is called AUTH-001.yaml.');
  git(it.root, "clean", "-qfd", "sdd/specs");
  const { checks } = await it.advance("AUTH-001");
  expect(checks?.[0]?.problems).toEqual([{ problem: `${path} is missing.` }]);
});

test("puts a bugfix first in the queue, and takes it through its gates", async () => {
  using it = await stand();
  await it.waive();
  const begun = await it.run("workflow.bugfix", { description: "Login fails with special characters" });
  expect([begun.workflow?.id, begun.workflow?.stage]).toEqual(["BUG-001", "investigate"]);
  it.build("BUG-001");
  expect(listFailedChecks(await it.advance("BUG-001"))).toEqual(["reproduction", "root-cause"]);
  it.fill("BUG-001");
  const stages = [];
  for (let i = 0; i < 4; i++) stages.push((await it.advance("BUG-001")).workflow?.stage);
  expect(stages).toEqual(["specify-fix", "fix", "verify", "verify"]);
  expect((await it.run("workflow.status", { all: true })).finished?.map(({ id, status }) => [id, status])).toEqual([
    ["BUG-001", "completed"],
  ]);
});

test("keeps a fix open without a regression test that was seen to fail", async () => {
  using it = await stand();
  await it.run("workflow.bugfix", { description: "Login fails with special characters" });
  it.fill("BUG-001");
  await it.advance("BUG-001");
  await it.advance("BUG-001");
  const { checks = [] } = await it.advance("BUG-001");
  expect(listFailedChecks({ checks })).toEqual(["regression-seen-to-fail", "tests", "lint", "types", "tags"]);
});

test("ends a research with a recorded decision", async () => {
  using it = await stand();
  await it.run("adr.record", { title: "Keep files", context: "a", decision: "b", rationale: "c" });
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h" });
  expect(listFailedChecks(await it.run("workflow.advance", { id: "RES-001" }))).toEqual(["options"]);
  it.fill("RES-001");
  await it.run("workflow.advance", { id: "RES-001" });
  await it.run("workflow.advance", { id: "RES-001" });
  expect(listFailedChecks(await it.run("workflow.advance", { id: "RES-001" }))).toEqual(["approval"]);
  const { workflow } = await it.advance("RES-001");
  expect([workflow?.status, workflow?.adr]).toEqual(["completed", "ADR-0002"]);
  const text = it.read("sdd/adrs/ADR-0002-which-auth-provider-provider.md");
  expect(text).toContain("It costs a third of the work");
  expect(text).toContain("### Own login");
  expect(text).toContain("Approved by Ann (unproved: the agent reported it).");
  expect(text).toContain(`## Decision matrix

| Criterion | Weight | Own login | Provider |
| --------- | ------ | --------- | -------- |
| effort    | 2      | 2         | 4        |
| safety    | 3      | 2         | 5        |
| **Total** |        | **10**    | **23**   |

## Consequences

- gain: second factor included
- price: a bill every month
- cost: one week
`);
  expect(it.read("sdd/specs/RES-001.yaml")).toContain(`decision:
  option: Provider
  approved_by: Ann
  adr: ADR-0002
trace:
  decisions:
    - ADR-0002
`);
});

test("never reassigns an id", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Auth with a code" });
  await it.run("workflow.abandon", { id: "AUTH-001", reason: "No" });
  expect((await it.run("workflow.feature", { description: "Auth with a key" })).workflow?.id).toBe("AUTH-002");
  it.write("sdd/specs/AUTH-007.yaml", featureSpec("AUTH-007"));
  expect((await it.run("workflow.feature", { description: "Auth with a card" })).workflow?.id).toBe("AUTH-008");
  for (const [id, status] of [
    ["AUTH-001", "abandoned"],
    ["AUTH-002", "active"],
  ]) {
    expect(await refusal(it.run("workflow.feature", { description: "Again", id }))).toEqual({
      code: "workflow.exists",
      message: `${id} cannot start. A workflow with that id exists; it is ${status}.`,
    });
  }
  expect((await refusal(it.run("workflow.bugfix", { description: "Again", id: "AUTH-009" }))).code).toBe(
    "workflow.bad-id",
  );
  expect((await refusal(it.run("workflow.feature", { description: "Again", id: "RES-009" }))).code).toBe(
    "workflow.bad-id",
  );
});

test("accepts an existing spec unchanged", async () => {
  using it = await stand();
  it.write("sdd/specs/AUTH-007.yaml", featureSpec("AUTH-007"));
  const { notes } = await it.run("workflow.feature", { description: "From a colleague", id: "AUTH-007" });
  expect(notes).toEqual(["sdd/specs/AUTH-007.yaml existed before and stays unchanged."]);
  expect(it.read("sdd/specs/AUTH-007.yaml")).toBe(featureSpec("AUTH-007"));
  expect((await it.advance("AUTH-007")).workflow?.stage).toBe("specify");
});

test("keeps no approval of a check, and rejects a placeholder as a name", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.run("workflow.advance", { id: "AUTH-001", approve: "Ann", check: true });
  expect(listFailedChecks(await it.run("workflow.advance", { id: "AUTH-001" }))).toEqual(["approval"]);
  const { AdvanceWorkflowInput: Advance } = await import("#planning/operations/workflow/schema.ts");
  expect(["…", "<name>", "-", " "].map((approve) => Advance.safeParse({ approve }).success)).toEqual(
    Array(4).fill(false),
  );
});

test("requires no new approval for a trace that is typed at verify", async () => {
  using it = await stand();
  await it.waive();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.advance("AUTH-001");
  it.build("AUTH-001");
  const text = featureSpec("AUTH-001");
  it.write("sdd/specs/AUTH-001.yaml", text.slice(0, text.indexOf("trace:")));
  await it.advance("AUTH-001");
  await it.run("workflow.advance", { id: "AUTH-001" });
  const filled = it.read("sdd/specs/AUTH-001.yaml");
  expect(filled).toContain("\ntrace:\n  code:\n    - src/login.ts\n  tests:\n    - tests/login.test.ts\n");
  it.write("sdd/specs/AUTH-001.yaml", filled.replace("trace:\n", "trace:\n  decisions: [ADR-0001]\n"));
  expect((await it.advance("AUTH-001")).workflow?.status).toBe("completed");
});

test("requires a recommendation of a research", async () => {
  using it = await stand();
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h" });
  it.fill("RES-001");
  const text = it.read("sdd/specs/RES-001.yaml");
  await it.run("workflow.advance", { id: "RES-001" });
  it.write("sdd/specs/RES-001.yaml", text.slice(0, text.indexOf("recommendation:")));
  expect(listFailedChecks(await it.run("workflow.advance", { id: "RES-001" }))).toContain("recommendation");
  it.write("sdd/specs/RES-001.yaml", text.replace("    cost: one week\n", ""));
  expect(listFailedChecks(await it.run("workflow.advance", { id: "RES-001" }))).toContain("options");
});

test("records what the user decided, whatever was recommended", async () => {
  using it = await stand();
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h" });
  it.fill("RES-001");
  it.write(
    "sdd/specs/RES-001.yaml",
    `${it.read("sdd/specs/RES-001.yaml")}decision:\n  option: Own login\n  approved_by: Ann\n`,
  );
  await it.run("workflow.advance", { id: "RES-001" });
  await it.run("workflow.advance", { id: "RES-001" });
  await it.advance("RES-001");
  expect(it.has("sdd/adrs/ADR-0001-which-auth-provider-own-login.md")).toBe(true);
});

test("keeps the spec and files of a workflow in its worktree", async () => {
  using it = await stand();
  const { workflow, notes } = await it.run("workflow.feature", {
    description: "Second factor at login",
    id: "AUTH-001",
    worktree: true,
  });
  const path = workflow?.worktree ?? "";
  expect(notes?.[0]).toBe(`Work on it there: cd ${path}`);
  expect([it.has("sdd/specs/AUTH-001.yaml"), it.has(".sdd/worktrees/AUTH-001/sdd/specs/AUTH-001.yaml")]).toEqual([
    false,
    true,
  ]);
  for (const call of ["workflow.advance", "workflow.snapshot"] as const) {
    expect((await refusal(it.run(call, { id: "AUTH-001" }))).code).toBe("workflow.elsewhere");
  }
  it.write("src/login.ts", "not the workflow's\n");
  const there = await it.tenon.house.open({ argument: path });
  const { advanceWorkflowOperation: advance } = await import("#checking/operations/workflow-gate/advance-workflow.ts");
  expect((await advance.run(there, { id: "AUTH-001", approve: "Ann" })).passed).toBe(true);
  it.write(".sdd/worktrees/AUTH-001/src/login.ts", "export const login = 2;\n");
  const { takeSnapshotOperation: snapshot } = await import("#planning/operations/workflow/roll-back-workflow.ts");
  expect((await snapshot.run(there, {})).files_modified).toEqual(["src/login.ts"]);
  const { rollbackWorkflowOperation: rollback } = await import("#planning/operations/workflow/roll-back-workflow.ts");
  const { token } = await rollback.run(there, { snapshot: 1, presumed: true });
  const done = await rollback.run(there, { snapshot: 1, presumed: true, confirm: token });
  expect([done.workflow.worktree, it.read(".sdd/worktrees/AUTH-001/src/login.ts"), it.read("src/login.ts")]).toEqual([
    path,
    "export const login = 1;\n",
    "not the workflow's\n",
  ]);
});

test("starts no workflow without its worktree", async () => {
  using folder = temporaryFolder();
  using it = await stand(folder, false);
  const call = it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001", worktree: true });
  expect((await refusal(call)).code).toBe("git.missing");
  expect((await it.run("workflow.status", {})).queue).toEqual([]);
});

test("allows ten workflows and changes together", async () => {
  using it = await stand();
  await it.run("change.start", { type: "fix", size: "small", description: "Given up" });
  await it.run("change.abandon", { change_id: "given-up", reason: "No" });
  for (let i = 0; i < 9; i++) await it.run("workflow.feature", { description: `Part ${i}` });
  await it.run("change.start", { type: "fix", size: "small", description: "Fix it" });
  const more = [
    it.run("workflow.bugfix", { description: "One too many" }),
    it.run("change.start", { type: "fix", size: "small", description: "Fix more", concurrent: true }),
    it.run("change.reopen", { change_id: "given-up", stage: "describe", reason: "Back again" }),
  ];
  expect(await Promise.all(more.map(async (call) => (await refusal(call)).code))).toEqual([
    "workflow.too-many",
    "change.too-many",
    "change.too-many",
  ]);
  expect(it.has("sdd/specs/BUG-001.yaml")).toBe(false);
  await it.run("workflow.abandon", { id: "PART-003", reason: "Make room" });
  expect((await it.run("workflow.bugfix", { description: "Now there is room" })).workflow?.id).toBe("BUG-001");
});

test("changes nothing for a repeated call or a finished stage", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  await it.advance("AUTH-001", { stage: "discover" });
  expect((await refusal(it.advance("AUTH-001", { stage: "discover" }))).code).toBe("workflow.other-stage");
});

test("checks a gate without advancing, and reports when it is outdated", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  const look = await it.run("workflow.advance", { id: "AUTH-001", approve: "Ann", check: true });
  expect([look.passed, look.workflow?.stage]).toEqual([true, "discover"]);
  const gate = async () => (await it.run("workflow.status", { id: "AUTH-001" }))["gate"];
  expect(await gate()).toMatchObject({ gate: "gate-1-specify", passed: true, is_stale: false });
  it.write("src/other.ts", "1");
  expect(await gate()).toMatchObject({ passed: true, is_stale: true });
});

test("distinguishes changes and workflows, and reports unknown ids", async () => {
  using it = await stand();
  await it.run("change.start", { type: "fix", size: "small", description: "Fix it" });
  const codes = await Promise.all(
    [
      it.run("workflow.advance", { id: "fix-it" }),
      it.run("workflow.advance", { id: "NONE-001" }),
      it.run("workflow.switch", { id: "NONE-001" }),
      it.run("workflow.status", { id: "NONE-001" }),
      it.run("workflow.advance", {}),
    ].map(async (call) => (await refusal(call)).code),
  );
  expect(codes).toEqual([
    "workflow.not-a-workflow",
    "workflow.unknown",
    "workflow.unknown",
    "workflow.unknown",
    // The change is current, and is not a workflow.
    "workflow.none-current",
  ]);
});

test("runs workflows without git, but cannot roll back (TC-060)", async () => {
  using folder = temporaryFolder();
  using it = await stand(folder, false);
  await it.run("workspace.init", {});
  const begun = await it.run("workflow.feature", { description: "Second factor at login", id: "AUTH-001" });
  expect(begun.notes).toEqual([
    "There is no git repository here, so Tenon cannot roll it back, and its gates cannot compare the code. Run git init, then start it again.",
  ]);
  expect((await it.advance("AUTH-001")).workflow?.stage).toBe("specify");
  expect((await refusal(it.run("workflow.snapshot", {}))).code).toBe("workspace.no-git");
  expect((await refusal(it.run("workflow.rollback", { stage: "discover" }))).code).toBe("workspace.no-git");
});
