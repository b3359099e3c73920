import fs from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolder } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { architectSays, cutsOf, doWork, type Given, inspectorSays } from "./agents.ts";
import { designOf } from "./feature-documents.ts";
import { roadmapStand, type RoadmapStand } from "./stand.ts";

let it: RoadmapStand | undefined;
afterEach(() => {
  it?.[Symbol.dispose]();
  it = undefined;
});

const CUT = { feature: "user-login", groups: ["A"] };
const CUTS = cutsOf({ "user-login": ["A"], cart: ["A"], search: ["A"] });

async function running(...names: readonly string[]): Promise<RoadmapStand> {
  it = await roadmapStand();
  await it.roadmap(names.map((name) => ({ name })));
  return it;
}

const ids = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);

test("keeps an action with its session until the report", async () => {
  const stand = await running("user-login", "cart", "search");
  const one = await stand.next({ session: "one", limit: 2 });
  expect([ids(one.actions), one.more, one.out]).toEqual([["cart/architect/1", "search/architect/1"], 1, []]);
  const two = await stand.next({ session: "two" });
  expect([ids(two.actions), two.more, ids(two.out)]).toEqual([["user-login/architect/1"], 0, ids(one.actions)]);
  expect(two.out[0]).toEqual(expect.objectContaining({ session: "one", about: "design: cart" }));
  const again = await stand.next({ session: "one" });
  expect(again.actions.map(({ id, again: known, since }) => [id, known, since])).toEqual(
    one.actions.map(({ id, since }) => [id, true, since]),
  );
  const three = await stand.next({ session: "three" });
  expect([three.actions, three.idle]).toEqual([[], expect.any(String)]);
});

test("assigns and writes nothing with peek", async () => {
  const stand = await running("user-login", "cart");
  const position = await stand.engine.store.position();
  const look = await stand.next({ peek: true, session: "one" });
  expect(look.actions.map(({ id, brief, since }) => [id, brief, since])).toEqual([
    ["cart/architect/1", undefined, undefined],
    ["user-login/architect/1", undefined, undefined],
  ]);
  expect(await stand.engine.store.position()).toBe(position);
  expect(ids((await stand.next({ session: "two" })).actions)).toEqual(ids(look.actions));
});

test("limits actions to one feature, and shows a brief again to any session", async () => {
  const stand = await running("user-login", "cart");
  const mine = await stand.next({ feature: "cart", session: "one" });
  expect(ids(mine.actions)).toEqual(["cart/architect/1"]);
  expect(await stand.brief("cart/architect/1")).toContain("ARCHITECT_COMPLETE");
  await expect(stand.brief("user-login/architect/1")).rejects.toThrow(
    expect.objectContaining({ code: "roadmap.not-out" }),
  );
  await expect(stand.next({ feature: "No Name" })).rejects.toThrow(
    expect.objectContaining({ code: "feature.bad-name" }),
  );
});

test("gives the Lead a line for each action, and the agent its brief by id or file", async () => {
  const stand = await running("user-login");
  const architect = await stand.given("user-login/architect");
  await stand.report(architect.id, doWork(stand, CUTS, architect));
  const { actions } = await stand.next();
  expect(actions.map(({ id, brief }) => brief === `.sdd/briefs/${id}.md`)).toEqual(actions.map(() => true));
  for (const { id, brief = "" } of actions) {
    expect(await stand.brief(id)).toContain("SCOPE:user-login");
    expect(stand.read(brief)).toBe(await stand.brief(id));
  }
  const { out } = await stand.tenon.run("next", "--session", actions[0]?.id ? "default" : "");
  expect(out.length / 4).toBeLessThan(80 * actions.length + 100);
});

test("offers an action again after its session was silent for too long", async () => {
  const stand = await running("user-login");
  await stand.next({ session: "one" });
  stand.pass(119);
  expect((await stand.next({ session: "two" })).actions).toEqual([]);
  stand.pass(2);
  const look = await stand.next({ session: "two", peek: true });
  expect(ids(look.actions)).toEqual(["user-login/architect/2"]);
  expect(ids((await stand.next({ session: "two" })).actions)).toEqual(["user-login/architect/2"]);
  // Who comes back after all is told that it is over.
  doWork(stand, CUTS, { id: "user-login/architect/1", kind: "spawn", role: "architect" });
  const late = await stand.report("user-login/architect/1", { report: architectSays(CUT) });
  expect([late.outcome, stand.record("user-login")["phase"]]).toEqual(["repeated", "initialized"]);
});

