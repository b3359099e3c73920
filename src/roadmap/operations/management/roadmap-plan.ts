import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { formatCount, quote, sanitizeText } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import { findNextArchiveNumber } from "#store/operations/tolerant-tree.ts";
import {
  assignFeatureWaves,
  listDownstreamFeatures,
  listPlannedFeatures,
  pickFoundationFlag,
} from "../../model/dependency-graph.ts";
import { createFeatureRecord, type FeatureRecord } from "../../model/feature/feature-record.ts";
import type { Lead, LeadEffect, LeadEvent } from "../../model/lead/lead-state.ts";
import { findContradictingNonGoals } from "../../model/non-goals.ts";
import { formatParallelismReport } from "../../model/roadmap-page.ts";
import type { RequestedFeature, RoadmapDifference } from "../../model/roadmap-update.ts";
import { createUpdateEvents, findRoadmapDifferences, pickHighestUpdateImpact } from "../../model/roadmap-update.ts";
import { readUserIntent } from "../../model/steering/product-document.ts";
import { resolveSteeringPath } from "../../model/steering/steering-name.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";
import type { ManageRoadmapInput, ManageRoadmapOutput } from "./manage-answer.ts";
import {
  createManageOutput,
  formatAssignmentLine,
  formatSpendingNotes,
  listFeatureRows,
  loadSpending,
} from "./manage-answer.ts";

/** Plans all features in one write. Does nothing if exactly this roadmap already exists. */
export async function createRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const { features = [] } = input;
  const before = await readLead(engine);
  if (features.length === 0) return createMissingFeaturesOutput(before);
  if (!isRoadmapFree(before, resolveRequestedFeatures(before, features)))
    return createManageOutput(before, {
      action: "create",
      passed: false,
      said: `A roadmap exists already: ${formatRoadmapSize(before)}.`,
      ...listFeatureRows(before),
      notes: ["Change it with update, which shows a preview first, or delete it. Nothing was written."],
      next: [{ operation: "roadmap.manage", input: { action: "update", features } }],
    });
  const begin = await createFeatureStart(engine);
  let hasVision = true;
  let doubts: string[] = [];
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const wanted = resolveRequestedFeatures(now, features);
    // The product page may already exist, because the plan itself writes to it.
    hasVision = readUserIntent(tree.text(resolveSteeringPath("product")) ?? "").vision !== "";
    doubts = listNonGoalWarnings(tree, now, wanted);
    return { events: isRoadmapFree(now, wanted) ? createPlacementEvents(now, wanted, begin) : [] };
  });
  return createManageOutput(lead, {
    action: "create",
    said: `${formatRoadmapSize(lead)}.`,
    ...listFeatureRows(lead),
    parallelism: formatParallelismReport([...lead.features.values()]),
    notes: hasVision
      ? doubts
      : [...doubts, "The vision is missing. Without it and anti-goals, reviews have little to judge by."],
    next: [
      ...(hasVision ? [] : [{ operation: "steering.manage", input: { action: "update", vision: "…" } }]),
      { operation: "roadmap.manage", input: { action: "run", plan: true } },
      { operation: "roadmap.manage", input: { action: "run" } },
    ],
  });
}

/** `5 features in 3 waves`. */
export function formatRoadmapSize(lead: Lead): string {
  const placed = listPlacedFeatures(lead);
  const waves = new Set(placed.map(({ roadmap }) => roadmap?.wave)).size;
  return `${formatCount(placed.length, "feature")} in ${formatCount(waves, "wave")}`;
}

/** True without a roadmap, or if exactly this one exists. */
function isRoadmapFree(lead: Lead, wanted: readonly RequestedFeature[]): boolean {
  const placed = listPlacedFeatures(lead);
  if (placed.length === 0) return true;
  return (
    placed.length === wanted.length &&
    wanted.every(({ name, dependencies }) => {
      const there = lead.features.get(name)?.roadmap?.dependencies;
      return there !== undefined && there.toSorted().join() === dependencies.toSorted().join();
    })
  );
}

