import type { ForeignChange, ForeignDelta } from "../../model/import/import-source.ts";
import {
  createRequirementItem,
  findRequirementByName,
  type LivingRequirement,
  listLivingRequirements,
} from "../../model/import/requirement-book.ts";
import { normalizeBlock, qualifyForeignIds } from "../../model/import/requirement-text.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { isContainedInItem } from "#planning/model/living-spec/item-edit.ts";
import type { WrittenDelta } from "#planning/model/living-spec/item-outline.ts";
import type { ImportDraft } from "./import-draft.ts";
import type { DetectedLayout } from "./import-sources.ts";
import { createIdScope, findFreeNumbers, type ImportedIds } from "./place-requirements.ts";

/** Names become ids. A requirement that no spec has is added, which is reported. */
export function resolveDeltas(
  draft: ImportDraft,
  seen: DetectedLayout,
  change: ForeignChange,
  ids: ImportedIds,
): { deltas: (WrittenDelta & { capability: string })[]; notes: string[] } {
  const living = listLivingRequirements(draft.text(REQUIREMENTS_PATH) ?? "");
  const free = findFreeNumbers(draft, ids);
  const notes: string[] = [];
  const deltas: (WrittenDelta & { capability: string })[] = [];
  const add = (op: "added" | "modified", given: string | undefined, delta: ForeignDelta): void => {
    const { capability, requirement } = delta;
    const id = given ?? `FR-${String(free.FR).padStart(3, "0")}`;
    const text = createRequirementItem({ ...requirement, capability }, id, createIdScope(seen, capability));
    if (text === undefined) {
      notes.push(
        `${change.name}: the requirement "${requirement.name}" does not end where it should; it was left out.`,
      );
      return;
    }
    if (given === undefined) free.FR++;
    deltas.push({ op, id, text, capability });
  };
  for (const { capability, from = "", requirement } of change.deltas.filter(({ op }) => op === "renamed"))
    if (!findRequirementByName(living, capability, from))
      notes.push(`${change.name} renames "${from}" to "${requirement.name}", which no spec has.`);
  for (const delta of joinRenames(change.deltas, living)) {
    const { op, capability, requirement, from } = delta;
    const known = findRequirementByName(living, capability, from ?? requirement.name);
    if (op === "added") add("added", undefined, delta);
    else if (op === "removed" && known)
      deltas.push({
        op,
        id: known.id,
        text: formatRemovalReason(known.id, requirement.text, seen, change),
        capability,
      });
    else if (op === "removed") notes.push(`${change.name} removes "${requirement.name}", which no spec has.`);
    else {
      if (!known) notes.push(`${change.name} changes "${requirement.name}", which no spec has: it is added.`);
      add(known ? "modified" : "added", known?.id, delta);
    }
  }
  return { deltas, notes };
}

/** A rename changes the name of the requirement that is there; with a modification it is one delta. */
function joinRenames(deltas: readonly ForeignDelta[], living: readonly LivingRequirement[]): ForeignDelta[] {
  const renames = deltas.filter(({ op }) => op === "renamed");
  // OpenSpec modifies a renamed requirement by its new name, and people also write the old one.
  const isRenamed = ({ capability, requirement: { name } }: ForeignDelta) =>
    renames.find((each) => each.capability === capability && each.requirement.name === name) ??
    renames.find((each) => each.capability === capability && each.from === name);
  const alone = renames.filter(
    (rename) => !deltas.some((delta) => delta.op === "modified" && isRenamed(delta) === rename),
  );
  return [
    ...deltas.flatMap((delta): ForeignDelta[] => {
      const rename = delta.op === "modified" ? isRenamed(delta) : undefined;
      if (delta.op === "renamed") return [];
      if (rename?.from === undefined) return [delta];
      const requirement = { ...delta.requirement, name: rename.requirement.name };
      return [{ ...delta, from: rename.from, requirement }];
    }),
    ...alone.flatMap((rename): ForeignDelta[] => {
      const { requirement } = findRequirementByName(living, rename.capability, rename.from ?? "") ?? {};
      if (!requirement) return [];
      return [{ ...rename, op: "modified", requirement: { ...requirement, name: rename.requirement.name } }];
    }),
  ];
}

function formatRemovalReason(id: string, text: string, seen: DetectedLayout, change: ForeignChange): string {
  const reason = qualifyForeignIds(normalizeBlock(text), createIdScope(seen, `changes/${change.name}`));
  if (reason === "") return `Not stated in ${seen.nameOf(change.from)}.`;
  return isContainedInItem(id, reason) ? reason : sanitizeText(reason.replace(/[#`<>]/g, ""), 1_000);
}
