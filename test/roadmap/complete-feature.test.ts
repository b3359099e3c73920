import { afterEach, expect, test } from "vitest";
import { readReceiptChain } from "#checking/model/gate/receipt-chain.ts";
import { build, builderSays, cutsOf, doWork, type Given } from "./agents.ts";
import { codeOf, testOf } from "./feature-documents.ts";
import { roadmapStand, type RoadmapStand } from "./stand.ts";

let it: RoadmapStand | undefined;
afterEach(() => {
  it?.[Symbol.dispose]();
  it = undefined;
});

const CUTS = cutsOf({ "user-login": ["A", "B"] });
const CUT = { feature: "user-login", groups: ["A", "B"] };

/** Does all that is due, honestly, until the named action is, or nothing. */
async function until(stand: RoadmapStand, stop: string): Promise<Given[]> {
  const done: Given[] = [];
  for (;;) {
    const { actions } = await stand.next();
    if (actions.length === 0 || actions.some(({ id }) => id.startsWith(stop))) return done;
    for (const action of actions) {
      const { outcome, problems } = await stand.report(action.id, doWork(stand, CUTS, action));
      if (outcome !== "applied") throw new Error(`${action.id} is ${outcome}: ${JSON.stringify(problems)}`);
      done.push(action);
    }
  }
}

test("takes a feature from its description to tested, reviewed and committed code", async () => {
  it = await roadmapStand();
  await it.roadmap([{ name: "user-login" }]);
  const [architect] = (await it.next()).actions;
  expect(architect).toEqual({
    id: "user-login/architect/1",
    kind: "spawn",
    role: "architect",
    about: "design: user-login",
    estimate: expect.any(Number),
    brief: ".sdd/briefs/user-login/architect/1.md",
    since: expect.stringMatching(/^2026-01-31T/),
    again: false,
  });
  const before = await until(it, "user-login/build-A");
  expect(before.map(({ id }) => id)).toEqual([
    "user-login/architect/1",
    ...["rulebase", "testability", "best-practices", "auditor"].map((name) => `user-login/design/B1/${name}`),
    "user-login/tasks/1",
  ]);
  expect(it.read("sdd/features/user-login/reviews/B1.yaml")).toMatch(/^batch: "B1"\nkind: "design"\n/);
  // One group is done: the plan says so in place, and the page of the roadmap is as it was.
  build(it, CUT, "A");
  const first = await it.report("user-login/build-A/1", { report: builderSays(CUT, "A"), tokens: 1234 });
  expect([first.outcome, first.notes]).toEqual(["applied", ["Done: user-login 1."]]);
  expect(it.read("sdd/features/user-login/tasks.yaml").match(/summary.*|status: \w+/g)).toEqual([
    "summary: Build part A # for users",
    "status: done",
    "summary: Build part B # for users",
    "status: pending",
  ]);
  const after = await until(it, "wave-1/commit");
  expect(after.map(({ id }) => id).filter((id) => !id.includes("/impl/"))).toEqual([
    "user-login/build-B/1",
    "user-login/gate/1",
    "wave-1/gate/1",
  ]);
  const [commit] = (await it.next()).actions;
  expect(commit).toEqual(
    expect.objectContaining({
      id: "wave-1/commit",
      kind: "commit",
      message: expect.stringMatching(/^user-login: /),
      paths: ["sdd/", codeOf(CUT, "A"), codeOf(CUT, "B"), testOf(CUT, "A"), testOf(CUT, "B")],
    }),
  );
  // Nothing is committed yet, whatever is said.
  expect(await it.report("wave-1/commit", {})).toEqual(
    expect.objectContaining({
      outcome: "refused",
      problems: [{ problem: expect.stringContaining("lacks files of the work") }],
    }),
  );
  it.commit(commit?.message ?? "");
  const last = await it.report("wave-1/commit", {});
  expect([last.outcome, last.idle]).toEqual(["applied", "Everything is done: 1 feature is done."]);
  const { phase, version_refs } = it.record("user-login");
  expect([phase, version_refs]).toEqual(["implementation-complete", { design: "1.0.0", implementation: "1.0.0" }]);
  expect(it.read("sdd/roadmap.md")).toContain("user-login");
});

