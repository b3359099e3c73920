import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { finding, Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";

/** Two features in a wave, up to what comes after their own reviews. */
function atTheGate(isThere: (workshop: Workshop) => boolean): Workshop {
  const workshop = new Workshop().add(feature("cart"), feature("model")).begin();
  workshop.finish(isThere);
  return workshop;
}

const redesign = (workshop: Workshop): void =>
  void workshop.feed({ kind: "wanted", feature: "cart" as FeatureName, goal: "done", isRedesign: true });

test("does not finish a reopened wave by a commit that was offered before", () => {
  const workshop = atTheGate((one) => one.due().includes("wave-1/commit"));
  workshop.handOut("wave-1/commit");
  redesign(workshop);
  expect(workshop.effects.at(-1)).toEqual({ kind: "dismissed", action: "wave-1/commit" });
  const late = workshop.reportAs("wave-1/commit", { kind: "commit", declined: true });
  expect([late.kind, workshop.lead.waves.get(1)?.step]).toEqual(["refused", "cross-check"]);
});

test("does not continue a reopened wave by the answer to an earlier question", () => {
  const workshop = atTheGate((one) => one.due().includes("wave-1/impl"));
  const nowhere = finding({ severity: "C", location: "nowhere" });
  workshop.review("wave-1", "impl", { verdict: "NO-GO", verified: [nowhere] });
  workshop.handOut("wave-1/wave-failed/1");
  redesign(workshop);
  expect(workshop.answer("wave-1/wave-failed/1", "proceed").kind).toBe("refused");
  expect(workshop.lead.waves.get(1)?.step).toBe("cross-check");
});

test("does not reset the tries of a gate when a review rejects its fix", () => {
  const workshop = atTheGate((one) => one.due().includes("wave-1/impl"));
  const spec_feedback = [{ part: "design", spec: "cart", description: "It cannot be built" }] as const;
  workshop.review("wave-1", "impl", { verdict: "SPEC-UPDATE-NEEDED", spec_feedback });
  workshop.finish((one) => one.due().includes("cart/design"));
  workshop.review("cart", "design", { verdict: "NO-GO", verified: [finding({ severity: "C" })] });
  expect(workshop.lead.waves.get(1)?.tries).toEqual({ cross_check: 1, dead_code: 0 });
});

test("keeps a proposal for the user when its design is revised", () => {
  const workshop = new Workshop().add(feature("model"), feature("cart", { wave: 2, on: ["model"] })).begin();
  workshop.report("model/architect/1");
  workshop.review("model", "design");
  workshop.report("cart/architect/1");
  const steering = [{ level: "PROPOSE", file: "tech.md", text: "Use one clock" }] as const;
  workshop.review("cart", "design", { steering });
  workshop.feed({ kind: "revised", feature: "model" as never, intent: "Use another clock" });
  workshop.report("model/architect/2");
  expect(workshop.feature("cart").phase).toBe("initialized");
  expect(workshop.due()).toEqual(["cart/steering/B1-1", "cart/architect/2", "model/design"]);
  workshop.report("cart/architect/2");
  // The review that it came with was of another design.
  expect(workshop.due()).toEqual(["cart/steering/B1-1", "model/design", "cart/design"]);
});
