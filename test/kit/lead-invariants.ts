import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  collectDownstreamFeatures,
  type FeatureDependents,
  mapFeatureDependents,
} from "#roadmap/model/dependency-graph.ts";
import { normalizePathKey } from "#roadmap/model/feature/claimed-path.ts";
import type { FeatureRecord, WaveRecord } from "#roadmap/model/feature/feature-record.ts";
import { decideNextActions, estimateActionCost, type LeadDecision } from "#roadmap/model/lead/lead-decision.ts";
import { wasPartitionTried } from "#roadmap/model/lead/lead-draft.ts";
import type {
  ActionAssignment,
  Lead,
  LeadAction,
  LeadEvent,
  LeadEventResult,
  OpenReview,
} from "#roadmap/model/lead/lead-state.ts";
import { getUnpaidEstimate } from "#roadmap/model/lead/lead-view.ts";
import { createEmptyLead } from "./features.ts";

/** What must hold of the Lead whatever happened. Each that does not is told in a line. */
export function listBrokenInvariants(lead: Lead): string[] {
  const decision = decideNextActions(lead);
  return [
    ...[...lead.features.values()].flatMap((record) => brokenRecord(record)),
    ...[...lead.features.keys()].flatMap((name) => brokenPlace(lead, decision, name)),
    ...brokenBlocking(lead, decision),
    ...brokenBasis(lead),
    ...brokenFiles(lead, decision),
    ...brokenParting(lead, decision),
    ...brokenWaves(lead, decision),
    ...brokenWork(lead),
    ...brokenSilence(decision),
    ...brokenCap(lead, decision),
  ];
}

function brokenRecord(record: FeatureRecord): string[] {
  const { feature_name: name, phase, blocked_info, orchestration, implementation, fix } = record;
  const { retry_count, spec_update_count, total_count, lost } = orchestration;
  const laws: readonly (readonly [string, boolean])[] = [
    ["is blocked without saying why, or the other way round", (phase === "blocked") === (blocked_info !== null)],
    ["has more than 3 retries", retry_count <= 3],
    ["has more than 2 updates of its spec", spec_update_count <= 2],
    ["has more than 6 fixes in total", total_count <= 6],
    ["has lost more than 3 of a kind", Object.values(lost).every((times) => times <= 3)],
    ["is designed without a design", phase === "initialized" || phase === "blocked" || record.design !== null],
    ["has code that is whole and groups that are not", implementation.hash === null || allDone(record)],
    ["is to be mended by groups that it does not have", fix === null || fix.groups.every((id) => hasGroup(record, id))],
    ["counts its waiting lines wrongly", listRefs(record).every((ref) => ref.proposals === (ref.waiting?.length ?? 0))],
  ];
  return laws.flatMap(([law, holds]) => (holds ? [] : `${name} ${law}`));
}

const allDone = ({ implementation }: FeatureRecord): boolean =>
  implementation.groups.every(({ status }) => status === "done");

const hasGroup = ({ implementation }: FeatureRecord, id: string): boolean =>
  implementation.groups.some((group) => group.id === id);

const listRefs = ({ reviews: { design, implementation } }: FeatureRecord) =>
  [design, implementation].filter((ref) => ref !== null);

/** What somebody does, or may begin, for a feature: one kind of thing at a time. */
function brokenPlace(lead: Lead, { actions, reviews, out }: LeadDecision, name: FeatureName): string[] {
  const places = new Set<string>();
  for (const action of [...actions, ...out.map((one) => one.action)]) {
    if (action.id.startsWith(`${name}/`)) for (const place of listActionPlaces(action)) places.add(place);
  }
  for (const { review, scope } of reviews) if (scope.of === "feature" && scope.feature === name) places.add(review);
  for (const key of lead.reviews.keys()) if (key.startsWith(`${name}/`)) places.add(key.slice(name.length + 1));
  const isBlocked = lead.features.get(name)?.phase === "blocked";
  if (isBlocked && places.size > 0) return [`${name} is blocked and in ${[...places].join(", ")}`];
  return places.size > 1 ? [`${name} is in ${[...places].join(", ")} at once`] : [];
}

function listActionPlaces(action: LeadAction): string[] {
  if (action.kind === "ask") return [];
  if (action.kind !== "spawn") return [action.kind];
  return [action.work.of === "review" ? (action.work.review.split("/")[1] ?? "") : action.work.of];
}

const dependentsKnown = new WeakMap<Lead["features"], FeatureDependents>();

function downstream({ features }: Lead, name: FeatureName): FeatureName[] {
  const planned = [...features.values()].map(({ feature_name, roadmap }) => ({
    name: feature_name,
    dependencies: roadmap?.dependencies.filter((on) => !roadmap.skipped.includes(on)) ?? [],
  }));
  const known = dependentsKnown.get(features) ?? mapFeatureDependents(planned);
  dependentsKnown.set(features, known);
  return collectDownstreamFeatures(known, [name]);
}

