import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, TaskGroupRecord } from "#roadmap/model/feature/feature-record.ts";
import { estimateActionCost } from "#roadmap/model/lead/lead-decision.ts";
import type {
  AgentReport,
  FeatureGoal,
  LeadAction,
  LeadEvent,
  LeadEventResult,
  ReportFacts,
  ReviewScope,
} from "#roadmap/model/lead/lead-state.ts";
import type { AuditResult } from "#roadmap/model/review/review-finding.ts";
import { REVIEW_KINDS } from "#roadmap/model/review/review-kinds.ts";
import { waiveStoredFinding } from "#roadmap/model/review/stored-review.ts";
import { feature } from "./features.ts";
import { AT, audit, finding, inspection, type Told, Workshop } from "./lead.ts";

type Pick = (below: number) => number;

/** Files that several features may claim; the last two are one, by two names. */
const SHARED = ["src/shared-0.ts", "src/shared-1.ts", "src/shared-2.ts", "src/Shared-2.ts"];

/** One to eight features in up to four waves, some alone, with plans that overlap here and there. */
export function anyWorkshop(pick: Pick): Workshop {
  const workshop = new Workshop();
  const many = 1 + pick(1 + pick(8));
  for (let i = 0; i < many; i++) addAny(workshop, pick, `f${i}`);
  const said = { isGated: pick(3) === 0, cap: pick(5) === 0 ? 50_000 + pick(2_000_000) : null };
  if (pick(8) > 0) workshop.begin(pick(2) === 0 ? said : { ...said, onOverlap: "partition" });
  return workshop;
}

function addAny(workshop: Workshop, pick: Pick, name: string): void {
  const others = [...workshop.lead.features.values()].filter(({ roadmap }) => roadmap);
  const on = others.filter(() => pick(3) === 0);
  const least = Math.max(1, ...on.map(({ roadmap }) => (roadmap?.wave ?? 0) + (pick(6) === 0 ? 0 : 1)));
  const record =
    pick(10) === 0 ? feature(name, { wave: null }) : feature(name, { wave: least, on: listFeatureNames(on) });
  workshop.plans.set(name, anyPlan(pick, name));
  workshop.feed({ kind: "feature-added", record });
}

const listFeatureNames = (records: readonly FeatureRecord[]): FeatureName[] =>
  records.map(({ feature_name: name }) => name);

function anyPlan(pick: Pick, name: string): TaskGroupRecord[] {
  const ids = ["A", "B", "C", "D"].slice(0, 1 + pick(4));
  return ids.map((id, i) => ({
    id,
    wave: 1 + pick(2),
    tasks: [`${i + 1}.1`, `${i + 1}.2`],
    files: [`src/${name}/${id}.ts`, ...(pick(4) === 0 ? [SHARED[pick(SHARED.length)] ?? ""] : [])],
    depends: ids.slice(0, i).filter(() => pick(3) === 0),
    status: "pending",
  }));
}

/** How things go in a story, in percent. */
export interface Mood {
  /** Reports that are no good, reviews that say no, agents who vanish. */
  readonly trouble: number;
  /** What users do in between, what is said twice, what nobody should say. */
  readonly noise: number;
  /** A feature, or a wave, that hardly ever turns out well. */
  readonly hopeless: string | null;
}

export const anyMood = (pick: Pick): Mood => ({
  trouble: pick(5) * 20,
  noise: 2 + pick(4) * 8,
  hopeless: ["f0", "f1", "wave-1", null][pick(4)] ?? null,
});

/** Does something that may happen, or something that may not. What became of it, and of which event. */
export function playRandomEvent(
  workshop: Workshop,
  pick: Pick,
  mood: Mood = anyMood(pick),
): { readonly event: LeadEvent; readonly applied: LeadEventResult } {
  const event = anyEvent(workshop, pick, mood);
  return { event, applied: workshop.feed(event) };
}

function anyEvent(workshop: Workshop, pick: Pick, mood: Mood): LeadEvent {
  const { noise, trouble } = mood;
  const { actions, reviews, out } = workshop.decide();
  if (pick(100) < noise) return pick(3) === 0 ? again(workshop, pick) : strange(workshop, pick);
  const due = actions[pick(Math.max(1, actions.length))];
  const busy = out[pick(Math.max(1, out.length))];
  const review = reviews[pick(Math.max(1, reviews.length))];
  const roll = pick(100);
  if (review && roll < 30) return begun(workshop, pick, review.review, review.scope);
  if (busy && roll < 60) {
    if (pick(400) < trouble) return { kind: "lost", action: busy.action.id, why: "gone" };
    return reported(workshop, pick, busy.action, troubleWith(busy.action, mood));
  }
  if (due && roll < 70) return handedOut(due.id, pick, estimateActionCost(due));
  if (due) return reported(workshop, pick, due, troubleWith(due, mood));
  if (busy) return reported(workshop, pick, busy.action, troubleWith(busy.action, mood));
  if (review) return begun(workshop, pick, review.review, review.scope);
  return strange(workshop, pick);
}

