import type { DecisionId } from "../../model/adr/decision-record.ts";
import type { KnownDecision } from "../../model/context/decision-conflicts.ts";
import {
  parseDecisionFileName,
  parseDecisionId,
  readDecisionHead,
  readDecisionTexts,
} from "../../model/adr/decision-record.ts";
import { type ChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { catchFault, ignoreFault, Fault } from "#kernel/model/fault.ts";
import { compareTexts, quote } from "#kernel/model/text-format.ts";
import { ADR_FOLDER, getChangeAdrFolder, joinFolderPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { type StoredChange, findStoredChange, loadChangeRecords } from "../change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type * as z from "zod";
import type { AdrView } from "./schema.ts";

/** `ref` is valid everywhere: `ADR-0001`, or `<change>/ADR-001`. */
export interface DecisionFile {
  readonly ref: string;
  readonly id: DecisionId;
  readonly path: WorkspacePath;
}

export const listWorkspaceDecisions = (tree: StoreTree): DecisionFile[] => listDecisionFiles(tree, ADR_FOLDER);

export const listChangeDecisions = (tree: StoreTree, { shelf, record }: StoredChange): DecisionFile[] =>
  listDecisionFiles(tree, getChangeAdrFolder(shelf, record.id), record.id);

export const listWorkspaceDecisionIds = (tree: StoreTree): string[] =>
  listWorkspaceDecisions(tree).map((place) => place.id);

/** Accepts `ADR-0001`, `<change>/ADR-001`, and `ADR-001` relative to the change `near`. */
export function findDecisionFile(tree: StoreTree, reference: string, near?: StoredChange): DecisionFile {
  const slash = reference.indexOf("/");
  const id = parseDecisionId(slash < 0 ? reference : reference.slice(slash + 1));
  const change = slash < 0 ? near : findStoredChange(tree, parseChangeId(reference.slice(0, slash)));
  const places = [
    ...(change ? listChangeDecisions(tree, change) : []),
    ...(slash < 0 ? listWorkspaceDecisions(tree) : []),
  ].filter((place) => place.id === id);
  const [only, second] = places;
  if (only && !second) return only;
  throw new Fault(only ? "adr.ambiguous" : "adr.unknown", {
    what: `${quote(reference, 100)} cannot be found.`,
    why: only
      ? `${places.map((place) => place.path).join(" and ")} have that number.`
      : "No decision has that number there; one inside a change is named <change>/ADR-001.",
    fix: { operation: "adr.list" },
  });
}

export const hasDecisionFile = (tree: StoreTree, reference: string): boolean =>
  ignoreFault(() => findDecisionFile(tree, reference)) !== undefined;

export function readDecisionFileText(tree: StoreTree, place: DecisionFile): string {
  const text = tree.text(place.path);
  if (text !== undefined) return text;
  throw new Fault("adr.unknown", {
    what: `${place.path} cannot be read.`,
    why: "It was just removed.",
    fix: { operation: "adr.list" },
  });
}

export const createDecisionView = (place: DecisionFile, text: string): DecisionViewData => ({
  ref: place.ref,
  path: place.path,
  ...readDecisionHead(place.id, text),
});

/** A decision has at most one successor and keeps it. */
export function requireNotSuperseded({ ref, status, superseded_by }: DecisionViewData): void {
  if (status !== "superseded") return;
  throw new Fault("adr.already-superseded", {
    what: `${ref} is closed.`,
    why: `${superseded_by ?? "Another decision"} has superseded it.`,
    fix: superseded_by
      ? { operation: "adr.record", input: { ...DECISION_BLANKS, supersedes: superseded_by } }
      : { operation: "adr.list" },
  });
}

export const DECISION_BLANKS = { title: "…", context: "…", decision: "…", rationale: "…" } as const;

const listDecisionFiles = (tree: StoreTree, folder: WorkspacePath, change?: ChangeId): DecisionFile[] =>
  tree.names(folder).flatMap((name) => {
    const id = parseDecisionFileName(name)?.id;
    return id ? [{ id, path: joinFolderPath(folder, name), ref: change ? `${change}/${id}` : id }] : [];
  });

export const listAllDecisions = (
  tree: StoreTree,
  changes: readonly StoredChange[] = loadChangeRecords(tree).changes,
): DecisionFile[] => [
  ...listWorkspaceDecisions(tree),
  ...changes.flatMap((change) => listChangeDecisions(tree, change)),
];

export type DecisionViewData = z.infer<typeof AdrView>;

/** Oldest first: RFC 3339 dates sort as text. Reports files with a damaged head separately. */
export const loadDecisionViews = (tree: StoreTree) =>
  loadEachDecision(tree, listAllDecisions(tree), createDecisionView);

export const loadKnownDecisions = (tree: StoreTree, changes: readonly StoredChange[]) =>
  loadEachDecision(tree, listAllDecisions(tree, changes), (place, text): DecisionViewData & KnownDecision => ({
    ...createDecisionView(place, text),
    ...readDecisionTexts(text),
  }));

function loadEachDecision<View extends DecisionViewData>(
  tree: StoreTree,
  places: readonly DecisionFile[],
  createView: (place: DecisionFile, text: string) => View,
) {
  const adrs: View[] = [];
  const damaged: { path: string; why: string }[] = [];
  for (const place of places) {
    catchFault(
      () => adrs.push(createView(place, readDecisionFileText(tree, place))),
      ({ why }) => damaged.push({ path: place.path, why }),
    );
  }
  return { adrs: adrs.toSorted((a, b) => compareTexts(a.date ?? "", b.date ?? "")), damaged };
}