function brokenBlocking(lead: Lead, { actions, out }: LeadDecision): string[] {
  const busy = [...actions, ...out.map((one) => one.action)];
  return [...lead.features.values()].flatMap((record) => {
    const { feature_name: name, phase, blocked_info } = record;
    if (phase !== "blocked" || blocked_info?.is_skipped) return [];
    const isOwn = blocked_info?.reason === "retries_exhausted";
    const broken =
      isOwn === blocked_info?.blocked_by.includes(name) ? [] : [`${name} does not say whether it failed itself`];
    if (!isOwn) return broken;
    const below = downstream(lead, name);
    const free = below.filter((other) => lead.features.get(other)?.phase !== "blocked");
    const running = busy.filter(({ id }) => below.some((other) => id.startsWith(`${other}/`)));
    return [
      ...broken,
      ...free.map((other) => `${other} builds on ${name}, which failed, and is not blocked`),
      ...running.filter(({ id }) => !id.includes("/escalation/")).map(({ id }) => `${id} runs though ${name} failed`),
    ];
  });
}

/** Nobody builds from a design that was made on another one than there is; what was built already stays. */
function brokenBasis({ features }: Lead): string[] {
  return [...features.values()].flatMap(({ feature_name: name, phase, design, version_refs }) => {
    if (phase !== "design-generated" || version_refs.implementation !== null) return [];
    const stale = Object.entries(design?.basis ?? {}).filter(([on, hash]) => {
      const other = features.get(on as FeatureName);
      return other?.design && other.design.hash !== hash;
    });
    return stale.map(([on]) => `${name} is designed on another design of ${on}`);
  });
}

/** Nobody has a file that somebody else builds, nor is handed one together with somebody else. */
function brokenFiles({ features }: Lead, { actions, out }: LeadDecision): string[] {
  const holders = new Map<string, string>();
  return [...out.map((one) => one.action), ...actions].flatMap((action) => {
    if (action.kind !== "spawn" || action.work.of !== "build") return [];
    const { feature, group } = action.work;
    const files = features.get(feature)?.implementation.groups.find(({ id }) => id === group)?.files ?? [];
    return files.flatMap((file) => {
      const holder = holders.get(normalizePathKey(file));
      holders.set(normalizePathKey(file), action.id);
      return holder === undefined || holder === action.id ? [] : `${holder} and ${action.id} both have ${file}`;
    });
  });
}

/** Nobody is asked twice to plan one design around files of others. */
function brokenParting({ features }: Lead, { actions, out }: LeadDecision): string[] {
  return [...out.map((one) => one.action), ...actions].flatMap((action) => {
    if (action.kind !== "spawn" || action.work.of !== "tasks" || action.work.excluded.length === 0) return [];
    const record = features.get(action.work.feature);
    const isAgain = record?.implementation.excluded.length === 0 && wasPartitionTried(record);
    return isAgain ? `${action.id} is to plan around files again` : [];
  });
}

function brokenWaves(lead: Lead, { actions }: LeadDecision): string[] {
  const broken = [...lead.waves.values()].flatMap(({ wave, tries }) =>
    tries.cross_check > 3 || tries.dead_code > 3 ? `wave ${wave} was tried too often` : [],
  );
  const begun = [...lead.waves.values()].filter(({ step }) => step === "dead-code" || step === "commit");
  broken.push(
    ...begun.flatMap(({ wave, step }) => {
      const open = [...lead.waves.values()].find((other) => other.wave < wave && isOpenGate(lead, other));
      return open ? `wave ${wave} is at ${step}, and wave ${open.wave} before it was opened again` : [];
    }),
  );
  if (!lead.run.isOn) return broken;
  const ahead = actions.filter((action) => action.kind === "spawn" && isAhead(lead, action.work));
  return [...broken, ...ahead.map(({ id }) => `${id} comes before the gate of an earlier wave`)];
}

/** Whether something of a wave is yet to be seen by its gate. */
const isOpenGate = ({ features }: Lead, { wave, step }: WaveRecord): boolean =>
  step !== "done" && [...features.values()].some(({ roadmap, phase }) => roadmap?.wave === wave && phase !== "blocked");

function isAhead({ features, waves }: Lead, work: Extract<LeadAction, { kind: "spawn" }>["work"]): boolean {
  if (work.of !== "tasks" && work.of !== "build") return false;
  const place = features.get(work.feature)?.roadmap;
  // What is mended after a gate is built whenever it is found.
  if (!place || features.get(work.feature)?.phase === "implementation-complete") return false;
  return [...features.values()].some(
    ({ roadmap, phase }) =>
      roadmap && roadmap.wave < place.wave && phase !== "blocked" && waves.get(roadmap.wave)?.step !== "done",
  );
}

