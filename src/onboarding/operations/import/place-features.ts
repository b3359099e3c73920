import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import { createSlug, findFreeSlug } from "#kernel/model/slug.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { assignFeatureWaves, computeDependencyLevels, type PlannedFeature } from "#roadmap/model/dependency-graph.ts";
import type { FeatureRecord, RoadmapPlacement } from "#roadmap/model/feature/feature-record.ts";
import { applyAcceptedDesign, applyAcceptedTasks, createFeatureRecord } from "#roadmap/model/feature/feature-record.ts";
import { isReservedActionHead } from "#roadmap/model/lead/lead-view.ts";
import { formatRoadmapPage } from "#roadmap/model/roadmap-page.ts";
import {
  createFeatureShape,
  loadFeatureRecords,
  loadWaveRecords,
} from "#roadmap/operations/feature/feature-records.ts";
import { getCarriedPath } from "../../model/import/imported-output.ts";
import type { ImportDraft } from "./import-draft.ts";
import type { DetectedLayout, PreparedFeature } from "./import-sources.ts";

interface FoundFeature {
  readonly seen: DetectedLayout;
  readonly feature: PreparedFeature;
}
type NamedFeature = FoundFeature & { readonly name: FeatureName };

/** A record claims only what its files prove: implementation must be shown again. */
export function placeImportedFeatures(draft: ImportDraft, found: readonly FoundFeature[]): void {
  const there = loadFeatureRecords(draft.tree).found;
  const named = assignFeatureNames(
    draft,
    found.filter(({ seen, feature }) => !isKnownFeature(draft, seen, feature)),
  );
  const places = planFeatureWaves(draft, named, there);
  const records = new Map<FeatureName, FeatureRecord>();
  const levels = computeDependencyLevels(
    named.map(({ name }) => ({ name, dependencies: places.get(name)?.dependencies ?? [] })),
  );
  for (const each of named.toSorted((a, b) => (levels.get(a.name) ?? 0) - (levels.get(b.name) ?? 0))) {
    const record = createImportedFeatureRecord(draft, each, places.get(each.name) ?? null, records);
    records.set(each.name, record);
    placeFeatureFiles(draft, each, record);
  }
  // A roadmap file without a roadmap belongs to the user. Ours is written at the next record change.
  if (places.size === 0 || !draft.isFree(paths.ROADMAP_PATH)) return;
  const features = new Map([...there, ...records]);
  const text = formatRoadmapPage({ features, waves: loadWaveRecords(draft.tree).found });
  draft.step({ kind: "document", path: paths.ROADMAP_PATH, text });
}

function isKnownFeature(draft: ImportDraft, seen: DetectedLayout, { from, parts }: PreparedFeature): boolean {
  if (!draft.isKnown(seen, from)) return false;
  for (const part of parts)
    if (part.from !== from && !draft.isKnown(seen, part.from))
      draft.carry(seen, part, "its feature was imported before");
  return true;
}

/** Gives each feature a valid name. An existing feature of that name blocks all its files. */
function assignFeatureNames(draft: ImportDraft, found: readonly FoundFeature[]): NamedFeature[] {
  const given = new Set<string>();
  return found.flatMap(({ seen, feature }) => {
    const wanted = toFeatureName(feature.name);
    if (draft.tree.has(paths.getFeatureFolder(wanted))) {
      for (const path of new Set([feature.from, ...feature.parts.map(({ from }) => from)]))
        draft.collide(seen, path, paths.getFeatureFolder(wanted));
      return [];
    }
    const isTaken = (name: string): boolean =>
      given.has(name) || draft.tree.has(paths.getFeatureFolder(parseFeatureName(name)));
    const name = parseFeatureName(findFreeSlug(wanted, isTaken));
    given.add(name);
    return [{ seen, feature, name }];
  });
}

function toFeatureName(said: string): FeatureName {
  const slug = isFeatureName(said) ? said : createSlug(said, "feature");
  const name = /^[a-z]/.test(slug) ? slug : `feature-${slug}`;
  return parseFeatureName(isReservedActionHead(name) ? `${name}-feature` : name);
}

