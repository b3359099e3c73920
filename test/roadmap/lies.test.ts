import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SPENDING_SPACE } from "#roadmap/operations/lead/lead-store.ts";
import { blockedSays, build, builderSays, cutsOf, doWork, type Given, type Said } from "./agents.ts";
import { codeOf, designOf, researchOf, tasksOf } from "./feature-documents.ts";
import { roadmapStand, type RoadmapStand } from "./stand.ts";

const CUT = { feature: "user-login", groups: ["A", "B", "C", "D", "E"] };
const CUTS = cutsOf({ "user-login": CUT.groups });
const FOLDER = "sdd/features/user-login";

/** One roadmap of one feature: each test goes on where the one before it stopped. */
let it: RoadmapStand;
beforeAll(async () => {
  it = await roadmapStand({ "README.md": "# Shop\n" });
  await it.roadmap([{ name: "user-login" }]);
}, 120_000);
afterAll(() => it[Symbol.dispose]());

/** Does all that is due, honestly, until an action that begins so is; that is the only one that is out then. */
async function goOn(start: string): Promise<Given> {
  for (;;) {
    const { actions } = await it.next({ limit: 1 });
    const [action] = actions;
    if (!action) throw new Error(`${start} never is due.`);
    if (action.id.startsWith(start)) return action;
    const { outcome, problems } = await it.report(action.id, doWork(it, CUTS, action));
    if (outcome !== "applied") throw new Error(`${action.id} is ${outcome}: ${JSON.stringify(problems)}`);
  }
}

const recordNow = (): string => it.read(`${FOLDER}/spec.yaml`);

describe("D an unreadable report is returned with its lines and the form, and changes nothing", () => {
  test.each<[what: string, start: string, text: string, problems: unknown[], form: string]>([
    [
      "no report",
      "user-login/architect",
      "I could not write the design.",
      [{ problem: "No line starts with ARCHITECT_COMPLETE, as a report must." }],
      "ARCHITECT_COMPLETE\nFeature: user-login",
    ],
    [
      "a report of a different role",
      "user-login/architect",
      builderSays(CUT, "A"),
      [{ problem: 'The report is "BUILDER_COMPLETE", and ARCHITECT_COMPLETE was asked for.', line: 1 }],
      "ARCHITECT_COMPLETE",
    ],
  ])("%s", async (_, start, text, problems, form) => {
    expect(await sendUnread(start, text)).toEqual(unread(problems, form));
  });
});

const unread = (problems: unknown[], form: string): unknown[] => [
  "unread",
  problems,
  expect.stringContaining(form),
  "unchanged",
];

/** What comes of a report that cannot be read, and whether it changed anything. */
async function sendUnread(start: string, text: string): Promise<unknown[]> {
  const { id } = await goOn(start);
  const seen = async (): Promise<string> =>
    JSON.stringify([await it.next({ peek: true }), await it.engine.store.position()]);
  const before = await seen();
  const { outcome, problems, form, confirm } = await it.report(id, { report: text });
  expect(confirm).toBeUndefined();
  return [outcome, problems, form, before === (await seen()) ? "unchanged" : "changed"];
}

test.each<[what: string, id: string, code: string]>([
  ["an id that was never ready", "user-login/architect/9", "roadmap.not-out"],
  ["an invalid id", "anything", "roadmap.not-out"],
  ["a missing text", "user-login/architect/1", "roadmap.wrong-report"],
])("reports a fault for %s", async (_, id, code) => {
  await goOn("user-login/architect");
  await expect(it.report(id, {})).rejects.toThrow(expect.objectContaining({ code }));
});

test("returns an incomplete design and research with their lines", async () => {
  const architect = await goOn("user-login/architect");
  const said = doWork(it, CUTS, architect);
  it.write(`${FOLDER}/design.md`, designOf(CUT).replace("## Overview", "## Summary"));
  it.write(`${FOLDER}/research.md`, researchOf(CUT).replace("## References\n", ""));
  const { outcome, problems } = await it.report(architect.id, said);
  expect([outcome, problems.map(({ problem }) => problem)]).toEqual([
    "refused",
    expect.arrayContaining([
      expect.stringContaining('The section "## Overview" is missing'),
      expect.stringMatching(/^sdd\/features\/user-login\/research\.md:\d+: The section "## References" is missing/),
    ]),
  ]);
});

test("returns an invalid finding with its line", async () => {
  const text = "VIEW:rulebase\nVERDICT:GO\nVIEW:consistency\nSCOPE:user-login\nISSUES:\nX|vague|Spec 1|It is\n";
  expect(await sendUnread("user-login/design/B1/rulebase", text)).toEqual(
    unread([{ problem: expect.stringContaining('"X"'), line: 6 }], "ISSUES:"),
  );
});

