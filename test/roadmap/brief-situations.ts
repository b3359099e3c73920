import { REVIEW_INSPECTORS } from "#roadmap/model/agent/agent-roles.ts";
import type { PendingFix } from "#roadmap/model/feature/feature-record.ts";
import type { ReviewKind } from "#roadmap/model/review/review-kinds.ts";
import type { InspectionResult } from "#roadmap/model/review/review-finding.ts";
import type { SpawnAction, Lead, OpenReview, ReviewScope } from "#roadmap/model/lead/lead-state.ts";
import { FINDINGS, harbour, LOGIN, OF_LOGIN, type Situation } from "./harbour.ts";

export const INSPECTION: InspectionResult = {
  scope: "user-login",
  verdict: "CONDITIONAL",
  findings: [FINDINGS.late, FINDINGS.leaking],
  notes: ["Read all of src/login.ts."],
};

/** A review that is under way, with the reports of these inspectors. */
function underWay(kind: ReviewKind, scope: ReviewScope, changes: Partial<OpenReview> = {}): OpenReview {
  const inspectors = [...REVIEW_INSPECTORS[kind]];
  return {
    kind,
    scope,
    batch: "B5",
    of: "9d1c5a7be0f2",
    inspectors,
    inspections: {},
    missing: [],
    lost: {},
    tracked: [],
    mended: [],
    ...changes,
  };
}

const fixed = (fix: Omit<PendingFix, "groups">): Lead => harbour({ fix: { groups: [], ...fix } });
const batch = (n: number): string => `sdd/features/user-login/reviews/B${n}.yaml`;
const spawn = (id: string, role: SpawnAction["role"], work: SpawnAction["work"]): SpawnAction => ({
  id,
  kind: "spawn",
  role,
  work,
});

const designing = (lead: Lead, mode: "new" | "existing", isFix: boolean): Situation => ({
  lead,
  action: spawn("user-login/architect/1", "architect", { of: "design", feature: LOGIN, mode, isFix }),
});
const planning = (lead: Lead, excluded: readonly string[] = [], blocker: string | null = null): Situation => ({
  lead,
  action: spawn("user-login/tasks/1", "task-generator", { of: "tasks", feature: LOGIN, excluded, blocker }),
});
const building = (lead: Lead, group: string, tasks: readonly string[], isFix: boolean): Situation => ({
  lead,
  action: spawn(`user-login/build-${group}/1`, "builder", { of: "build", feature: LOGIN, group, tasks, isFix }),
});
const reviewing = (role: SpawnAction["role"], open: OpenReview, views?: readonly string[]): Situation => ({
  lead: { ...harbour(), reviews: new Map([["open", open]]) },
  action: spawn(`user-login/${open.kind}/${open.batch}/x`, role, {
    of: "review",
    review: "open",
    scope: open.scope,
    ...(views ? { views } : {}),
  }),
});

const WAVE: ReviewScope = { of: "wave", wave: 2 };
const WAIVED = { ...FINDINGS.late, location: "src/session.ts:9", waived: "Sessions of a day are what we want" };
const HISTORY = { tracked: [FINDINGS.late, WAIVED], mended: [FINDINGS.leaking] };

function inspecting(): [string, Situation][] {
  return Object.entries(REVIEW_INSPECTORS).flatMap(([kind, names]) =>
    names.flatMap((name): [string, Situation][] => [
      [`${name}, single`, reviewing(`inspector-${name}`, underWay(kind as ReviewKind, OF_LOGIN))],
      [`${name}, wave`, reviewing(`inspector-${name}`, underWay(kind as ReviewKind, WAVE, HISTORY))],
    ]),
  );
}

function auditing(): [string, Situation][] {
  return Object.entries(REVIEW_INSPECTORS).flatMap(([kind, names]): [string, Situation][] => {
    const inspections = Object.fromEntries(names.map((name) => [name, INSPECTION]));
    const [missing = "", ...reported] = names;
    const left = Object.fromEntries(reported.map((name) => [name, INSPECTION]));
    const of = kind as ReviewKind;
    return [
      [`auditor of ${kind}, single`, reviewing(`auditor-${of}`, underWay(of, OF_LOGIN, { inspections }))],
      [
        `auditor of ${kind}, wave, one missing`,
        reviewing(`auditor-${of}`, underWay(of, WAVE, { ...HISTORY, inspections: left, missing: [missing] })),
      ],
    ];
  });
}

/** Every role, and every way in which it may be asked. */
export const SITUATIONS: ReadonlyMap<string, Situation> = new Map([
  ["architect, new", designing(harbour({ phase: "initialized", design: null }), "new", false)],
  ["architect, existing", designing(harbour(), "existing", false)],
  ["architect, fix", designing(fixed({ source: "design", batch: batch(1), detail: "1 critical" }), "existing", true)],
  [
    "architect, spec update",
    designing(fixed({ source: "spec-update", batch: batch(4), detail: "The specs are wrong" }), "existing", true),
  ],
  [
    "architect, revision",
    designing(fixed({ source: "revise", batch: null, detail: "Sessions last a week" }), "existing", true),
  ],
  ["task generator", planning(harbour())],
  [
    "task generator, exclusions and blocker",
    planning(
      harbour({
        reviews: {
          design: { batch: "B2", verdict: "GO", disposition: "GO-ACCEPTED", of: "d1", proposals: 0 },
          implementation: null,
        },
      }),
      ["src/accounts.ts", "src/router.ts"],
      "src/router.ts belongs to nobody",
    ),
  ],
  ["builder", building(harbour(), "C", ["2"], false)],
  ["builder, fix", building(fixed({ source: "impl", batch: batch(3), detail: "1 high" }), "A", ["1.1"], true)],
  [
    "builder, fix of a wave",
    building(fixed({ source: "wave", batch: "sdd/reviews/B1.yaml", detail: "1 of 2 findings" }), "B", ["1.2"], true),
  ],
  [
    "builder, fix of the gate",
    building(fixed({ source: "gate", batch: null, detail: "1 test failed: sessions end" }), "B", ["1.2"], true),
  ],
  [
    "builder, anew",
    building(harbour({ version_refs: { design: "1.1.0", implementation: "1.0.0" } }), "B", ["1.2"], false),
  ],
  ...inspecting(),
  ["interface, some tasks", reviewing("inspector-interface", underWay("impl", { ...OF_LOGIN, tasks: ["1.1"] }))],
  ["architecture, cross-check", reviewing("inspector-architecture", underWay("design", { of: "all" }))],
  ["rulebase, two views", reviewing("inspector-rulebase", underWay("design", OF_LOGIN), ["rulebase", "consistency"])],
  [
    "test, all views of a change",
    reviewing(
      "inspector-test",
      underWay("impl", OF_LOGIN, {
        delta: { batch: "B3", diff: "src/login.ts\n- const limit = 5;\n+ const limit = 3;" },
      }),
      REVIEW_INSPECTORS.impl,
    ),
  ],
  ...auditing(),
]);
