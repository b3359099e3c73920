import { expect, test } from "vitest";
import { built, designed, feature } from "../kit/features.ts";
import { type Stand, stand as bare } from "../workflow/stand.ts";
import { getFault, manage } from "./roadmap-calls.ts";
import { designOf } from "./feature-documents.ts";
import { failedFeature, put, waiting } from "./records.ts";

/** What the command shows; commits are others each time. */
async function runStatus(stand: Stand, ...words: string[]): Promise<string> {
  const { out, err } = await stand.tenon.run("status", ...words);
  return (out + err).replaceAll(stand.root, "<root>").replaceAll(/\b[0-9a-f]{12}\b/g, "<commit>");
}

test("does not mention features when there are none", async () => {
  using stand = await bare();
  const status = await stand.run("workspace.status");
  expect(["roadmap" in status, "feature" in status]).toEqual([false, false]);
});

test("shows all features on one line, and each blocked one on its own", async () => {
  using stand = await bare();
  await put(stand.engine, [
    failedFeature,
    waiting,
    built("mails", ["src/mails.ts"]),
    designed("export", [], { wave: null }),
  ]);
  await manage(stand, "run");
  expect(await runStatus(stand)).toMatchInlineSnapshot(`
    "No change is active.

    workspace: <root>
    changes: 0 active, 0 completed, 0 abandoned, 0 archived
    roadmap: 4 features (1 design-generated, 1 implementation-complete, 2 blocked); implemented in wave 1: 1 of 2, wave 2: 0 of 1; it runs

    - cart is blocked by shop-model.
    - shop-model failed, and waits for the user's decision.

    next: tenon next
    "
  `);
});

test("reports an untrusted record and counts the others", async () => {
  using stand = await bare();
  await put(stand.engine, [feature("cart"), feature("mails")]);
  stand.write("sdd/features/cart/spec.yaml", "feature_name: cart\n");
  expect(await stand.run("workspace.status")).toMatchObject({
    roadmap: { features: 1 },
    damaged: [{ path: "sdd/features/cart/spec.yaml" }],
  });
});

test("shows a feature with its versions, tasks, reviews and blockers", async () => {
  using stand = await bare();
  const mails = built("mails", ["src/mails.ts"], { on: ["shop-model"], wave: 2 });
  await put(stand.engine, [
    failedFeature,
    {
      ...mails,
      version: "1.1.0",
      version_refs: { design: "1.1.0", implementation: "1.0.0" },
      design: { hash: "another design", files: ["src/mails.ts"], basis: { "shop-model": "an older one" } },
      changelog: [1, 2, 3, 4, 5, 6].map((n) => ({ version: "1.0.0", action: "design", at: `2026-01-0${n}T08:00:00Z` })),
      orchestration: { ...mails.orchestration, retry_count: 1, total_count: 2 },
    },
  ]);
  expect(await runStatus(stand, "mails")).toMatchInlineSnapshot(`
    "mails: implementation-complete.

    feature: What mails is for
    version: 1.1.0 (design 1.1.0, implementation 1.0.0)
    alignment: behind its design; designed on another shop-model
    wave: 2
    builds on: shop-model
    tasks: 1 of 1 done, 0 pending
    files: 1
    retries: 1, updates of its spec 0, in all 2

    - The design has changed since it was reviewed.
    - 1.0.0 design, 2026-01-06T08:00:00Z
    - 1.0.0 design, 2026-01-05T08:00:00Z
    - 1.0.0 design, 2026-01-04T08:00:00Z
    - 1.0.0 design, 2026-01-03T08:00:00Z
    - 1.0.0 design, 2026-01-02T08:00:00Z

    next: tenon next
    "
  `);
  expect(await runStatus(stand, "shop-model")).toMatchInlineSnapshot(`
    "shop-model failed, and waits for the user's decision.

    feature: What shop-model is for
    version: 1.0.0 (design 1.0.0, implementation none)
    alignment: not implemented
    wave: 1
    built on by: mails

    - retries_exhausted: No retry is left.
    - Due: ask the user: escalation of shop-model (shop-model/escalation/1)

    next: tenon roadmap unblock shop-model --how "…"
    "
  `);
});

test("derives the impact of a changed design from the tags of its criteria", async () => {
  using stand = await bare();
  const cut = { feature: "shop-model", groups: ["A"] };
  await put(stand.engine, [
    built("shop-model", ["src/model.ts"]),
    built("cart", ["src/cart.ts"], { wave: 2, on: ["shop-model"] }),
    built("checkout", ["src/checkout.ts"], { wave: 3, on: ["cart"] }),
  ]);
  const path = "sdd/features/shop-model/design.md";
  const constraint = designOf(cut).replace("1. When part A", "1. [constraint] When part A");
  expect((await stand.run("workspace.status", { feature: "shop-model", impact: true }))["feature"]).toMatchObject({
    impact: { class: "NONE", since: null },
  });
  stand.write(path, constraint);
  stand.commit("Design the model");
  stand.write(path, constraint.replace("its own name", "its own number"));
  expect(await runStatus(stand, "shop-model", "--impact")).toMatchInlineSnapshot(`
    "shop-model: implementation-complete.

    feature: What shop-model is for
    version: 1.0.0 (design 1.0.0, implementation 1.0.0)
    alignment: changed since it was accepted
    changed: sdd/features/shop-model/design.md
    wave: 1
    built on by: cart
    tasks: 1 of 1 done, 0 pending
    files: 1

    - The design has changed since it was reviewed.
    - Impact since <commit>: BREAKING
    - Changed: S1.AC1 changed, BREAKING
    - cart (direct): re-implement. A constraint that it builds on changed.
    - checkout (transitive): re-review. A constraint behind its dependency changed.

    next: tenon roadmap revise cart --intent "…"
    next: tenon review impl checkout
    next: tenon next
    "
  `);
});

test("reports an unknown feature in both doors", async () => {
  using stand = await bare();
  expect(await getFault(stand.run("workspace.status", { feature: "cart" }))).toEqual([
    "feature.unknown",
    'Unknown feature "cart". No feature was started yet.',
  ]);
});
