import { expect, test } from "vitest";
import { refusal } from "../kit/fault.ts";
import { type Stand, stand } from "./stand.ts";

const percent = async (it: Stand) => (await it.run("workflow.status", { id: "RES-001" })).workflow?.timebox?.percent;

async function research(): Promise<Stand> {
  const it = await stand();
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h" });
  return it;
}

/** Somebody is at work: seen every quarter of an hour. */
async function work(it: Stand, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 15) {
    it.pass(Math.min(15, left));
    await it.run("workflow.lock", { action: "release", paths: ["src/none.ts"], id: "RES-001" }).catch(() => undefined);
    await it.run("workflow.advance", { id: "RES-001", check: true });
  }
}

test("counts only time at work, and keeps it", async () => {
  using it = await research();
  it.pass(20);
  await it.run("workflow.feature", { description: "Second factor", id: "AUTH-001" });
  it.pass(500);
  expect(await percent(it)).toBe(33);
  await it.run("workflow.switch", { id: "RES-001" });
  it.pass(12);
  expect(await percent(it)).toBe(53);
});

test("warns once at four fifths", async () => {
  using it = await research();
  const look = async () => (await it.run("workflow.advance", { id: "RES-001", check: true })).notes;
  await work(it, 45);
  expect(await look()).toEqual([]);
  it.pass(5);
  expect(await look()).toEqual([expect.stringMatching(/^50 min of 1 h are used/)]);
  expect(await look()).toEqual([]);
});

test("allows only an extension or the next stage after the end", async () => {
  using it = await research();
  await work(it, 61);
  const claim = () => it.run("workflow.lock", { action: "claim", paths: ["src/spike.ts"] });
  expect((await refusal(claim())).code).toBe("timebox.over");
  expect((await refusal(it.run("workflow.snapshot", {}))).code).toBe("timebox.over");
  expect((await refusal(it.run("workflow.advance", { id: "RES-001", extend: "30m" }))).code).toBe("input.missing");
  const more = { id: "RES-001", extend: "30m", reason: "One option is left" };
  expect((await it.run("workflow.advance", more)).workflow?.timebox).toMatchObject({
    limit: "1 h 30 min",
    extensions: [{ by: "30 min", reason: "One option is left" }],
  });
  expect((await claim())["changed"]).toEqual(["src/spike.ts"]);
  await work(it, 31);
  it.fill("RES-001");
  expect((await it.run("workflow.advance", { id: "RES-001" })).workflow?.stage).toBe("synthesize");
});

test("does not count time without a session", async () => {
  using it = await stand();
  await it.run("workflow.research", { description: "Which auth provider", timebox: "1h", session: "one" });
  it.pass(10);
  await it.run("workflow.lock", { action: "claim", paths: ["src/spike.ts"], session: "one" });
  it.pass(300);
  await it.run("workflow.resume", { session: "two" });
  // Ten minutes and the few seconds that the calls took.
  expect(await percent(it)).toBe(16);
});

test("does not count a night without calls", async () => {
  using it = await research();
  it.pass(1200);
  expect(await percent(it)).toBe(0);
  expect((await it.run("workflow.lock", { action: "claim", paths: ["src/spike.ts"] }))["changed"]).toEqual([
    "src/spike.ts",
  ]);
});

test("extends only a research", async () => {
  using it = await stand();
  await it.run("workflow.feature", { description: "Second factor", id: "AUTH-001" });
  const call = it.run("workflow.advance", { id: "AUTH-001", extend: "30m", reason: "More" });
  expect((await refusal(call)).code).toBe("timebox.none");
  expect((await refusal(it.run("workflow.research", { description: "Which", timebox: "soon" }))).code).toBe(
    "timebox.unreadable",
  );
});
