import { expect, test } from "vitest";
import { REVIEW_INSPECTORS } from "#roadmap/model/agent/agent-roles.ts";
import { cutsOf, doWork, type Given } from "./agents.ts";
import { before, drive } from "./roadmap-driver.ts";
import { roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"], beta: ["A"] });
const listViews = (actions: readonly Given[]): string[] =>
  actions
    .filter(({ role }) => role?.startsWith("inspector-"))
    .flatMap(({ id, views }) => views ?? [id.split("/").at(-1) ?? ""])
    .toSorted();

test("a lost panel is asked again, one agent for each view, and the auditor waits for all of them", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, before("alpha/design"));
  const first = (await stand.next({ limit: 20 })).actions;
  const all = [...REVIEW_INSPECTORS.design].toSorted();
  expect(listViews(first)).toEqual(all);
  const panel = first.find(({ views = [] }) => views.length > 1);
  if (!panel) throw new Error("No panel is due.");
  await stand.report(panel.id, { lost: true });
  const again = (await stand.next({ limit: 20 })).actions;
  expect(listViews(again)).toEqual(all);
  expect(again.filter(({ views = [] }) => views.some((view) => panel.views?.includes(view)))).toEqual([]);
  const reported = again.filter(({ id }) => !panel.views?.includes(id.split("/").at(-1) ?? ""));
  for (const given of reported) await stand.report(given.id, doWork(stand, CUTS, given));
  expect(listViews((await stand.next({ limit: 20 })).actions)).toEqual([...(panel.views ?? [])].toSorted());
  // One view comes back, the other never does. The verdict names it, in the answer and in the record.
  const [lostView = "", ...others] = panel.views ?? [];
  for (const view of others) {
    const given = again.find(({ id }) => id.endsWith(`/${view}`)) ?? panel;
    await stand.report(given.id, doWork(stand, CUTS, given));
  }
  for (let times = 0; times < 3; times++) {
    const [given] = (await stand.next({ limit: 20 })).actions.filter(({ id }) => id.endsWith(`/${lostView}`));
    if (given) await stand.report(given.id, { lost: true });
  }
  const auditor = await stand.given("alpha/design/B1/auditor");
  expect(await stand.brief(auditor.id)).toContain(`Missing: ${lostView}. Those inspections were not done.`);
  const { notes } = await stand.report(auditor.id, doWork(stand, CUTS, auditor));
  expect(notes).toContain(`Nobody inspected from the view ${lostView}. To review again, type \`tenon review design\`.`);
  expect(stand.read("sdd/features/alpha/reviews/B1.yaml")).toMatch(new RegExp(`missing:\\s+- "?${lostView}`));
});

test("a wave with one feature has every view, and its own review reads where it meets earlier features", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }, { name: "beta", dependencies: ["alpha"] }]);
  const seen = new Map<string, string>();
  await drive(stand, CUTS, (given) => {
    for (const view of listViews([given])) seen.set(`${given.id.split("/").slice(0, 2).join("/")} ${view}`, given.id);
    return given.id.startsWith("beta/impl/") ? { stop: true } : undefined;
  });
  for (const view of REVIEW_INSPECTORS.impl)
    expect([...seen.keys()].filter((key) => key === `alpha/impl ${view}`)).toHaveLength(1);
  const { actions } = await stand.next({ limit: 20 });
  expect(listViews(actions)).toEqual([...REVIEW_INSPECTORS.impl].toSorted());
  for (const { id } of actions) {
    const brief = await stand.brief(id);
    expect(brief).toContain("No cross-check of wave 2 follows.");
    expect(brief).toContain("src/alpha-A.mjs");
  }
});
