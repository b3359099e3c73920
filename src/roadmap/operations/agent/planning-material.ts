import { type BriefMaterial, quoteForeignName } from "../../model/agent/brief-composition.ts";
import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import type { AgentWork } from "../../model/lead/lead-state.ts";
import {
  getFeatureDesignPath,
  getFeatureResearchPath,
  ROADMAP_PATH,
  getFeatureRecordPath,
  getFeatureReviewPath,
  getFeatureTasksPath,
} from "#kernel/model/workspace-paths.ts";
import {
  createFixMaterial,
  createFeatureMaterial,
  type RoleMaterial,
  type BriefSource,
  getActionRecord,
  createDocumentPiece,
  createTemplatePiece,
  formatInlinePath,
  createListPiece,
  createFindingsPiece,
  readReviewFile,
  createTextPiece,
} from "./brief-pieces.ts";
import { createKnowledgeMaterial, createSteeringTexts } from "./project-material.ts";
import { formatFeatureOverview } from "./review-material.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";

type DesignWork = Extract<AgentWork, { of: "design" }>;

const MAX_SHOWN_DESIGNS = 6;

export function gatherDesignMaterial(ground: BriefSource, { feature, mode, isFix }: DesignWork): RoleMaterial {
  const { tree, lead, templates } = ground;
  const record = getActionRecord(lead, feature);
  const isExisting = mode === "existing";
  const source = isFix ? record.fix?.source : undefined;
  const design = isExisting ? tree.text(getFeatureDesignPath(feature)) : undefined;
  const research = isExisting ? tree.text(getFeatureResearchPath(feature)) : undefined;
  return {
    values: {
      feature,
      mode,
      design: getFeatureDesignPath(feature),
      research: getFeatureResearchPath(feature),
      language: quoteForeignName(record.language),
      isNew: !isExisting,
      isExisting,
      isFix: source === "design",
      isSpecUpdate: source === "spec-update",
      isRevision: source === "revise",
    },
    material: [
      ...createFeatureMaterial(record),
      ...(isFix ? createFixMaterial(tree, record) : []),
      ...createDocumentPiece("The design as it is", getFeatureDesignPath(feature), design, { rank: 2, share: 0.5 }),
      ...createTemplatePiece("design.md", templates.design, { rank: isExisting ? 7 : 2, share: 0.3 }),
      ...createTemplatePiece("research.md", templates.research, { rank: 6, share: 0.1 }),
      ...createDependencyMaterial(ground, record),
      ...createSteeringTexts(tree, { rank: 3 }),
      ...createDocumentPiece("The research as it is", getFeatureResearchPath(feature), research, {
        rank: 6,
        share: 0.15,
      }),
      ...createKnowledgeMaterial(tree, "architect", [record]),
      ...createListPiece("The other features of the roadmap", listOtherFeatures(ground, record), {
        rank: 5,
        share: 0.1,
        unit: "feature",
        where: formatInlinePath(ROADMAP_PATH),
      }),
    ],
  };
}

function createDependencyMaterial({ tree }: BriefSource, { roadmap }: FeatureRecord): BriefMaterial {
  const names = (roadmap?.dependencies ?? []).filter((name) => !roadmap?.skipped.includes(name));
  const interfaces = (name: FeatureName): BriefMaterial => {
    const text = tree.text(getFeatureDesignPath(name)) ?? "";
    const part = extractSectionText(text, "Components and Interfaces") ?? text;
    return createDocumentPiece(`What ${name} offers`, getFeatureDesignPath(name), part, { rank: 4, share: 0.15 });
  };
  return [
    ...names.slice(0, MAX_SHOWN_DESIGNS).flatMap(interfaces),
    ...createListPiece("It builds on these too", names.slice(MAX_SHOWN_DESIGNS).map(getFeatureDesignPath), {
      rank: 4,
      share: 0.1,
      unit: "design",
      where: formatInlinePath(ROADMAP_PATH),
    }),
  ];
}

const listOtherFeatures = ({ lead }: BriefSource, { feature_name }: FeatureRecord): string[] =>
  [...lead.features.values()].filter((each) => each.feature_name !== feature_name).map(formatFeatureOverview);

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
