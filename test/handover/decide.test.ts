import { expect, test } from "vitest";
import { DECISION_TYPES } from "#roadmap/model/lead/lead-events.ts";
import { handoverStand } from "./stand.ts";

const SAID = { summary: "Keep state in SQLite", reason: "Two stores drift" };

test.each(DECISION_TYPES)("%s is recorded under the next number", async (type) => {
  using stand = await handoverStand();
  stand.put("sdd/steering/product.md", "# Product\n");
  await stand.run("handover.decide", SAID);
  const more = type === "STEERING_EXCEPTION" ? { steering_ref: "tech.md: no SQL" } : {};
  expect(await stand.run("handover.decide", { ...SAID, type, ...more })).toMatchObject({ decision: "D2", type });
  const [, second] = stand.decisions();
  expect(second).toMatchObject({ number: 2, type, summary: SAID.summary, reason: SAID.reason });
  const isUsers = !["STEERING_UPDATE", "SESSION_START", "SESSION_END"].includes(type);
  expect(stand.read("sdd/steering/product.md").includes("D2: ")).toBe(isUsers);
});

test("a decision begins no product.md, so that steering can be created after it", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", SAID);
  expect(stand.has("sdd/steering/product.md")).toBe(false);
  await stand.run("steering.manage", { action: "create", vision: "Nobody waits" });
  expect(stand.read("sdd/steering/product.md")).toContain("Nobody waits");
  await stand.run("handover.decide", SAID);
  expect(stand.read("sdd/steering/product.md")).toContain(`: ${SAID.summary}`);
});

test.each([
  ["no reason", { summary: "SQLite" }],
  ["an exception from nothing", { ...SAID, type: "STEERING_EXCEPTION" }],
  ["a line of steering without an exception", { ...SAID, steering_ref: "tech.md" }],
])("%s is refused, and nothing is written", async (_, input) => {
  using stand = await handoverStand();
  await expect(stand.run("handover.decide", input)).rejects.toMatchObject({ code: "input.missing" });
  expect(stand.files()).toEqual({});
});

test("that a session came or went needs no reason", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", { type: "SESSION_START", summary: "Monday" });
  expect(stand.decisions()).toEqual([expect.objectContaining({ type: "SESSION_START", reason: "", decision: "" })]);
});

test("an exception from steering is told to who goes on, and to auditors", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", { ...SAID, type: "STEERING_EXCEPTION", steering_ref: "tech.md: no SQL" });
  expect(stand.session().exceptions).toBe("- tech.md: no SQL: Keep state in SQLite: Two stores drift (D1)");
});

test("a decision is remembered, as those of the pipelines are", async () => {
  using stand = await handoverStand();
  await stand.run("handover.decide", SAID);
  const found = await stand.run("memory.search", { query: "SQLite stores" });
  expect(found["observations"]).toEqual([
    expect.objectContaining({
      title: SAID.summary,
      type: "decision",
      topic_key: expect.stringMatching(/^decision\/.+\/d1$/),
    }),
  ]);
});