test("fails a gate with tests that were emptied after the evidence", async () => {
  it = await roadmapStand();
  await it.roadmap([{ name: "user-login" }]);
  await until(it, "user-login/gate");
  it.write(testOf(CUT, "B"), "// Nothing to see here.\n");
  const taken = await it.report("user-login/gate/1", {});
  const unshown =
    "No test that ran and passed names user-login.S2.AC1: write AC: user-login.S2.AC1 in the test that shows it.";
  expect([taken.problems, taken.notes]).toEqual([[{ problem: unshown }], ["The gate did not pass."]]);
  const { phase, fix } = it.record("user-login");
  expect([taken.receipt, phase, fix]).toEqual([
    undefined,
    "design-generated",
    expect.objectContaining({ detail: unshown }),
  ]);
});

test("writes a receipt of a feature's gate with the criteria that its tests prove", async () => {
  it = await roadmapStand();
  await it.roadmap([{ name: "user-login" }]);
  await until(it, "user-login/gate");
  const taken = await it.report("user-login/gate/1", {});
  expect([taken.outcome, taken.receipt]).toEqual(["applied", "user-login.R-1"]);
  const text = it.read("sdd/features/user-login/receipts.jsonl");
  const { receipts, problems } = readReceiptChain(text, (said) => it?.engine.digest(said) ?? "", "user-login");
  expect(problems).toEqual([]);
  expect(receipts.map(({ receipt }) => receipt)).toEqual([
    expect.objectContaining({
      id: "user-login.R-1",
      gate: "feature-gate",
      workflow: "user-login",
      passed: true,
      tree: await it.engine.snapshots.sourceTree(),
      base: await it.engine.source.head(),
      spec_ids: ["user-login"],
      criteria: ["user-login.S1.AC1", "user-login.S2.AC1"],
      checks: [
        expect.objectContaining({
          check: "tests",
          status: "passed",
          argv: ["node", "tools/test.mjs", "{report}"],
          exit: 0,
        }),
      ],
    }),
  ]);
});

test("changes nothing for a repeated report, and shows the next step", async () => {
  it = await roadmapStand();
  await it.roadmap([{ name: "user-login" }]);
  const done = await until(it, "user-login/build-A");
  const files = it.read("sdd/features/user-login/spec.yaml");
  const position = await it.engine.store.position();
  for (const { id } of done) {
    const taken = await it.report(id, { report: "ARCHITECT_COMPLETE" });
    expect([id, taken.outcome, taken.due.map((due) => due.id)]).toEqual([id, "repeated", []]);
  }
  expect(it.read("sdd/features/user-login/spec.yaml")).toBe(files);
  expect(await it.engine.store.position()).toBe(position);
});

test("verifies receipts of features like those of workflows, and detects an edit", async () => {
  it = await roadmapStand();
  await it.roadmap([{ name: "user-login" }]);
  await until(it, "user-login/impl");
  const verify = async (): Promise<unknown[]> => {
    const answer = (await it?.run("gate.verify", { id: "user-login" })) as unknown as {
      readonly passed: boolean;
      readonly workflows: readonly {
        readonly receipts: number;
        readonly problems: readonly { readonly problem: string }[];
        readonly findings: readonly string[];
      }[];
    };
    const { receipts, problems, findings } = answer.workflows[0] ?? { receipts: 0, problems: [], findings: [] };
    return [answer.passed, receipts, ...problems.map(({ problem }) => problem), ...findings];
  };
  const file = "sdd/features/user-login/receipts.jsonl";
  const text = it.read(file);
  expect(await verify()).toEqual([true, 1]);
  it.write(file, text.replace('"exit":0', '"exit":1'));
  expect(await verify()).toEqual([
    false,
    0,
    '"user-login.R-1" was edited: its hash does not match.',
    "It is finished, but no receipt shows that feature-gate passed.",
  ]);
  it.write(file, "");
  expect(await verify()).toEqual([
    false,
    0,
    "1 receipt that this machine wrote here is not in it.",
    "It is finished, but no receipt shows that feature-gate passed.",
  ]);
  it.write(file, text);
  expect(await verify()).toEqual([true, 1]);
  await expect(it.run("gate.verify", { id: "cart" })).rejects.toThrow(
    expect.objectContaining({ code: "receipt.none" }),
  );
});
