import { expect, test } from "vitest";
import { estimateRoleTokens } from "#roadmap/model/agent/agent-roles.ts";
import type { ForecastRange } from "#roadmap/model/cost-forecast.ts";
import { loadLead } from "#roadmap/operations/lead/lead-store.ts";
import { designed } from "../kit/features.ts";
import { stand as bare } from "../workflow/stand.ts";
import { architectSays } from "./agents.ts";
import { getFault, manage, SHOP } from "./roadmap-calls.ts";
import { designOf, researchOf } from "./feature-documents.ts";
import { failedFeature, put, waiting } from "./records.ts";

type Input = Readonly<Record<string, unknown>>;

test("suggests no next action where nothing is ready", async () => {
  using stand = await bare();
  await stand.run("roadmap.manage", { action: "create", features: [{ name: "cart", description: "Users buy" }] });
  const ways = async (action: string): Promise<unknown> => (await stand.run("roadmap.manage", { action }))["next"];
  expect(await ways("run")).toEqual([{ operation: "stack.detect" }, { operation: "roadmap.next" }]);
  await stand.run("roadmap.manage", { action: "stop" });
  expect(await ways("show")).toEqual([{ operation: "roadmap.manage", input: { action: "run" } }]);
});

test("plans a roadmap in one write: waves by dependencies, a page, and the rationale", async () => {
  using stand = await bare();
  const { code, out } = await stand.tenon.run("roadmap", "create", "--features", JSON.stringify(SHOP));
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "out": "3 features in 3 waves.

    wave	feature	design	design review	implementation	implementation review
    1	shop-model	ready	waits for its design	waits for its design	waits for its implementation
    2	cart	waits for the design of shop-model	waits for its design	waits for its design, shop-model	waits for its implementation
    3	checkout	waits for the design of cart	waits for its design	waits for its design, cart	waits for its implementation

    - Wave 1: 1 feature [shop-model]: all parallel
    - Wave 2: 1 feature [cart]: all parallel
    - Wave 3: 1 feature [checkout]: all parallel
    - Critical path: 3 waves (shop-model → cart → checkout)
    - The vision is missing. Without it and anti-goals, reviews have little to judge by.

    next: tenon steering update --vision "…"
    next: tenon roadmap run --plan
    next: tenon roadmap run
    ",
    }
  `);
  expect(stand.read("sdd/roadmap.md")).toContain(
    "- Features: 3, implemented: 0, blocked: 0\n- Waves: 3, finished: 0\n",
  );
  expect(stand.read("sdd/steering/product.md")).toContain(
    "- **cart** (wave 2; builds on shop-model): Members fill a cart\n",
  );
});

test("keeps and shows a foundation", async () => {
  using stand = await bare();
  const features = [
    { name: "cart", description: "Members fill a cart" },
    { name: "clock", description: "What time it is", foundation: true },
  ];
  await manage(stand, "create", { features });
  expect(stand.read("sdd/features/clock/spec.yaml")).toMatch(/roadmap:\n(?: {2}.*\n)* {2}foundation: true\n/);
  expect(stand.read("sdd/roadmap.md")).toContain("### Wave 1 (foundation)");
  await manage(stand, "update", {
    features: [...features, { name: "alarm", description: "It rings" }],
    apply: ["all"],
  });
  expect(stand.read("sdd/features/clock/spec.yaml")).toContain("foundation: true");
});

test("writes nothing for an equal plan", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP });
  const record = stand.read("sdd/features/cart/spec.yaml");
  expect(await manage(stand, "create", { features: SHOP })).toMatchObject({
    passed: true,
    said: "3 features in 3 waves.",
  });
  expect(stand.read("sdd/features/cart/spec.yaml")).toBe(record);
});

test("rejects a second plan and names the command to change the first", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP });
  const features = SHOP.slice(1, 2);
  expect(await manage(stand, "create", { features })).toMatchObject({
    passed: false,
    said: "A roadmap exists already: 3 features in 3 waves.",
    next: [{ operation: "roadmap.manage", input: { action: "update", features } }],
  });
});

test("lists the required and existing features for an empty plan", async () => {
  using stand = await bare();
  await stand.run("feature.design", { feature: "user-login", description: "Users log in" });
  expect(await manage(stand, "create")).toMatchObject({
    passed: false,
    said: "No features given.",
    notes: [
      "Pass `features`, on the command line with `--features` or `--input <file>`.",
      "Agree on the features with the user: a name such as user-login, its behaviour, and the features it depends on.",
      "Models, errors and logging come first: set `foundation` on features that all others build on.",
      "Existing feature user-login: Users log in",
    ],
  });
});

test("places a feature from outside the roadmap with its progress", async () => {
  using stand = await bare();
  await put(stand.engine, [designed("user-login", ["src/login.ts"], { wave: null })]);
  const features = [{ name: "user-login" }, { name: "checkout", description: "Pay", dependencies: ["user-login"] }];
  expect(await manage(stand, "create", { features })).toMatchObject({
    passed: true,
    features: [
      { name: "user-login", wave: 1, phase: "design-generated" },
      { name: "checkout", wave: 2, phase: "initialized" },
    ],
  });
});

test.each<[string, readonly object[], string, string]>([
  [
    "a circle",
    [
      { name: "a", description: "A", dependencies: ["b"] },
      { name: "b", description: "B", dependencies: ["a"] },
    ],
    "roadmap.cycle",
    "The features cannot be put in an order. They wait for each other: a → b → a.",
  ],
  [
    "a dependency outside the plan",
    [{ name: "a", description: "A", dependencies: ["b"] }],
    "roadmap.unknown-dependency",
    'a cannot be planned. It depends on "b", which is not a feature of the roadmap.',
  ],
  [
    "a repeated feature",
    [
      { name: "a", description: "A" },
      { name: "a", description: "B" },
    ],
    "roadmap.duplicate",
    "a cannot be planned. It is named twice.",
  ],
  [
    "a feature without a description",
    [{ name: "a" }],
    "input.missing",
    "Nothing was planned. The new feature a has no description.",
  ],
  [
    "an invalid name",
    [{ name: "../a", description: "A" }],
    "feature.bad-name",
    '"../a" is not the name of a feature. A name begins with a letter and has small letters and digits, joined by hyphens, at most 60 characters: user-login.',
  ],
])("rejects a plan with %s and writes nothing", async (_, features, code, says) => {
  using stand = await bare();
  expect(await getFault(manage(stand, "create", { features }))).toEqual([code, says]);
  expect(stand.has("sdd/features")).toBe(false);
});

test.each(["run", "update", "delete"])("rejects %s without a roadmap", async (action) => {
  using stand = await bare();
  expect(await getFault(manage(stand, action))).toEqual([
    "roadmap.none",
    "There is no roadmap. No feature is planned.",
  ]);
});

test("starts a run once, keeps its settings, and continues it after a stop", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP });
  const said = async (action: string, more: Input = {}): Promise<unknown> =>
    (await manage(stand, action, more))["said"];
  const run = { is_gated: true, cap: 500_000 };
  expect(await said("stop")).toBe("Nothing is under way.");
  expect(await said("run", { gate: true, cap_tokens: 500_000 })).toBe("The roadmap is running: 3 features in 3 waves.");
  expect(await manage(stand, "run")).toMatchObject({
    said: "The roadmap is running already: 3 features in 3 waves.",
    run,
  });
  await stand.run("roadmap.next", {});
  expect(await manage(stand, "stop", { reason: "Enough for today" })).toMatchObject({
    said: "Stopped: 0 of 3 features implemented.",
    run: { state: "stopped", why: "Enough for today" },
    in_progress: [expect.stringMatching(/^design: shop-model \(shop-model\/architect\/1\), default since 2026/)],
    next: [{ operation: "roadmap.manage", input: { action: "run" } }],
  });
  expect(await stand.run("roadmap.next", {})).toMatchObject({ actions: [], dismissed: ["shop-model/architect/1"] });
  expect(await manage(stand, "run")).toMatchObject({ said: "The roadmap continues: 3 features in 3 waves.", run });
  expect(await stand.run("roadmap.next", {})).toMatchObject({ actions: [{ id: "shop-model/architect/2" }] });
});

test("keeps a cap and the choice for shared files until they are changed", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP });
  const runOf = async (more: Input): Promise<unknown> => {
    await manage(stand, "run", more);
    return stand.engine.store.read((tree) => {
      const { cap, onOverlap } = loadLead(tree, stand.engine).run;
      return { cap, onOverlap };
    });
  };
  expect(await runOf({ cap_tokens: 5, partition: true })).toEqual({ cap: 5, onOverlap: "partition" });
  expect(await runOf({})).toEqual({ cap: 5, onOverlap: "partition" });
  expect(await runOf({ cap_tokens: 0 })).toEqual({ cap: null, onOverlap: "partition" });
  expect(await runOf({ partition: false })).toEqual({ cap: null, onOverlap: "serialise" });
});

test("compares the cost of agents with the estimates", async () => {
  using stand = await bare();
  const cut = { feature: "shop-model", groups: ["A"] };
  const notes = async (): Promise<unknown> => (await manage(stand, "show"))["notes"];
  await manage(stand, "create", { features: SHOP });
  await manage(stand, "run");
  expect(await notes()).toEqual([]);
  await stand.run("roadmap.next", {});
  await stand.run("roadmap.report", { action: "shop-model/architect/1", lost: true });
  const estimate = estimateRoleTokens("architect");
  const said = (runs: string, n: number): string =>
    `${runs} so far, estimated at ${(n * estimate).toLocaleString("en")} tokens;`;
  expect(await notes()).toEqual([`${said("1 agent run", 1)} no costs were reported.`]);
  await stand.run("roadmap.next", {});
  stand.write("sdd/features/shop-model/design.md", designOf(cut));
  stand.write("sdd/features/shop-model/research.md", researchOf(cut));
  const report = { report: architectSays(cut), tokens: estimate * 2 };
  await stand.run("roadmap.report", { action: "shop-model/architect/2", ...report });
  const cost = "1 of them cost 2.00 times what they were estimated at.";
  expect(await notes()).toEqual([`${said("2 agent runs", 2)} ${cost}`]);
});

test("warns an agent that plans a feature named in a non-goal", async () => {
  using stand = await bare();
  await put(stand.engine, [designed("shop-model", ["src/model.ts"])]);
  const design = designOf({ feature: "shop-model", groups: ["A"] }).replace(
    "- Anything else.",
    "- No request logging.",
  );
  stand.write("sdd/features/shop-model/design.md", design);
  const features = [{ name: "shop-model" }, { name: "logging", description: "What happens is written down" }];
  const line = design.split("\n").indexOf("- No request logging.") + 1;
  expect(await manage(stand, "update", { features })).toMatchObject({
    notes: [`logging is a non-goal of shop-model: sdd/features/shop-model/design.md:${line}: - No request logging.`],
  });
});

test("forecasts runs and tokens for each wave, and starts nothing", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP.slice(1, 2) });
  const words = ["roadmap", "run", "--plan", "--cap-tokens", "1000000"];
  const { code, out } = await stand.tenon.run(...words);
  const { forecast } = JSON.parse((await stand.tenon.run(...words, "--json")).out) as {
    forecast: { runs: ForecastRange; tokens: ForecastRange }[];
  };
  const [runs, tokens] = [forecast[0]?.runs, forecast[0]?.tokens].map(
    (range) => `${range?.best.toLocaleString("en")} to ${range?.worst.toLocaleString("en")}`,
  );
  // Each inspector is a run, so the numbers grow with the roles. The forecast's own tests check them.
  expect({ code, out: out.replaceAll(`${runs}`, "RUNS").replaceAll(`${tokens}`, "TOKENS") }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "out": "What is left takes RUNS agent runs and TOKENS tokens. Nothing was started.

    wave	features	agent runs	tokens
    1	1	RUNS	TOKENS

    - Before you start agents: no feature can pass its gate. generic: Tenon looked for a target test in the Makefile.
    - The first number holds if every review passes at once, the second if each fails as often as allowed.
    - 1 feature without tasks: the number of Builders is a guess.
    - 1,000,000 tokens are used up in wave 1 at worst, or never; then Tenon asks whether it may cost more.

    next: tenon roadmap run --cap-tokens 1000000
    ",
    }
  `);
  expect(await stand.run("roadmap.next", {})).toMatchObject({ actions: [] });
});

