import { getCarriedPath } from "../../model/import/imported-output.ts";
import type { ForeignRequirements } from "../../model/import/import-source.ts";
import { addRequirements, EMPTY_REQUIREMENTS } from "../../model/import/requirement-book.ts";
import { BUSINESS_RULES_PATH, REQUIREMENTS_PATH } from "#kernel/model/workspace-paths.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { listNextFreeIds, type DeltaCheckContext } from "#planning/model/living-spec/delta-merge.ts";
import { getIdFamily } from "#planning/model/living-spec/item-edit.ts";
import type { ImportDraft } from "./import-draft.ts";
import type { DetectedLayout } from "./import-sources.ts";

/** Books and ids as they will be after the import. Each placed change adds its claims. */
export type ImportedIds = Pick<DeltaCheckContext, "given"> & { claims: DeltaCheckContext["claims"][number][] };

export const loadDraftBooks = (draft: ImportDraft) => ({
  requirements: draft.text(REQUIREMENTS_PATH),
  rules: draft.text(BUSINESS_RULES_PATH),
});

export function findFreeNumbers(draft: ImportDraft, { given, claims }: ImportedIds) {
  const [functional = "", quality = ""] = listNextFreeIds({ books: loadDraftBooks(draft), given, claims });
  return { FR: Number(functional.split("-")[1]), NFR: Number(quality.split("-")[1]) };
}

/** Source of foreign ids in our documents: `openspec/timetable`. The slash keeps it from being read as a change. */
export const createIdScope = ({ layout }: Pick<DetectedLayout, "layout">, capability: string): string =>
  `${layout}/${capability.replaceAll(" ", "-")}`;

/** Adds requirements to the document of the workspace. The user's text in it stays as it is. */
export function placeImportedRequirements(
  draft: ImportDraft,
  found: readonly { readonly seen: DetectedLayout; readonly item: ForeignRequirements }[],
  ids: ImportedIds,
): void {
  for (const { seen, item } of found) {
    if (draft.isKnown(seen, item.from)) continue;
    const before = draft.text(REQUIREMENTS_PATH);
    if (before === undefined && !draft.isFree(REQUIREMENTS_PATH)) {
      draft.collide(seen, item.from, REQUIREMENTS_PATH);
      continue;
    }
    const scope = createIdScope(seen, item.capability);
    const added = addRequirements(before ?? EMPTY_REQUIREMENTS, item, scope, findFreeNumbers(draft, ids));
    if ("problem" in added) {
      draft.carry(seen, item, `${REQUIREMENTS_PATH} cannot take it: ${sanitizeText(added.problem, 200)}`);
      continue;
    }
    const hasRest = item.hasRest || !added.isPurposeKept;
    const beside = hasRest ? draft.carryBeside(seen, item) : undefined;
    if (hasRest && beside === undefined) {
      draft.collide(seen, item.from, getCarriedPath(seen.layout, item.from));
      continue;
    }
    draft.rewrite(REQUIREMENTS_PATH, added.text);
    draft.addRow(seen, item.from, "taken", {
      as: formatCount(added.ids.length, "requirement"),
      to: beside === undefined ? [REQUIREMENTS_PATH] : [REQUIREMENTS_PATH, beside],
      why: `${formatIdRanges(added.ids)}${beside === undefined ? "" : "; the copy has its other sections"}`,
    });
  }
}

/** `FR-001 to FR-004, NFR-001` */
const formatIdRanges = (ids: readonly string[]): string =>
  [...Map.groupBy(ids, getIdFamily).values()]
    .map((own) => (own.length === 1 ? own[0] : `${own[0]} to ${own.at(-1)}`))
    .join(", ");
