import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { audit, finding, createEmptyInspection, inspection, Workshop } from "../../../../test/kit/lead.ts";
import type { AuditResult, KnownReviewFinding } from "../review/review-finding.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";

const CART = { of: "feature", feature: "cart" as FeatureName } as const;
const critical = finding({ severity: "C", location: "Spec 1.AC2", description: "Nobody says what a guest sees" });

/** A design review of `cart` to whose auditor everybody has reported; one inspector found this. */
function reviewed(found: readonly KnownReviewFinding[], tracked: readonly KnownReviewFinding[] = []): Workshop {
  const workshop = new Workshop().add(feature("cart")).begin();
  workshop.report("cart/architect/1");
  const of = workshop.hashOf("design", CART);
  workshop.feed({ kind: "review-begun", review: "design", scope: CART, batch: "B1", of, tracked, mended: [] });
  for (const action of workshop.decide().actions) {
    const { views = [] } = action.kind === "spawn" && action.work.of === "review" ? action.work : {};
    const report = {
      ...createEmptyInspection(views),
      inspection: inspection(views.includes("rulebase") ? { findings: found } : {}),
    };
    workshop.report(action.id, { report });
  }
  return workshop;
}

const audited = (workshop: Workshop, said: Partial<AuditResult>): ReturnType<Workshop["report"]> =>
  workshop.report("cart/design/B1/auditor", { report: { kind: "audit", audit: audit(said) } });

const SILENT = {
  problem:
    'The Critical of rulebase at "Spec 1.AC2", "Nobody says what a guest sees", is in neither VERIFIED, REMOVED nor RESOLVED.',
};

test("rejects an audit that does not mention a Critical, and the review stays open", () => {
  const workshop = reviewed([critical]);
  const before = workshop.lead;
  expect(audited(workshop, {})).toEqual({ kind: "refused", problems: [SILENT], effects: [] });
  expect(workshop.lead).toEqual(before);
  expect(workshop.due()).toEqual(["cart/design/B1/auditor"]);
});

test.each<[string, Partial<AuditResult>, verdict: string]>([
  ["verified", { verified: [critical] }, "NO-GO"],
  ["removed", { removed: [{ agent: "rulebase", reason: "AC3 does", finding: critical.description }] }, "GO"],
])("accepts an audit in which the Critical is %s", (_what, said, verdict) => {
  const workshop = reviewed([critical]);
  expect(audited(workshop, said).kind).toBe("applied");
  expect(workshop.feature("cart").reviews.design?.verdict).toBe(verdict);
});

test("keeps an earlier waiver when the finding appears again", () => {
  const workshop = reviewed([critical], [{ ...critical, waived: "There are no guests yet" }]);
  audited(workshop, { verified: [critical] });
  const [batch] = workshop.effects.flatMap((effect) => (effect.kind === "batch" ? [effect.batch] : []));
  expect([batch?.verdict, batch?.findings]).toEqual([
    "GO",
    [{ ...critical, id: "F1", seen: "tracked", waived: "There are no guests yet" }],
  ]);
});

test.each<[string, (one: Workshop) => ReturnType<Workshop["report"]>]>([
  [
    "an inspection",
    (one) => {
      one.report("cart/architect/1");
      one.beginReview({ review: "design", scope: CART });
      const report = { kind: "inspection", inspection: inspection({ scope: "checkout" }) } as const;
      return one.report("cart/design/B1/rulebase", { report });
    },
  ],
  [
    "an audit",
    (one) => {
      one.lead = reviewed([]).lead;
      return audited(one, { scope: "checkout" });
    },
  ],
])("rejects %s of a different scope, and the action stays ready", (_, report) => {
  const workshop = new Workshop().add(feature("cart")).begin();
  expect(report(workshop)).toEqual({
    kind: "refused",
    problems: [
      {
        problem: 'The report is of "checkout", and cart was requested. Inspect that, and report it with SCOPE:cart.',
      },
    ],
    effects: [],
  });
  expect(workshop.lead.reviews.get("cart/design")?.inspections["rulebase"]?.scope ?? "").toBe("");
  expect(workshop.due().some((id) => id.startsWith("cart/design/B1/"))).toBe(true);
});