test("shows the differences of an update first, and applies the chosen ones", async () => {
  using stand = await bare();
  await manage(stand, "create", { features: SHOP });
  const features = [
    { name: "shop-model" },
    { name: "cart", dependencies: ["shop-model"] },
    { name: "mails", description: "Members get mails", dependencies: ["cart"] },
  ];
  const wanted = { features };
  const before = stand.read("sdd/roadmap.md");
  const { differences, said } = await manage(stand, "update", wanted);
  expect({ differences, said }).toEqual({
    said: "2 differences, impact SCOPE_CHANGE. Nothing is changed yet.",
    differences: [
      {
        id: "missing/mails",
        feature: "mails",
        summary: "mails is new, and goes into wave 3.",
        impact: "SCOPE_CHANGE",
        applied: false,
      },
      {
        id: "orphaned/checkout",
        feature: "checkout",
        summary: "checkout is initialized, but no longer in the plan.",
        impact: "SCOPE_CHANGE",
        applied: false,
      },
    ],
  });
  expect(stand.read("sdd/roadmap.md")).toBe(before);
  expect(await getFault(manage(stand, "update", { ...wanted, apply: ["missing/mail"] }))).toEqual([
    "roadmap.unknown-difference",
    'Nothing was changed. No difference has the id "missing/mail".',
  ]);
  expect(await manage(stand, "update", { ...wanted, apply: ["missing/mails"] })).toMatchObject({
    said: "1 difference made up for; 1 left.",
  });
  expect([stand.has("sdd/features/mails/spec.yaml"), stand.has("sdd/features/checkout/spec.yaml")]).toEqual([
    true,
    true,
  ]);
  expect(await manage(stand, "update", { ...wanted, apply: ["all"], reason: "Paid by invoice" })).toMatchObject({
    said: "1 difference made up for; 0 left.",
  });
  expect(stand.has("sdd/features/checkout")).toBe(false);
  expect(stand.has("sdd/superseded/feature-checkout-1/spec.yaml")).toBe(true);
  expect(stand.read("sdd/handover/decisions.md")).toContain("- Reason: Paid by invoice");
  expect(stand.read("sdd/steering/product.md")).not.toContain("**checkout**");
  expect(await manage(stand, "update")).toMatchObject({ said: "The roadmap matches the plan.", differences: [] });
});

