import { expect, test } from "vitest";
import { getActionRole } from "#roadmap/model/agent/agent-roles.ts";
import { isFeatureAccepted } from "#roadmap/model/feature-progress.ts";
import { estimateActionCost } from "#roadmap/model/lead/lead-decision.ts";
import type { AgentReport, LeadAction, ReportFacts } from "#roadmap/model/lead/lead-state.ts";
import type { AuditResult } from "#roadmap/model/review/review-finding.ts";
import { feature, group } from "../kit/features.ts";
import { listBrokenInvariants } from "../kit/lead-invariants.ts";
import { audit, finding, Workshop } from "../kit/lead.ts";

/** What somebody does when it is their turn, instead of doing well. */
type Turn = (workshop: Workshop, action: LeadAction) => void;

const says =
  (report: AgentReport, facts: Partial<ReportFacts> = {}): Turn =>
  (workshop, { id }) => {
    workshop.report(id, { report, facts }, 10);
  };

const audits = (said: Partial<AuditResult>): Turn => says({ kind: "audit", audit: audit(said) });
const answers = (choice: string, said = "Because"): Turn => says({ kind: "answer", choice, said });
const vanishes: Turn = (workshop, { id }) => void workshop.lose(id);
const isBlocked = says({ kind: "builder-blocked", blocker: "No key", tasks: [], attempted: "All" });
const declines = says({ kind: "commit", declined: true });
const claimsTooMuch = says({ kind: "builder", tasks: ["1.1"], files: ["src/elsewhere.ts"], tests: null, tags: [] });
const repeats: Turn = (workshop, { id }) => {
  const { report, facts } = workshop.well(workshop.action(id));
  expect(workshop.reportAs(id, report, facts).kind).toBe("applied");
  expect([workshop.reportAs(id, report, facts), workshop.lose(id)]).toEqual([
    { kind: "repeated" },
    { kind: "repeated" },
  ]);
};
const findsOther: Turn = (workshop, { id }) => void workshop.report(id, { facts: { frozen: "changed by hand" } });
const failsTests: Turn = (workshop, { id }) => {
  const feature_ = id.split("/")[0] ?? "";
  const tests = { status: "failed", problems: [{ problem: `src/${feature_}.ts:3 is wrong` }] } as const;
  workshop.report(id, { facts: { build: { ...workshop.built(feature_, "failed"), tests } } });
};

const noGo = (location: string, said: Partial<AuditResult> = {}): Turn =>
  audits({ verdict: "NO-GO", verified: [finding({ severity: "C", location })], ...said });
const structural = audits({ verdict: "NO-GO", verified: [finding({ severity: "C", category: "spec-structure" })] });
const specUpdate = audits({
  verdict: "SPEC-UPDATE-NEEDED",
  spec_feedback: [{ part: "specifications", spec: "Spec 1", description: "It says two things" }],
});
const STEERING = (["CODIFY", "PROPOSE", "PROPOSE", "PROPOSE"] as const).map((level, i) => ({
  level,
  file: "tech.md",
  text: `Rule ${i}`,
}));

