import { expect, test } from "vitest";
import { feature, group } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureRecord } from "../feature/feature-record.ts";

/** Two features in the first wave and one on top of them, or more. */
function atGate(said: { isGated?: boolean } = {}, until = "wave-1/impl", ...more: readonly FeatureRecord[]): Workshop {
  const workshop = new Workshop()
    .add(feature("accounts"), feature("mail"), feature("login", { wave: 2, on: ["accounts"] }), ...more)
    .begin(said);
  workshop.plans.set("accounts", [group("A", ["src/a.ts"]), group("B", ["src/b.ts"])]);
  return workshop.until(until);
}

const SECOND = feature("search", { wave: 2 });

const found = (location: string) => ({ verdict: "NO-GO", verified: [finding({ severity: "C", location })] }) as const;
const wave = (workshop: Workshop, number = 1) => workshop.lead.waves.get(number);

test("takes a wave through its cross-check, dead-code review and commit", () => {
  const workshop = atGate();
  workshop.review("wave-1", "impl");
  expect(wave(workshop)).toMatchObject({ step: "dead-code", cross_check: { batch: "B1", verdict: "GO" } });
  workshop.review("wave-1", "dead-code", { verdict: "CONDITIONAL", verified: [finding()] });
  expect(wave(workshop)).toMatchObject({
    step: "commit",
    dead_code: { batch: "B2", disposition: "CONDITIONAL-TRACKED" },
  });
  workshop.finish((one) => !one.due().some((id) => id.startsWith("login")));
  workshop.report("wave-1/gate/1");
  expect(workshop.action("wave-1/commit")).toEqual({
    id: "wave-1/commit",
    kind: "commit",
    message: "Wave 1: accounts, mail",
    wave: 1,
    features: ["accounts", "mail"],
  });
  workshop.report("wave-1/commit", { report: { kind: "commit", declined: true } });
  expect(wave(workshop)?.step).toBe("done");
  expect(workshop.effects.at(-1)).toEqual({ kind: "wave-finished", wave: 1 });
  expect(workshop.due()).toEqual(["login/tasks/1"]);
});

test.each([
  ["does not exist", undefined, "No commit was found. Commit with the message given, or decline wave-1/commit."],
  [
    "leaves files out",
    { hash: "abc", isClean: false },
    "Commit abc lacks files of the work. Commit them too, or decline wave-1/commit.",
  ],
])("rejects a commit that %s", (_, commit, problem) => {
  const workshop = atGate({}, "wave-1/commit");
  const applied = workshop.reportAs("wave-1/commit", { kind: "commit", declined: false }, commit ? { commit } : {});
  expect(applied).toMatchObject({ kind: "refused", problems: [{ problem }] });
});

test("resets the total counter after a finished wave", () => {
  const workshop = new Workshop().add(feature("accounts"), feature("mail")).begin();
  workshop.report("accounts/architect/1");
  workshop.review("accounts", "design", found("Spec 1"));
  workshop.until("wave-1/commit");
  expect(workshop.feature("accounts").orchestration.total_count).toBe(1);
  workshop.report("wave-1/commit");
  expect(workshop.feature("accounts").orchestration.total_count).toBe(0);
});

test.each([
  ["cross-check", "impl", "wave", []],
  ["dead-code", "dead-code", "dead-code", ["impl"]],
] as const)(
  "assigns findings of the %s to the owner of the file, and the wave checks again",
  (_, kind, source, before) => {
    const workshop = atGate();
    for (const review of before) workshop.review("wave-1", review);
    workshop.review("wave-1", kind, found("`src/b.ts:7`"));
    expect(workshop.feature("accounts")).toMatchObject({
      phase: "implementation-complete",
      fix: { source, groups: ["B"], batch: `sdd/reviews/B${before.length + 1}.yaml` },
      orchestration: { retry_count: 0 },
    });
    expect(workshop.feature("mail").fix).toBeNull();
    expect(wave(workshop)?.tries).toEqual({ cross_check: kind === "impl" ? 1 : 0, dead_code: kind === "impl" ? 0 : 1 });
    workshop.until("accounts/gate/2").report("accounts/gate/2");
    const { reviews, implementation } = workshop.feature("accounts");
    // Its own review is not repeated: that of the wave is.
    expect(reviews.implementation?.of).toBe(implementation.hash);
    expect(workshop.due()).toContain(`wave-1/${kind}`);
  },
);

