import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { formatParallelismReport } from "../../model/roadmap-page.ts";
import type { Lead } from "../../model/lead/lead-state.ts";
import type { RequestedFeature } from "../../model/roadmap-update.ts";
import { resolveSteeringPath } from "../../model/steering/steering-name.ts";
import { readUserIntent } from "../../model/steering/product-document.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { readLead } from "../lead/lead-store.ts";
import {
  createManageOutput,
  type ManageRoadmapInput,
  type ManageRoadmapOutput,
  listFeatureRows,
} from "./manage-answer.ts";
import {
  listNonGoalWarnings,
  createFeatureStart,
  listPlacedFeatures,
  createPlacementEvents,
  resolveRequestedFeatures,
} from "./requested-features.ts";
import { commitAllLeadEvents } from "../lead/write-lead.ts";

/** Plans all features in one write. Does nothing if exactly this roadmap already exists. */
export async function createRoadmap(
  engine: RoadmapEngine,
  { features = [] }: ManageRoadmapInput,
): Promise<ManageRoadmapOutput> {
  const before = await readLead(engine);
  if (features.length === 0) return createMissingFeaturesOutput(before);
  if (!isRoadmapFree(before, resolveRequestedFeatures(before, features)))
    return createExistingRoadmapOutput(before, features);
  const begin = await createFeatureStart(engine);
  let steering: ManageRoadmapOutput["next"] = [];
  let doubts: string[] = [];
  const { lead } = await commitAllLeadEvents(engine, (tree, now) => {
    const wanted = resolveRequestedFeatures(now, features);
    steering = suggestMissingVision(tree);
    doubts = listNonGoalWarnings(
      tree,
      now,
      wanted.map(({ name }) => name),
    );
    return { events: isRoadmapFree(now, wanted) ? createPlacementEvents(now, wanted, begin) : [] };
  });
  return createManageOutput(lead, {
    action: "create",
    said: `${formatRoadmapSize(lead)}.`,
    ...listFeatureRows(lead),
    parallelism: formatParallelismReport([...lead.features.values()]),
    notes: [...doubts, ...(steering.length === 0 ? [] : [NO_VISION_NOTE])],
    next: [
      ...steering,
      { operation: "roadmap.manage", input: { action: "run", plan: true } },
      { operation: "roadmap.manage", input: { action: "run" } },
    ],
  });
}

const NO_VISION_NOTE =
  "No vision is written down: without one, and without anti-goals, reviews have little to judge by.";

/**
 * Suggests a steering update if the product page has no vision. The page may already exist, because the plan itself
 * writes to it.
 */
function suggestMissingVision(tree: StoreTree): ManageRoadmapOutput["next"] {
  const product = tree.text(resolveSteeringPath("product")) ?? "";
  return readUserIntent(product).vision !== ""
    ? []
    : [{ operation: "steering.manage", input: { action: "update", vision: "…" } }];
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
  const there = [...lead.features.values()];
  return createManageOutput(lead, {
    action: "create",
    passed: false,
    said: "What shall be built was not said.",
    ...listFeatureRows(lead),
    notes: [
      "Agree with the user on features: a name as user-login, what it shall do, and the names it depends on.",
      "Foundations, such as models, errors and logging, come first: say foundation of what all others build on.",
      ...(there.length === 0
        ? ["There is no feature yet."]
        : there.map((record) => `There is ${formatFeatureLine(record)}`)),
    ],
    next: [
      {
        operation: "roadmap.manage",
        input: {
          action: "create",
          features: [
            { name: "user-model", description: "…" },
            { name: "user-login", description: "…", dependencies: ["user-model"] },
          ],
        },
      },
    ],
  });
}

const formatFeatureLine = ({
  feature_name: name,
  description,
}: {
  feature_name: string;
  description: string;
}): string => `${name}: ${sanitizeText(description, 120)}`;

function createExistingRoadmapOutput(
  lead: Lead,
  features: NonNullable<ManageRoadmapInput["features"]>,
): ManageRoadmapOutput {
  return createManageOutput(lead, {
    action: "create",
    passed: false,
    said: `There is a roadmap already: ${formatRoadmapSize(lead)}.`,
    ...listFeatureRows(lead),
    notes: ["Change it with update, which shows first what would be otherwise, or delete it. Nothing was written."],
    next: [{ operation: "roadmap.manage", input: { action: "update", features } }],
  });
}