/** Without features in the request, the agent must ask its user first. */
function createMissingFeaturesOutput(lead: Lead): ManageRoadmapOutput {
  const known = [...lead.features.values()].map(
    ({ feature_name: name, description }) => `Existing feature ${name}: ${sanitizeText(description, 120)}`,
  );
  const features = [
    { name: "user-model", description: "…" },
    { name: "user-login", description: "…", dependencies: ["user-model"] },
  ];
  return createManageOutput(lead, {
    action: "create",
    passed: false,
    said: "No features given.",
    ...listFeatureRows(lead),
    notes: [
      "Pass `features`, on the command line with `--features` or `--input <file>`.",
      "Agree on the features with the user: a name such as user-login, its behaviour, and the features it depends on.",
      "Models, errors and logging come first: set `foundation` on features that all others build on.",
      ...(known.length === 0 ? ["No feature exists yet."] : known),
    ],
    next: [{ operation: "roadmap.manage", input: { action: "create", features } }],
  });
}

export async function showRoadmap(engine: RoadmapEngine): Promise<ManageRoadmapOutput> {
  const lead = await readLead(engine);
  const isEmpty = lead.features.size === 0;
  const isPlaced = listPlacedFeatures(lead).length > 0;
  const alone = isEmpty ? "No roadmap yet." : "No roadmap yet; each feature is independent.";
  const create = { operation: "roadmap.manage", input: { action: "create" } };
  const run = { operation: "roadmap.manage", input: { action: "run" } };
  return createManageOutput(lead, {
    action: "show",
    said: isPlaced ? `The roadmap: ${formatRoadmapSize(lead)}.` : alone,
    ...listFeatureRows(lead),
    parallelism: formatParallelismReport([...lead.features.values()]),
    in_progress: [...lead.out.values()].map(formatAssignmentLine),
    notes: formatSpendingNotes(await loadSpending(engine)),
    next: isEmpty ? [create] : [...(isPlaced && !lead.run.isOn ? [run] : []), { operation: "roadmap.next" }],
  });
}

/** Known features keep their description and foundation flag unless the input changes them. */
function resolveRequestedFeatures({ features }: Lead, said: NonNullable<ManageRoadmapInput["features"]>) {
  return said.map(({ name: text, description, dependencies = [], foundation }): RequestedFeature => {
    const name = parseFeatureName(text);
    const known = features.get(name);
    const words = description ?? known?.description;
    if (words === undefined)
      throw new Fault("input.missing", {
        what: "Nothing was planned.",
        why: `The new feature ${name} has no description.`,
        fix: {
          operation: "roadmap.manage",
          input: { action: "create", features: [{ name, description: "…", dependencies: [] }] },
        },
      });
    const kept = pickFoundationFlag({ foundation: foundation ?? known?.roadmap?.foundation });
    return { name, description: words, dependencies: [...new Set(dependencies.map(parseFeatureName))], ...kept };
  });
}

function createPlacementEvents({ features }: Lead, wanted: readonly RequestedFeature[], begin: FeatureStart) {
  const waves = assignFeatureWaves(wanted);
  const inOrder = wanted.toSorted((a, b) => (waves.get(a.name) ?? 0) - (waves.get(b.name) ?? 0));
  return inOrder.map((feature): LeadEvent => {
    const { name, dependencies, foundation = false } = feature;
    const wave = waves.get(name) ?? 1;
    if (!features.has(name)) return createFeatureAddedEvent(feature, wave, begin);
    return { kind: "placed", feature: name, wave, dependencies, foundation };
  });
}

export function createFeatureAddedEvent(
  { name, description, dependencies, ...said }: RequestedFeature,
  wave: number,
  begin: FeatureStart,
): LeadEvent {
  const roadmap = { wave, dependencies, skipped: [], ...pickFoundationFlag(said) };
  const record = createFeatureRecord(name, description, begin.language, begin.at);
  return { kind: "feature-added", record: { ...record, roadmap } };
}

export type FeatureStart = Awaited<ReturnType<typeof createFeatureStart>>;

export const createFeatureStart = async ({ clock, settings }: Pick<RoadmapEngine, "clock" | "settings">) => ({
  at: clock.now(),
  language: (await settings.load()).roadmap.language,
});

export const listPlacedFeatures = ({ features }: Pick<Lead, "features">): FeatureRecord[] =>
  [...features.values()].filter(({ roadmap }) => roadmap !== null);