test("measures the silence by a clock that nobody can set", async () => {
  const stand = await running("user-login");
  let ms = 0;
  Object.assign(stand.tenon.clock, { steady: () => ({ boot: "one", ms }) });
  await stand.next({ session: "one" });
  stand.pass(180);
  expect((await stand.next({ session: "two" })).actions).toEqual([]);
  stand.pass(-400);
  ms = 121 * 60_000;
  expect(ids((await stand.next({ session: "two" })).actions)).toEqual(["user-login/architect/2"]);
});

test("takes the time limit from the settings", async () => {
  const stand = await running("user-login");
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}roadmap:\n  lost_after_minutes: 5\n`);
  await stand.next({ session: "one" });
  stand.pass(5);
  expect(ids((await stand.next({ session: "two" })).actions)).toEqual(["user-login/architect/2"]);
});

test("replaces an agent reported as lost, and asks the user after the third in a row", async () => {
  const stand = await running("user-login", "cart");
  const outcomes: unknown[] = [];
  for (let run = 1; run <= 3; run++) {
    const { id } = await stand.given("user-login/architect");
    const { outcome, due } = await stand.report(id, { lost: true });
    outcomes.push([id, outcome, ids(due)]);
  }
  expect(outcomes).toEqual([
    ["user-login/architect/1", "lost", ["user-login/architect/2"]],
    ["user-login/architect/2", "lost", ["user-login/architect/3"]],
    ["user-login/architect/3", "lost", ["user-login/escalation/1"]],
  ]);
  const asked = await stand.given("user-login/escalation");
  const skipped = await stand.report(asked.id, { answer: "skip", said: "We do without" });
  expect([skipped.outcome, (stand.record("user-login")["blocked_info"] as { is_skipped: boolean }).is_skipped]).toEqual(
    ["applied", true],
  );
});

test("voids a review of changed files and dismisses its inspectors", async () => {
  const stand = await running("user-login");
  const architect = await stand.given("user-login/architect");
  await stand.report(architect.id, doWork(stand, CUTS, architect));
  const { actions } = await stand.next({ session: "one" });
  const [first, second] = actions;
  if (!first || !second) throw new Error("Nobody reviews.");
  expect((await stand.report(first.id, { report: inspectorSays(first) })).outcome).toBe("applied");
  stand.write("sdd/features/user-login/design.md", designOf(CUT, "Said otherwise, by hand."));
  const taken = await stand.report(second.id, { report: inspectorSays(second) });
  expect([taken.outcome, taken.problems.map(({ problem }) => problem)]).toEqual([
    "refused",
    ["The reviewed files changed, so review B1 of user-login/design is void."],
  ]);
  const then = await stand.next({ session: "one" });
  expect(then.dismissed.toSorted()).toEqual(ids(actions.slice(2)).toSorted());
  // The edited design is reviewed as it is now.
  expect(ids(then.actions)[0]).toBe("user-login/design/B2/rulebase");
  expect(stand.has("sdd/features/user-login/reviews/B1.yaml")).toBe(false);
});

test("offers actions in progress again without the ledger, and repeats no finished work", async () => {
  const stand = await running("user-login");
  const architect = await stand.given("user-login/architect");
  await stand.report(architect.id, doWork(stand, CUTS, architect));
  const { actions } = await stand.next();
  const before = stand.read(RECORD);
  for (const given of actions.slice(0, 2)) await stand.report(given.id, { report: inspectorSays(given) });
  stand.commit("So far");
  // A clone has the records and nothing else.
  using clone = temporaryFolder();
  const isShared = (path: string): boolean => !/[/\\](?:tenon|\.sdd)$/.test(path);
  fs.cpSync(stand.root, clone.path, { recursive: true, filter: isShared });
  using house = testHouse(clone.path);
  const run = async (...words: string[]): Promise<{ actions: Given[]; outcome?: string }> =>
    JSON.parse((await house.run(...words, "--json")).out) as { actions: Given[] };
  // Nobody has said in this clone that the roadmap runs.
  expect((await run("next", "--peek")).actions).toEqual([]);
  await run("roadmap", "run");
  expect(ids((await run("next")).actions)).toEqual(
    ["rulebase", "testability", "best-practices"].map((name) => `user-login/design/B2/${name}`),
  );
  const again = await run("report", "user-login/architect/1", "--report", architectSays(CUT));
  expect([
    again.outcome,
    fs.readFileSync(join(clone.path, RECORD), "utf8").replace(/^(?:rev|checksum|updated_at|  +batch): .*\n/gm, ""),
  ]).toEqual(["repeated", before.replace(/^(?:rev|checksum|updated_at|  +batch): .*\n/gm, "")]);
});

const RECORD = "sdd/features/user-login/spec.yaml";
