import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { audit, finding, Workshop } from "../../../../test/kit/lead.ts";

const CRITICAL = { verdict: "NO-GO", verified: [finding({ severity: "C", location: "Spec 1.AC2" })] } as const;

test("accepts a complete design with its dependencies", () => {
  const workshop = new Workshop().add(feature("accounts"), feature("login", { wave: 2, on: ["accounts"] })).begin();
  workshop.report("accounts/architect/1");
  workshop.review("accounts", "design");
  workshop.report("login/architect/1", {
    report: { kind: "architect", discovery: "full", tags: ["[PATTERN] One clock"] },
  });
  const { phase, design, version, version_refs, orchestration } = workshop.feature("login");
  expect({ phase, design, version, version_refs, runs: orchestration.runs }).toEqual({
    phase: "design-generated",
    design: { hash: "design login 1", files: ["src/login.ts"], basis: { accounts: "design accounts 1" } },
    version: "1.0.0",
    version_refs: { design: "1.0.0", implementation: null },
    runs: { architect: 1 },
  });
  expect(workshop.effects.slice(-1)).toEqual([
    { kind: "tags", feature: "login", role: "architect", tags: ["[PATTERN] One clock"] },
  ]);
});

test.each([
  [
    "the design was not checked",
    { design: undefined },
    "The design of login was not checked. Write design.md and report again.",
  ],
  [
    "the design is incomplete",
    { design: { hash: "h", files: [], problems: [{ problem: "Non-Goals are missing", line: 3 }] } },
    "Non-Goals are missing",
  ],
])("rejects a design where %s", (_, facts, problem) => {
  const workshop = new Workshop().add(feature("login")).begin();
  const applied = workshop.reportAs(
    "login/architect/1",
    { kind: "architect", discovery: "", tags: [] },
    facts as never,
  );
  expect(applied).toMatchObject({ kind: "refused", problems: [{ problem }] });
  expect(workshop.feature("login").phase).toBe("initialized");
});

test("after a NO-GO, rejects the same design and counts a changed one as a new version", () => {
  const workshop = new Workshop().add(feature("login")).begin();
  workshop.report("login/architect/1");
  workshop.review("login", "design", CRITICAL);
  expect(workshop.feature("login")).toMatchObject({
    phase: "design-generated",
    fix: { source: "design", batch: "sdd/features/login/reviews/B1.yaml", groups: [] },
    reviews: { design: { verdict: "NO-GO", disposition: "NO-GO-RETURNED", of: "design login 1" } },
    orchestration: { retry_count: 1, total_count: 1 },
  });
  expect(workshop.action("login/architect/2")).toMatchObject({ work: { mode: "existing", isFix: true } });
  const same = { hash: "design login 1", files: [], problems: [] };
  expect(workshop.report("login/architect/2", { facts: { design: same } })).toMatchObject({
    problems: [{ problem: "design.md of login is unchanged. Fix the findings of the review, then report again." }],
  });
  workshop.report("login/architect/2");
  expect(workshop.feature("login")).toMatchObject({ fix: null, version: "1.1.0" });
  expect(workshop.due()).toEqual(["login/design"]);
});

test("resets the counters after a passed review, except the total", () => {
  const workshop = new Workshop().add(feature("login")).begin();
  for (const times of [1, 2]) {
    workshop.report(`login/architect/${times}`);
    workshop.review("login", "design", times === 1 ? CRITICAL : { verdict: "CONDITIONAL", verified: [finding()] });
  }
  expect(workshop.feature("login")).toMatchObject({
    reviews: { design: { verdict: "CONDITIONAL", disposition: "CONDITIONAL-TRACKED" } },
    orchestration: { retry_count: 0, spec_update_count: 0, total_count: 1 },
  });
});

test("allows three fixes and asks the user after the fourth NO-GO", () => {
  const workshop = new Workshop().add(feature("login")).begin();
  for (let times = 1; times <= 4; times++) {
    workshop.report(`login/architect/${times}`);
    workshop.review("login", "design", CRITICAL);
  }
  const { phase, blocked_info, orchestration, reviews, fix } = workshop.feature("login");
  expect({
    phase,
    blocked_info,
    retries: orchestration.retry_count,
    disposition: reviews.design?.disposition,
    fix: fix?.source,
  }).toEqual({
    phase: "blocked",
    blocked_info: {
      blocked_by: ["login"],
      reason: "retries_exhausted",
      blocked_at_phase: "design-generated",
      detail:
        "No retry is left. NO-GO in B4: 1 critical, 0 high, 0 medium, 0 low findings. C quality, Spec 1.AC2: It could be better.",
      is_skipped: false,
    },
    retries: 3,
    disposition: "ESCALATED",
    fix: "design",
  });
  expect(workshop.due()).toEqual(["login/escalation/1"]);
});