test("asks an inspector for a missing view", async () => {
  const text = "VERDICT:GO\nSCOPE:user-login\n";
  expect(await sendUnread("user-login/design/B1/rulebase", text)).toEqual(
    unread([{ problem: expect.stringContaining("VIEW:rulebase, VIEW:consistency") }], "VIEW:rulebase"),
  );
});

test("asks to confirm a doubtful report in one call, and starts no agent again", async () => {
  const { id } = await goOn("user-login/design/B1/rulebase");
  const said = "VIEW:rulebase\nVERDICT: GO\nISSUES:\nIt reads well.\n\nVIEW:consistency\n**Verdict:** GO\n";
  const first = await it.report(id, { report: said });
  expect(first).toMatchObject({
    outcome: "unread",
    problems: [{ problem: '"It reads well." is not a row.', line: 4 }],
    form: "VIEW:rulebase\nVERDICT:GO\nVIEW:consistency\nVERDICT:GO\nSCOPE:",
    confirm: expect.stringMatching(/^[0-9a-f]{8}$/),
  });
  await expect(it.report(id, { confirm: "00000000" })).rejects.toThrow(
    expect.objectContaining({ code: "roadmap.wrong-report" }),
  );
  expect(await it.report(id, { confirm: first.confirm ?? "" })).toMatchObject({ outcome: "applied", problems: [] });
});

test("returns incomplete tasks with their lines", async () => {
  const planner = await goOn("user-login/tasks");
  const said = doWork(it, CUTS, planner);
  it.write(`${FOLDER}/tasks.yaml`, tasksOf(CUT).replace("depends: []", 'depends: ["9"]'));
  const { outcome, problems } = await it.report(planner.id, said);
  expect([outcome, problems]).toEqual(["refused", [{ problem: "1 depends on 9, which is not a task.", line: 3 }]]);
});

test("returns a Builder's report of a different feature", async () => {
  const text = `Done.\n\n${builderSays({ ...CUT, feature: "cart" }, "A")}`;
  const problem = expect.stringContaining('"cart", and user-login was asked for');
  expect(await sendUnread("user-login/build-A", text)).toEqual(unread([{ problem, line: 4 }], "BUILDER_COMPLETE"));
});

describe("a false Builder report is rejected and can be fixed", () => {
  test.each<[lie: string, group: string, tell: () => Said, problem: RegExp]>([
    [
      "the files were never written",
      "A",
      () => ({ report: builderSays(CUT, "A") }),
      /^src\/user-login-A\.mjs, tests\/user-login-A\.mjs does not exist\. Write it and report again\.$/,
    ],
    [
      "the tests fail",
      "B",
      () => {
        build(it, CUT, "B");
        it.write(codeOf(CUT, "B"), "export const answer = () => 42;\n");
        return { report: builderSays(CUT, "B") };
      },
      /^tests\/user-login-B\.mjs: user-login B answers: /,
    ],
    [
      "its own report shows failures",
      "C",
      () => {
        build(it, CUT, "C");
        return { report: builderSays(CUT, "C").replace("1/1", "0/1") };
      },
      /^1 of 1 tests fail by the report itself/,
    ],
    [
      "a file of a different owner is claimed",
      "D",
      () => {
        build(it, CUT, "D");
        return { report: builderSays(CUT, "D", [codeOf(CUT, "D"), "src/add.mjs"]) };
      },
      /src\/add\.mjs/,
    ],
  ])("%s", async (_, group, tell, problem) => {
    const { id } = await goOn(`user-login/build-${group}`);
    const before = recordNow();
    const taken = await it.report(id, tell());
    expect([taken.outcome, taken.problems[0]?.problem]).toEqual(["refused", expect.stringMatching(problem)]);
    expect(taken.notes).toEqual([
      "Fix it and report again. After 2 more rejected reports the run fails.",
      "If another session changed these files, report the action as `lost`. Tenon will offer it again for the current files.",
    ]);
    expect(recordNow()).toBe(before);
    // It is still the session's, and the truth is taken.
    expect((await it.next({ limit: 1 })).actions.map((each) => [each.id, each.again])).toEqual([[id, true]]);
    it.write("README.md", "# Shop\n");
    build(it, CUT, "A");
    build(it, CUT, group);
    expect(await it.report(id, { report: builderSays(CUT, group) })).toEqual(
      expect.objectContaining({ outcome: "applied", problems: [] }),
    );
  });
});

