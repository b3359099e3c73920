import type { Criterion } from "#domain/change/checklist.ts";
import { definedItems } from "#domain/document/defined.ts";
import type { Family } from "#domain/document/reference.ts";
import { Fault } from "#domain/fault.ts";
import { parseComponents } from "#domain/project/components.ts";
import { BUSINESS_RULES, changeArtifact, CHANGES, DESIGN, REQUIREMENTS } from "#domain/workspace/path.ts";
import { type AdrPlace, changeAdrPlaces, textOf, viewAdr, workspaceAdrs } from "../adr/shelf.ts";
import type { Tree } from "../store.ts";
import { everyChange, type ShelvedChange } from "./shelf.ts";

/** Everything a change may have to hold to, its own statements first: where both speak of an id, the change does. */
export function criteriaOf(tree: Tree, change: ShelvedChange): Criterion[] {
  const { shelf, record } = change;
  const own = (stage: "spec" | "design"): string => tree.text(changeArtifact(shelf, record.id, stage)) ?? "";
  const all = [
    ...items(own("spec"), "requirement", true),
    ...items(own("spec"), "rule", true),
    ...components(own("design"), true),
    ...decisions(tree, changeAdrPlaces(tree, change), true),
    ...items(tree.text(REQUIREMENTS) ?? "", "requirement"),
    ...items(tree.text(BUSINESS_RULES) ?? "", "rule"),
    ...components(tree.text(DESIGN) ?? ""),
    ...decisions(tree, workspaceAdrs(tree)),
  ];
  const first = new Map<string, Criterion>();
  for (const each of all) if (!first.has(each.id)) first.set(each.id, each);
  return [...first.values()];
}

/** Every id that the code may refer to: those of the documents, of changes that are not archived, and of all decisions. */
export function knownIds(tree: Tree, change: ShelvedChange): Set<string> {
  const changes = [change, ...everyChange(tree).changes];
  const adrs = [...workspaceAdrs(tree), ...changes.flatMap((each) => changeAdrPlaces(tree, each))];
  const specs = changes
    .filter(({ shelf }) => shelf === CHANGES)
    .map(({ shelf, record }) => tree.text(changeArtifact(shelf, record.id, "spec")) ?? "");
  const stated = specs.flatMap((spec) => [...items(spec, "requirement"), ...items(spec, "rule")]);
  return new Set([...criteriaOf(tree, change), ...stated, ...adrs].map(({ id }) => id));
}

function items(text: string, family: Family & ("requirement" | "rule"), isOwn = false): Criterion[] {
  return definedItems(text, family).map((item) => ({ id: item.id, kind: family, text: item.text, isOwn }));
}

function components(design: string, isOwn = false): Criterion[] {
  return parseComponents(design).map(({ name, carries }) => ({
    id: name,
    kind: "component",
    text: carries.length > 0 ? `carries ${carries.join(", ")}` : "a component of the design",
    isOwn,
  }));
}

/** Those that are accepted; one that cannot be read is told elsewhere. */
function decisions(tree: Tree, places: readonly AdrPlace[], isOwn = false): Criterion[] {
  return places.flatMap((place): Criterion[] => {
    try {
      const { title, status } = viewAdr(place, textOf(tree, place));
      return status === "accepted" ? [{ id: isOwn ? place.id : place.ref, kind: "decision", text: title, isOwn }] : [];
    } catch (error) {
      if (error instanceof Fault) return [];
      throw error;
    }
  });
}
