import { expect, test } from "vitest";
import { cutsOf } from "./agents.ts";
import { before, drive } from "./roadmap-driver.ts";
import { code, codeOf } from "./feature-documents.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"] });
const CUT = { feature: "alpha", groups: ["A"] };
const DESIGN = "sdd/features/alpha/design.md";
const ONE = [{ name: "alpha" }, { name: "beta", dependencies: ["alpha"] }];

const edit = (stand: RoadmapStand, from: string, to: string, path = DESIGN): void =>
  stand.write(path, stand.read(path).replace(from, to));

test("requires a new review of an edited design, and shows the lines and the command", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/tasks"));
  const { actions } = await stand.next({ feature: "alpha" });
  expect(actions.map(({ id }) => id)).toEqual(["alpha/tasks/1"]);
  edit(stand, "answers with its own name", "answers with another name");
  // The tasks that were planned meanwhile are void, and nobody is blamed.
  stand.write("sdd/features/alpha/tasks.yaml", "tasks: []\n");
  const late = await stand.report("alpha/tasks/1", { report: TASKGEN });
  expect([late.outcome, late.problems[0]?.problem]).toEqual([
    "refused",
    expect.stringContaining("changed after its review"),
  ]);
  const next = await stand.next({ feature: "alpha" });
  expect(next.actions.map(({ id }) => id)).toContain("alpha/design/B2/best-practices");
  expect(next.notes.join("\n")).toMatch(/design\.md.*- 1\. .*its own name.*\+ 1\. .*another name/);
  expect(next.notes.join("\n")).toContain("tenon roadmap accept alpha --reason");
});

const TASKGEN =
  "TASKGEN_COMPLETE\nFeature: alpha\nTasks: 1 major, 0 sub-tasks\nParallel tasks: none\nSpecs covered: all\nExecution: 1 waves, 1 groups\n";

test.each([
  ["an added newline", (text: string) => `${text}\n\n`],
  ["a reflowed paragraph", (text: string) => text.replace("Modules side by side.", "Modules\n  side by\nside.")],
  ["a padded table", (text: string) => text.replaceAll("|---|---|---|", "| --- | --- | --- |")],
])("keeps the review of a design after %s", async (_, change) => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/tasks"));
  stand.write(DESIGN, change(stand.read(DESIGN)));
  const { actions, notes } = await stand.next({ feature: "alpha" });
  expect([actions.map(({ id }) => id), notes]).toEqual([["alpha/tasks/1"], []]);
});

test("keeps inspections after an added newline", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/design/B1/testability"));
  stand.write(DESIGN, `${stand.read(DESIGN)}\n`);
  const done = await drive(stand, CUTS, before("alpha/tasks"));
  expect(done.filter((id) => id.startsWith("alpha/architect"))).toEqual([]);
});

test("watches research and steering behind a reviewed design too", async () => {
  using stand = await roadmapStand({ "sdd/steering/tech.md": "# Technology\n\n- Times are UTC.\n" });
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/tasks"));
  await stand.report("alpha/tasks/1", { lost: true });
  edit(stand, "They do it in the same way.", "They do it in two ways.", "sdd/features/alpha/research.md");
  const research = await stand.next({ feature: "alpha", peek: true });
  expect(research.notes.join()).toContain("alpha/design");
  edit(stand, "They do it in two ways.", "They do it in the same way.", "sdd/features/alpha/research.md");
  for (const path of ["sdd/features/alpha/research.md", "sdd/steering/tech.md"])
    stand.write(path, `${stand.read(path).replaceAll("\n\n", "\n\n\n")}\n`);
  expect((await stand.next({ feature: "alpha", peek: true })).actions.map(({ id }) => id)).toEqual(["alpha/tasks/2"]);
  edit(stand, "Times are UTC.", "Times are local.", "sdd/steering/tech.md");
  edit(stand, "They do it in the same way.", "They do it in two ways.", "sdd/features/alpha/research.md");
  const { actions, notes } = await stand.next({ feature: "alpha" });
  expect(notes.join()).toMatch(/research\.md.*- They do it in the same way.*\+ They do it in two ways/);
  expect(actions.map(({ id }) => id)).toContain("alpha/design/B2/rulebase");
  expect(notes.join()).toMatch(/tech\.md.*- - Times are UTC.*\+ - Times are local/);
});