test("runs no untrusted tests, and accepts nothing until the user trusts them", async () => {
  const { id } = await goOn("user-login/build-E");
  build(it, CUT, "E");
  await it.engine.trust.revoke();
  const taken = await it.report(id, { report: builderSays(CUT, "E") });
  expect([taken.outcome, taken.problems.map(({ problem }) => problem)]).toEqual([
    "refused",
    ["You have not trusted the commands of this repository on this machine. Ask the user to review them: tenon trust"],
  ]);
  // It is not the Builder's fault, and does not count against it.
  expect(taken.notes).toEqual([
    "This does not count against the agent. Report again once the tests can run, or are waived.",
  ]);
  await it.trust();
});

test("fails a run after the third false report, and offers it again", async () => {
  const report = builderSays(CUT, "E", ["src/add.mjs"]);
  const lie = async (): Promise<unknown> =>
    (await it.report("user-login/build-E/1", { report, tokens: 1_000 })).outcome;
  const told = await spentOnBuilders();
  expect([await lie(), await lie(), await lie()]).toEqual(["refused", "refused", "refused"]);
  // Each of them cost what it says.
  expect(await spentOnBuilders()).toBe(told + 3_000);
  const { actions, dismissed } = await it.next();
  // Whoever does it again is told what was wrong; it is past with the first report that is taken.
  const brief = await it.brief(actions[0]?.id ?? "");
  expect(brief).toContain("### Why the last report was rejected: fix this first\n\n```text\n");
  expect(brief).toMatch(/src\/add\.mjs [^\n]*\n```/);
  expect([actions.map(({ id, again }) => [id, again]), dismissed]).toEqual([
    [["user-login/build-E/2", false]],
    ["user-login/build-E/1"],
  ]);
  // That it is to stop is told once.
  expect((await it.next()).dismissed).toEqual([]);
  expect(it.record("user-login")["orchestration"]).toEqual(expect.objectContaining({ retry_count: 1, total_count: 1 }));
  expect(await lie()).toBe("repeated");
});

/** Tokens that were reported of Builders. */
const spentOnBuilders = async (): Promise<number> =>
  it.engine.store.read((tree) =>
    [...tree.kept(SPENDING_SPACE)].reduce(
      (sum, [key, { reported }]) => sum + (key.endsWith(" builder") ? reported : 0),
      0,
    ),
  );

test("plans around the first blocker, and asks the user about the second", async () => {
  const first = await it.report("user-login/build-E/2", { report: blockedSays(CUT, "E") });
  expect([first.outcome, first.due.map(({ id }) => id)]).toEqual(["applied", ["user-login/tasks/2"]]);
  const again = await it.given("user-login/tasks/2");
  expect(await it.brief(again.id)).toContain("missing dependency: left-pad");
  await it.report(again.id, doWork(it, CUTS, again));
  const { id } = await it.given("user-login/build-E/3");
  expect(await it.brief(id)).not.toContain("Why the last report was not taken");
  const second = await it.report(id, { report: blockedSays(CUT, "E") });
  expect(second.due).toEqual([
    expect.objectContaining({ id: "user-login/escalation/1", kind: "ask", choices: ["fix", "skip", "abort"] }),
  ]);
  expect(it.record("user-login")).toEqual(
    expect.objectContaining({
      phase: "blocked",
      blocked_info: expect.objectContaining({ reason: "retries_exhausted", blocked_by: ["user-login"] }),
    }),
  );
  const unsure = await it.report("user-login/escalation/1", { answer: "perhaps" });
  expect([unsure.outcome, unsure.problems[0]?.problem]).toEqual([
    "refused",
    '"perhaps" does not say which answer to user-login/escalation/1 is meant. Ask the user: fix or skip or abort?',
  ]);
  // Nothing that is to be typed next speaks for the user.
  await expect(it.report("user-login/escalation/1", {})).rejects.toThrow(
    expect.objectContaining({
      code: "roadmap.wrong-report",
      why: "The user's answer is missing: fix or skip or abort.",
      fixes: [{ operation: "roadmap.report", input: { action: "user-login/escalation/1", answer: "…" } }],
    }),
  );
  const fixed = await it.report("user-login/escalation/1", { answer: "fix", said: "left-pad is installed now" });
  expect([fixed.outcome, fixed.notes]).toEqual(["applied", ["Recorded as ESCALATION_RESOLVED: user-login: fix"]]);
  expect(it.read("sdd/handover/decisions.md")).toContain("ESCALATION_RESOLVED | user-login: fix");
});
