import { expect, test } from "vitest";
import { SESSION } from "../hook/hook-calls.ts";
import { openStand } from "./stand.ts";

interface Reported {
  readonly outcome: string;
  readonly problems: readonly { readonly problem: string }[];
  readonly user_question?: { readonly id: string };
}

const ACTION = "run/cap/1";

/** A roadmap whose limit of tokens is too low for any work, so that it asks the user first. */
function prepare(more: Readonly<Record<string, string>> = {}) {
  const stand = openStand(more);
  const features = JSON.stringify([{ name: "user-login", description: "Users log in with a password" }]);
  stand.must("roadmap", "create", "--features", features);
  stand.must("roadmap", "run", "--cap-tokens", "1");
  return {
    ...stand,
    report: (...words: string[]) => JSON.parse(stand.run("report", ACTION, ...words, "--json").out) as Reported,
    decisions: () => stand.read("sdd/handover/decisions.md"),
  };
}

test("an agent without forms, hooks and a terminal relays an answer, and status and ci show the mark", () => {
  using it = prepare();
  it.run("next");
  expect(it.report("--answer", "stop").outcome).toBe("applied");
  expect(it.answers("run")).toMatchObject([
    { id: ACTION, area: "roadmap", stage: "cap", choice: "stop", by: "ada", proof: "relayed" },
  ]);
  expect(it.decisions()).toContain("- Source: ada (unproved: the agent reported it)");
  const mark = `${ACTION}: the answer "stop" to cap by ada is unproved: an agent reported it.`;
  expect([it.run("status").out, it.run("verify").out]).toEqual([
    expect.stringContaining(mark),
    expect.stringContaining(mark),
  ]);
  expect(it.ci()).toMatchObject({
    mild: [{ level: "warning", problem: mark }],
    strict: [{ level: "error", problem: mark }],
    code: 1,
  });
});

test("a question is open for the user as soon as an agent receives it", () => {
  using it = prepare();
  it.run("next");
  expect(it.run("approve", "--list").out).toContain(ACTION);
  it.report("--answer", "stop");
  expect(it.run("approve", "--list").out).toContain("Nothing needs your approval.");
});

test("a client with forms asks within the report, and the user's answer wins", async () => {
  using it = prepare();
  const shown: [string, readonly string[]][] = [];
  await using session = await it.connect((message, choices) => {
    shown.push([message, choices]);
    return { action: "accept", content: { answer: "raise", reason: "500k" } };
  });
  await session.call("sdd_next", {});
  const { structuredContent } = await session.call("sdd_report", { action: ACTION, answer: "stop", said: "stop it" });
  expect(structuredContent).toMatchObject({ outcome: "applied" });
  expect(shown).toEqual([[expect.stringContaining("Choose raise or stop."), ["raise", "stop"]]]);
  expect(it.answers("run")).toMatchObject([{ choice: "raise", by: "ada", proof: "elicited", client: "test" }]);
  expect(it.decisions()).toContain("- Source: ada, answered in test");
});

test("a question stays open when the user closes the form", async () => {
  using it = prepare();
  let asked = 0;
  await using session = await it.connect(() =>
    ++asked === 1 ? { action: "cancel" } : { action: "accept", content: { answer: "stop" } },
  );
  await session.call("sdd_next", {});
  const first = await session.call("sdd_report", { action: ACTION, answer: "raise", said: "900k" });
  expect(first.structuredContent).toMatchObject({ outcome: "refused", open: true });
  const second = await session.call("sdd_report", { action: ACTION });
  expect([second.structuredContent, asked]).toMatchObject([{ outcome: "applied" }, 2]);
});

test("with hooks the user's message answers, and without one an agent's answer does not count", () => {
  using it = prepare({ CLAUDECODE: "1" });
  it.hook("session-start");
  it.run("next", "--session", SESSION);
  const lie = it.report("--answer", "raise", "--said", "900k");
  expect([lie.outcome, lie.problems, lie.user_question?.id]).toEqual([
    "refused",
    [{ problem: "The user has not written since the question." }],
    ACTION,
  ]);
  expect(it.hook("user-prompt-submit", { prompt: "raise it to 600k please" })).toContain(`${ACTION}: raise`);
  expect(it.report("--answer", "raise", "--said", "900k").outcome).toBe("applied");
  expect(it.answers("run")).toMatchObject([{ choice: "raise", proof: "witnessed", quote: "raise it to 600k please" }]);
  expect(it.decisions()).toContain("The run may cost 600000 tokens");
});
