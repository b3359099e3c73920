import { expect, test } from "vitest";
import { auditorSays, cutsOf } from "./agents.ts";
import { before, drive, type Otherwise } from "./roadmap-driver.ts";
import { getFault } from "./roadmap-calls.ts";
import { PERSON } from "../kit/house.ts";
import { type RoadmapStand, roadmapStand } from "./stand.ts";

const CUTS = cutsOf({ "user-login": ["A"] });
const OF = { feature: "user-login" };

async function designed(): Promise<RoadmapStand> {
  const stand = await roadmapStand({}, {}, PERSON);
  await stand.run("feature.design", { ...OF, description: "Users log in" });
  await drive(stand, CUTS);
  return stand;
}

async function built(): Promise<RoadmapStand> {
  const stand = await designed();
  // What the tests say is not what this is about.
  await stand.waive();
  await stand.run("feature.impl", OF);
  await drive(stand, CUTS);
  return stand;
}

/** An auditor who says no for these rows; whoever is to mend them is not heard of. */
const finding =
  (kind: string, ...rows: string[]): Otherwise =>
  (given) => {
    if (given.role === `auditor-${kind}`) return { report: auditorSays("NO-GO", given, rows) };
    return given.role?.startsWith("inspector") ? undefined : { stop: true };
  };

const GAP = "C|coverage-gap|Spec 1|It says nothing of errors";
const FAILURE = "C|test-failure|src/user-login-A.mjs|It fails at night";
const reason = "The provider guarantees it";

const REFUSED: readonly [string, object, string, string][] = [
  [
    "a design that is not there",
    { kind: "design", feature: "user-login" },
    "feature.closed",
    "user-login is not ready for that. Design required. Run `sdd_design user-login` first.",
  ],
  [
    "code that is not there",
    { kind: "impl", feature: "user-login" },
    "feature.closed",
    "user-login is not ready for that. Design required. Run `sdd_design user-login` first.",
  ],
  [
    "a feature that nobody knows",
    { kind: "design", feature: "checkout" },
    "feature.unknown",
    'Unknown feature "checkout". There is user-login.',
  ],
  ["nothing", { kind: "impl" }, "review.bad-scope", "No review was started. Nothing to review was named."],
  [
    "two things at once",
    { kind: "impl", feature: "user-login", wave: 1 },
    "review.bad-scope",
    "No review was started. A feature, a wave and a cross-check exclude each other.",
  ],
  [
    "tasks of a design",
    { kind: "design", feature: "user-login", tasks: ["1"] },
    "review.bad-scope",
    "No review was started. Only the implementation of a feature is reviewed by tasks.",
  ],
  [
    "dead code of one feature",
    { kind: "dead-code", feature: "user-login" },
    "review.bad-scope",
    "No review was started. A dead-code review covers everything, or one kind: settings, code, specs, tests.",
  ],
  [
    "a wave that is not there",
    { kind: "impl", wave: 2 },
    "review.bad-scope",
    "No review was started. There is no roadmap, so there are no waves.",
  ],
  [
    "all designs, of which there is none",
    { kind: "design", cross_check: true },
    "review.nothing-there",
    "No review was started. No feature is designed yet.",
  ],
  [
    "all code, of which there is none",
    { kind: "impl", cross_check: true },
    "review.nothing-there",
    "No review was started. No feature is implemented yet.",
  ],
];

test("rejects a review without a scope or of an unknown one", async () => {
  using stand = await roadmapStand({}, {}, PERSON);
  await stand.run("feature.design", { ...OF, description: "Users log in" });
  const met: unknown[] = [];
  for (const [what, input] of REFUSED)
    met.push([what, input, ...((await getFault(stand.run("review.begin", { ...input }))) as string[])]);
  expect(met).toEqual(REFUSED);
});

test("starts a review once, with its inspectors ready", async () => {
  using stand = await designed();
  const input = { kind: "design", ...OF };
  expect(await stand.run("review.begin", input)).toMatchObject({
    state: "begun",
    batch: "B1",
    tracked: 0,
    history: [],
    due: [
      { id: "user-login/design/B1/rulebase", views: ["rulebase", "consistency"] },
      { id: "user-login/design/B1/testability", views: ["testability", "architecture"] },
      { id: "user-login/design/B1/best-practices" },
    ],
  });
  expect(await stand.run("review.begin", input)).toMatchObject({ state: "open", batch: "B1" });
});

