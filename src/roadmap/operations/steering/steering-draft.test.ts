import { expect, test } from "vitest";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { parseDecisionLog } from "../../model/handover/decision-log.ts";
import type { LeadEffect } from "../../model/lead/lead-state.ts";
import { readUserIntent } from "../../model/steering/product-document.ts";
import { draftSteeringEffects } from "./steering-draft.ts";
import { DECISION, openSteering } from "../../../../test/kit/steering.ts";

const LOG = "sdd/handover/decisions.md";
const PRODUCT = "sdd/steering/product.md";

const codify = (file: string, text: string): LeadEffect => ({ kind: "steering", file, text });
const feature = (name: string, wave?: number, ...dependencies: string[]) => ({
  feature_name: name as FeatureName,
  description: `About ${name}`,
  roadmap: wave === undefined ? null : { wave, dependencies: dependencies as FeatureName[], skipped: [] },
});

test("writes each file once for several effects", async () => {
  const stand = openSteering();
  const effects = [
    codify("tech.md", "Ids are ULIDs"),
    { ...DECISION, type: "STEERING_UPDATE" as const, summary: "Ids" },
    codify("sdd/steering/tech.md", "Times are UTC"),
    codify("tech", "Ids are ULIDs"),
    DECISION,
    { ...DECISION, type: "STEERING_EXCEPTION" as const, summary: "But not here", steeringRef: "tech.md: Ids" },
  ];
  await stand.write((tree) => {
    const steps = draftSteeringEffects(tree, effects, "2026-01-31T12:00:00Z", {
      planned: [feature("login", 1)],
    }).steps();
    expect(steps.map((step) => step.kind === "document" && step.path)).toEqual([PRODUCT, "sdd/steering/tech.md", LOG]);
    return steps;
  });
  expect(stand.read("sdd/steering/tech.md")).toBe("# Technology\n\n## Codified\n\n- Ids are ULIDs\n- Times are UTC\n");
  expect(stand.read(PRODUCT)).toBe(
    "# Product\n\n## Spec Rationale\n\n- **login** (wave 1): About login\n\n" +
      "## Decision Log\n\n- 2026-01-31 D2: Keep state in SQLite\n- 2026-01-31 D3: But not here\n",
  );
  expect(parseDecisionLog(stand.read(LOG)).map(({ number, type, steeringRef }) => [number, type, steeringRef])).toEqual(
    [
      [1, "STEERING_UPDATE", undefined],
      [2, "USER_DECISION", undefined],
      [3, "STEERING_EXCEPTION", "tech.md: Ids"],
    ],
  );
});

test("writes nothing for unrelated effects", async () => {
  const stand = openSteering();
  await stand.lead({ kind: "wave-finished", wave: 1 });
  expect([...stand.files]).toEqual([]);
});

test.each(["../config.yaml", "/etc/passwd", "src/a.md", "design/tech.md", ""])(
  "rejects a line for %j",
  async (file) => {
    const stand = openSteering();
    await expect(stand.lead(codify(file, "x"), DECISION)).rejects.toMatchObject({ code: "steering.bad-name" });
    expect([...stand.files]).toEqual([]);
  },
);

test("adds the reasons of a roadmap, and starts a design with its goal", async () => {
  const stand = openSteering();
  await stand.call({ action: "create", vision: "Tides for all" });
  await stand.write((tree) =>
    draftSteeringEffects(tree, [], "", {
      planned: [feature("accounts", 1), feature("login", 2, "accounts"), feature("alone")],
    }).steps(),
  );
  await stand.write((tree) => draftSteeringEffects(tree, [], "", { designed: [feature("login", 2)] }).steps());
  await stand.write((tree) => draftSteeringEffects(tree, [], "", { designed: [feature("login", 2)] }).steps());
  expect(stand.read(PRODUCT)).toContain(
    "\n- **accounts** (wave 1): About accounts\n- **login** (wave 2; builds on accounts): About login\n\n## Decision Log",
  );
  expect(readUserIntent(stand.read(PRODUCT))).toEqual({
    vision: "Tides for all",
    success_criteria: ["login: About login"],
    anti_goals: [],
  });
});

test("numbers continue after handwritten and removed entries", async () => {
  const stand = openSteering();
  stand.put(LOG, "Ours since 2025.\n\n[2025-12-31] D40: USER_DECISION | Begin\n- Reason: it was time\n");
  await stand.lead(DECISION);
  const both = stand.read(LOG);
  expect(
    both.startsWith("Ours since 2025.\n\n[2025-12-31] D40: USER_DECISION | Begin\n- Reason: it was time\n\n["),
  ).toBe(true);
  // As on another branch, which does not have the last one.
  stand.put(LOG, both.slice(0, both.indexOf("\n\n[2026")));
  expect((await stand.call({ action: "create" })).decision).toBe("D42");
  expect(parseDecisionLog(stand.read(LOG)).map(({ number }) => number)).toEqual([40, 42]);
});
