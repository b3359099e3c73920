import { Fault } from "#kernel/model/fault.ts";
import { type FeatureName, isFeatureName, parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  type RoadmapPlacement,
  createFeatureRecord,
  applyAcceptedDesign,
  applyAcceptedTasks,
} from "#roadmap/model/feature/feature-record.ts";
import { getCarriedPath } from "../../model/import/imported-output.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { computeDependencyLevels, type PlannedFeature, assignFeatureWaves } from "#roadmap/model/dependency-graph.ts";
import { isReservedActionHead } from "#roadmap/model/lead/action-ids.ts";
import { formatRoadmapPage } from "#roadmap/model/roadmap-page.ts";
import { findFreeSlug, createSlug } from "#kernel/model/slug.ts";
import {
  getFeatureDesignPath,
  getFeatureFolder,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureTasksPath,
  type WorkspacePath,
  ROADMAP_PATH,
} from "#kernel/model/workspace-paths.ts";
import {
  loadFeatureRecords,
  loadWaveRecords,
  createFeatureShape,
} from "#roadmap/operations/feature/feature-records.ts";
import type { ImportDraft } from "./import-draft.ts";
import type { DetectedLayout, PreparedFeature } from "./import-sources.ts";

const DEFAULT_FEATURE_LANGUAGE = "en";

interface NamedFeature {
  readonly seen: DetectedLayout;
  readonly feature: PreparedFeature;
  readonly name: FeatureName;
}

/**
 * Places features. A record claims only as much as its files prove: a valid design is accepted if the designs it builds
 * on are, and implementation must be shown again.
 */
export function placeImportedFeatures(
  draft: ImportDraft,
  found: readonly { readonly seen: DetectedLayout; readonly feature: PreparedFeature }[],
): void {
  const there = loadFeatureRecords(draft.tree).found;
  const fresh = found.filter(({ seen, feature }) => !isKnownFeature(draft, seen, feature));
  const named = assignFeatureNames(draft, fresh);
  const places = planFeatureWaves(draft, named, there);
  const records = new Map<FeatureName, FeatureRecord>();
  for (const each of sortByDependency(named, places)) {
    const record = createImportedFeatureRecord(draft, each, places.get(each.name) ?? null, records);
    records.set(each.name, record);
    placeFeatureFiles(draft, each, record);
  }
  // A roadmap file without a roadmap belongs to the user. Ours is written at the next record change.
  if (places.size === 0 || !draft.isFree(ROADMAP_PATH)) return;
  const page = formatRoadmapPage({
    features: new Map([...there, ...records]),
    waves: loadWaveRecords(draft.tree).found,
  });
  draft.step({ kind: "document", path: ROADMAP_PATH, text: page });
}

/** Whether a feature was imported before; its newer documents are carried over. */
function isKnownFeature(draft: ImportDraft, seen: DetectedLayout, { from, parts }: PreparedFeature): boolean {
  if (!draft.isKnown(seen, from)) return false;
  for (const part of parts)
    if (part.from !== from && !draft.isKnown(seen, part.from))
      draft.carry(seen, part.from, part.text, "its feature was taken before");
  return true;
}