test("reports a plan that the Lead rejects, and writes nothing", async () => {
  using stand = await bare();
  const features = [
    { name: "cart", description: "Members fill a cart" },
    { name: "all", description: "Everything" },
  ];
  expect(await getFault(manage(stand, "create", { features }))).toEqual([
    "roadmap.refused",
    "Nothing was changed. all cannot be a feature: reports would take it for something else.",
  ]);
  expect(stand.has("sdd/features")).toBe(false);
});

test("shows the state of each feature", async () => {
  using stand = await bare();
  await put(stand.engine, [failedFeature, waiting, designed("mails", ["src/mails.ts"])]);
  await manage(stand, "run");
  const { code, out } = await stand.tenon.run("roadmap");
  expect({ code, out }).toMatchInlineSnapshot(`
    {
      "code": 0,
      "out": "The roadmap: 3 features in 2 waves.

    run: on, by itself
    tokens: 0 spent

    wave	feature	design	design review	implementation	implementation review
    1	mails	done	ready	waits for its design review	waits for its implementation
    1	shop-model	done	blocked by shop-model	blocked by shop-model	blocked by shop-model
    2	cart	blocked by shop-model	blocked by shop-model	blocked by shop-model	blocked by shop-model

    - Wave 1: 2 features [mails, shop-model]: all parallel
    - Wave 2: 1 feature [cart]: all parallel
    - Critical path: 2 waves (shop-model → cart)
    - Due: ask the user: escalation of shop-model (shop-model/escalation/1)
    - Due: review mails/design

    next: tenon next
    ",
    }
  `);
});
