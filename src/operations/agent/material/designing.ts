import type { BriefMaterial } from "#domain/agent/brief.ts";
import { quoteForeignName } from "#domain/agent/fence.ts";
import { extractSectionText } from "#domain/document/section.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { AgentWork } from "#domain/roadmap/lead/action.ts";
import { getFeatureDesignPath, getFeatureResearchPath, ROADMAP_PATH } from "#domain/workspace/path.ts";
import { createFixMaterial } from "./fixing.ts";
import { createFeatureMaterial, type RoleMaterial, type BriefSource, getActionRecord } from "./gathering.ts";
import { createKnowledgeMaterial } from "./knowledge.ts";
import { createDocumentPiece, createTemplatePiece, formatInlinePath, createListPiece } from "./pieces.ts";
import { formatFeatureOverview } from "./scope.ts";
import { createSteeringTexts } from "./steering.ts";

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
