import { expect, test } from "vitest";
import { cutsOf, type Given } from "./agents.ts";
import { drive } from "./roadmap-driver.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ alpha: ["A"] });
const REVIEW = "sdd/features/alpha/reviews/B1.yaml";

const stopAfterReview = ({ id }: Given) => (id.startsWith("alpha/tasks") ? { stop: true as const } : undefined);

/** What `tenon ci` reports about reviewers, as its level. */
async function listReviewerFindings(stand: RoadmapStand, strict: boolean) {
  const { passed, findings } = (await stand.run("ci.run", { strict })) as unknown as {
    readonly passed: boolean;
    readonly findings: readonly { level: string; path?: string; problem: string }[];
  };
  return { passed, said: findings.filter(({ problem }) => problem.includes("sent every report")) };
}

test("a review by one session is marked in its record, and ci --strict fails on it", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, stopAfterReview);
  const record = stand.read(REVIEW);
  expect(record).toContain("one_reporter: true");
  for (const by of ["auditor", "rulebase", "testability"]) expect(record).toContain(`by: "${by}"`);
  expect(record).toMatch(/by: "auditor"\s+session: "default"/);
  expect((await listReviewerFindings(stand, false)).said).toMatchObject([{ level: "warning", path: REVIEW }]);
  const { passed, said } = await listReviewerFindings(stand, true);
  expect([passed, said[0]?.level]).toEqual([false, "error"]);
  expect(said[0]?.problem).toContain("tenon review design alpha");
});

test("a review by several agents of one session names each agent, and has no mark", async () => {
  using stand = await roadmapStand();
  await stand.roadmap([{ name: "alpha" }]);
  await drive(stand, CUTS, (given) => {
    // The hook notes the agent that took the action.
    if (given.id.startsWith("alpha/design")) stand.write(`.sdd/briefs/${given.id}.agent`, `agent-${given.id.length}`);
    return stopAfterReview(given);
  });
  const record = stand.read(REVIEW);
  expect(record).not.toContain("one_reporter");
  expect(record).toMatch(/by: "auditor"\s+session: "default"\s+agent: "agent-\d+"/);
  expect((await listReviewerFindings(stand, true)).said).toEqual([]);
});