test("reopens the affected groups and their review after an edit of a built design", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/impl"));
  edit(stand, "When part A is asked, it answers", "When part A is called, it answers");
  const done = await drive(stand, CUTS, before("alpha/gate"));
  expect(done.filter((id) => /alpha\/(?:architect|tasks|build)/.test(id))).toEqual(["alpha/build-A/2"]);
  expect(done.filter((id) => id.startsWith("alpha/design"))).not.toEqual([]);
});

test("uses an edited plan, and plans an unsound one again", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/build"));
  const tasks = "sdd/features/alpha/tasks.yaml";
  edit(stand, "tasks:", "tasks:\n\n", tasks);
  const begun = await stand.next({ feature: "alpha" });
  expect([begun.actions.map(({ id }) => id), begun.notes]).toEqual([["alpha/build-A/1"], []]);
  edit(stand, `tests/alpha-A.mjs]`, `tests/alpha-A.mjs, src/more.mjs]`, tasks);
  const { actions, notes } = await stand.next({ feature: "alpha" });
  expect(actions.map(({ id }) => id)).toEqual(["alpha/build-A/2"]);
  expect(notes.join()).toMatch(/tasks\.yaml.*- .*tests\/alpha-A\.mjs\].*\+ .*src\/more\.mjs/);
  expect(stand.read("sdd/features/alpha/spec.yaml")).toContain("src/more.mjs");
  edit(stand, `tasks: ["1"]`, `tasks: ["9"]`, tasks);
  expect((await stand.next({ feature: "alpha" })).actions.map(({ id }) => id)).toEqual(["alpha/tasks/2"]);
});

test("repeats gate and review for code that changed after its gate, but not for formatting", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("wave-1/"));
  const file = codeOf(CUT, "A");
  stand.write(file, code(CUT, "A").replace("() =>", "()   =>\n "));
  expect((await stand.next({ peek: true })).notes.join()).not.toContain("Changed since");
  stand.write(file, `${code(CUT, "A")}export const more = 1;\n`);
  const { actions, notes } = await stand.next();
  expect(actions.map(({ id }) => id)).toContain("alpha/gate/2");
  expect(notes.join()).toMatch(new RegExp(`${file} \\(\\+ export const more = 1;\\)`));
  await stand.report("alpha/gate/2", {});
  const again = await stand.next({ limit: 20 });
  expect(again.actions.map(({ id }) => id)).toContain("alpha/impl/B3/test");
  expect(again.dismissed.filter((id) => id.startsWith("wave-1/dead-code"))).not.toEqual([]);
});

test("accepts an edit without a new review at the user's request, and logs it", async () => {
  using stand = await roadmapStand();
  await stand.roadmap(ONE);
  await drive(stand, CUTS, before("alpha/tasks"));
  edit(stand, "Modules side by side.", "Modules beside each other.");
  const status = await stand.run("workspace.status", { feature: "alpha" });
  expect(status["feature"]).toMatchObject({
    alignment: "changed since it was accepted",
    reviewed: { design: { is_current: false } },
  });
  const validated = await stand.run("workspace.validate", {});
  expect(JSON.stringify(validated)).toContain("It changed since its review accepted it");
  const accepted = await stand.run("roadmap.manage", { action: "accept", names: ["alpha"], reason: "Only wording" });
  expect(accepted["said"]).toBe("The edit of alpha is accepted.");
  const { actions } = await stand.next({ feature: "alpha" });
  expect(actions.map(({ id }) => id)).toEqual(["alpha/tasks/1"]);
  expect(stand.read("sdd/handover/decisions.md")).toMatch(
    /alpha: an edit was accepted without a new review[^]*Only wording/,
  );
});
