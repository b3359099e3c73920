import { Fault } from "#kernel/model/fault.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { HANDOVER_SESSION_PATH } from "#kernel/model/workspace-paths.ts";
import { estimateUsualRun } from "../../model/agent/agent-roles.ts";
import { calibrateEstimate, type CostForecast, forecastRunCost } from "../../model/cost-forecast.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { formatFeatureProgress } from "../../model/handover/accomplished-work.ts";
import { createEscalationQuestion } from "../../model/lead/lead-decision.ts";
import type { Lead, LeadEffect, LeadEvent, RoadmapRun } from "../../model/lead/lead-state.ts";
import { formatScopeHead } from "../../model/lead/lead-view.ts";
import { planCrossCuttingRevision, previewFeatureRevision } from "../../model/revision-impact.ts";
import { viewOpenQuestion } from "#planning/operations/approval/ask-approval.ts";
import type { RoadmapEngine } from "../engine.ts";
import { requireFeatureRecord } from "../feature/feature-access.ts";
import { listTestObstacles } from "../lead/feature-tests.ts";
import { readLead } from "../lead/lead-store.ts";
import { askUser, describeAnswer, planUserAnswer } from "../lead/user-question.ts";
import { commitAllLeadEvents, type LeadEventInput } from "../lead/write-lead.ts";
import {
  createManageOutput,
  formatAssignmentLine,
  formatForecastRange,
  formatSpendingNotes,
  formatTokenCount,
  loadSpending,
  type ManageRoadmapInput,
  type ManageRoadmapOutput,
} from "./manage-answer.ts";
import { assertRoadmapExists, formatRoadmapSize } from "./roadmap-plan.ts";

export async function runRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  assertRoadmapExists(before);
  if (input.plan) return forecastRoadmapRun(engine, before, input);
  const { gate, partition, cap_tokens, consensus } = input;
  const { lead } = await commitAllLeadEvents(engine, (_, { run: now }) => {
    // Omitted settings keep their values.
    const isGated = gate ?? now.isGated;
    const cap = resolveTokenCap(now, cap_tokens);
    const onOverlap = partition === undefined ? now.onOverlap : partition ? "partition" : "serialise";
    const copies = consensus === undefined ? {} : { consensus };
    const isSame = now.isOn && now.isGated === isGated && now.cap === cap && now.onOverlap === onOverlap;
    const isRepeated = isSame && (consensus ?? now.consensus) === now.consensus;
    return { events: isRepeated ? [] : [{ kind: "run-begun", isGated, cap, onOverlap, ...copies }] };
  });
  const obstacles = await listObstacleNotes(engine);
  const verb = before.run.isOn ? "is running already" : before.run.stopped === null ? "is running" : "continues";
  return createManageOutput(lead, {
    action: "run",
    said: `The roadmap ${verb}: ${formatRoadmapSize(lead)}.`,
    notes: obstacles,
    next: [...(obstacles.length === 0 ? [] : [{ operation: "stack.detect" }]), { operation: "roadmap.next" }],
  });
}

/** Shown before any agent starts: otherwise the first gate would say so, after designs, reviews and code. */
async function listObstacleNotes(engine: RoadmapEngine): Promise<string[]> {
  const obstacles = await listTestObstacles(engine);
  return obstacles.length === 0
    ? []
    : [`Before you start agents: no feature can pass its gate. ${obstacles.join(" ")}`];
}

export async function stopRoadmap(engine: RoadmapEngine, { reason }: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const why = reason ?? "The user stopped it.";
  const { before, lead } = await commitAllLeadEvents(engine, (_, now) => ({
    events: isRoadmapActive(now) ? [{ kind: "run-stopped", why }] : [],
  }));
  const under = [...before.out.values()].map(formatAssignmentLine);
  const resume = { operation: "roadmap.manage", input: { action: "run" } };
  return createManageOutput(lead, {
    action: "stop",
    said: isRoadmapActive(before) ? `Stopped: ${formatFeatureProgress(lead)}.` : "Nothing is under way.",
    in_progress: under,
    notes: [
      ...listEndedReviews(before),
      ...(under.length === 0 ? [] : ["Stop the running agents. Their actions are ready again when the run continues."]),
      ...(isRoadmapActive(before) ? [`${HANDOVER_SESSION_PATH} has the handover for the next session.`] : []),
    ],
    next: before.run.isOn || before.run.stopped !== null ? [resume] : [],
  });
}

/** Reviews end with the run, also those that the user began by hand. */
const listEndedReviews = ({ reviews }: Lead): string[] =>
  [...reviews.values()].map(({ kind, scope, batch, inspections, inspectors }) => {
    const reports = `${Object.keys(inspections).length} of ${inspectors.length} views`;
    return `Ended without a verdict: ${batch}, the ${kind} review of ${formatScopeHead(scope)}, with ${reports} reported.`;
  });

const isRoadmapActive = ({ run: { isOn, goals }, out, reviews }: Lead): boolean =>
  isOn || Object.keys(goals).length > 0 || out.size > 0 || reviews.size > 0;

