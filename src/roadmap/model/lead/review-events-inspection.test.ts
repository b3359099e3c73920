import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { createEmptyInspection, inspection, Workshop } from "../../../../test/kit/lead.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";

const CART = { of: "feature", feature: "cart" as FeatureName } as const;

test("keeps the lessons of an inspector like those of a Builder", () => {
  const workshop = new Workshop().add(feature("cart")).begin();
  workshop.report("cart/architect/1");
  const of = workshop.hashOf("design", CART);
  workshop.feed({ kind: "review-begun", review: "design", scope: CART, batch: "B1", of, tracked: [], mended: [] });
  const notes = ["Read it all.", "[INCIDENT] No error was named", "- [pattern] One clock", "[PATTERN] none"];
  workshop.report("cart/design/B1/rulebase", {
    report: { ...createEmptyInspection(["rulebase", "consistency"]), inspection: inspection({ notes }) },
  });
  expect(workshop.effects.filter(({ kind }) => kind === "tags")).toEqual([
    {
      kind: "tags",
      feature: "cart",
      role: "inspector-rulebase",
      tags: ["[INCIDENT] No error was named", "[PATTERN] One clock"],
    },
  ]);
});
