import type { Criterion } from "#domain/change/checklist.ts";
import type { Defined } from "#domain/document/defined.ts";
import { Fault } from "#domain/fault.ts";
import { parseComponents } from "#domain/project/components.ts";
import { liveRequirements, liveRules } from "#domain/project/document.ts";
import { parseDeltas, type WrittenDelta } from "#domain/spec/delta.ts";
import { BUSINESS_RULES, changeArtifact, DESIGN, REQUIREMENTS } from "#domain/workspace/path.ts";
import { type AdrPlace, changeAdrPlaces, textOf, viewAdr, workspaceAdrs } from "../adr/shelf.ts";
import type { Tree } from "../ports/store.ts";
import type { ShelvedChange } from "./census.ts";

/** The change's own statements come first and win over the project's for the same id. */
export function criteriaOf(tree: Tree, change: ShelvedChange): Criterion[] {
  const { shelf, record } = change;
  const own = (stage: "spec" | "design"): string => tree.text(changeArtifact(shelf, record.id, stage)) ?? "";
  const all = [
    ...stated(own("spec")),
    ...components(own("design"), true),
    ...decisions(tree, changeAdrPlaces(tree, change), true),
    ...asCriteria(liveRequirements(tree.text(REQUIREMENTS) ?? ""), "requirement"),
    ...asCriteria(liveRules(tree.text(BUSINESS_RULES) ?? ""), "rule"),
    ...components(tree.text(DESIGN) ?? ""),
    ...decisions(tree, workspaceAdrs(tree)),
  ];
  const first = new Map<string, Criterion>();
  for (const each of all) if (!first.has(each.id)) first.set(each.id, each);
  return [...first.values()];
}

/** A spec without delta headings states its items directly. */
function stated(spec: string): Criterion[] {
  const { deltas, loose } = parseDeltas(spec);
  const criterion = ({ id, text }: Pick<WrittenDelta, "id" | "text">, says = text): Criterion => ({
    id,
    kind: id.startsWith("BR-") ? "rule" : "requirement",
    text: says.replace(/\s+/g, " "),
    isOwn: true,
  });
  return [...deltas.map((delta) => criterion(delta, inWords(delta))), ...loose.map((item) => criterion(item))];
}

function inWords({ op, to, text }: WrittenDelta): string {
  if (op === "removed") return `is removed: ${text}`;
  return op === "renamed" ? `becomes ${to}` : text;
}

const asCriteria = (items: readonly Defined[], kind: "requirement" | "rule"): Criterion[] =>
  items.map(({ id, text }) => ({ id, kind, text, isOwn: false }));

function components(design: string, isOwn = false): Criterion[] {
  return parseComponents(design).map(({ name, carries }) => ({
    id: name,
    kind: "component",
    text: carries.length > 0 ? `carries ${carries.join(", ")}` : "a component of the design",
    isOwn,
  }));
}

/** Accepted decisions only. Skips unreadable files; `adr.list` reports them. */
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
