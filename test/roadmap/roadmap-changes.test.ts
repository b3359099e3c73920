import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { built, feature, finished } from "../kit/features.ts";
import { stand as bare } from "../workflow/stand.ts";
import { getFault, manage, SHOP } from "./roadmap-calls.ts";
import { failedFeature, put, waiting } from "./records.ts";

type Input = Readonly<Record<string, unknown>>;

test("deletes a roadmap only with the user's approval, and keeps everything aside", async () => {
  using stand = await bare();
  await put(
    stand.engine,
    [built("shop-model", ["src/model.ts"]), feature("cart", { wave: 2, on: ["shop-model"] })],
    [finished(1)],
  );
  stand.write("sdd/reviews/B1.yaml", "batch: B1\n");
  stand.write("src/model.ts", "export const model = 1;\n");
  await manage(stand, "run");
  expect(await manage(stand, "delete")).toMatchObject({
    passed: false,
    said: "2 features in 2 waves would be deleted. Nothing is changed yet.",
    next: [{ operation: "roadmap.manage", input: { action: "delete", confirm: "…" } }],
  });
  expect(await manage(stand, "delete", { confirm: "yes" })).toMatchObject({ passed: false });
  expect(await manage(stand, "delete", { confirm: "RESET" })).toMatchObject({
    passed: true,
    said: "The roadmap is deleted: 2 features in 2 waves.",
    run: { state: "stopped" },
  });
  const kept = fs.readdirSync(join(stand.root, "sdd/superseded/roadmap-1"), { recursive: true, encoding: "utf8" });
  expect(kept.filter((path) => path.includes(".")).toSorted()).toEqual([
    "features/cart/spec.yaml",
    "features/shop-model/spec.yaml",
    "reviews/B1.yaml",
    "waves/1.yaml",
  ]);
  expect([stand.has("sdd/features/cart"), stand.has("sdd/waves"), stand.has("src/model.ts")]).toEqual([
    false,
    false,
    true,
  ]);
  // A new roadmap begins with its first wave open.
  await manage(stand, "create", { features: SHOP });
  await manage(stand, "run");
  expect(await stand.run("roadmap.next", {})).toMatchObject({ actions: [{ id: "shop-model/architect/1" }] });
  expect((await stand.tenon.run("doctor")).code).toBe(0);
});

test("revises a feature once the user has seen its impact", async () => {
  using stand = await bare();
  await put(
    stand.engine,
    [
      built("shop-model", ["src/model.ts"]),
      built("cart", ["src/cart.ts"], { wave: 2, on: ["shop-model"] }),
      feature("checkout", { wave: 3, on: ["cart"] }),
    ],
    [finished(1), finished(2)],
  );
  const wish = { names: ["shop-model"], intent: "Prices in cents" };
  const { token, preview, said } = await manage(stand, "revise", wish);
  expect({ preview, said }).toEqual({
    said: "shop-model would be revised. Nothing is changed yet.",
    preview: [
      { feature: "shop-model", reach: "revised", summary: "design, tasks and code are made again" },
      {
        feature: "cart",
        reach: "direct",
        summary: "It is implemented: a run reviews it again; with --gate you decide.",
      },
      {
        feature: "checkout",
        reach: "transitive",
        summary: "It is affected indirectly: check it if the features between change their contracts.",
      },
    ],
  });
  expect(await getFault(manage(stand, "revise", { ...wish, intent: "Another", confirm: token }))).toEqual([
    "roadmap.void",
    "Nothing was revised. The roadmap, the features or the intent changed since the preview.",
  ]);
  expect(await manage(stand, "revise", { ...wish, confirm: token })).toMatchObject({
    said: "shop-model is revised: the design comes first.",
    due: [{ id: "shop-model/architect/1" }],
  });
  expect(stand.read("sdd/features/shop-model/spec.yaml")).toContain('detail: "Prices in cents"');
  const both = await manage(stand, "revise", { names: ["cart"], intent: "Prices in cents" });
  expect(both["preview"]).toEqual([
    { feature: "cart", reach: "revised", summary: "design, tasks and code are made again" },
    { feature: "checkout", reach: "direct", summary: "It has no design yet." },
  ]);
});