const troubleWith = ({ id }: LeadAction, { trouble, hopeless }: Mood): number =>
  hopeless !== null && id.startsWith(`${hopeless}/`) ? 90 : trouble;

/** Mostly as it is estimated. */
const handedOut = (action: string, pick: Pick, cost = 0): LeadEvent => ({
  kind: "handed-out",
  action,
  session: `session-${pick(3)}`,
  at: AT,
  base: null,
  estimate: pick(5) === 0 ? pick(200_000) : cost,
});

function begun(workshop: Workshop, pick: Pick, review: (typeof REVIEW_KINDS)[number], scope: ReviewScope): LeadEvent {
  const isMissing = scope.of === "feature" && !workshop.lead.features.has(scope.feature);
  const of = isMissing || pick(30) === 0 ? "another" : workshop.hashOf(review, scope);
  const batch = pick(30) === 0 ? ["B1", "B0", "x"][pick(3)] : undefined;
  return {
    kind: "review-begun",
    review,
    scope,
    batch: batch ?? workshop.nextBatch(scope),
    of,
    tracked: [],
    mended: [],
  };
}

function reported(workshop: Workshop, pick: Pick, action: LeadAction, trouble: number): LeadEvent {
  const told = pick(100) < trouble ? anyTold(workshop, pick, action) : workshop.well(action);
  const { report, facts } = pick(50) === 0 ? anyReport(pick) : told;
  const event = { kind: "reported", action: action.id, report, facts: { at: AT, ...facts } } as const;
  return pick(3) === 0 ? { ...event, tokens: pick(150_000) } : event;
}

/** Reports of the wrong kind, with nothing to bear them out. */
function anyReport(pick: Pick): Told {
  const reports: readonly AgentReport[] = [
    { kind: "architect", discovery: "", tags: [] },
    { kind: "tasks", tags: [] },
    { kind: "gate" },
    { kind: "inspection", inspection: inspection() },
    { kind: "audit", audit: audit() },
    { kind: "answer", choice: "perhaps", said: "" },
    { kind: "commit", declined: false },
    { kind: "builder", tasks: ["9"], files: ["elsewhere.ts"], tests: { passed: 1, total: 2 }, tags: [] },
  ];
  return { report: reports[pick(reports.length)] ?? { kind: "gate" } };
}

function anyTold(workshop: Workshop, pick: Pick, action: LeadAction): Told {
  const well = workshop.well(action);
  switch (action.kind) {
    case "ask": {
      const choice = action.choices[pick(action.choices.length)] ?? "";
      return { report: { kind: "answer", choice, said: pick(4) === 0 ? "just so" : String(pick(20_000_000)) } };
    }
    case "commit":
      return pick(3) === 0 ? { report: { kind: "commit", declined: true } } : well;
    case "wave-gate": {
      const status = (["passed", "waived", "failed", "unknown"] as const)[pick(4)] ?? "passed";
      const problems = [{ problem: `src/shared-1.ts:3 does not add up` }];
      return { report: { kind: "gate" }, facts: { wave: { tree: "tested", tests: { status, problems } } } };
    }
    case "gate": {
      const status = (["passed", "waived", "failed", "failed", "unknown", "deferred"] as const)[pick(6)];
      const build = workshop.built(action.feature, status ?? "passed");
      const problems = [{ problem: `src/${action.feature}/A.ts:3 does not add up` }];
      return { ...well, facts: { build: { ...build, tests: { ...build.tests, problems } } } };
    }
    case "spawn":
      if (action.role.startsWith("auditor-")) return anyAudit(workshop, pick, well);
      if (action.work.of === "tasks" && action.work.excluded.length > 0 && pick(2) === 0) {
        return unparted(workshop, action.work.feature, well);
      }
      // Of many inspectors one is enough to spoil a review.
      return action.work.of === "review" && pick(10) > 0 ? well : spoilt(pick, well);
  }
}

/** A plan that does not do without what others have. */
function unparted(workshop: Workshop, name: string, { report, facts }: Told): Told {
  const tasks = { hash: "tasks as they were", groups: workshop.planOf(name), problems: [] };
  return { report, facts: { ...facts, tasks } };
}

/** The same, but not so. */
function spoilt(pick: Pick, { report, facts }: Told): Told {
  if (report.kind === "builder" && pick(2) === 0) {
    return { report: { kind: "builder-blocked", blocker: "No key", tasks: [], attempted: "" }, facts: facts ?? {} };
  }
  const problems = [{ problem: "A part is missing" }];
  const { design, tasks, build, frozen } = facts ?? {};
  const wrong: Partial<ReportFacts> = {
    ...(design ? { design: { ...design, problems } } : {}),
    ...(tasks ? { tasks: pick(2) === 0 ? { ...tasks, problems } : { ...tasks, groups: [] } } : {}),
    ...(build
      ? { build: [{ ...build, missing: ["gone.ts"] }, { ...build, outside: ["x.ts"] }, failing(build)][pick(3)] }
      : {}),
    ...(frozen === undefined ? {} : { frozen: "changed" }),
  } as Partial<ReportFacts>;
  return { report, facts: wrong };
}

