import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import type { OperationId } from "#doors/catalogue.ts";
import { before, drive } from "./roadmap-driver.ts";
import { auditorSays, cutsOf } from "./agents.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ "user-login": ["A", "B"] });
const DESIGN = { feature: "user-login", description: "Users log in" };

/** A repository in which a feature has come so far. */
async function withFeature(phase: "initialized" | "designed" | "planned" | "built"): Promise<RoadmapStand> {
  const stand = await roadmapStand();
  await stand.run("feature.design", DESIGN);
  if (phase === "initialized") return stand;
  await drive(stand, CUTS);
  if (phase === "designed") return stand;
  // What the tests say is not what this is about.
  await stand.waive();
  await stand.run("feature.impl", { feature: "user-login" });
  await drive(stand, CUTS, phase === "planned" ? before("/build-") : undefined);
  return stand;
}

/** The fault of a call, as far as a user can act on it. */
async function getFault(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, says: error.message, fix: error.fixes[0] };
  }
}

test("writes documents in the language of the settings, which the record keeps", async () => {
  using stand = await roadmapStand();
  stand.write("sdd/config.yaml", `${stand.read("sdd/config.yaml")}roadmap:\n  language: pt-BR\n`);
  await stand.run("feature.design", DESIGN);
  await stand.run("roadmap.manage", { action: "create", features: [{ name: "cart", description: "Users buy" }] });
  expect(["user-login", "cart"].map((name) => stand.record(name)["language"])).toEqual(["pt-BR", "pt-BR"]);
  const { id } = await stand.given("user-login/architect");
  expect(await stand.brief(id)).toContain("in the language `pt-BR`");
});

const getPhase = (stand: RoadmapStand): unknown => stand.record("user-login")["phase"];

test("starts a feature from a description and reports its name", async () => {
  using stand = await roadmapStand();
  const { feature, mode, notes, due } = await stand.run("feature.design", { feature: "Add a login for users" });
  expect({ feature, mode, notes, due }).toMatchObject({
    feature: { name: "login-for-users", description: "Add a login for users", phase: "initialized", wave: null },
    mode: "new",
    notes: ["It is called login-for-users."],
    due: [{ id: "login-for-users/architect/1", role: "architect" }],
  });
  // Only the record: what an Architect writes is the Architect's.
  expect(fs.readdirSync(join(stand.root, "sdd/features/login-for-users"))).toEqual(["spec.yaml"]);
});

test("reports the feature of a repeated description or name", async () => {
  using stand = await withFeature("initialized");
  const taken = {
    code: "feature.exists",
    says: 'No feature was started. Feature user-login exists already: "Users log in".',
    fix: { operation: "feature.design", input: { feature: "user-login" } },
  };
  expect(await getFault(stand.run("feature.design", { feature: "User login" }))).toEqual(taken);
  expect(await getFault(stand.run("feature.design", { ...DESIGN, description: "Another" }))).toEqual(taken);
});

const REFUSED: readonly [OperationId, object, object][] = [
  [
    "feature.design",
    { feature: "user-logni" },
    {
      code: "feature.unknown",
      says: 'Unknown feature "user-logni". Did you mean "user-login"?',
      fix: { operation: "workspace.status", input: { feature: "user-login" } },
    },
  ],
  [
    "feature.impl",
    { feature: "checkout" },
    {
      code: "feature.unknown",
      says: 'Unknown feature "checkout". There is user-login.',
      fix: { operation: "feature.design", input: { feature: "…" } },
    },
  ],
  [
    "feature.design",
    { feature: "User Login", description: "Users log in" },
    {
      code: "feature.bad-name",
      says: '"User Login" is not the name of a feature. A name begins with a letter and has small letters and digits, joined by hyphens, at most 60 characters: user-login.',
      fix: { operation: "feature.design", input: { feature: "user-login", description: "…" } },
    },
  ],
  [
    "feature.impl",
    { feature: "user-login" },
    {
      code: "feature.closed",
      says: "user-login is not ready for that. Phase is 'initialized'. Run `sdd_design user-login` first.",
      fix: { operation: "feature.design", input: { feature: "user-login" } },
    },
  ],
];

test("rejects requests for unknown features and features that are not ready", async () => {
  using stand = await withFeature("initialized");
  const met: unknown[] = [];
  for (const [id, input] of REFUSED) met.push([id, input, await getFault(stand.run(id, { ...input }))]);
  expect(met).toEqual(REFUSED);
});