async function forecastRoadmapRun(engine: RoadmapEngine, lead: Lead, input: ManageRoadmapInput) {
  const { gate, partition, cap_tokens, consensus } = input;
  const spending = await loadSpending(engine);
  const copies = consensus ?? lead.run.consensus ?? (await engine.settings.load()).roadmap.consensus;
  const estimate = calibrateEstimate(estimateUsualRun, spending);
  const told = forecastRunCost(lead, estimate, resolveTokenCap(lead.run, cap_tokens), copies);
  const unplanned = told.unplanned.length;
  const said = Object.entries({ gate, partition, cap_tokens, consensus }).filter(([, value]) => value !== undefined);
  return createManageOutput(lead, {
    action: "run",
    said: `What is left takes ${formatForecastRange(told.runs)} agent runs and ${formatForecastRange(told.tokens)} tokens. Nothing was started.`,
    forecast: told.waves.map(({ wave, features, runs, tokens }) => ({ wave, features, runs, tokens })),
    notes: [
      ...(await listObstacleNotes(engine)),
      "The first number holds if every review passes at once, the second if each fails as often as allowed.",
      ...(unplanned === 0
        ? []
        : [`${formatCount(unplanned, "feature")} without tasks: the number of Builders is a guess.`]),
      ...(told.cap === null ? [] : [formatCapForecast(told.cap)]),
      ...formatSpendingNotes(spending),
    ],
    next: [{ operation: "roadmap.manage", input: { action: "run", ...Object.fromEntries(said) } }],
  });
}

/** 0 removes the cap. */
const resolveTokenCap = ({ cap }: RoadmapRun, said: number | undefined): number | null =>
  said === undefined ? cap : said === 0 ? null : said;

function formatCapForecast({ tokens, best, worst }: NonNullable<CostForecast["cap"]>): string {
  if (worst === null)
    return `By these estimates ${formatTokenCount(tokens)} tokens are enough, even if each review fails as often as allowed. Lost runs, changed designs and reopened waves cost extra.`;
  const range = best === worst ? `in wave ${best}` : `in wave ${worst} to ${best}`;
  const at = best === null ? `in wave ${worst} at worst, or never` : range;
  return `${formatTokenCount(tokens)} tokens are used up ${at}; then Tenon asks whether it may cost more.`;
}

export async function unblockFeature(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const { names: [name, second] = [], how: wanted, reason } = input;
  if (name === undefined || second !== undefined || wanted === undefined)
    throw new Fault("input.missing", {
      what: "Nothing was unblocked.",
      why: "Pass one feature as `names`, and `how`: fix, skip or abort.",
      fix: { operation: "roadmap.manage", input: { action: "unblock", names: [name ?? "user-login"], how: "fix" } },
    });
  const known = await readLead(engine);
  const record = assertFailedFeature(requireFeatureRecord(known, name));
  const asked = await askUser(engine, createEscalationQuestion(known, record), wanted);
  const answer = describeAnswer(asked, reason);
  if (!answer)
    return createManageOutput(known, {
      action: "unblock",
      passed: false,
      said: `${name} waits for the user's answer.`,
      notes: [asked.why ?? ""],
      user_question: viewOpenQuestion(asked),
    });
  const how = answer.choice as "fix" | "skip" | "abort";
  const { before, lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const current = assertFailedFeature(requireFeatureRecord(now, name));
    const recorded = planUserAnswer(tree, asked);
    if (how === "abort") return { ...recorded, ...createAbortEvents(current, answer.source, reason) };
    return { ...recorded, events: [{ kind: "unblocked", feature: current.feature_name, how, source: answer.source }] };
  });
  const freed = [...lead.features.values()].filter(
    ({ feature_name, phase }) => phase !== "blocked" && before.features.get(feature_name)?.phase === "blocked",
  );
  const run = { operation: "roadmap.manage", input: { action: "run" } };
  return createManageOutput(lead, {
    action: "unblock",
    said: `${name} ${UNBLOCK_RESULTS[how]}.`,
    preview: freed.map(({ feature_name, phase }) => ({ feature: feature_name, reach: "unblocked", summary: phase })),
    next: [how === "abort" ? run : { operation: "roadmap.next" }],
  });
}

const UNBLOCK_RESULTS = {
  fix: "is taken up again, with its counters at 0",
  skip: "is skipped: no feature waits for it now",
  abort: "stays as it is, and the roadmap is stopped",
} as const;

function createAbortEvents(record: FeatureRecord, source: string, reason = "The user aborted."): LeadEventInput {
  const { feature_name: name, blocked_info: info } = record;
  const effect: LeadEffect = {
    kind: "decision",
    type: "ESCALATION_RESOLVED",
    summary: `${name}: abort`,
    context: info?.detail ?? "",
    decision: "The roadmap is stopped; every feature stays as it is.",
    reason,
    impact: name,
    source,
  };
  return { events: [{ kind: "run-stopped", why: reason }], effects: [effect] };
}