test("fixes a finding in an earlier wave there, while the gate waits", () => {
  const workshop = atGate({}, "wave-2/impl", SECOND);
  workshop.review("wave-2", "impl", found("src/a.ts"));
  expect(workshop.due()).toEqual(["accounts/build-A/2"]);
  workshop.report("accounts/build-A/2");
  workshop.report("accounts/gate/2");
  expect(workshop.due()).toEqual(["wave-2/impl"]);
});

test("asks the user after the third NO-GO, and continues with the next review on request", () => {
  const workshop = atGate();
  for (let tries = 1; tries <= 3; tries++) {
    workshop.until("wave-1/impl");
    workshop.review("wave-1", "impl", found("src/a.ts"));
  }
  expect(wave(workshop)).toMatchObject({ tries: { cross_check: 3 }, cross_check: { disposition: "ESCALATED" } });
  expect(workshop.feature("accounts").fix).toBeNull();
  expect(workshop.due()).toContain("wave-1/wave-failed/1");
  workshop.answer("wave-1/wave-failed/1", "proceed", "We know");
  expect(wave(workshop)).toMatchObject({ step: "dead-code", proceeded: ["cross-check"] });
  expect(workshop.effects.at(-1)).toMatchObject({ type: "ESCALATION_RESOLVED", reason: "We know" });
  expect(workshop.due()).toContain("wave-1/dead-code");
});

test("stops the run with an aborted wave, and starts the gate again when it continues", () => {
  const workshop = atGate();
  workshop.review("wave-1", "impl", found("nobody/owns.ts"));
  expect(workshop.due()).toContain("wave-1/wave-failed/1");
  // One NO-GO is counted as one, with the finding and the reason why no agent fixes it.
  expect(workshop.action("wave-1/wave-failed/1")).toMatchObject({
    detail: expect.stringMatching(
      /It failed 1 time\. .*nobody\/owns\.ts: It could be better.* No feature owns the files.* proceed: .* abort: /,
    ),
  });
  workshop.answer("wave-1/wave-failed/1", "abort");
  expect({ step: wave(workshop)?.step, run: workshop.lead.run.isOn, due: workshop.due() }).toEqual({
    step: "aborted",
    run: false,
    due: [],
  });
  workshop.begin();
  expect(wave(workshop)).toMatchObject({ step: "cross-check", tries: { cross_check: 0 } });
  expect(workshop.due()).toContain("wave-1/impl");
});

test("assigns only findings in files with an owner", () => {
  const workshop = atGate();
  const verified = [finding({ severity: "C", location: "nobody/owns.ts" }), finding({ location: "src/mail.ts" })];
  workshop.review("wave-1", "impl", { verdict: "NO-GO", verified });
  expect(workshop.feature("mail").fix?.source).toBe("wave");
  expect(wave(workshop)?.tries.cross_check).toBe(1);
});

test.each([
  ["by name", "accounts Spec 1", []],
  ["by the file", "Spec 1", [finding({ location: "src/a.ts" })]],
])("updates a wrong spec that is named %s", (_, spec, verified) => {
  const workshop = atGate();
  const spec_feedback = [{ part: "design", spec, description: "It cannot be built" }] as const;
  workshop.review("wave-1", "impl", { verdict: "SPEC-UPDATE-NEEDED", spec_feedback, verified });
  expect(workshop.feature("accounts")).toMatchObject({
    phase: "design-generated",
    fix: { source: "spec-update", detail: "It cannot be built" },
    orchestration: { spec_update_count: 1, total_count: 1, last_phase_action: null },
    implementation: { groups: [], hash: null },
  });
  expect(wave(workshop)?.tries.cross_check).toBe(1);
  workshop.until("wave-1/commit");
});

test("asks the user about a wrong spec that no feature has", () => {
  const workshop = atGate();
  const spec_feedback = [{ part: "design", spec: "Spec 9", description: "?" }] as const;
  workshop.review("wave-1", "impl", { verdict: "SPEC-UPDATE-NEEDED", spec_feedback });
  expect(workshop.due()).toContain("wave-1/wave-failed/1");
});