test("offers a design once for two requests", async () => {
  using stand = await withFeature("initialized");
  const { mode, due } = await stand.run("feature.design", { feature: "user-login" });
  expect({ mode, due }).toMatchObject({ mode: "first", due: [{ id: "user-login/architect/1" }] });
});

test("designs a feature again without a question if nothing is built from it", async () => {
  using stand = await withFeature("designed");
  const { passed, mode, due } = await stand.run("feature.design", { feature: "user-login" });
  expect({ passed, mode, due }).toMatchObject({ passed: true, mode: "again", due: [{ id: "user-login/architect/2" }] });
});

test("designs an implemented feature again after the user's approval, as a new version", async () => {
  using stand = await withFeature("built");
  const { passed, question } = await stand.run("feature.design", { feature: "user-login" });
  expect({ passed, question, phase: getPhase(stand) }).toEqual({
    passed: false,
    question: "Re-designing user-login will invalidate the current implementation. Proceed?",
    phase: "implementation-complete",
  });
  expect(await stand.run("feature.design", { feature: "user-login", confirm: true })).toMatchObject({
    passed: true,
    mode: "again",
    due: [{ id: "user-login/architect/2" }],
  });
  await drive(stand, CUTS);
  expect(stand.record("user-login")).toMatchObject({
    phase: "design-generated",
    version: "1.1.0",
    version_refs: { design: "1.1.0", implementation: "1.0.0" },
  });
});

test("plans an implementation, continues it, and repeats chosen tasks", async () => {
  using stand = await withFeature("designed");
  await stand.waive();
  const impl = (more: object = {}): Promise<object> => stand.run("feature.impl", { feature: "user-login", ...more });
  expect(await impl()).toMatchObject({ mode: "regenerate", due: [{ id: "user-login/tasks/1" }] });
  await drive(stand, CUTS, before("/build-"));
  await stand.run("roadmap.manage", { action: "stop" });
  const groups = ["user-login/build-A/2", "user-login/build-B/2"];
  expect(await impl()).toMatchObject({ mode: "resume", due: groups.map((id) => ({ id })) });
  await drive(stand, CUTS);
  expect(await impl({ tasks: ["2"] })).toMatchObject({
    mode: "re-execute",
    tasks: ["2"],
    due: [{ id: "user-login/build-B/3" }],
  });
  expect(await drive(stand, CUTS)).toEqual(["user-login/build-B/3", "user-login/gate/2", "user-login/commit/2"]);
});

test("asks how to continue with a complete feature", async () => {
  using stand = await withFeature("built");
  const { code, out } = await stand.tenon.run("impl", "user-login");
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 3,
      "out": "user-login is implemented. What do you want to do?

    feature: Users log in
    phase: implementation-complete
    version: 1.0.0

    - A: do certain tasks again
    - B: redesign it
    - C: leave it as it is

    next: tenon impl user-login 1
    next: tenon design user-login --confirm
    ",
    }
  `);
  expect(await getFault(stand.run("feature.impl", { feature: "user-login", tasks: ["3"] }))).toEqual({
    code: "feature.unknown-task",
    says: 'user-login has no task "3". Its tasks are 1, 2.',
    fix: { operation: "feature.impl", input: { feature: "user-login", tasks: ["1"] } },
  });
});

test("plans missing tasks again", async () => {
  using stand = await withFeature("planned");
  fs.rmSync(join(stand.root, "sdd/features/user-login/tasks.yaml"));
  expect(await stand.run("feature.impl", { feature: "user-login", tasks: ["1"] })).toMatchObject({
    mode: "regenerate",
    tasks: [],
    due: [{ id: "user-login/tasks/2" }],
  });
  await drive(stand, CUTS);
  expect(getPhase(stand)).toBe("implementation-complete");
});

test("closes a failed feature until the user decides", async () => {
  using stand = await withFeature("designed");
  for (let round = 0; round < 4; round++) {
    await stand.run("review.begin", { kind: "design", feature: "user-login" }).catch(() => undefined);
    await drive(stand, CUTS, (given) => {
      if (given.role === "auditor-design")
        return { report: auditorSays("NO-GO", given, ["C|coverage-gap|Spec 1|Nothing of errors"]) };
      return given.kind === "ask" ? { stop: true } : undefined;
    });
  }
  expect(getPhase(stand)).toBe("blocked");
  for (const operation of ["feature.design", "feature.impl"] as const) {
    expect(await getFault(stand.run(operation, { feature: "user-login" }))).toEqual({
      code: "feature.closed",
      says: "user-login is not ready for that. user-login is blocked by user-login.",
      fix: { operation: "roadmap.manage", input: { action: "unblock", names: ["user-login"], how: "…" } },
    });
  }
});