/** Who does otherwise when it is their turn: one after another, by what they do, whichever run or batch it is. */
const SCRIPT = {
  // Wave 1: designs. Somebody vanishes, an inspector for good; a design is sent back, with lines for the user.
  "a1/architect": [vanishes],
  "a1/design/rulebase": [vanishes, vanishes, vanishes],
  "a2/design/auditor": [noGo("Spec 1.AC2", { steering: STEERING })],
  "a2/steering": [answers("approve"), answers("reject"), answers("except")],
  "a3/design/auditor": [structural, structural],
  "a3/structure": [answers("approve"), answers("perhaps"), answers("reject")],
  "a4/design/auditor": [noGo("Spec 1"), noGo("Spec 1"), noGo("Spec 1"), noGo("Spec 1")],
  "a4/escalation": [answers("fix")],
  "a1/review-passed": [answers("stop")],
  // Builders lie, block and fail at the gate; reviews of code say no.
  "a1/build-A": [claimsTooMuch, claimsTooMuch],
  "a2/build-A": [claimsTooMuch, claimsTooMuch, claimsTooMuch, isBlocked],
  "a2/gate": [failsTests],
  "a3/impl/auditor": [noGo("src/a3.ts:12")],
  "a1/impl/test": [findsOther],
  "a1/impl/auditor": [specUpdate],
  // Its gate finds something that somebody owns, then something that nobody does.
  "wave-1/impl/auditor": [noGo("src/a4.ts")],
  "wave-1/dead-code/auditor": [noGo("src/nobodys.ts")],
  "wave-1/wave-failed": [answers("proceed")],
  "wave-1/commit": [declines],
  // Wave 2: one is skipped, one ends the run, one says everything twice, and the gate says no three times.
  "b1/tasks": [vanishes, vanishes, vanishes],
  "b1/escalation": [answers("skip")],
  "b2/build-A": [isBlocked, isBlocked],
  "b2/escalation": [answers("abort"), answers("fix")],
  "b3/tasks": [repeats],
  "b3/build-A": [repeats],
  "b3/gate": [repeats],
  "wave-2/impl/auditor": [noGo("src/b2.ts"), noGo("src/b3.ts"), noGo("src/b4.ts")],
  "wave-2/wave-failed": [answers("abort")],
  "wave-2/wave-passed": [answers("stop")],
  // Wave 3: an auditor vanishes for good; a spec is updated twice and then the user's.
  "c2/impl/auditor": [vanishes, vanishes, vanishes],
  "c2/escalation": [answers("fix")],
  "c3/impl/auditor": [specUpdate, specUpdate, specUpdate],
  "c3/escalation": [answers("skip")],
} satisfies Readonly<Record<string, readonly Turn[]>>;

/** The cap ends the run twice: it is raised once, then the user stops. */
const capTurns = (cap: number): Readonly<Record<string, readonly Turn[]>> => ({
  "run/cap": [answers("raise", `to ${2 * cap}`), answers("stop")],
});

/** `a1/impl/B2/test` → `a1/impl/test`, `a1/architect/2` → `a1/architect`. */
const getTurn = (id: string): string => id.replace(/\/B\d+(?:-\d+)?/, "").replace(/\/\d+$/, "");

const COLUMNS = [1, 2, 3, 4];

/** Five waves of four, each on the one before it in its column, and some on its neighbour. */
function roadmap(): Workshop {
  const workshop = new Workshop();
  for (const [i, letter] of ["a", "b", "c", "d", "e"].entries()) {
    for (const column of COLUMNS) {
      const before = "abcde"[i - 1];
      const on = before === undefined ? [] : [`${before}${column}`];
      const more = before !== undefined && column === 3 ? [`${before}4`] : [];
      workshop.add(feature(`${letter}${column}`, { wave: i + 1, on: [...on, ...more] }));
      workshop.plans.set(`${letter}${column}`, [group("A", [`src/${letter}${column}.ts`])]);
    }
  }
  return workshop;
}

/** Plays until all is done. Whenever the run was stopped, the user lets it go on. How often that was. */
function play(workshop: Workshop, most: number | null): { readonly begun: number; readonly left: readonly string[] } {
  const script = { ...SCRIPT, ...(most === null ? {} : capTurns(most)) };
  const turns = new Map(Object.entries<readonly Turn[]>(script).map(([id, all]) => [id, [...all]]));
  const begin = (cap: number | null): void => void workshop.begin({ isGated: true, cap });
  begin(most);
  for (let begun = 1, steps = 0; steps < 5_000; steps++) {
    expect(listBrokenInvariants(workshop.lead)).toEqual([]);
    const { spent, cap } = workshop.lead.run;
    expect(spent).toBeLessThanOrEqual(cap ?? Number.POSITIVE_INFINITY);
    const { actions, reviews, out } = workshop.decide();
    // Everybody is at work at once: whose turn it is changes.
    const action = out[0]?.action ?? actions[steps % Math.max(1, actions.length)];
    if (reviews[0]) workshop.beginReview(reviews[0]);
    else if (action) takeTurn(workshop, turns.get(getTurn(action.id))?.shift(), action);
    else if (!workshop.lead.run.isOn) {
      begin(begun < 3 ? most : null);
      begun += 1;
    } else return { begun, left: [...turns].flatMap(([id, all]) => all.map(() => id)) };
  }
  throw new Error(`no end; due: ${workshop.due().join(", ")}`);
}