/** Warns about designs with a non-goal that names a new feature. Either the design or the plan must change. */
export function listNonGoalWarnings(tree: StoreTree, { features }: Lead, wanted: readonly RequestedFeature[]) {
  const fresh = wanted.filter(({ name }) => !features.has(name));
  if (fresh.length === 0) return [];
  const designs = [...features.keys()].map((feature) => ({
    feature,
    text: tree.text(paths.getFeatureDesignPath(feature)) ?? "",
  }));
  return fresh.flatMap(({ name }) =>
    findContradictingNonGoals(name, designs).map(
      ({ feature, line, text }) =>
        `${name} is a non-goal of ${feature}: ${paths.getFeatureDesignPath(feature)}:${line}: ${sanitizeText(text, 160)}`,
    ),
  );
}

export function assertRoadmapExists(lead: Lead): void {
  if (listPlacedFeatures(lead).length > 0) return;
  throw new Fault("roadmap.none", {
    what: "There is no roadmap.",
    why: lead.features.size === 0 ? "No feature is planned." : "No feature has a place in one.",
    fix: {
      operation: "roadmap.manage",
      input: { action: "create", features: [{ name: "user-login", description: "…" }] },
    },
  });
}

const ALL_DIFFERENCES = "all";

export async function updateRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  assertRoadmapExists(before);
  const wanted = resolveUpdateRequest(before, input);
  const found = findRoadmapDifferences(before, wanted);
  const chosen = input.apply ?? [];
  const unknown = chosen.find((id) => id !== ALL_DIFFERENCES && !found.some((each) => each.id === id));
  if (unknown !== undefined)
    throw new Fault("roadmap.unknown-difference", {
      what: "Nothing was changed.",
      why: `No difference has the id ${quote(unknown, 80)}.`,
      fix: { operation: "roadmap.manage", input: { action: "update" } },
    });
  const doubts = await engine.store.read((tree) => listNonGoalWarnings(tree, before, wanted));
  if (found.length === 0 || chosen.length === 0)
    return { ...createUpdateProposal(before, found, input), notes: doubts };
  const isChosen = (id: string): boolean => chosen.includes(ALL_DIFFERENCES) || chosen.includes(id);
  const accepted = found.filter(({ id }) => isChosen(id));
  const begin = await createFeatureStart(engine);
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const events = createUpdateEvents(now, resolveUpdateRequest(now, input), isChosen, (feature, wave) =>
      createFeatureAddedEvent(feature, wave, begin),
    );
    const steps = events.flatMap((event): StoreStep[] => {
      if (event.kind !== "feature-removed") return [];
      const number = findNextArchiveNumber(tree, paths.SUPERSEDED_FOLDER, `feature-${event.feature}`);
      const to = paths.getSupersededFeatureFolder(event.feature, number);
      return [{ kind: "move", from: paths.getFeatureFolder(event.feature), to }];
    });
    return { events, steps, effects: events.length === 0 ? [] : [createUpdateDecision(accepted, input.reason)] };
  });
  const left = findRoadmapDifferences(lead, resolveUpdateRequest(lead, input));
  const isMadeUp = ({ id }: RoadmapDifference): boolean => !left.some((each) => each.id === id);
  return createManageOutput(lead, {
    action: "update",
    said: `${formatCount(accepted.filter(isMadeUp).length, "difference")} made up for; ${left.length} left.`,
    differences: [
      ...accepted.map((each) => createDifferenceRow(each, isMadeUp(each))),
      ...left.filter(({ id }) => !isChosen(id)).map((each) => createDifferenceRow(each, false)),
    ],
    notes: doubts,
    next: [{ operation: "roadmap.manage" }, { operation: "roadmap.next" }],
  });
}

/** Without a request, compares the roadmap with itself: only its own inconsistencies remain. */
function resolveUpdateRequest(lead: Lead, { features }: ManageRoadmapInput): RequestedFeature[] {
  if (features !== undefined) return resolveRequestedFeatures(lead, features);
  return listPlannedFeatures(lead.features.values()).map((feature) => ({ description: "", ...feature }));
}

function createUpdateProposal(lead: Lead, found: readonly RoadmapDifference[], { features }: ManageRoadmapInput) {
  const wanted = features === undefined ? {} : { features };
  const isAny = found.length > 0;
  return createManageOutput(lead, {
    action: "update",
    said: isAny
      ? `${formatCount(found.length, "difference")}, impact ${pickHighestUpdateImpact(found)}. Nothing is changed yet.`
      : "The roadmap matches the plan.",
    differences: found.map((each) => createDifferenceRow(each, false)),
    next: isAny
      ? [{ operation: "roadmap.manage", input: { action: "update", ...wanted, apply: [ALL_DIFFERENCES] } }]
      : [],
  });
}

