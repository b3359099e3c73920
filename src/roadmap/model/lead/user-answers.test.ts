import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";
import type { LeadEffect } from "./lead-state.ts";

const LINES = [
  { level: "CODIFY", file: "structure.md", text: "Rooms face one way" },
  { level: "PROPOSE", file: "tech.md", text: "Use one clock" },
] as const;

function proposed(): Workshop {
  const workshop = new Workshop().add(feature("login")).begin();
  workshop.report("login/architect/1");
  workshop.review("login", "design", { steering: LINES });
  return workshop;
}

const byKind = (effects: readonly LeadEffect[]): string[] =>
  effects.map((effect) => (effect.kind === "decision" ? effect.type : effect.kind));

test("writes what the project already does into steering and asks the user about proposals", () => {
  const workshop = proposed();
  expect(byKind(workshop.effects)).toEqual(["batch", "steering", "STEERING_UPDATE"]);
  expect(workshop.effects[1]).toEqual({ kind: "steering", file: "structure.md", text: "Rooms face one way" });
  expect(workshop.due()).toEqual(["login/steering/B1-2"]);
  expect(workshop.action("login/steering/B1-2")).toEqual({
    id: "login/steering/B1-2",
    kind: "ask",
    question: "steering",
    subject: "login",
    choices: ["approve", "reject", "except"],
    detail: expect.stringMatching(/^Review B1 proposes for tech\.md: Use one clock approve: .* reject: .* except: /),
  });
});

test.each([
  ["approve", "approved", ["proposal-answered", "steering", "STEERING_UPDATE"], { decision: "Use one clock" }],
  ["reject", "rejected", ["proposal-answered", "USER_DECISION"], { decision: "Rejected: Use one clock" }],
  [
    "except",
    "excepted",
    ["proposal-answered", "STEERING_EXCEPTION"],
    { decision: "Not here: Use one clock", steeringRef: "tech.md: Use one clock" },
  ],
])("follows the user's answer: %s", (choice, answer, kinds, decision) => {
  const workshop = proposed();
  const before = workshop.effects.length;
  expect(workshop.answer("login/steering/B1-2", choice, "We have two").kind).toBe("applied");
  const effects = workshop.effects.slice(before);
  expect(byKind(effects)).toEqual(kinds);
  const scope = { of: "feature", feature: "login" };
  expect(effects[0]).toEqual({ kind: "proposal-answered", scope, batch: "B1", line: 2, answer });
  expect(effects.at(-1)).toMatchObject({ ...decision, reason: "We have two", impact: "tech.md" });
  expect(workshop.feature("login").reviews.design).toEqual({
    batch: "B1",
    verdict: "GO",
    disposition: "GO-ACCEPTED",
    of: "design login 1",
    proposals: 0,
  });
  expect(workshop.due()).toEqual(["login/tasks/1"]);
  expect(workshop.answer("login/steering/B1-2", choice)).toEqual({ kind: "repeated" });
});

test("asks about the proposal of a review of everything without holding up other work", () => {
  const workshop = new Workshop().add(feature("login")).begin();
  workshop.beginReview({ review: "impl", scope: { of: "all" } });
  workshop.review("all", "impl", { steering: LINES });
  expect(workshop.due()).toEqual(["login/architect/1", "all/steering/B1-2"]);
  workshop.answer("all/steering/B1-2", "approve");
  expect(workshop.due()).toEqual(["login/architect/1"]);
  expect(workshop.effects).toContainEqual({
    kind: "proposal-answered",
    scope: { of: "all" },
    batch: "B1",
    line: 2,
    answer: "approved",
  });
});