/** Gives each feature a valid name. An existing feature of that name blocks all its files. */
function assignFeatureNames(
  draft: ImportDraft,
  found: readonly { readonly seen: DetectedLayout; readonly feature: PreparedFeature }[],
): NamedFeature[] {
  const given = new Set<string>();
  return found.flatMap(({ seen, feature }) => {
    const wanted = toFeatureName(feature.name);
    if (draft.tree.has(getFeatureFolder(wanted))) {
      for (const path of new Set([feature.from, ...feature.parts.map(({ from }) => from)]))
        draft.collide(seen, path, getFeatureFolder(wanted));
      return [];
    }
    const isTaken = (name: string): boolean =>
      given.has(name) || draft.tree.has(getFeatureFolder(parseFeatureName(name)));
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
    draft.notes.push("There is a roadmap here, so the features stand alone: place them with tenon roadmap update.");
    return new Map();
  }
  try {
    const waves = assignFeatureWaves(planned);
    return new Map(
      planned.map(({ name, dependencies }) => [name, { wave: waves.get(name) ?? 1, dependencies, skipped: [] }]),
    );
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    draft.notes.push(`The features stand alone, for their plan does not hold: ${error.why}`);
    return new Map();
  }
}

function sortByDependency(
  named: readonly NamedFeature[],
  places: ReadonlyMap<FeatureName, RoadmapPlacement>,
): NamedFeature[] {
  const levels = computeDependencyLevels(
    named.map(({ name }) => ({ name, dependencies: places.get(name)?.dependencies ?? [] })),
  );
  return named.toSorted((a, b) => (levels.get(a.name) ?? 0) - (levels.get(b.name) ?? 0));
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
  const beside =
    feature.held || feature.parts.length === 0 ? "" : `; its documents are in ${getCarriedFolder(seen, feature)}`;
  const begun = {
    ...createFeatureRecord(
      name,
      `${said} (Imported from ${folder}${beside}.)`,
      feature.language ?? DEFAULT_FEATURE_LANGUAGE,
      at,
    ),
    roadmap,
  };
  const basis = (roadmap?.dependencies ?? []).map((on) => [on, earlier.get(on)?.design?.hash] as const);
  if (!feature.held || basis.some(([, hash]) => hash === undefined)) return begun;
  const { hash, files, tasks } = feature.held;
  const accepted = applyAcceptedDesign(
    begun,
    { hash, files, basis: Object.fromEntries(basis) as Record<string, string> },
    at,
  );
  return tasks ? applyAcceptedTasks(accepted, { hash: tasks.hash, groups: tasks.groups }, at) : accepted;
}

const getCarriedFolder = ({ layout }: DetectedLayout, { from }: PreparedFeature): string =>
  getCarriedPath(layout, from).replace(/\/[^/]*$/, "");

function placeFeatureFiles(draft: ImportDraft, { seen, feature, name }: NamedFeature, record: FeatureRecord): void {
  const path = getFeatureRecordPath(name);
  const { held } = feature;
  const isDesigned = record.design !== null && held !== undefined;
  const why = isDesigned
    ? undefined
    : (feature.unheld ?? (held ? "what it builds on has no design that holds" : undefined));
  const written = new Map<string, WorkspacePath>();
  for (const { from, as, text } of feature.parts) {
    const isHeld = isDesigned && (as !== "tasks" || held.tasks !== undefined);
    const place = {
      design: getFeatureDesignPath(name),
      research: getFeatureResearchPath(name),
      tasks: getFeatureTasksPath(name),
    }[as];
    if (isHeld) draft.write(place, as === "tasks" ? (held.tasks?.text ?? text) : text);
    const to = isHeld ? place : draft.carryBeside(seen, from, text);
    if (to === undefined) draft.collide(seen, from, place);
    else written.set(from, to);
  }
  draft.step({ kind: "record", path, record, shape: createFeatureShape(name) });
  draft.occurrences.push({ kind: "importing.feature", subject: name, data: { phase: record.phase } });
  const isPart = feature.parts.some(({ from }) => from === feature.from);
  if (!isPart) draft.taken(seen, feature.from, { as: `feature, ${record.phase}`, to: [path], why: FOREIGN_PHASE_NOTE });
  for (const { from, as } of feature.parts) {
    const to = written.get(from);
    if (to === undefined) continue;
    const isFirst = from === feature.from;
    const isOurs = to.startsWith(`${getFeatureFolder(name)}/`);
    const reason = isOurs ? undefined : as === "tasks" ? (why ?? "the tasks are not in our form") : why;
    const became = { to: isFirst ? [path, to] : [to], why: reason };
    if (isOurs || isFirst) draft.taken(seen, from, { as: isFirst ? `feature, ${record.phase}` : as, ...became });
    else draft.carried(seen, from, became);
  }
}

const FOREIGN_PHASE_NOTE = "phases and counts of another tool are not believed";
