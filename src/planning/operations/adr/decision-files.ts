import {
  type DecisionId,
  parseDecisionFileName,
  parseDecisionId,
  readDecisionHead,
} from "../../model/adr/decision-record.ts";
import { type ChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { ignoreFault, Fault } from "#kernel/model/fault.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import { ADR_FOLDER, getChangeAdrFolder, joinFolderPath, type WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { type StoredChange, findStoredChange } from "../change/change-records.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type * as z from "zod";
import type { Page } from "#kernel/model/page.ts";
import type { AdrView } from "./schema.ts";

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

export const hasDecisionFile = (tree: StoreTree, reference: string): boolean =>
  ignoreFault(() => findDecisionFile(tree, reference)) !== undefined;

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

export type DecisionViewData = z.infer<typeof AdrView>;

export function formatDecisionPage(title: string, adr: DecisionViewData): Page {
  return {
    title,
    facts: [
      ["decision", `${adr.ref}: ${sanitizeText(adr.title, 200)}`],
      ["status", adr.superseded_by ? `${adr.status} by ${adr.superseded_by}` : adr.status],
      ["file", adr.path],
      ...(adr.supersedes ? [["supersedes", adr.supersedes] as const] : []),
    ],
  };
}
