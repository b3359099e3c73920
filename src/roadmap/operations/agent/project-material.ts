import type { BriefMaterial } from "../../model/agent/brief-composition.ts";
import { matchSteeringName } from "../../model/steering/steering-name.ts";
import {
  STEERING_FOLDER,
  getSteeringFilePath,
  getFeatureDesignPath,
  KNOWLEDGE_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createDocumentPiece, formatInlinePath, createListPiece, type PieceWeight } from "./brief-pieces.ts";
import { type RoadmapRole, ROLE_FACTS } from "../../model/agent/agent-roles.ts";
import { countSecondsBetween } from "#kernel/model/utc-time.ts";
import type { StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { RoadmapEngine } from "../engine.ts";
import type { StackSurvey } from "#checking/operations/ports/stacks.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { selectRelevantKnowledge } from "../../model/knowledge/knowledge-match.ts";
import { deriveRolePhase } from "../../model/knowledge/knowledge-kinds.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { loadKnowledgeFolder } from "../knowledge/knowledge-folder.ts";

/** In order of importance. Other files follow. */
const FIRST_STEERING_FILES = ["product.md", "tech.md", "structure.md"];
const MAX_STEERING_SHOWN = 8;

function listSteeringNames(tree: StoreTree): string[] {
  const names = tree
    .names(STEERING_FOLDER)
    .filter((name) => name.endsWith(".md") && matchSteeringName(name) !== undefined);
  return [
    ...FIRST_STEERING_FILES.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST_STEERING_FILES.includes(name)),
  ];
}

export function createSteeringTexts(
  tree: StoreTree,
  [rank, share]: PieceWeight,
  without: readonly string[] = [],
): BriefMaterial {
  const names = listSteeringNames(tree).filter((name) => !without.includes(name));
  const shown = names.slice(0, MAX_STEERING_SHOWN).flatMap((name, i) => {
    const path = getSteeringFilePath(name);
    return createDocumentPiece("Steering", path, tree.text(path), [rank + i / 10, share]);
  });
  return [...shown, ...createSteeringList(names.slice(MAX_STEERING_SHOWN), rank)];
}

export const createSteeringPaths = (tree: StoreTree, rank: number): BriefMaterial =>
  createSteeringList(listSteeringNames(tree), rank);

function createSteeringList(names: readonly string[], rank: number): BriefMaterial {
  const paths = names.map(getSteeringFilePath);
  return createListPiece("Steering files to read", paths, "file", formatInlinePath(STEERING_FOLDER), [rank, 0.1]);
}

/** Cached, because a survey takes longer than the rest of a brief and stacks rarely change. */
const surveyCache = new Map<string, { readonly at: string; readonly survey: Promise<StackSurvey> }>();
const MAX_SURVEY_SECONDS = 60;

type SurveyEngine = Pick<RoadmapEngine, "stacks" | "root" | "clock">;

function getStackSurvey({ stacks, root, clock }: SurveyEngine): Promise<StackSurvey> {
  const at = clock.now();
  const known = surveyCache.get(root);
  if (known && Math.abs(countSecondsBetween(known.at, at)) < MAX_SURVEY_SECONDS) return known.survey;
  const survey = stacks.survey();
  surveyCache.set(root, { at, survey });
  survey.catch(() => surveyCache.delete(root));
  return survey;
}

export async function createProfileMaterial(
  engine: SurveyEngine,
  more: (profile: StackProfile) => readonly string[] = () => [],
): Promise<BriefMaterial> {
  const { detections, profiles, definitions } = await getStackSurvey(engine);
  const primary = detections.find(({ isPrimary }) => isPrimary);
  const profile = profiles.find(({ id }) => id === primary?.profile);
  if (!primary || !profile || primary.confidence === 0) return [];
  const use = definitions.stacks.find((stack) => stack.directory === primary.directory && stack.profile === profile.id);
  const tools = (use?.checks ?? []).map(({ kind, tool }) => `${kind} by ${tool}`);
  const lines = [
    `${profile.title}; tests: ${profile.test_framework}`,
    ...(tools.length > 0 ? [`It is judged by: ${tools.join(", ")}`] : []),
    ...profile.conventions,
    ...more(profile),
  ];
  return createListPiece("How code is written here", lines, "line", "the answer of `sdd_stack`", [6, 0.1]);
}

const MAX_TOPIC_DESIGNS = 20;
const MAX_LESSON_LENGTH = 400;

/** Lessons are material by others, not rules. */
export function createKnowledgeMaterial(
  tree: StoreTree,
  role: RoadmapRole,
  features: readonly FeatureRecord[],
): BriefMaterial {
  const { lessons: types } = ROLE_FACTS[role];
  if (types.length === 0 || features.length === 0) return [];
  const { known } = loadKnowledgeFolder(tree);
  if (known.length === 0) return [];
  const about = features
    .slice(0, MAX_TOPIC_DESIGNS)
    .map(({ feature_name, description }) => `${description}\n${tree.text(getFeatureDesignPath(feature_name)) ?? ""}`)
    .join("\n");
  const found = selectRelevantKnowledge({ phase: deriveRolePhase(role), types, about }, known);
  const lessons = found.map(
    ({ file, summary }) => `${file}: ${sanitizeText(summary.replace(/\s+/g, " "), MAX_LESSON_LENGTH)}`,
  );
  return createListPiece("What was learned before", lessons, "lesson", formatInlinePath(KNOWLEDGE_FOLDER), [6, 0.1]);
}
