import { type AdrId, adrOfFile, parseAdrId } from "#domain/adr/adr.ts";
import { readAdr } from "#domain/adr/document.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { ADRS, changeAdrs, inFolder, type Path } from "#domain/workspace/path.ts";
import { type ShelvedChange } from "../change/census.ts";
import { findChange } from "../change/shelf.ts";
import type { Tree } from "../ports/store.ts";
import type { View } from "./view.ts";

/** `ref` is valid everywhere: `ADR-0001`, or `<change>/ADR-001`. */
export interface AdrPlace {
  readonly ref: string;
  readonly id: AdrId;
  readonly path: Path;
  readonly change?: ChangeId;
}

export function workspaceAdrs(tree: Tree): AdrPlace[] {
  return placesIn(tree, ADRS);
}

export function changeAdrPlaces(tree: Tree, { shelf, record }: ShelvedChange): AdrPlace[] {
  return placesIn(tree, changeAdrs(shelf, record.id), record.id);
}

export const knownAdrs = (tree: Tree): string[] => workspaceAdrs(tree).map((place) => place.id);

/** Accepts `ADR-0001`, `<change>/ADR-001`, and `ADR-001` relative to the change `near`. */
export function findAdr(tree: Tree, reference: string, near?: ShelvedChange): AdrPlace {
  const slash = reference.indexOf("/");
  const id = parseAdrId(slash < 0 ? reference : reference.slice(slash + 1));
  const change = slash < 0 ? near : findChange(tree, parseChangeId(reference.slice(0, slash)));
  const places = [...(change ? changeAdrPlaces(tree, change) : []), ...(slash < 0 ? workspaceAdrs(tree) : [])].filter(
    (place) => place.id === id,
  );
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

export function hasAdr(tree: Tree, reference: string): boolean {
  try {
    return findAdr(tree, reference) !== undefined;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

export function textOf(tree: Tree, place: AdrPlace): string {
  const text = tree.text(place.path);
  if (text !== undefined) return text;
  throw new Fault("adr.unknown", {
    what: `${place.path} cannot be read.`,
    why: "It has just gone.",
    fix: { operation: "adr.list" },
  });
}

export function viewAdr(place: AdrPlace, text: string): View {
  return { ref: place.ref, path: place.path, ...readAdr(place.id, text) };
}

/** A decision has at most one successor and keeps it. */
export function refuseSuperseded({ ref, status, superseded_by }: View): void {
  if (status !== "superseded") return;
  throw new Fault("adr.already-superseded", {
    what: `${ref} is closed.`,
    why: `${superseded_by ?? "Another decision"} has superseded it.`,
    fix: superseded_by
      ? { operation: "adr.record", input: { title: "…", supersedes: superseded_by } }
      : { operation: "adr.list" },
  });
}

function placesIn(tree: Tree, folder: Path, change?: ChangeId): AdrPlace[] {
  return tree.names(folder).flatMap((name) => {
    const id = adrOfFile(name)?.id;
    if (!id) return [];
    return [{ id, path: inFolder(folder, name), ref: change ? `${change}/${id}` : id, ...(change ? { change } : {}) }];
  });
}
