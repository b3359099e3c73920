import { type DecisionId, parseDecisionFileName, parseDecisionId } from "#domain/adr/adr.ts";
import { readDecisionHead } from "#domain/adr/document.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { ADR_FOLDER, getChangeAdrFolder, joinFolderPath, type WorkspacePath } from "#domain/workspace/path.ts";
import { type StoredChange } from "../change/census.ts";
import { findStoredChange } from "../change/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import type { DecisionViewData } from "./view.ts";

/** `ref` is valid everywhere: `ADR-0001`, or `<change>/ADR-001`. */
export interface DecisionFile {
  readonly ref: string;
  readonly id: DecisionId;
  readonly path: WorkspacePath;
  readonly change?: ChangeId;
}

export function listWorkspaceDecisions(tree: StoreTree): DecisionFile[] {
  return listDecisionFiles(tree, ADR_FOLDER);
}

export function listChangeDecisions(tree: StoreTree, { shelf, record }: StoredChange): DecisionFile[] {
  return listDecisionFiles(tree, getChangeAdrFolder(shelf, record.id), record.id);
}

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

export function hasDecisionFile(tree: StoreTree, reference: string): boolean {
  try {
    return findDecisionFile(tree, reference) !== undefined;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

export function readDecisionFileText(tree: StoreTree, place: DecisionFile): string {
  const text = tree.text(place.path);
  if (text !== undefined) return text;
  throw new Fault("adr.unknown", {
    what: `${place.path} cannot be read.`,
    why: "It has just gone.",
    fix: { operation: "adr.list" },
  });
}

export function createDecisionView(place: DecisionFile, text: string): DecisionViewData {
  return { ref: place.ref, path: place.path, ...readDecisionHead(place.id, text) };
}

/** A decision has at most one successor and keeps it. */
export function requireNotSuperseded({ ref, status, superseded_by }: DecisionViewData): void {
  if (status !== "superseded") return;
  throw new Fault("adr.already-superseded", {
    what: `${ref} is closed.`,
    why: `${superseded_by ?? "Another decision"} has superseded it.`,
    fix: superseded_by
      ? { operation: "adr.record", input: { title: "…", supersedes: superseded_by } }
      : { operation: "adr.list" },
  });
}

function listDecisionFiles(tree: StoreTree, folder: WorkspacePath, change?: ChangeId): DecisionFile[] {
  return tree.names(folder).flatMap((name) => {
    const id = parseDecisionFileName(name)?.id;
    if (!id) return [];
    return [
      { id, path: joinFolderPath(folder, name), ref: change ? `${change}/${id}` : id, ...(change ? { change } : {}) },
    ];
  });
}
