import type { Material } from "#domain/agent/brief.ts";
import type { Role } from "#domain/agent/role.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import type { Knowledge } from "#domain/knowledge/document.ts";
import { relevantTo } from "#domain/knowledge/relevance.ts";
import { KNOWLEDGE_TYPES, type KnowledgeType, phaseOf } from "#domain/knowledge/tag.ts";
import { sanitizeText } from "#domain/quote.ts";
import { getFeatureDesignPath, KNOWLEDGE_FOLDER } from "#domain/workspace/path.ts";
import { knowledgeIn } from "../../knowledge/shelf.ts";
import type { StoreTree } from "../../ports/store.ts";
import { inside, list } from "./pieces.ts";

/** Incidents help every inspector. Patterns help roles that write code or judge its quality. */
const TYPES: ReadonlyMap<Role, readonly KnowledgeType[]> = new Map<Role, readonly KnowledgeType[]>([
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
const MOST_DESIGNS = 20;
const LONGEST = 400;

/** Lessons are material by others, not rules. */
export function knowledgeMaterial(tree: StoreTree, role: Role, features: readonly FeatureRecord[]): Material {
  const types = TYPES.get(role);
  if (!types || features.length === 0) return [];
  const { known } = knowledgeIn(tree);
  if (known.length === 0) return [];
  const about = features
    .slice(0, MOST_DESIGNS)
    .map(({ feature_name, description }) => `${description}\n${tree.text(getFeatureDesignPath(feature_name)) ?? ""}`)
    .join("\n");
  const found = relevantTo({ phase: phaseOf(role), types, about }, known);
  return list("What was learned before", found.map(toldOf), {
    rank: 6,
    share: 0.1,
    unit: "lesson",
    where: inside(KNOWLEDGE_FOLDER),
  });
}

const toldOf = ({ file, summary }: Knowledge): string =>
  `${file}: ${sanitizeText(summary.replace(/\s+/g, " "), LONGEST)}`;