const createDifferenceRow = ({ id, feature, what, impact }: RoadmapDifference, applied: boolean) => {
  return { id, feature, summary: what, impact, applied };
};

const createUpdateDecision = (chosen: readonly RoadmapDifference[], reason = "Requested by the user."): LeadEffect => ({
  kind: "decision",
  type: "DIRECTION_CHANGE",
  summary: `The roadmap is changed: ${formatCount(chosen.length, "difference")}`,
  context: "roadmap update",
  decision: chosen.map(({ what }) => what).join(" "),
  reason,
  impact: `${pickHighestUpdateImpact(chosen)}: ${[...new Set(chosen.map(({ feature }) => feature))].join(", ")}`,
  source: "user instruction",
});

function planRoadmapArchive(tree: StoreTree, names: readonly FeatureName[]) {
  const to = paths.getSupersededRoadmapFolder(findNextArchiveNumber(tree, paths.SUPERSEDED_FOLDER, "roadmap"));
  const getTarget = (path: paths.WorkspacePath): paths.WorkspacePath =>
    paths.joinFolderPath(to, path.slice(path.lastIndexOf("/") + 1));
  const page = tree.text(paths.ROADMAP_PATH);
  const folders = [paths.WAVES_FOLDER, paths.REVIEWS_FOLDER].filter((folder) => tree.has(folder));
  const kept = getTarget(paths.FEATURE_FOLDER);
  const steps: StoreStep[] = [
    ...folders.map((folder): StoreStep => ({ kind: "move", from: folder, to: getTarget(folder) })),
    ...names.map((name): StoreStep => ({
      kind: "move",
      from: paths.getFeatureFolder(name),
      to: paths.joinFolderPath(kept, name),
    })),
  ];
  if (page !== undefined) steps.unshift({ kind: "document", path: getTarget(paths.ROADMAP_PATH), text: page });
  return { to, steps };
}

/** Archives the records and keeps the code. */
export async function deleteRoadmap(engine: RoadmapEngine, input: ManageRoadmapInput): Promise<ManageRoadmapOutput> {
  const { confirm, reason = "Requested by the user." } = input;
  const before = await readLead(engine);
  assertRoadmapExists(before);
  if (confirm !== "RESET")
    return createManageOutput(before, {
      action: "delete",
      passed: false,
      said: `${formatRoadmapSize(before)} would be deleted. Nothing is changed yet.`,
      ...listFeatureRows(before),
      notes: [
        "Records, designs and reviews are kept in sdd/superseded; code is not touched.",
        "To delete it, the user types RESET.",
      ],
      next: [{ operation: "roadmap.manage", input: { action: "delete", confirm: "…" } }],
    });
  let kept = "";
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const names = listPlacedFeatures(now).map(({ feature_name }) => feature_name);
    const { to, steps } = planRoadmapArchive(tree, names);
    kept = to;
    const decision: LeadEffect = {
      kind: "decision",
      type: "DIRECTION_CHANGE",
      summary: "The roadmap is deleted",
      context: `${formatRoadmapSize(now)}; ${formatCount(now.out.size, "action")} under way`,
      decision: `Its records are kept in ${to}; code was not touched.`,
      reason,
      impact: names.join(", "),
      source: "user instruction",
    };
    // Features that others build on are removed last.
    const planned = listPlannedFeatures(now.features.values());
    const below = new Map(planned.map(({ name }) => [name, listDownstreamFeatures(planned, name).length]));
    const inOrder = [...below.keys()].toSorted((a, b) => (below.get(a) ?? 0) - (below.get(b) ?? 0));
    const stop: LeadEvent[] = now.run.isOn ? [{ kind: "run-stopped", why: "The roadmap was deleted." }] : [];
    const removals = inOrder.map((feature): LeadEvent => ({ kind: "feature-removed", feature }));
    return { events: [...stop, ...removals], steps, effects: [decision] };
  });
  return createManageOutput(lead, {
    action: "delete",
    said: `The roadmap is deleted: ${formatRoadmapSize(before)}.`,
    notes: [`Everything is kept in ${kept}. Code was not touched.`],
    next: [{ operation: "roadmap.manage", input: { action: "create" } }],
  });
}
