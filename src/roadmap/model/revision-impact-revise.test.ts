import fc from "fast-check";
import { expect, test } from "vitest";
import { built, designed, feature, finished, createTestLead } from "../../../test/kit/features.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "./feature/feature-record.ts";
import { listDownstreamFeatures, listPlannedFeatures } from "./dependency-graph.ts";
import type { Lead } from "./lead/lead-state.ts";
import { planCrossCuttingRevision, previewFeatureRevision } from "./revision-impact.ts";

const name = (text: string): FeatureName => text as FeatureName;
const names = (...texts: string[]): FeatureName[] => texts as FeatureName[];
const afterWave1 = (records: readonly FeatureRecord[]): Lead =>
  createTestLead(records, { waves: new Map([[1, finished(1)]]) });
const blocked = (text: string, on: readonly string[] = []): FeatureRecord =>
  feature(text, {
    wave: 2,
    on,
    phase: "blocked",
    blocked_info: {
      blocked_by: names("x"),
      reason: "upstream_failure",
      blocked_at_phase: "initialized",
      detail: "d",
      is_skipped: false,
    },
  });

const shop = afterWave1([
  built("store", []),
  built("login", [], { wave: 2, on: ["store"] }),
  designed("notes", [], { wave: 2, on: ["store"] }),
  feature("search", { wave: 2, on: ["store"] }),
  blocked("tags", ["store"]),
  built("share", [], { wave: 3, on: ["login"] }),
  built("help", []),
]);

test("previews the features that a revision reaches and the choices", () => {
  expect(previewFeatureRevision(shop, name("store"))).toEqual({
    feature: "store",
    problems: [],
    reached: [
      {
        feature: "login",
        reach: "direct",
        choices: ["re-review", "re-implement", "skip"],
        summary: "It is implemented: a run reviews it again; with --gate you decide.",
      },
      {
        feature: "notes",
        reach: "direct",
        choices: [],
        summary: "It goes back to its design as soon as the new one is accepted.",
      },
      { feature: "search", reach: "direct", choices: [], summary: "It has no design yet." },
      { feature: "tags", reach: "direct", choices: [], summary: "It is blocked." },
      {
        feature: "share",
        reach: "transitive",
        choices: [],
        summary: "It is affected indirectly: check it if the features between change their contracts.",
      },
    ],
  });
});

const reopened: Lead = { ...shop, waves: new Map([[1, { ...finished(1), step: "cross-check" }]]) };

test.each<[string, Lead, string, string[]]>([
  ["a finished feature", shop, "help", []],
  ["an unknown feature", shop, "nobody", ["There is no feature nobody."]],
  ["a blocked feature", shop, "tags", ["tags is blocked by x."]],
  [
    "a feature with a design alone",
    shop,
    "notes",
    ["notes is design-generated: only an implemented feature can be revised. Redesign it instead."],
  ],
  ["a feature of a reopened wave", reopened, "help", []],
  ["a feature of an unfinished wave", shop, "login", ["Wave 2 is not finished: login is revised after its gate."]],
  ["the only feature of its roadmap", createTestLead([built("a", [])]), "a", []],
  [
    "a feature outside the roadmap",
    createTestLead([built("a", [], { wave: null }), feature("b"), feature("c")]),
    "a",
    [],
  ],
])("reports whether a feature can be revised: %s", (_, lead, text, problems) => {
  expect(previewFeatureRevision(lead, name(text)).problems.map(({ problem }) => problem)).toEqual(problems);
});

const shares = (lead: Lead, touched: readonly FeatureName[], cleared: readonly FeatureName[] = []): string[] =>
  planCrossCuttingRevision(lead, touched, cleared).shares.map(
    ({ feature: own, share, why }) => `${own} ${share}: ${why}`,
  );

test("gives each feature a share in a revision of several", () => {
  expect(shares(shop, names("store", "help", "search"))).toEqual([
    "help FULL: The intent names it.",
    "store FULL: The intent names it.",
    "login AUDIT: It builds on store.",
    "notes AUDIT: It builds on store.",
    "search SKIP: It has no design yet.",
    "tags SKIP: It is blocked: unblock it first.",
    "share SKIP: It builds on none of them.",
  ]);
});

test("revises or skips a checked feature, and audits those that build on it", () => {
  expect(shares(shop, names("store", "login"), names("notes")).slice(1)).toEqual([
    "store FULL: The intent names it.",
    "login FULL: The intent names it.",
    "notes SKIP: It was checked and does not need to change.",
    "search SKIP: It has no design yet.",
    "tags SKIP: It is blocked: unblock it first.",
    "share AUDIT: It builds on login.",
  ]);
});

test.each([
  ["none", names("search"), []],
  ["single", names("store", "search"), [["store"]]],
  ["cross-cutting", names("share", "store", "help"), [["help", "store"], ["share"]]],
  ["cross-cutting", names("login", "store", "share"), [["store"], ["login"], ["share"]]],
])("plans a revision as %s: %j", (mode, touched, tiers) => {
  expect(planCrossCuttingRevision(shop, touched)).toMatchObject({ mode, tiers });
});

const someRoadmap = fc
  .array(fc.record({ on: fc.uniqueArray(fc.nat({ max: 11 }), { maxLength: 3 }), isFull: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((all) => ({
    lead: createTestLead(
      all.map(({ on }, i) => built(`f${i}`, [], { on: on.filter((n) => n < i).map((n) => `f${n}`) })),
    ),
    full: all.flatMap(({ isFull }, i) => (isFull ? names(`f${i}`) : [])),
  }));

test("puts each revised feature into one tier, after everything that it builds on", () => {
  fc.assert(
    fc.property(someRoadmap, ({ lead, full }) => {
      const { tiers, mode } = planCrossCuttingRevision(lead, full);
      expect(tiers.flat().toSorted()).toEqual(full.toSorted());
      expect(mode).toBe(full.length > 1 ? "cross-cutting" : full.length === 1 ? "single" : "none");
      const tierOf = new Map(tiers.flatMap((tier, i) => tier.map((own) => [own, i])));
      const planned = listPlannedFeatures(lead.features.values());
      for (const own of full) {
        const later = listDownstreamFeatures(planned, own).flatMap((other) => tierOf.get(other) ?? []);
        expect(later.filter((tier) => tier <= (tierOf.get(own) ?? 0))).toEqual([]);
      }
    }),
  );
});
