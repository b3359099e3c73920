import type { BriefMaterial } from "#domain/agent/brief.ts";
import { quoteForeignName } from "#domain/agent/fence.ts";
import { extractSectionText } from "#domain/document/section.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { AgentWork } from "#domain/roadmap/lead/action.ts";
import {
  getFeatureDesignPath,
  getFeatureRecordPath,
  getFeatureResearchPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
} from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import { createFindingsPiece } from "./findings.ts";
import { readReviewFile } from "./fixing.ts";
import { createFeatureMaterial, type RoleMaterial, type BriefSource, getActionRecord } from "./gathering.ts";
import {
  createDocumentPiece,
  createTemplatePiece,
  formatInlinePath,
  createListPiece,
  createTextPiece,
} from "./pieces.ts";
import { createSteeringTexts } from "./steering.ts";

type TaskPlanWork = Extract<AgentWork, { of: "tasks" }>;

/** Sections of a design in order of their value for tasks. */
const PLANNING_SECTIONS = [
  ["Specifications", { rank: 1, share: 0.4 }],
  ["Components and Interfaces", { rank: 2, share: 0.4 }],
  ["Testing Strategy", { rank: 4, share: 0.1 }],
  ["Error Handling", { rank: 5, share: 0.1 }],
  ["Data Models", { rank: 5, share: 0.1 }],
  ["Architecture", { rank: 6, share: 0.1 }],
] as const;

export function gatherTasksMaterial(
  { tree, lead, templates }: BriefSource,
  { feature, excluded, blocker }: TaskPlanWork,
): RoleMaterial {
  const record = getActionRecord(lead, feature);
  const left = createDesignFindings(tree, record);
  const isBlocked = blocker !== null;
  const tasks = isBlocked ? tree.text(getFeatureTasksPath(feature)) : undefined;
  return {
    values: {
      feature,
      tasks_file: getFeatureTasksPath(feature),
      language: quoteForeignName(record.language),
      hasExcluded: excluded.length > 0,
      hasFindings: left.length > 0,
      isBlocked,
      isPlain: excluded.length === 0 && left.length === 0 && !isBlocked,
    },
    material: [
      ...createFeatureMaterial(record),
      ...createTextPiece("What was in the way", blocker ?? "", {
        rank: 1,
        share: 0.2,
        where: formatInlinePath(getFeatureRecordPath(feature)),
      }),
      ...createListPiece("Files that are not yours to plan", excluded, {
        rank: 1,
        share: 0.2,
        unit: "file",
        where: formatInlinePath(getFeatureRecordPath(feature)),
      }),
      ...createTemplatePiece("tasks.yaml", templates.tasks, { rank: 2, share: 0.1 }),
      ...createDesignMaterial(tree, feature),
      ...left,
      ...createDocumentPiece("The tasks as they are", getFeatureTasksPath(feature), tasks, { rank: 2, share: 0.3 }),
      ...createSteeringTexts(tree, { rank: 5, share: 0.15 }, ["product.md"]),
      ...createListPiece(
        "To read where you need it",
        [getFeatureDesignPath(feature), getFeatureResearchPath(feature)],
        {
          rank: 7,
          unit: "file",
          where: formatInlinePath(getFeatureRecordPath(feature)),
        },
      ),
    ],
  };
}

function createDesignMaterial(tree: StoreTree, feature: FeatureName): BriefMaterial {
  const path = getFeatureDesignPath(feature);
  const text = tree.text(path) ?? "";
  const parts = PLANNING_SECTIONS.flatMap(([name, weight]) =>
    createDocumentPiece(name, path, extractSectionText(text, name), weight),
  );
  return parts.length > 0 ? parts : createDocumentPiece("The design", path, text, { rank: 1, share: 0.7 });
}

function createDesignFindings(tree: StoreTree, { feature_name, reviews }: FeatureRecord): BriefMaterial {
  if (!reviews.design) return [];
  const path = getFeatureReviewPath(feature_name, reviews.design.batch);
  const standing = readReviewFile(tree, path)?.findings.filter(({ waived }) => waived === undefined) ?? [];
  return createFindingsPiece("What reviewers of the design let pass", standing, {
    rank: 3,
    share: 0.2,
    where: formatInlinePath(path),
  });
}
