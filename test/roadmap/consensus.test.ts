import { expect, test } from "vitest";
import { REVIEW_INSPECTORS } from "#roadmap/model/agent/agent-roles.ts";
import { cutsOf, doWork, type Given } from "./agents.ts";
import { roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"] });

test.each([
  ["the flag of a run", { action: "run", consensus: 2 }, ""],
  ["the setting", { action: "run" }, "roadmap:\n  consensus: 2\n"],
])("%s starts two inspectors for each view, and the auditor sees their agreement", async (_, begin, config) => {
  using stand = await roadmapStand();
  if (config !== "") stand.write("sdd/config.yaml", config);
  await stand.roadmap([{ name: "alpha" }]);
  await stand.run("roadmap.manage", begin);
  const started: string[] = [];
  let auditor: Given | undefined;
  while (!auditor) {
    const { actions } = await stand.next({ limit: 20 });
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) {
      if (action.id.endsWith("/auditor")) {
        auditor = action;
        continue;
      }
      if (action.id.includes("/design/")) started.push(...(action.views ?? [action.id.split("/").at(-1) ?? ""]));
      const { outcome } = await stand.report(action.id, doWork(stand, CUTS, action));
      expect(outcome).toBe("applied");
    }
  }
  const views = REVIEW_INSPECTORS.design;
  expect(started.toSorted()).toEqual([...views, ...views.map((name) => `${name}@2`)].toSorted());
  const { brief } = (await stand.run("roadmap.brief", { action: auditor.id })) as { brief: string };
  expect(brief).toContain("Several inspectors looked from each view");
  await stand.report(auditor.id, doWork(stand, CUTS, auditor));
  expect(stand.read("sdd/features/alpha/reviews/B1.yaml")).toContain("rulebase@2");
});
