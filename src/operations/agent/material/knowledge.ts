import type { BriefMaterial } from "#domain/agent/brief.ts";
import type { RoadmapRole } from "#domain/agent/role.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { KnowledgeEntry } from "#domain/knowledge/document.ts";
import { selectRelevantKnowledge } from "#domain/knowledge/relevance.ts";
import { KNOWLEDGE_TYPES, type KnowledgeType, deriveRolePhase } from "#domain/knowledge/tag.ts";
import { sanitizeText } from "#domain/quote.ts";
import { getFeatureDesignPath, KNOWLEDGE_FOLDER } from "#domain/workspace/path.ts";
import { loadKnowledgeFolder } from "../../knowledge/shelf.ts";
import type { StoreTree } from "../../ports/store.ts";
import { formatInlinePath, createListPiece } from "./pieces.ts";

/** Incidents help every inspector. Patterns help roles that write code or judge its quality. */
const ROLE_KNOWLEDGE_TYPES: ReadonlyMap<RoadmapRole, readonly KnowledgeType[]> = new Map<
  RoadmapRole,
  readonly KnowledgeType[]
>([
  ["architect", KNOWLEDGE_TYPES],
  ["builder", KNOWLEDGE_TYPES],
  ["inspector-best-practices", KNOWLEDGE_TYPES],
  ["inspector-quality", ["incident", "pattern"]],
  ["inspector-rulebase", ["incident"]],
  ["inspector-testability", ["incident"]],
  ["inspector-architecture", ["incident"]],
  ["inspector-consistency", ["incident"]],
  ["inspector-impl-rulebase", ["incident"]],
  ["inspector-interface", ["incident"]],
  ["inspector-test", ["incident"]],
  ["inspector-impl-consistency", ["incident"]],
]);
const MAX_TOPIC_DESIGNS = 20;
const MAX_LESSON_LENGTH = 400;

/** Lessons are material by others, not rules. */
export function createKnowledgeMaterial(
  tree: StoreTree,
  role: RoadmapRole,
  features: readonly FeatureRecord[],
): BriefMaterial {
  const types = ROLE_KNOWLEDGE_TYPES.get(role);
  if (!types || features.length === 0) return [];
  const { known } = loadKnowledgeFolder(tree);
  if (known.length === 0) return [];
  const about = features
    .slice(0, MAX_TOPIC_DESIGNS)
    .map(({ feature_name, description }) => `${description}\n${tree.text(getFeatureDesignPath(feature_name)) ?? ""}`)
    .join("\n");
  const found = selectRelevantKnowledge({ phase: deriveRolePhase(role), types, about }, known);
  return createListPiece("What was learned before", found.map(formatLesson), {
    rank: 6,
    share: 0.1,
    unit: "lesson",
    where: formatInlinePath(KNOWLEDGE_FOLDER),
  });
}

const formatLesson = ({ file, summary }: KnowledgeEntry): string =>
  `${file}: ${sanitizeText(summary.replace(/\s+/g, " "), MAX_LESSON_LENGTH)}`;