/** What somebody is at work on is there, and not done. */
function brokenWork({ features, reviews, out }: Lead): string[] {
  return [...out.values()].flatMap(({ action, refusals }) => {
    const broken = refusals < 3 || action.kind !== "spawn" ? [] : [`${action.id} was refused ${refusals} times`];
    if (action.kind !== "spawn") return broken;
    const { work } = action;
    if (work.of === "review") return reviews.has(work.review) ? broken : [`${action.id} is of no open review`];
    const record = features.get(work.feature);
    if (!record) return [`${action.id} is of no feature`];
    if (work.of !== "build") return broken;
    const group = record.implementation.groups.find(({ id }) => id === work.group);
    return group?.status === "pending" ? broken : [`${action.id} builds what is not pending`];
  });
}

const brokenSilence = ({ actions, reviews, out, idle }: LeadDecision): string[] => {
  const isDue = actions.length + reviews.length > 0;
  if (isDue !== (idle === null)) return [`something is due and it says: ${idle}`];
  return isDue || out.length > 0 || idle ? [] : ["nothing is due, and nobody says why"];
};

/** What would be handed out, with what is out and what was spent, costs no more than the run may; and nobody waits unasked. */
function brokenCap({ run, out }: Lead, { actions, reviews, withheld }: LeadDecision): string[] {
  if (!run.isOn || run.cap === null) return withheld.length === 0 ? [] : ["something is held back without a cap"];
  const reserved = [...out.values()].reduce((sum, one) => sum + getUnpaidEstimate(one), 0);
  const next = actions.reduce((sum, action) => sum + estimateActionCost(action), 0);
  const isOver = next > 0 && run.spent + reserved + next > run.cap;
  const isBusy = [...actions, ...Array.from(out.values(), ({ action }) => action)].some(
    (action) => action.kind === "spawn" || action.id.startsWith("run/cap/"),
  );
  return [
    ...(isOver ? [`${run.spent} spent, ${reserved} reserved and ${next} due are more than ${run.cap}`] : []),
    ...(withheld.length > 0 && !isBusy && reviews.length === 0 ? ["the cap holds all back, and nobody is asked"] : []),
  ];
}

/** What was handed out fits what the run may cost. */
export function brokenHandOut({ run, out }: Lead, event: LeadEvent, applied: LeadEventResult): string[] {
  if (event.kind !== "handed-out" || applied.kind !== "applied" || !run.isOn || run.cap === null) return [];
  if ((out.get(event.action)?.estimate ?? 0) === 0) return [];
  const cost = [...out.values()].reduce((sum, one) => sum + getUnpaidEstimate(one), run.spent);
  return cost > run.cap ? [`${event.action} was handed out though ${cost} is more than ${run.cap}`] : [];
}

/** What a refusal changed that it must not. */
export function brokenRefusal(before: Lead, after: Lead, event: LeadEvent, applied: LeadEventResult): string[] {
  if (applied.kind !== "refused" || before === after) return [];
  const was = event.kind === "reported" ? before.out.get(event.action) : undefined;
  const review = event.kind === "reported" && was?.action.kind === "spawn" ? was.action.work : undefined;
  const isLast = was?.refusals === 2 && was.action.kind === "spawn";
  const isVoid = event.kind === "review-begun" || review?.of === "review" || (event.kind === "reported" && !was);
  if (isLast || isVoid) return [];
  const isSame = (["features", "waves", "reviews"] as const).every((part) => before[part] === after[part]);
  // What is done outside of a run costs no run anything.
  const cost = event.kind === "reported" && before.run.isOn ? (event.tokens ?? 0) : 0;
  const isPaid = JSON.stringify({ ...before.run, spent: before.run.spent + cost }) === JSON.stringify(after.run);
  const others = [...after.out].filter(([id, one]) => before.out.get(id) !== one);
  const isCounted = others.length === 1 && others[0]?.[1].refusals === (was?.refusals ?? 0) + 1;
  return isSame && isPaid && isCounted ? [] : [`a refused ${event.kind} changed more than its count and its cost`];
}

/** The Lead, or what it decides, as a text: the same for the same. */
export const serializeLeadValue = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map ? [...part] : part));

/** The Lead as it is after it was written down and read again. */
export function reloadLead(lead: Lead): Lead {
  const { features, waves, run, reviews, out } = JSON.parse(serializeLeadValue(lead)) as {
    features: [FeatureName, FeatureRecord][];
    waves: [number, WaveRecord][];
    run: Lead["run"];
    reviews: [string, OpenReview][];
    out: [string, ActionAssignment][];
  };
  return { features: new Map(features), waves: new Map(waves), run, reviews: new Map(reviews), out: new Map(out) };
}

/** The Lead after its ledger was lost: records alone are left. */
export const withoutLedger = ({ features, waves }: Lead): Lead => ({ ...createEmptyLead(), features, waves });