function takeTurn(workshop: Workshop, turn: Turn | undefined, action: LeadAction): void {
  // The hook reads the role from the id alone.
  expect([action.id, getActionRole(action.id)]).toEqual([action.id, action.kind === "spawn" ? action.role : "lead"]);
  if (!workshop.lead.out.has(action.id)) workshop.handOut(action.id, "one", estimateActionCost(action));
  if (turn) turn(workshop, action);
  else workshop.report(action.id, {}, action.kind === "spawn" ? 10_000 : 0);
}

test("completes twenty features in five waves through every gate, failure and answer", () => {
  const uncapped = roadmap();
  play(uncapped, null);
  // A sixth of the whole cost: the cap and the raised cap both end the run, and `left` proves it.
  const cap = Math.ceil(uncapped.lead.run.spent / 6);
  const workshop = roadmap();
  expect(play(workshop, cap)).toEqual({ begun: 6, left: [] });

  const kinds: Record<string, number> = {};
  for (const effect of workshop.effects) {
    const kind =
      effect.kind === "decision"
        ? `${effect.type} ${effect.summary.replace(/^.*: (?=fix|skip|abort|proceed)/, "").replace(`${2 * cap}`, "twice its cap in")}`
        : effect.kind === "batch"
          ? `${effect.batch.scope.of} ${effect.batch.kind} ${effect.batch.disposition}`
          : effect.kind;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  // How often a design is accepted again depends on whose turn it is, and so on the number of inspectors.
  const { "feature design GO-ACCEPTED": accepted = 0, ...fixed } = kinds;
  expect(accepted).toBeGreaterThanOrEqual(workshop.lead.features.size);
  expect(fixed).toMatchInlineSnapshot(`
    {
      "DIRECTION_CHANGE The structure of a3 changes": 1,
      "ESCALATION_RESOLVED abort": 1,
      "ESCALATION_RESOLVED abort after cross-check": 1,
      "ESCALATION_RESOLVED fix": 3,
      "ESCALATION_RESOLVED proceed after dead-code": 1,
      "ESCALATION_RESOLVED skip": 2,
      "STEERING_EXCEPTION Exception from tech.md: Rule 2": 1,
      "STEERING_UPDATE Approved for tech.md: Rule 3": 1,
      "STEERING_UPDATE tech.md: Rule 0": 1,
      "USER_DECISION Rejected for tech.md: Rule 1": 1,
      "USER_DECISION Stopped at a1/review-passed/B1": 1,
      "USER_DECISION Stopped at wave-2/wave-passed": 1,
      "USER_DECISION The run may cost 1000000000 tokens": 1,
      "USER_DECISION The run may cost twice its cap in tokens": 1,
      "USER_DECISION The run stops at its cap": 1,
      "USER_DECISION The structure of a3 stays": 1,
      "dismissed": 1,
      "feature design ESCALATED": 1,
      "feature design NO-GO-RETURNED": 6,
      "feature impl ESCALATED": 1,
      "feature impl GO-ACCEPTED": 18,
      "feature impl NO-GO-RETURNED": 1,
      "feature impl SPEC-UPDATE-CASCADED": 3,
      "proposal-answered": 3,
      "steering": 2,
      "tasks-done": 27,
      "wave dead-code ESCALATED": 1,
      "wave dead-code GO-ACCEPTED": 4,
      "wave impl ESCALATED": 1,
      "wave impl GO-ACCEPTED": 5,
      "wave impl NO-GO-RETURNED": 3,
      "wave-finished": 5,
    }
  `);

  const skipped = [...workshop.lead.features.values()].filter((record) => !isFeatureAccepted(record));
  expect(skipped.map(({ feature_name: name, blocked_info }) => [name, blocked_info?.is_skipped])).toEqual([
    ["b1", true],
    ["c3", true],
  ]);
  expect([...workshop.lead.waves.values()].map(({ wave, step }) => `${wave} ${step}`)).toEqual([
    "1 done",
    "2 done",
    "3 done",
    "4 done",
    "5 done",
  ]);
  expect(workshop.decide()).toEqual({
    actions: [],
    reviews: [],
    withheld: [],
    out: [],
    idle: "18 features are done, 2 blocked.",
  });
});