/** Nobody who is asked to design these comes back, and the user lets them go. */
function letGo(workshop: Workshop, ...names: readonly string[]): void {
  for (const name of names) {
    for (let times = 1; times <= 3; times++) {
      workshop.handOut(`${name}/architect/${times}`);
      workshop.lose(`${name}/architect/${times}`);
    }
    workshop.answer(`${name}/escalation/1`, "skip");
  }
}

test("finishes a wave without its blocked features", () => {
  const workshop = new Workshop().add(feature("a"), feature("b"), feature("c", { wave: 2 })).begin();
  letGo(workshop, "a");
  workshop.until("wave-1/commit");
  expect(workshop.action("wave-1/commit")).toMatchObject({ message: "Wave 1: b", features: ["b"] });
});

test("skips the gate of a wave with blocked features alone", () => {
  const workshop = new Workshop().add(feature("a"), feature("b"), feature("c", { wave: 2 })).begin();
  letGo(workshop, "a", "b");
  workshop.finish();
  expect(workshop.feature("c").phase).toBe("implementation-complete");
  expect([...workshop.lead.waves.values()].map(({ wave: number, step }) => [number, step])).toEqual([[2, "done"]]);
});

test("ends a roadmap of one feature with a commit and without a wave gate", () => {
  const workshop = new Workshop()
    .add(feature("login", { description: "Users log in\nby mail" }))
    .begin()
    .until("wave-1/commit");
  expect(workshop.action("wave-1/commit")).toMatchObject({ message: "login: Users log in" });
  workshop.report("wave-1/commit");
  expect(workshop.decide()).toMatchObject({ actions: [], reviews: [], idle: "Everything is done: 1 feature is done." });
});

test("with --gate, asks the user before the next wave", () => {
  const workshop = atGate({ isGated: true }, "wave-1/wave-passed");
  workshop.finish((one) => one.due().length === 1);
  expect(workshop.due()).toEqual(["wave-1/wave-passed"]);
  workshop.answer("wave-1/wave-passed", "stop", "Let me look");
  expect(workshop.decide().idle).toBe(
    "The run was stopped: The user stopped at wave-1/wave-passed. Continue with `sdd_roadmap run`.",
  );
  workshop.begin({ isGated: true });
  expect(workshop.due()).toEqual(["login/tasks/1"]);
});

test("asks about the proposal of a wave's review before anything else", () => {
  const workshop = atGate();
  const steering = [{ level: "PROPOSE", file: "tech.md", text: "Use one clock" }] as const;
  workshop.review("wave-1", "impl", { steering });
  workshop.finish((one) => one.due().every((id) => id.startsWith("wave")));
  expect(workshop.due()).toEqual(["wave-1/steering/B1-1"]);
  workshop.answer("wave-1/steering/B1-1", "approve");
  expect(workshop.due()).toEqual(["wave-1/dead-code"]);
});

const revise = (one: Workshop) => one.feed({ kind: "revised", feature: "mail" as never, intent: "Also by post" });

test.each([
  // The reviews of what is made again also look at where it meets the others.
  ["revised", revise, "commit", "wave-2/dead-code"],
  [
    "added",
    (one: Workshop) => one.feed({ kind: "feature-added", record: feature("post") }),
    "cross-check",
    "wave-2/impl",
  ],
  [
    "done again in part",
    (one: Workshop) => one.feed({ kind: "wanted", feature: "mail" as never, goal: "implementation", tasks: ["1.1"] }),
    "commit",
    "wave-2/dead-code",
  ],
])("reopens a finished wave when one of its features is %s", (_, change, step, last) => {
  const workshop = atGate({}, "wave-1/impl", SECOND);
  workshop.finish();
  change(workshop);
  expect(wave(workshop)?.step).toBe(step);
  workshop.until("wave-1/commit/2").report("wave-1/commit/2");
  // The gate of the next wave has seen what there was.
  expect(workshop.due()).toEqual([last]);
  workshop.until("wave-2/commit/2").report("wave-2/commit/2");
  expect(workshop.decide().idle).toMatch(/^Everything is done/);
});