test("revises several features with one intent, each after its dependencies", async () => {
  using stand = await bare();
  await put(
    stand.engine,
    [built("shop-model", ["src/model.ts"]), built("cart", ["src/cart.ts"], { wave: 2, on: ["shop-model"] })],
    [finished(1), finished(2)],
  );
  const wish = { names: ["cart", "shop-model"], intent: "Prices in cents" };
  const { token, preview, said } = await manage(stand, "revise", wish);
  expect({ preview, said }).toEqual({
    said: "2 features would be revised. Nothing is changed yet.",
    preview: [
      { feature: "shop-model", reach: "revised", summary: "design, tasks and code are made again, in turn 1" },
      { feature: "cart", reach: "revised", summary: "design, tasks and code are made again, in turn 2" },
    ],
  });
  expect(await manage(stand, "revise", { ...wish, confirm: token })).toMatchObject({
    said: "shop-model, cart are revised: the design comes first.",
  });
});

test.each<[string, Input, string, string]>([
  [
    "nobody",
    { intent: "Other" },
    "input.missing",
    "Nothing was revised. Pass the features as `names`, and `intent`: what to change.",
  ],
  [
    "an unknown feature",
    { names: ["mails"], intent: "Other" },
    "feature.unknown",
    'Unknown feature "mails". There are cart, shop-model.',
  ],
  [
    "a feature that is not implemented",
    { names: ["cart"], intent: "Other" },
    "roadmap.refused",
    "cart cannot be revised now. cart is initialized: only an implemented feature can be revised. Redesign it instead.",
  ],
  [
    "a feature before its gate",
    { names: ["shop-model"], intent: "Other" },
    "roadmap.refused",
    "shop-model cannot be revised now. Wave 1 is not finished: shop-model is revised after its gate.",
  ],
])("rejects a revision of %s", async (_, input, code, says) => {
  using stand = await bare();
  await put(stand.engine, [built("shop-model", ["src/model.ts"]), feature("cart", { wave: 2, on: ["shop-model"] })]);
  expect(await getFault(manage(stand, "revise", input))).toEqual([code, says]);
});

test.each([
  ["fix", "shop-model is taken up again, with its counters at 0.", ["shop-model"], "on"],
  ["skip", "shop-model is skipped: no feature waits for it now.", ["cart"], "on"],
  ["abort", "shop-model stays as it is, and the roadmap is stopped.", [], "stopped"],
])("applies the user's decision to %s a failed feature", async (how, said, freed, state) => {
  using stand = await bare();
  await put(stand.engine, [failedFeature, waiting]);
  await manage(stand, "run");
  const answer = await manage(stand, "unblock", { names: ["shop-model"], how });
  expect(answer).toMatchObject({ said, run: { state } });
  expect((answer["preview"] as { feature: string }[]).map((each) => each.feature)).toEqual(freed);
  const log = stand.read("sdd/handover/decisions.md");
  expect(log).toContain(`ESCALATION_RESOLVED | shop-model: ${how}`);
  expect(log).toContain("(unproved: the agent reported it)");
  expect(JSON.parse(stand.read("sdd/approvals/shop-model.json") ?? "{}")).toMatchObject({
    answers: [{ id: "shop-model/escalation/1", stage: "escalation", choice: how, proof: "relayed" }],
  });
});

test.each<[string, Input, string, string]>([
  [
    "a feature behind another one",
    { names: ["cart"], how: "fix" },
    "roadmap.not-blocked",
    "cart cannot be unblocked. It waits for shop-model, which failed.",
  ],
  [
    "a feature that is not blocked",
    { names: ["mails"], how: "fix" },
    "roadmap.not-blocked",
    "mails cannot be unblocked. It is not blocked.",
  ],
  [
    "two features at once",
    { names: ["cart", "shop-model"], how: "fix" },
    "input.missing",
    "Nothing was unblocked. Pass one feature as `names`, and `how`: fix, skip or abort.",
  ],
  [
    "a feature without a valid decision",
    { names: ["shop-model"] },
    "input.missing",
    "Nothing was unblocked. Pass one feature as `names`, and `how`: fix, skip or abort.",
  ],
])("rejects unblocking %s", async (_, input, code, says) => {
  using stand = await bare();
  await put(stand.engine, [failedFeature, waiting, feature("mails")]);
  expect(await getFault(manage(stand, "unblock", input))).toEqual([code, says]);
});
