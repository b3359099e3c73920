import { expect, test } from "vitest";
import { built, designed, feature, finished, group, createTestLead, review } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, PendingFix, WaveRecord } from "../feature/feature-record.ts";
import type { ReviewVerdict, StoredReview } from "../review/review-finding.ts";
import { waiveStoredFinding } from "../review/stored-review.ts";
import { applyLeadEvent } from "./apply-event.ts";
import type { ActionAssignment, Lead, ReviewScope } from "./lead-state.ts";

const NAME = "cart" as FeatureName;
const OF_CART: ReviewScope = { of: "feature", feature: NAME };

/** A review as it is judged once its finding F1 is waived. */
const waived = (
  kind: StoredReview["kind"],
  scope: ReviewScope,
  verdict: ReviewVerdict,
  batch = "B2",
): StoredReview => ({
  batch,
  kind,
  scope,
  at: "2026-11-16T08:00:00Z",
  of: "code of cart",
  verdict,
  computed: verdict,
  override: null,
  disposition: "GO-ACCEPTED",
  counts: { C: 0, H: 0, M: 0, L: 0 },
  inspectors: [],
  missing: [],
  findings: [
    {
      id: "F1",
      severity: "C",
      category: "test-failure",
      location: "src/cart.ts",
      description: "It fails",
      sources: [],
      seen: "new",
      waived: "Only at night",
    },
  ],
  removed: [],
  resolved_conflicts: [],
  unresolved: [],
  spec_feedback: [{ part: "design", spec: "cart Spec 1", description: "It cannot be built so." }],
  steering: [],
  mended: [],
  notes: [],
});

const fix = (source: PendingFix["source"], batch: string): PendingFix => ({
  source,
  batch,
  detail: "NO-GO",
  groups: ["A"],
});
const said = (batch: string): ReturnType<typeof review> => ({ ...review("NO-GO", "code of cart"), batch });

/** Built, reviewed, and being mended since. */
const mending = (more: PendingFix, reviews: FeatureRecord["reviews"]["implementation"]): FeatureRecord =>
  built("cart", ["src/cart.ts"], {
    fix: more,
    reviews: { design: review("GO", "design of cart"), implementation: reviews },
    implementation: { groups: [group("A", ["src/cart.ts"])], hash: null },
  });

const inReview = mending(fix("impl", "sdd/features/cart/reviews/B2.yaml"), said("B2"));
const other = built("model", ["src/model.ts"]);
const gate = (more: Partial<WaveRecord>): WaveRecord => ({ ...finished(1), ...more });

/** What is left of the record after a waiver. */
function after(lead: Lead, event: StoredReview): unknown {
  const { lead: next, applied } = applyLeadEvent(lead, { kind: "waived", review: event, finding: "F1" });
  if (applied.kind !== "applied") return applied;
  const { fix: left, phase, implementation, orchestration } = next.features.get(NAME) ?? inReview;
  return {
    fix: left?.source ?? null,
    phase,
    hash: implementation.hash,
    groups: implementation.groups.map(({ status }) => status),
    retries: orchestration.retry_count,
    wave: next.waves.get(1)?.step,
    effects: applied.effects.map((effect) => (effect.kind === "batch" ? effect.batch.disposition : effect.kind)),
  };
}

const SOUND = { fix: null, phase: "implementation-complete", hash: "code of cart", groups: ["done"], retries: 0 };

test("keeps the code as reviewed, without a fix", () => {
  expect(after(createTestLead([other, inReview]), waived("impl", OF_CART, "GO"))).toEqual({
    ...SOUND,
    wave: undefined,
    effects: ["GO-ACCEPTED", "decision"],
  });
});

test("dismisses the Builder that fixes it", () => {
  const action = {
    id: "cart/build-A/1",
    kind: "spawn",
    role: "builder",
    work: { of: "build", feature: NAME, group: "A", tasks: ["1.1"], isFix: true },
  } as const;
  const out: ActionAssignment = {
    action,
    session: "s",
    at: "2026-11-16T08:00:00Z",
    base: null,
    estimate: 0,
    refusals: 0,
  };
  const lead = createTestLead([other, inReview], { out: new Map([[action.id, out]]) });
  expect(after(lead, waived("impl", OF_CART, "CONDITIONAL"))).toMatchObject({
    ...SOUND,
    effects: ["dismissed", "CONDITIONAL-TRACKED", "decision"],
  });
});

test("follows up the defect of the spec that the Critical had covered", () => {
  expect(after(createTestLead([other, inReview]), waived("impl", OF_CART, "SPEC-UPDATE-NEEDED"))).toMatchObject({
    fix: "spec-update",
    phase: "design-generated",
    effects: ["SPEC-UPDATE-CASCADED", "decision"],
  });
});

