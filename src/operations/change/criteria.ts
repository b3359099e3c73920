import type { ReviewCriterion } from "#domain/change/checklist.ts";
import type { DefinedItem } from "#domain/document/defined.ts";
import { Fault } from "#domain/fault.ts";
import { parseDesignComponents } from "#domain/project/components.ts";
import { listLiveRequirements, listLiveRules } from "#domain/project/document.ts";
import { parseSpecDeltas, type WrittenDelta } from "#domain/spec/delta.ts";
import { BUSINESS_RULES_PATH, getChangeArtifactPath, DESIGN_PATH, REQUIREMENTS_PATH } from "#domain/workspace/path.ts";
import {
  type DecisionFile,
  listChangeDecisions,
  readDecisionFileText,
  createDecisionView,
  listWorkspaceDecisions,
} from "../adr/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import type { StoredChange } from "./census.ts";

/** The change's own statements come first and win over the project's for the same id. */
export function collectReviewCriteria(tree: StoreTree, change: StoredChange): ReviewCriterion[] {
  const { shelf, record } = change;
  const own = (stage: "spec" | "design"): string => tree.text(getChangeArtifactPath(shelf, record.id, stage)) ?? "";
  const all = [
    ...collectSpecCriteria(own("spec")),
    ...collectComponentCriteria(own("design"), true),
    ...collectDecisionCriteria(tree, listChangeDecisions(tree, change), true),
    ...createItemCriteria(listLiveRequirements(tree.text(REQUIREMENTS_PATH) ?? ""), "requirement"),
    ...createItemCriteria(listLiveRules(tree.text(BUSINESS_RULES_PATH) ?? ""), "rule"),
    ...collectComponentCriteria(tree.text(DESIGN_PATH) ?? ""),
    ...collectDecisionCriteria(tree, listWorkspaceDecisions(tree)),
  ];
  const first = new Map<string, ReviewCriterion>();
  for (const each of all) if (!first.has(each.id)) first.set(each.id, each);
  return [...first.values()];
}

/** A spec without delta headings states its items directly. */
function collectSpecCriteria(spec: string): ReviewCriterion[] {
  const { deltas, loose } = parseSpecDeltas(spec);
  const criterion = ({ id, text }: Pick<WrittenDelta, "id" | "text">, says = text): ReviewCriterion => ({
    id,
    kind: id.startsWith("BR-") ? "rule" : "requirement",
    text: says.replace(/\s+/g, " "),
    isOwn: true,
  });
  return [
    ...deltas.map((delta) => criterion(delta, describeDeltaText(delta))),
    ...loose.map((item) => criterion(item)),
  ];
}

function describeDeltaText({ op, to, text }: WrittenDelta): string {
  if (op === "removed") return `is removed: ${text}`;
  return op === "renamed" ? `becomes ${to}` : text;
}

const createItemCriteria = (items: readonly DefinedItem[], kind: "requirement" | "rule"): ReviewCriterion[] =>
  items.map(({ id, text }) => ({ id, kind, text, isOwn: false }));

function collectComponentCriteria(design: string, isOwn = false): ReviewCriterion[] {
  return parseDesignComponents(design).map(({ name, carries }) => ({
    id: name,
    kind: "component",
    text: carries.length > 0 ? `carries ${carries.join(", ")}` : "a component of the design",
    isOwn,
  }));
}

/** Accepted decisions only. Skips unreadable files; `adr.list` reports them. */
function collectDecisionCriteria(tree: StoreTree, places: readonly DecisionFile[], isOwn = false): ReviewCriterion[] {
  return places.flatMap((place): ReviewCriterion[] => {
    try {
      const { title, status } = createDecisionView(place, readDecisionFileText(tree, place));
      return status === "accepted" ? [{ id: isOwn ? place.id : place.ref, kind: "decision", text: title, isOwn }] : [];
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  });
}