/** Derives waves from dependencies. With an existing roadmap or an invalid plan, features get no wave. */
function planFeatureWaves(
  draft: ImportDraft,
  named: readonly NamedFeature[],
  there: ReadonlyMap<FeatureName, FeatureRecord>,
): ReadonlyMap<FeatureName, RoadmapPlacement> {
  const planned = named.flatMap(({ name, feature }): PlannedFeature[] =>
    feature.dependencies ? [{ name, dependencies: feature.dependencies.map((on) => toFeatureName(on)) }] : [],
  );
  if (planned.length === 0) return new Map();
  if ([...there.values()].some(({ roadmap }) => roadmap !== null)) {
    draft.notes.push("A roadmap exists here, so the features are independent: place them with tenon roadmap update.");
    return new Map();
  }
  try {
    const waves = assignFeatureWaves(planned);
    return new Map(
      planned.map(({ name, dependencies }) => [name, { wave: waves.get(name) ?? 1, dependencies, skipped: [] }]),
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    draft.notes.push(`The features are independent, because their plan is not valid: ${error.why}`);
    return new Map();
  }
}

const MAX_IMPORTED_DESCRIPTION = 1_000;

function createImportedFeatureRecord(
  { at }: ImportDraft,
  { seen, feature, name }: NamedFeature,
  roadmap: RoadmapPlacement | null,
  earlier: ReadonlyMap<FeatureName, FeatureRecord>,
): FeatureRecord {
  const said = sanitizeText(feature.description.replace(/\s+/g, " "), MAX_IMPORTED_DESCRIPTION);
  const folder = seen.nameOf(feature.from).replace(/\/[^/]*$/, "");
  const carried = getCarriedPath(seen.layout, feature.from).replace(/\/[^/]*$/, "");
  const beside = feature.held || feature.parts.length === 0 ? "" : `; its documents are in ${carried}`;
  const description = `${said} (Imported from ${folder}${beside}.)`;
  const begun = { ...createFeatureRecord(name, description, feature.language ?? "en", at), roadmap };
  const basis = (roadmap?.dependencies ?? []).map((on) => [on, earlier.get(on)?.design?.hash] as const);
  if (!feature.held || basis.some(([, hash]) => hash === undefined)) return begun;
  const { hash, files, tasks } = feature.held;
  const design = { hash, files, basis: Object.fromEntries(basis) as Record<string, string> };
  const accepted = applyAcceptedDesign(begun, design, at);
  return tasks ? applyAcceptedTasks(accepted, { hash: tasks.hash, groups: tasks.groups }, at) : accepted;
}

function placeFeatureFiles(draft: ImportDraft, { seen, feature, name }: NamedFeature, record: FeatureRecord): void {
  const path = paths.getFeatureRecordPath(name);
  const { held } = feature;
  const isDesigned = record.design !== null && held !== undefined;
  const why = isDesigned ? undefined : (feature.unheld ?? (held ? "its dependency has no valid design" : undefined));
  const written = new Map<string, paths.WorkspacePath>();
  for (const { from, as, text } of feature.parts) {
    const isHeld = isDesigned && (as !== "tasks" || held.tasks !== undefined);
    const place = {
      design: paths.getFeatureDesignPath(name),
      research: paths.getFeatureResearchPath(name),
      tasks: paths.getFeatureTasksPath(name),
    }[as];
    if (isHeld) draft.write(place, as === "tasks" ? (held.tasks?.text ?? text) : text);
    const to = isHeld ? place : draft.carryBeside(seen, { from, text });
    if (to === undefined) draft.collide(seen, from, place);
    else written.set(from, to);
  }
  draft.step({ kind: "record", path, record, shape: createFeatureShape(name) });
  draft.occurrences.push({ kind: "importing.feature", subject: name, data: { phase: record.phase } });
  const isPart = feature.parts.some(({ from }) => from === feature.from);
  if (!isPart)
    draft.addRow(seen, feature.from, "taken", { as: `feature, ${record.phase}`, to: [path], why: FOREIGN_PHASE_NOTE });
  for (const { from, as } of feature.parts) {
    const to = written.get(from);
    if (to === undefined) continue;
    const isFirst = from === feature.from;
    const isOurs = to.startsWith(`${paths.getFeatureFolder(name)}/`);
    const reason = isOurs ? undefined : as === "tasks" ? (why ?? "the tasks are not in Tenon's form") : why;
    const became = { to: isFirst ? [path, to] : [to], why: reason };
    if (isOurs || isFirst)
      draft.addRow(seen, from, "taken", { as: isFirst ? `feature, ${record.phase}` : as, ...became });
    else draft.addRow(seen, from, "carried", became);
  }
}

const FOREIGN_PHASE_NOTE = "Tenon does not use phases and counts of other tools";
