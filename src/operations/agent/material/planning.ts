import type { Material } from "#domain/agent/brief.ts";
import { named } from "#domain/agent/fence.ts";
import { extractSectionText } from "#domain/document/section.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Work } from "#domain/roadmap/lead/action.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
} from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import { findings } from "./findings.ts";
import { reviewAt } from "./fixing.ts";
import { featureMaterial, type Gathered, type Ground, recordOf } from "./gathering.ts";
import { document, formOf, inside, list, saying } from "./pieces.ts";
import { steeringTexts } from "./steering.ts";

type Planning = Extract<Work, { of: "tasks" }>;

/** Sections of a design in order of their value for tasks. */
const SECTIONS = [
  ["Specifications", { rank: 1, share: 0.4 }],
  ["Components and Interfaces", { rank: 2, share: 0.4 }],
  ["Testing Strategy", { rank: 4, share: 0.1 }],
  ["Error Handling", { rank: 5, share: 0.1 }],
  ["Data Models", { rank: 5, share: 0.1 }],
  ["Architecture", { rank: 6, share: 0.1 }],
] as const;

export function forTasks({ tree, lead, templates }: Ground, { feature, excluded, blocker }: Planning): Gathered {
  const record = recordOf(lead, feature);
  const left = reviewFindings(tree, record);
  const isBlocked = blocker !== null;
  const tasks = isBlocked ? tree.text(getFeatureTasksPath(feature)) : undefined;
  return {
    values: {
      feature,
      tasks_file: getFeatureTasksPath(feature),
      language: named(record.language),
      hasExcluded: excluded.length > 0,
      hasFindings: left.length > 0,
      isBlocked,
      isPlain: excluded.length === 0 && left.length === 0 && !isBlocked,
    },
    material: [
      ...featureMaterial(record),
      ...saying("What was in the way", blocker ?? "", {
        rank: 1,
        share: 0.2,
        where: inside(getFeatureRecordPath(feature)),
      }),
      ...list("Files that are not yours to plan", excluded, {
        rank: 1,
        share: 0.2,
        unit: "file",
        where: inside(getFeatureRecordPath(feature)),
      }),
      ...formOf("tasks.yaml", templates.tasks, { rank: 2, share: 0.1 }),
      ...designMaterial(tree, feature),
      ...left,
      ...document("The tasks as they are", getFeatureTasksPath(feature), tasks, { rank: 2, share: 0.3 }),
      ...steeringTexts(tree, { rank: 5, share: 0.15 }, ["product.md"]),
      ...list("To read where you need it", [getFeatureDesignPath(feature), getFeatureResearchPath(feature)], {
        rank: 7,
        unit: "file",
        where: inside(getFeatureRecordPath(feature)),
      }),
    ],
  };
}

function designMaterial(tree: StoreTree, feature: FeatureName): Material {
  const path = getFeatureDesignPath(feature);
  const text = tree.text(path) ?? "";
  const parts = SECTIONS.flatMap(([name, weight]) => document(name, path, extractSectionText(text, name), weight));
  return parts.length > 0 ? parts : document("The design", path, text, { rank: 1, share: 0.7 });
}

function reviewFindings(tree: StoreTree, { feature_name, reviews }: FeatureRecord): Material {
  if (!reviews.design) return [];
  const path = getFeatureReviewPath(feature_name, reviews.design.batch);
  const standing = reviewAt(tree, path)?.findings.filter(({ waived }) => waived === undefined) ?? [];
  return findings("What reviewers of the design let pass", standing, { rank: 3, share: 0.2, where: inside(path) });
}