test("reviews one kind of dead code with its own inspector, and keeps findings of the others", async () => {
  using stand = await designed();
  const all = await stand.run("review.begin", { kind: "dead-code" });
  expect(all["inspectors"]).toEqual(["dead-settings", "dead-code", "dead-specs", "dead-tests"]);
  const found =
    "VERIFIED:\nsettings|M|dead-config|sdd/old.yaml|Nobody reads it\ntests|M|orphaned-test|t.mjs|Of nothing\n";
  await drive(stand, CUTS, (given) =>
    given.role === "auditor-dead-code" ? { report: auditorSays("GO", given, [], found) } : undefined,
  );
  const some = await stand.run("review.begin", { kind: "dead-code", feature: "settings" });
  expect([some["batch"], some["inspectors"], some["tracked"]]).toEqual(["B2", ["dead-settings"], 1]);
  expect(await drive(stand, CUTS)).toEqual(["all/dead-code/B2/dead-settings", "all/dead-code/B2/auditor"]);
  // What the tests' inspector found is open still; that of the settings is mended.
  const again = await stand.run("review.begin", { kind: "dead-code" });
  expect([again["batch"], again["tracked"]]).toEqual(["B3", 1]);
});

test("shows verdicts, open findings and fixed findings in the history of reviews", async () => {
  using stand = await designed();
  const input = { kind: "design", ...OF };
  await stand.run("review.begin", input);
  const first: Otherwise = (given) =>
    given.id === "user-login/design/B1/auditor"
      ? { report: auditorSays("NO-GO", given, [GAP, "M|untestable|Spec 1.AC1|Soon is no number"]) }
      : undefined;
  await drive(stand, CUTS, (given) =>
    given.id === "user-login/design/B2/auditor"
      ? { report: auditorSays("GO", given, ["M|untestable|Spec 1.AC1|Soon is no number"]) }
      : first(given),
  );
  const { out } = await stand.tenon.run("review", "design", "user-login", "--history");
  expect(out.replaceAll(/2026-01-31T[\d:]+Z/g, "<at>")).toMatchInlineSnapshot(`
    "2 design reviews of user-login.

    batch	review	when	verdict	disposition	findings	mended
    B2	design of user-login	<at>	GO	GO-ACCEPTED	1 M	1
    B1	design of user-login	<at>	NO-GO	NO-GO-RETURNED	1 C, 1 M	0

    - B2 F1: M untestable, Spec 1.AC1: Soon is no number (tracked)
    - B2 mended: C coverage-gap, Spec 1
    "
  `);
});

test("reports a design that was edited outside its review", async () => {
  using stand = await designed();
  stand.write("sdd/features/user-login/design.md", "# Nothing\n");
  await stand.run("roadmap.manage", { action: "create", features: [{ name: "user-login" }] });
  await stand.run("roadmap.manage", { action: "run" });
  expect(await getFault(stand.run("review.begin", { kind: "design", ...OF }))).toEqual([
    "review.other",
    "No review was started. The edited design of user-login is not sound. An Architect fixes it first.",
  ]);
});