test("withdraws the commit of a later wave and restarts its gate when an earlier wave changes", () => {
  const workshop = atGate({}, "wave-2/commit", SECOND);
  workshop.handOut("wave-2/commit");
  workshop.feed({ kind: "revised", feature: "mail" as never, intent: "Also by post" });
  expect(workshop.effects).toContainEqual({ kind: "dismissed", action: "wave-2/commit" });
  expect(wave(workshop, 2)).toMatchObject({ step: "cross-check", tries: { cross_check: 0, dead_code: 0 } });
  workshop.until("wave-1/commit/2").report("wave-1/commit/2");
  expect(workshop.due()).toEqual(["wave-2/impl"]);
});

test("drops a review of a later wave when an earlier wave changes", () => {
  const workshop = atGate({}, "wave-2/impl", SECOND);
  workshop.beginReview({ review: "impl", scope: { of: "wave", wave: 2 } });
  workshop.feed({ kind: "revised", feature: "mail" as never, intent: "Also by post" });
  expect([...workshop.lead.reviews.keys()]).toEqual([]);
});

test("reopens later gates when a built feature moves to an earlier wave", () => {
  const workshop = new Workshop().add(feature("a"), feature("b", { wave: 4 }), feature("c", { wave: 4 })).begin();
  workshop.until("wave-4/commit");
  workshop.feed({ kind: "placed", feature: "b" as never, wave: 3, dependencies: [] });
  expect(wave(workshop, 4)?.step).toBe("cross-check");
  workshop.finish();
  expect([1, 3, 4].map((number) => wave(workshop, number)?.step)).toEqual(["done", "done", "done"]);
});

test("checks everything again only in the last of the finished later waves", () => {
  const workshop = new Workshop()
    .add(feature("a"), feature("b", { wave: 2, on: ["a"] }), feature("c", { wave: 3, on: ["b"] }))
    .begin();
  workshop.finish();
  workshop.feed({ kind: "revised", feature: "a" as never, intent: "Otherwise" });
  expect([1, 2, 3].map((number) => wave(workshop, number)?.step)).toEqual(["commit", "done", "cross-check"]);
  workshop.finish((now) => now.due().some((id) => id.startsWith("wave-3/")));
  expect(workshop.due()).toEqual(["wave-3/dead-code"]);
  workshop.finish();
  expect([1, 2, 3].map((number) => wave(workshop, number)?.runs["commit"])).toEqual([2, 1, 2]);
});

test("reports the findings of a manual wave review and leaves them to the user", () => {
  const workshop = atGate();
  workshop.finish();
  workshop.beginReview({ review: "impl", scope: { of: "wave", wave: 1 } });
  workshop.review("wave-1", "impl", found("src/a.ts"));
  expect(workshop.effects.at(-1)).toMatchObject({
    kind: "batch",
    batch: { verdict: "NO-GO", disposition: "ESCALATED" },
  });
  expect(workshop.due()).toEqual([]);
});

test("starts the gate of a wave with one feature at its dead-code review", () => {
  const workshop = atGate({}, "wave-2/dead-code");
  expect(workshop.lead.waves.get(2)).toBeUndefined();
  workshop.review("wave-2", "dead-code");
  expect(wave(workshop, 2)).toMatchObject({ step: "commit", cross_check: null, dead_code: { verdict: "GO" } });
});

test("asks the user about dead code without an owner in a wave with one feature", () => {
  const workshop = atGate({}, "wave-2/dead-code");
  workshop.review("wave-2", "dead-code", found("nobody/owns.ts"));
  workshop.answer("wave-2/wave-failed/1", "proceed", "We know");
  expect(wave(workshop, 2)).toMatchObject({ step: "commit", proceeded: ["dead-code"] });
});

test("compares two features again that were revised together", () => {
  const workshop = atGate({}, "wave-1/impl");
  workshop.finish();
  revise(workshop);
  workshop.feed({ kind: "revised", feature: "accounts" as never, intent: "Also by post" });
  expect(wave(workshop)?.step).toBe("cross-check");
  workshop.until("wave-1/impl");
});

test("with --gate, asks about the review of a revised feature before its wave's gate", () => {
  const workshop = atGate({ isGated: true }, "wave-1/impl");
  workshop.finish();
  revise(workshop);
  workshop.finish((one) => one.due().some((id) => id.startsWith("mail/review-passed/B4")));
  expect(workshop.due()).toEqual(["mail/review-passed/B4"]);
});
