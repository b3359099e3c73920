import type { Material } from "#domain/agent/brief.ts";
import { named } from "#domain/agent/fence.ts";
import { extractSectionText } from "#domain/document/section.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Work } from "#domain/roadmap/lead/action.ts";
import { getFeatureDesignPath, getFeatureResearchPath, ROADMAP_PATH } from "#domain/workspace/path.ts";
import { fixMaterial } from "./fixing.ts";
import { featureMaterial, type Gathered, type Ground, recordOf } from "./gathering.ts";
import { knowledgeMaterial } from "./knowledge.ts";
import { document, formOf, inside, list } from "./pieces.ts";
import { inALine } from "./scope.ts";
import { steeringTexts } from "./steering.ts";

type Designing = Extract<Work, { of: "design" }>;

const MOST_SHOWN = 6;

export function forDesign(ground: Ground, { feature, mode, isFix }: Designing): Gathered {
  const { tree, lead, templates } = ground;
  const record = recordOf(lead, feature);
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
      language: named(record.language),
      isNew: !isExisting,
      isExisting,
      isFix: source === "design",
      isSpecUpdate: source === "spec-update",
      isRevision: source === "revise",
    },
    material: [
      ...featureMaterial(record),
      ...(isFix ? fixMaterial(tree, record) : []),
      ...document("The design as it is", getFeatureDesignPath(feature), design, { rank: 2, share: 0.5 }),
      ...formOf("design.md", templates.design, { rank: isExisting ? 7 : 2, share: 0.3 }),
      ...formOf("research.md", templates.research, { rank: 6, share: 0.1 }),
      ...dependencyMaterial(ground, record),
      ...steeringTexts(tree, { rank: 3 }),
      ...document("The research as it is", getFeatureResearchPath(feature), research, { rank: 6, share: 0.15 }),
      ...knowledgeMaterial(tree, "architect", [record]),
      ...list("The other features of the roadmap", othersOf(ground, record), {
        rank: 5,
        share: 0.1,
        unit: "feature",
        where: inside(ROADMAP_PATH),
      }),
    ],
  };
}

function dependencyMaterial({ tree }: Ground, { roadmap }: FeatureRecord): Material {
  const names = (roadmap?.dependencies ?? []).filter((name) => !roadmap?.skipped.includes(name));
  const interfaces = (name: FeatureName): Material => {
    const text = tree.text(getFeatureDesignPath(name)) ?? "";
    const part = extractSectionText(text, "Components and Interfaces") ?? text;
    return document(`What ${name} offers`, getFeatureDesignPath(name), part, { rank: 4, share: 0.15 });
  };
  return [
    ...names.slice(0, MOST_SHOWN).flatMap(interfaces),
    ...list("It builds on these too", names.slice(MOST_SHOWN).map(getFeatureDesignPath), {
      rank: 4,
      share: 0.1,
      unit: "design",
      where: inside(ROADMAP_PATH),
    }),
  ];
}

const othersOf = ({ lead }: Ground, { feature_name }: FeatureRecord): string[] =>
  [...lead.features.values()].filter((each) => each.feature_name !== feature_name).map(inALine);
