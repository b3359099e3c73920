import { afterEach, expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { ActionAssignment, Lead, LeadAction } from "#roadmap/model/lead/lead-state.ts";
import { createCheckoutKey, FINISHED_GROUP_SPACE } from "#roadmap/operations/lead/lead-store.ts";
import { gatherBuildFacts, gatherGateFacts } from "#roadmap/operations/lead/report-facts.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import { projectStand, type ProjectStand } from "../gate/project.ts";
import { TINY } from "../gate/tiny.ts";
import { designed, group, createTestLead } from "../kit/features.ts";
import { code, codeOf, type Cut, filesOf, testOf, tests } from "./feature-documents.ts";

const CUT: Cut = { feature: "user-login", groups: ["A", "B"] };
const OTHER: Cut = { feature: "cart", groups: ["A"] };

let it: ProjectStand | undefined;
afterEach(() => {
  it?.[Symbol.dispose]();
  it = undefined;
});

async function ground(more: Readonly<Record<string, string>> = {}, isTrusted = true): Promise<ProjectStand> {
  it = await projectStand({ ...TINY, "README.md": "# Shop\n", ...more }, { wait: async () => undefined });
  if (isTrusted) await it.trust();
  return it;
}

const getRecord = (cut: Cut) =>
  designed(cut.feature, filesOf(cut), {
    implementation: { groups: cut.groups.map((id) => group(id, [codeOf(cut, id), testOf(cut, id)])) },
  });

const buildAction = (cut: Cut, id: string): LeadAction => ({
  id: `${cut.feature}/build-${id}/1`,
  kind: "spawn",
  role: "builder",
  work: { of: "build", feature: cut.feature as FeatureName, group: id, tasks: ["1"], isFix: false },
});

/** Group A of the login is out since the files were as they are, and perhaps others too. */
async function handedOut(
  stand: ProjectStand,
  others: readonly LeadAction[] = [],
): Promise<{ lead: Lead; out: ActionAssignment }> {
  const base = await stand.engine.snapshots.takeBaseline();
  const out = (action: LeadAction): ActionAssignment => ({
    action,
    session: "one",
    at: stand.engine.clock.now(),
    base,
    estimate: 0,
    refusals: 0,
  });
  const all = [buildAction(CUT, "A"), ...others].map(out);
  const lead = createTestLead([getRecord(CUT), getRecord(OTHER)], {
    out: new Map(all.map((each) => [each.action.id, each])),
  });
  const [first] = all;
  if (!first) throw new Error("Nothing is out.");
  return { lead, out: first };
}

const build = (stand: ProjectStand, cut: Cut, id: string): void => {
  stand.write(codeOf(cut, id), code(cut, id));
  stand.write(testOf(cut, id), tests(cut, id));
};

async function facts(stand: ProjectStand, { lead, out }: { lead: Lead; out: ActionAssignment }) {
  const record = getRecord(CUT);
  const [first] = record.implementation.groups;
  if (!first) throw new Error("There is no group.");
  return gatherBuildFacts(stand.engine, lead, { record, group: first, out });
}

test("finds the built files and runs their tests", async () => {
  const stand = await ground();
  const handed = await handedOut(stand);
  build(stand, CUT, "A");
  const found = await facts(stand, handed);
  expect(found).toEqual({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    missing: [],
    outside: [],
    files: [codeOf(CUT, "A"), testOf(CUT, "A")],
    tests: { status: "passed", problems: [] },
  });
});

test.each<[lie: string, tell: (stand: ProjectStand) => void, expected: Record<string, unknown>]>([
  [
    "a file was never written",
    (stand) => stand.write(codeOf(CUT, "A"), code(CUT, "A")),
    { missing: [testOf(CUT, "A")] },
  ],
  [
    "a file of a different owner changed",
    (stand) => {
      build(stand, CUT, "A");
      stand.write("README.md", "# Mine\n");
      stand.write(codeOf(OTHER, "A"), "");
    },
    { outside: ["README.md", codeOf(OTHER, "A")] },
  ],
  [
    "the tests fail",
    (stand) => {
      build(stand, CUT, "A");
      stand.write(codeOf(CUT, "A"), "export const answer = () => 1;\n");
    },
    {
      missing: [],
      outside: [],
      tests: {
        status: "failed",
        problems: [{ problem: expect.stringContaining("tests/user-login-A.mjs: user-login A answers") }],
      },
    },
  ],
])("detects that %s", async (_, tell, expected) => {
  const stand = await ground();
  const handed = await handedOut(stand);
  tell(stand);
  expect(await facts(stand, handed)).toEqual(expect.objectContaining(expected));
});

test("does not charge a Builder for files of concurrent or recent Builders", async () => {
  const stand = await ground();
  const handed = await handedOut(stand, [buildAction(OTHER, "A")]);
  build(stand, CUT, "A");
  build(stand, OTHER, "A");
  // Nobody can tell whose fault it is if tests fail while others write: the feature's gate runs them.
  expect(await facts(stand, handed)).toEqual(
    expect.objectContaining({ outside: [], tests: { status: "deferred", problems: [] } }),
  );
  const alone = { ...handed, lead: { ...handed.lead, out: new Map([[handed.out.action.id, handed.out]]) } };
  expect((await facts(stand, alone)).outside).toEqual([codeOf(OTHER, "A"), testOf(OTHER, "A")]);
  const { engine } = stand;
  await commitStoreWrite(engine, () => ({
    steps: [],
    occurrences: [{ kind: "roadmap.reported", subject: "cart/build-A/1" }],
    keeps: [
      {
        space: FINISHED_GROUP_SPACE.name,
        key: createCheckoutKey(engine.checkout, "cart/A"),
        value: { at: engine.clock.now(), files: [codeOf(OTHER, "A"), testOf(OTHER, "A")] },
      },
    ],
    result: undefined,
  }));
  expect(await facts(stand, alone)).toEqual(
    expect.objectContaining({ outside: [], tests: { status: "passed", problems: [] } }),
  );
});

test("runs nothing without trust, and shows waived checks", async () => {
  const stand = await ground({}, false);
  const handed = await handedOut(stand);
  build(stand, CUT, "A");
  expect((await facts(stand, handed)).tests).toEqual({
    status: "unknown",
    problems: [
      {
        problem:
          "You have not trusted the commands of this repository on this machine. Ask the user to review them: tenon trust",
      },
    ],
  });
});

test("accepts waived tests only in a project without tests", async () => {
  const profile = (TINY["sdd/stacks/tiny.yaml"] ?? "").replace(/ {2}- kind: test\n(?: {4}.*\n)+/, "");
  const stand = await ground({ "sdd/stacks/tiny.yaml": profile });
  const handed = await handedOut(stand);
  build(stand, CUT, "A");
  const { status, problems } = (await facts(stand, handed)).tests;
  expect([status, problems.length]).toEqual(["unknown", 1]);
  stand.write("sdd/config.yaml", `${TINY["sdd/config.yaml"]}    tests: There are none yet\n`);
  await stand.trust();
  expect((await facts(stand, handed)).tests).toEqual({
    status: "waived",
    problems: [{ problem: "There are none yet" }],
  });
});

test("runs all tests of the feature in a gate, but not those of features still in progress", async () => {
  const stand = await ground();
  const { lead } = await handedOut(stand, [buildAction(OTHER, "A")]);
  const gate = (now: Lead) =>
    gatherGateFacts(stand.engine, now, { record: getRecord(CUT), action: "user-login/gate/1" });
  for (const id of CUT.groups) build(stand, CUT, id);
  stand.write(testOf(OTHER, "A"), tests(OTHER, "A"));
  expect((await gate(lead)).build.tests).toEqual({ status: "passed", problems: [] });
  const alone = { ...lead, out: new Map() };
  // What is not committed with the feature is not there: unfinished work of others, or of nobody.
  expect((await gate(alone)).build.tests.status).toBe("passed");
  stand.write(codeOf(CUT, "B"), "export const answer = () => 1;\n");
  expect((await gate(lead)).build.tests.status).toBe("failed");
  build(stand, CUT, "B");
  stand.write("tests/add.mjs", 'test("adds", () => same(1, 2));\n');
  expect((await gate(lead)).build.tests.status).toBe("passed");
});

test("fails a gate with missing files before it runs anything", async () => {
  const stand = await ground();
  const { lead } = await handedOut(stand);
  build(stand, CUT, "A");
  const { build: found, tested } = await gatherGateFacts(stand.engine, lead, { record: getRecord(CUT), action: "x" });
  expect([found.missing, found.tests.status, tested]).toEqual([
    [codeOf(CUT, "B"), testOf(CUT, "B")],
    "failed",
    undefined,
  ]);
});

test("a builder cannot excuse a change of other files by claiming them for a workflow of its own", async () => {
  const stand = await ground();
  const handed = await handedOut(stand);
  const claim = { description: "Decoy", id: "DEC-001", files: ["src/**"] };
  await stand.run("workflow.feature", { ...claim, session: handed.out.session });
  stand.write("src/add.mjs", "export const add = () => 3;\n");
  expect((await facts(stand, handed)).outside).toEqual(["src/add.mjs"]);
  // A claim that another session works on does excuse it.
  await stand.run("workflow.abandon", { id: "DEC-001", reason: "Not needed", session: handed.out.session });
  await stand.run("workflow.feature", { ...claim, id: "OTH-001", session: "two" });
  expect((await facts(stand, handed)).outside).toEqual([]);
});