test.each([
  ["full-auto", false, ["login/architect/2"], ["batch", "DIRECTION_CHANGE"]],
  ["--gate", true, ["login/structure/1"], ["batch"]],
])("handles a structural finding in %s", (_, isGated, due, kinds) => {
  const workshop = new Workshop().add(feature("login")).begin({ isGated });
  workshop.report("login/architect/1");
  const verified = [finding({ severity: "C", category: "spec-structure", description: "Two features in one" })];
  workshop.review("login", "design", { verdict: "NO-GO", verified });
  expect(workshop.due()).toEqual(due);
  expect(workshop.effects.map((effect) => (effect.kind === "decision" ? effect.type : effect.kind)).toSorted()).toEqual(
    kinds.toSorted(),
  );
});

test.each([
  ["approve", "DIRECTION_CHANGE", "Two features in one"],
  [
    "reject",
    "USER_DECISION",
    "The user rejects a change of structure: Keep it. Fix the rest without it. Two features in one",
  ],
])("passes the user's answer about the structure, %s, to the Architect", (choice, type, detail) => {
  const workshop = new Workshop().add(feature("login")).begin({ isGated: true });
  workshop.report("login/architect/1");
  const verified = [finding({ severity: "C", category: "spec-structure", description: "Two features in one" })];
  workshop.review("login", "design", { verdict: "NO-GO", verified });
  expect(workshop.answer("login/structure/1", choice, "Keep it").kind).toBe("applied");
  expect(workshop.feature("login").fix).toEqual({
    source: "design",
    batch: "sdd/features/login/reviews/B1.yaml",
    detail,
    groups: [],
  });
  expect(workshop.effects.at(-1)).toMatchObject({ kind: "decision", type, reason: "Keep it" });
  expect(workshop.due()).toEqual(["login/architect/2"]);
});

test("sends features back to design that designed on an older design and are not built", () => {
  const workshop = new Workshop()
    .add(
      feature("accounts"),
      feature("login", { wave: 2, on: ["accounts"] }),
      feature("mail", { wave: 2, on: ["accounts"] }),
    )
    .begin();
  workshop.report("accounts/architect/1");
  workshop.review("accounts", "design");
  workshop.report("login/architect/1");
  workshop.review("login", "design");
  workshop.handOut("mail/architect/1");
  workshop.feed({ kind: "revised", feature: "accounts" as never, intent: "Passkeys" });
  workshop.report("accounts/architect/2");
  expect(workshop.feature("login")).toMatchObject({
    phase: "initialized",
    version_refs: { design: null },
    reviews: { design: null },
    orchestration: { last_phase_action: null },
    implementation: { groups: [] },
  });
  expect(workshop.effects).toContainEqual({ kind: "dismissed", action: "mail/architect/1" });
  expect(workshop.due()).toEqual(["login/architect/2", "mail/architect/2", "accounts/design"]);
  expect(workshop.reportAs("mail/architect/1", { kind: "architect", discovery: "", tags: [] })).toEqual({
    kind: "repeated",
  });
});

test("keeps a built feature as it is when a design below it changes", () => {
  const workshop = new Workshop().add(feature("accounts"), feature("login", { on: ["accounts"], wave: 2 })).begin();
  workshop.finish();
  workshop.feed({ kind: "revised", feature: "accounts" as never, intent: "Also by mail" });
  workshop.report("accounts/architect/2");
  expect(workshop.feature("login").phase).toBe("implementation-complete");
});

test("keeps an auditor's question for the user through the next review", () => {
  const workshop = new Workshop().add(feature("login")).begin();
  const steering = [{ level: "PROPOSE", file: "tech.md", text: "Use one clock" }] as const;
  workshop.report("login/architect/1");
  workshop.review("login", "design", { ...CRITICAL, steering });
  workshop.report("login/architect/2");
  workshop.review("login", "design", audit());
  expect(workshop.feature("login").reviews.design).toEqual({
    batch: "B2",
    verdict: "GO",
    disposition: "GO-ACCEPTED",
    of: "design login 2",
    proposals: 1,
    waiting: [{ batch: "B1", line: 1, file: "tech.md", text: "Use one clock" }],
  });
  expect(workshop.due()).toEqual(["login/steering/B1-1"]);
});