const failing = (build: NonNullable<ReportFacts["build"]>): ReportFacts["build"] => ({
  ...build,
  tests: { status: "failed", problems: [] },
});

function anyAudit(workshop: Workshop, pick: Pick, well: Told): Told {
  const files = [...workshop.plans.values()].flatMap((plan) => plan.flatMap((group) => group.files));
  const location = pick(4) === 0 ? "nowhere.ts" : `${files[pick(files.length)]}:${pick(90)}`;
  const feedback = [{ part: "design", spec: `f${pick(8)} Spec 1`, description: "It cannot be built" }] as const;
  const lines = (["CODIFY", "PROPOSE"] as const).map((level) => ({ level, file: "tech.md", text: `Rule ${pick(9)}` }));
  const bad = { verdict: "NO-GO", verified: [finding({ severity: "C", location })] } as const;
  const audits: readonly Partial<AuditResult>[] = [
    { verdict: "CONDITIONAL", verified: [finding({ location })], steering: lines },
    bad,
    bad,
    { ...bad, steering: lines },
    { ...bad, verified: [finding({ severity: "C", category: "spec-structure", location })] },
    { verdict: "SPEC-UPDATE-NEEDED", spec_feedback: feedback },
  ];
  const frozen = pick(40) === 0 ? "changed" : (well.facts?.frozen ?? "");
  return { report: { kind: "audit", audit: audit(audits[pick(audits.length)]) }, facts: { frozen } };
}

/** What was fed before, word for word. */
function again(workshop: Workshop, pick: Pick): LeadEvent {
  const before = workshop.log.filter(({ kind }) => kind === "reported" || kind === "handed-out" || kind === "lost");
  return before[pick(Math.max(1, before.length))] ?? strange(workshop, pick);
}

/** What users do, and what nobody should. */
function strange(workshop: Workshop, pick: Pick): LeadEvent {
  const names = [...workshop.lead.features.keys(), "nobody" as FeatureName];
  const name = names[pick(names.length)] ?? names[0] ?? ("nobody" as FeatureName);
  const other = names[pick(names.length)] ?? name;
  const goal = (["design", "tasks", "implementation", "done"] as const satisfies FeatureGoal[])[pick(4)] ?? "done";
  switch (pick(14)) {
    case 0:
      return { kind: "wanted", feature: name, goal, isRedesign: pick(3) === 0, isReplanned: pick(4) === 0 };
    case 1:
      return { kind: "wanted", feature: name, goal, tasks: [`${1 + pick(4)}.1`] };
    case 2:
      return { kind: "revised", feature: name, intent: pick(4) === 0 ? " " : "Otherwise" };
    case 3:
      return { kind: "unblocked", feature: name, how: pick(2) === 0 ? "fix" : "skip" };
    case 4:
      return { kind: "placed", feature: name, wave: pick(5), dependencies: pick(2) === 0 ? [] : [other] };
    case 5:
      return pick(4) === 0 ? { kind: "feature-removed", feature: name } : { kind: "lost", action: "x/y/1", why: "" };
    case 6:
      return { kind: "feature-added", record: feature(pick(2) === 0 ? name : `wave-${pick(3)}`) };
    case 7:
      return pick(4) === 0 ? { kind: "run-stopped", why: "enough" } : { kind: "unblocked", feature: name, how: "skip" };
    case 8:
      return reported(workshop, pick, { id: pickId(pick, name), kind: "gate", feature: name }, 50);
    case 9: {
      const scopes: readonly ReviewScope[] = [
        { of: "all" },
        { of: "wave", wave: pick(4) },
        { of: "feature", feature: name },
      ];
      return begun(workshop, pick, REVIEW_KINDS[pick(3)] ?? "impl", scopes[pick(3)] ?? { of: "all" });
    }
    case 10:
      return pick(2) === 0 ? handedOut(pickId(pick, name), pick) : waived(workshop, pick);
    default:
      return { kind: "run-begun", isGated: pick(3) === 0, cap: pick(6) === 0 ? pick(5_000_000) : null };
  }
}

/** The user lets a finding stand, of the last review or of one long ago. */
function waived(workshop: Workshop, pick: Pick): LeadEvent {
  const batches = workshop.effects.flatMap((effect) => (effect.kind === "batch" ? [effect.batch] : []));
  const review = batches[batches.length - 1 - pick(Math.max(1, batches.length))];
  if (!review?.findings[0]) return { kind: "lost", action: "x/y/1", why: "" };
  return {
    kind: "waived",
    review: waiveStoredFinding(review, "F1", "It may be so"),
    finding: pick(5) === 0 ? "F9" : "F1",
  };
}

/** Of what is, was, or never will be. */
function pickId(pick: Pick, name: string): string {
  const ids = [
    "architect/1",
    "tasks/9",
    "build-A/2",
    "gate/1",
    "escalation/1",
    "design/B1/rulebase",
    "impl/B9/auditor",
  ];
  return `${name}/${ids[pick(ids.length)] ?? ""}`;
}
