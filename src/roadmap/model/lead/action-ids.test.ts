import { expect, test } from "vitest";
import { feature } from "../../../../test/kit/features.ts";
import { Workshop } from "../../../../test/kit/lead.ts";
import { isActionFinished } from "./lead-view.ts";

const lead = (() => {
  const workshop = new Workshop().add(feature("cart")).begin({});
  workshop.finish();
  return workshop.lead;
})();

test.each(["cart/architect/1", "cart/design/B1/rulebase", "cart/design/B1/auditor", "cart/gate/1"])(
  "%s is finished",
  (id) => {
    expect(isActionFinished(lead, id)).toBe(true);
  },
);

test.each([
  "cart/architect/2",
  "cart/architect/1e0",
  "cart/architect/01",
  "cart/architect/",
  "cart/nothing/1",
  "cart/design/B1/nobody",
  "cart/design/B99/rulebase",
  "cart/steering/B1-1x",
  "cart/steering/B1",
  "nobody/architect/1",
])("%s is not finished", (id) => {
  expect(isActionFinished(lead, id)).toBe(false);
});
