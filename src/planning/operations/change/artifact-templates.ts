import {
  createArtifactTemplate,
  extractGuideSkeleton,
  isUntouchedTemplate,
} from "../../model/change/artifact-template.ts";
import type { ChangeRecord } from "../../model/change/change-record.ts";
import { dismissFault } from "#kernel/model/fault.ts";
import { hasStageArtifact } from "#kernel/model/flow/flow-engine.ts";
import { CHANGE_STAGES, type ChangeStage } from "#kernel/model/stages/change-stages.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { CHANGES_FOLDER, getChangeArtifactPath } from "#kernel/model/workspace-paths.ts";
import type { StoreStep, StoreTree } from "#store/operations/ports/store.ts";
import type { PlanningEngine } from "../engine.ts";
import { fillGuideIds, loadFreeIds } from "./change-deltas.ts";

export interface ArtifactForms {
  readonly guideByStage: ReadonlyMap<ChangeStage, string>;
  readonly headings: Config["changes"]["headings"];
}

export async function loadArtifactForms(engine: Pick<PlanningEngine, "assets" | "settings">): Promise<ArtifactForms> {
  const guides = CHANGE_STAGES.map(
    async (stage) => [stage, await engine.assets.text(`guides/change/${stage}`)] as const,
  );
  // A change works without settings, so a broken settings file is not a fault here.
  const config = await engine.settings.load().catch(dismissFault);
  return { guideByStage: new Map(await Promise.all(guides)), headings: config?.changes.headings ?? {} };
}

/** Writes the templates of stages to come. `isRefresh` only updates untouched ones, whose free ids may be taken by now. */
export function planArtifactTemplates(
  tree: StoreTree,
  record: ChangeRecord,
  { guideByStage, headings }: ArtifactForms,
  isRefresh = false,
): StoreStep[] {
  if (record.size === "quick") return [];
  return record.stages.flatMap((entry): StoreStep[] => {
    const path = getChangeArtifactPath(CHANGES_FOLDER, record.id, entry.name);
    const before = tree.text(path);
    const isOpen = before === undefined ? !isRefresh : isUntouchedTemplate(before);
    if (!isOpen || hasStageArtifact(entry)) return [];
    const text = createStageTemplate(tree, record, entry.name, guideByStage.get(entry.name) ?? "", headings);
    return text === before ? [] : [{ kind: "document", path, text }];
  });
}

function createStageTemplate(
  tree: StoreTree,
  { id, description, sizings = [] }: ChangeRecord,
  stage: ChangeStage,
  guide: string,
  headings: ArtifactForms["headings"],
): string {
  // The sentence of a quick change describes it.
  if (stage === "describe" && sizings.some(({ from }) => from === "quick")) return `${description}\n`;
  const filled = stage === "spec" ? fillGuideIds(guide, loadFreeIds(tree, id).ids) : guide;
  return createArtifactTemplate(extractGuideSkeleton(filled, headings[stage]));
}