test("sends code that was already fixed to its gate", () => {
  const touched = {
    ...inReview,
    implementation: { ...inReview.implementation, groups: [group("A", [], { status: "done" })] },
  };
  expect(after(createTestLead([other, touched]), waived("impl", OF_CART, "GO"))).toMatchObject({
    fix: "impl",
    hash: null,
  });
});

test("leaves a blocked feature to its user", () => {
  const blocked: FeatureRecord = {
    ...inReview,
    phase: "blocked",
    blocked_info: {
      blocked_by: [NAME],
      reason: "retries_exhausted",
      blocked_at_phase: "implementation-complete",
      detail: "No retry is left.",
      is_skipped: false,
    },
  };
  expect(after(createTestLead([other, blocked]), waived("impl", OF_CART, "GO"))).toMatchObject({
    ...SOUND,
    phase: "blocked",
  });
});

test("keeps the design without a fix", () => {
  const record = designed("cart", ["src/cart.ts"], {
    fix: { ...fix("design", "sdd/features/cart/reviews/B2.yaml"), groups: [] },
    reviews: { design: { ...review("NO-GO", "design of cart"), batch: "B2" }, implementation: null },
  });
  expect(after(createTestLead([other, record]), waived("design", OF_CART, "GO"))).toMatchObject({
    fix: null,
    phase: "design-generated",
    effects: ["GO-ACCEPTED", "decision"],
  });
});

test("changes only the stored verdict of an earlier batch", () => {
  expect(after(createTestLead([other, inReview]), waived("impl", OF_CART, "GO", "B1"))).toMatchObject({
    fix: "impl",
    groups: ["pending"],
    effects: ["GO-ACCEPTED", "decision"],
  });
});

test.each([
  ["impl", "cross-check", "dead-code", { cross_check: said("B2") }],
  ["dead-code", "dead-code", "commit", { dead_code: said("B2") }],
] as const)("continues the gate of a wave after its %s review", (kind, step, next, refs) => {
  const source = kind === "impl" ? "wave" : "dead-code";
  const record = mending(fix(source, "sdd/reviews/B2.yaml"), review("GO", "code of cart"));
  const lead = createTestLead([other, record], { waves: new Map([[1, gate({ step, ...refs })]]) });
  expect(after(lead, waived(kind, { of: "wave", wave: 1 }, "GO"))).toEqual({
    ...SOUND,
    wave: next,
    effects: ["GO-ACCEPTED", "decision"],
  });
});

test("leaves a gate alone that is past its review", () => {
  const record = mending(fix("wave", "sdd/reviews/B2.yaml"), review("GO", "code of cart"));
  const lead = createTestLead([other, record], {
    waves: new Map([[1, gate({ step: "aborted", cross_check: said("B2") })]]),
  });
  expect(after(lead, waived("impl", { of: "wave", wave: 1 }, "GO"))).toMatchObject({ fix: "wave", wave: "aborted" });
});

test("rejects a waiver of an open finding", () => {
  const lead = createTestLead([other, inReview]);
  expect(applyLeadEvent(lead, { kind: "waived", review: waived("impl", OF_CART, "GO"), finding: "F2" })).toEqual({
    lead,
    applied: { kind: "refused", problems: [{ problem: "F2 of B2 is not waived." }], effects: [] },
  });
});

test("applies a waiver to the review in progress too", () => {
  const workshop = new Workshop().add(feature("cart")).begin();
  const grave = finding({ severity: "C", location: "Spec 1", description: "Nobody says who may pay" });
  const nogo = { verdict: "NO-GO", verified: [grave] } as const;
  workshop.report("cart/architect/1");
  workshop.review("cart", "design", nogo);
  workshop.report("cart/architect/2");
  const [batch] = workshop.effects.flatMap((effect) => (effect.kind === "batch" ? [effect.batch] : []));
  if (!batch) throw new Error("no batch");
  const tracked = batch.findings;
  const of = workshop.hashOf("design", OF_CART);
  workshop.feed({ kind: "review-begun", review: "design", scope: OF_CART, batch: "B2", of, tracked, mended: [] });
  const known = waiveStoredFinding(batch, "F1", "The port knows");
  expect(workshop.feed({ kind: "waived", review: known, finding: "F1" }).kind).toBe("applied");
  expect(workshop.lead.reviews.get("cart/design")?.tracked).toMatchObject([{ id: "F1", waived: "The port knows" }]);
  workshop.review("cart", "design", nogo);
  expect(workshop.feature("cart").reviews.design).toMatchObject({ batch: "B2", verdict: "GO" });
});
