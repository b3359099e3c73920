import { type DecisionId, parseDecisionFileName, parseDecisionId } from "#domain/adr/adr.ts";
import { readDecisionHead } from "#domain/adr/document.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { ADRS, changeAdrs, inFolder, type Path } from "#domain/workspace/path.ts";
import { type StoredChange } from "../change/census.ts";
import { findStoredChange } from "../change/shelf.ts";
import type { Tree } from "../ports/store.ts";
import type { DecisionViewData } from "./view.ts";

/** `ref` is valid everywhere: `ADR-0001`, or `<change>/ADR-001`. */
export interface DecisionFile {
  readonly ref: string;
  readonly id: DecisionId;
  readonly path: Path;
  readonly change?: ChangeId;
}

export function listWorkspaceDecisions(tree: Tree): DecisionFile[] {
  return listDecisionFiles(tree, ADRS);
}

export function listChangeDecisions(tree: Tree, { shelf, record }: StoredChange): DecisionFile[] {
  return listDecisionFiles(tree, changeAdrs(shelf, record.id), record.id);
}

export const listWorkspaceDecisionIds = (tree: Tree): string[] => listWorkspaceDecisions(tree).map((place) => place.id);

/** Accepts `ADR-0001`, `<change>/ADR-001`, and `ADR-001` relative to the change `near`. */
export function findDecisionFile(tree: Tree, reference: string, near?: StoredChange): DecisionFile {
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

export function hasDecisionFile(tree: Tree, reference: string): boolean {
  try {
    return findDecisionFile(tree, reference) !== undefined;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

export function readDecisionFileText(tree: Tree, place: DecisionFile): string {
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

function listDecisionFiles(tree: Tree, folder: Path, change?: ChangeId): DecisionFile[] {
  return tree.names(folder).flatMap((name) => {
    const id = parseDecisionFileName(name)?.id;
    if (!id) return [];
    return [{ id, path: inFolder(folder, name), ref: change ? `${change}/${id}` : id, ...(change ? { change } : {}) }];
  });
}
