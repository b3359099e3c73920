import { afterEach, expect, test } from "vitest";
import { applyEvents } from "#operations/roadmap/apply.ts";
import { cutsOf, doWork } from "./agents.ts";
import { roadmapStand, type RoadmapStand } from "./stand.ts";

let it: RoadmapStand | undefined;
afterEach(() => {
  it?.[Symbol.dispose]();
  it = undefined;
});

const CUTS = cutsOf({ "user-login": ["A", "B"] });

test("a feature goes from its description to code that a review has accepted", async () => {
  it = await roadmapStand();
  await it.run("roadmap.manage", {
    action: "create",
    features: [{ name: "user-login", description: "Users log in with a password", dependencies: [] }],
  });
  await applyEvents(it.engine, () => [{ kind: "run-begun", isGated: false, cap: null }]);
  const done: string[] = [];
  for (let round = 0; round < 30; round++) {
    const { actions, idle, notes } = await it.next();
    if (actions.length === 0) {
      done.push(idle ?? "nothing", ...notes);
      break;
    }
    for (const action of actions) {
      const taken = await it.report(action.id, doWork(it, CUTS, action));
      done.push(`${action.id} ${taken.outcome} ${taken.problems.map(({ problem }) => problem).join("; ")}`);
    }
  }
  console.log(done.join("\n"));
  console.log(it.read("sdd/features/user-login/spec.yaml"));
  expect(it.record("user-login")["phase"]).toBe("implementation-complete");
});