test("withdraws the fix of a design after its Critical is waived", async () => {
  using stand = await designed();
  await stand.run("review.begin", { kind: "design", ...OF });
  await drive(stand, CUTS, finding("design", GAP));
  expect(stand.record("user-login")["fix"]).toMatchObject({ source: "design" });
  const { code, out } = await stand.tenon.run("review", "waive", "user-login", "B1", "F1", "--reason", reason);
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "out": "Waived; the design review B1 of user-login is GO now, and was NO-GO.

    remaining findings: none

    - F1: C coverage-gap, Spec 1: It says nothing of errors (waived: The provider guarantees it)
    - Due: commit user-login (user-login/commit/1)

    next: tenon next
    ",
    }
  `);
  expect(stand.record("user-login")).toMatchObject({
    fix: null,
    reviews: { design: { batch: "B1", verdict: "GO", disposition: "GO-ACCEPTED" } },
    orchestration: { retry_count: 0, total_count: 1 },
  });
  expect(stand.read("sdd/handover/decisions.md")).toContain("USER_DECISION | F1 of B1 may stand");
  expect((await stand.next()).actions.map(({ id }) => id)).toEqual(["user-login/commit/1"]);
});

test("keeps code as reviewed after its Critical is waived", async () => {
  using stand = await built();
  await stand.run("review.begin", { kind: "impl", ...OF });
  await drive(stand, CUTS, finding("impl", FAILURE));
  expect(stand.record("user-login")).toMatchObject({ fix: { source: "impl", groups: ["A"] } });
  expect(await stand.run("review.waive", { scope: "user-login", batch: "B1", finding: "F1", reason })).toMatchObject({
    before: "NO-GO",
    verdict: "GO",
    due: [{ id: "user-login/commit/2" }],
  });
  const { implementation, reviews } = stand.record("user-login") as {
    readonly implementation: object;
    readonly reviews: { readonly implementation: { readonly of: string } };
  };
  expect(stand.record("user-login")["fix"]).toBe(null);
  expect(implementation).toMatchObject({
    hash: reviews.implementation.of,
    groups: [{ id: "A", status: "done" }],
  });
});

test("changes only the batch when one of two Criticals is waived", async () => {
  using stand = await designed();
  await stand.run("review.begin", { kind: "design", ...OF });
  await drive(stand, CUTS, finding("design", GAP, "C|scope-violation|Spec 1|It does more than was asked"));
  const waive = (id: string): Promise<object> =>
    stand.run("review.waive", { scope: "user-login", batch: "B1", finding: id, reason });
  expect(await waive("F2")).toMatchObject({ before: "NO-GO", verdict: "NO-GO", counts: { C: 1 } });
  expect(stand.record("user-login")).toMatchObject({
    fix: { source: "design" },
    reviews: { design: { verdict: "NO-GO" } },
  });
  expect(await waive("F1")).toMatchObject({ before: "NO-GO", verdict: "GO", counts: { C: 0 } });
});

test("keeps a waiver of a fixed finding and reviews the fix", async () => {
  using stand = await built();
  await stand.run("review.begin", { kind: "impl", ...OF });
  await drive(stand, CUTS, (given) =>
    given.role === "auditor-impl" ? { report: auditorSays("NO-GO", given, [FAILURE]) } : before("/gate/")(given),
  );
  expect(await stand.run("review.waive", { scope: "user-login", batch: "B1", finding: "F1", reason })).toMatchObject({
    verdict: "GO",
  });
  expect(stand.record("user-login")).toMatchObject({ fix: { source: "impl" }, implementation: { hash: null } });
  expect((await stand.next()).actions).toMatchObject([{ id: "user-login/gate/2" }]);
});

const UNKNOWN: readonly [object, string, string][] = [
  [
    { scope: "user-login", batch: "B9", finding: "F1" },
    "review.unknown",
    'Nothing was waived. No review of user-login is "B9"; there are B1.',
  ],
  [
    { scope: "all", batch: "B1", finding: "F1" },
    "review.unknown",
    'Nothing was waived. No review of waves or of everything is "B1"; there is none.',
  ],
  [
    { scope: "user-login", batch: "B1", finding: "F7" },
    "review.unknown-finding",
    'The finding "F7" of B1 was not waived. The review has F1.',
  ],
  [
    { scope: "../../etc", batch: "B1", finding: "F1" },
    "feature.unknown",
    'Unknown feature "../../etc". There is user-login.',
  ],
  [
    { scope: "user-login", batch: "../spec", finding: "F1" },
    "review.unknown",
    'Nothing was waived. No review of user-login is "../spec"; there are B1.',
  ],
];

test("rejects a waiver of an unknown finding", async () => {
  using stand = await designed();
  await stand.run("review.begin", { kind: "design", ...OF });
  await drive(stand, CUTS, finding("design", GAP));
  const met: unknown[] = [];
  for (const [input] of UNKNOWN)
    met.push([input, ...((await getFault(stand.run("review.waive", { ...input, reason }))) as string[])]);
  expect(met).toEqual(UNKNOWN);
});