/** The user decides only about a feature that failed itself. Its dependents follow. */
function assertFailedFeature(record: FeatureRecord): FeatureRecord {
  const { feature_name: name, blocked_info: info } = record;
  if (info?.reason === "retries_exhausted") return record;
  const [failed] = info?.blocked_by ?? [];
  throw new Fault("roadmap.not-blocked", {
    what: `${name} cannot be unblocked.`,
    why: failed === undefined ? "It is not blocked." : `It waits for ${info?.blocked_by.join(", ")}, which failed.`,
    fix:
      failed === undefined
        ? { operation: "workspace.status", input: { feature: name } }
        : { operation: "roadmap.manage", input: { action: "unblock", names: [failed], how: "fix" } },
  });
}

/** The first call returns a preview with a token. The second one fails if anything changed in between. */
export async function reviseFeatures(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  const planned = planRevision(engine, before, input);
  const revised = planned.tiers.flat();
  if (input.confirm === undefined) {
    const { preview, token, intent } = planned;
    return createManageOutput(before, {
      action: "revise",
      said: `${revised.length > 1 ? `${revised.length} features` : revised.join("")} would be revised. Nothing is changed yet.`,
      preview,
      token,
      notes: [`Intent: ${sanitizeText(intent, 300)}`, "Show the user which features it affects, and ask for approval."],
      next: [{ operation: "roadmap.manage", input: { action: "revise", names: input.names, intent, confirm: token } }],
    });
  }
  const { lead } = await commitAllLeadEvents(engine, (_, now) => {
    const { token, tiers, intent } = planRevision(engine, now, input);
    if (input.confirm !== token)
      throw new Fault("roadmap.void", {
        what: "Nothing was revised.",
        why: "The roadmap, the features or the intent changed since the preview.",
        fix: { operation: "roadmap.manage", input: { action: "revise", names: input.names ?? [], intent } },
      });
    return { events: tiers.flat().map((feature): LeadEvent => ({ kind: "revised", feature, intent })) };
  });
  return createManageOutput(lead, {
    action: "revise",
    said: `${revised.join(", ")} ${revised.length === 1 ? "is" : "are"} revised: the design comes first.`,
    preview: planned.preview,
    notes: [
      ...(planned.preview.some(({ reach }) => reach !== "revised") ? [FOLLOW_UP_NOTE] : []),
      ...(revised.length > 1 ? [JOINT_REVIEW_NOTE] : []),
    ],
    next: [{ operation: "roadmap.next" }],
  });
}

const FOLLOW_UP_NOTE =
  "Once this is accepted, the run reviews features that build on it directly. Without a run, review them yourself.";

const JOINT_REVIEW_NOTE = "When all of them are built, review them together: an impl review with cross_check.";

function planRevision({ digest }: RoadmapEngine, lead: Lead, { names = [], intent }: ManageRoadmapInput) {
  if (names.length === 0 || intent === undefined) {
    const example = { action: "revise", names: names.length > 0 ? names : ["user-login"], intent: "…" };
    throw new Fault("input.missing", {
      what: "Nothing was revised.",
      why: "Pass the features as `names`, and `intent`: what to change.",
      fix: { operation: "roadmap.manage", input: example },
    });
  }
  const chosen = [...new Set(names)].map((name) => requireFeatureRecord(lead, name).feature_name);
  for (const name of chosen) {
    const { problems } = previewFeatureRevision(lead, name);
    if (problems.length === 0) continue;
    throw new Fault("roadmap.refused", {
      what: `${name} cannot be revised now.`,
      why: problems.map(({ problem }) => problem).join(" "),
      fix: { operation: "workspace.status", input: { feature: name } },
    });
  }
  // The features to rebuild. Each tier depends only on earlier ones.
  const { tiers } = planCrossCuttingRevision(lead, chosen);
  const revised = tiers.flatMap((tier, i) => {
    const turn = tiers.length > 1 ? `, in turn ${i + 1}` : "";
    return tier.map((feature) => ({
      feature,
      reach: "revised",
      summary: `design, tasks and code are made again${turn}`,
    }));
  });
  const preview: ManageRoadmapOutput["preview"] = [...revised, ...listReachedRows(lead, chosen)];
  const token = digest(JSON.stringify([chosen, intent, preview])).slice(0, 16);
  return { intent, tiers, preview, token };
}

function listReachedRows(lead: Lead, chosen: readonly FeatureName[]): ManageRoadmapOutput["preview"] {
  const rows = chosen.flatMap((name) => previewFeatureRevision(lead, name).reached);
  const byName = Map.groupBy(
    rows.filter(({ feature }) => !chosen.includes(feature)),
    ({ feature }) => feature,
  );
  return [...byName.values()].flatMap((its) => {
    const first = its.find(({ reach: how }) => how === "direct") ?? its[0];
    return first ? [{ feature: first.feature, reach: first.reach, summary: first.summary }] : [];
  });
}
