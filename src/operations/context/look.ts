import type { ChangeStage } from "#domain/change/flows.ts";
import type { ChangeId } from "#domain/change/id.ts";
import { CHANGE_STAGES } from "#domain/change/flows.ts";
import { isChangeId } from "#domain/change/id.ts";
import type { Document } from "#domain/context/piece.ts";
import { startOf } from "#domain/memory/snippet.ts";
import {
  changeArtifact,
  CHANGES,
  CONVENTION_FOLDER,
  CONVENTIONS,
  HISTORY,
  inFolder,
  type Path,
  SPECS,
  STEERING_FOLDER,
} from "#domain/workspace/path.ts";
import { type AdrPlace, workspaceAdrs } from "../adr/shelf.ts";
import { everyChange, isOpen, type ShelvedChange } from "../change/census.ts";
import { unfinishedChanges } from "../change/shelf.ts";
import type { Engine } from "../engine.ts";
import { forgivingTree } from "../forgiving-tree.ts";
import type { Tree } from "../ports/store.ts";

/** Another change that is not archived, with what it says of itself. */
interface OpenChange {
  readonly id: ChangeId;
  readonly texts: readonly string[];
}

/** All that a report on the context of a change is made from, but for what history's records say: their names stand for them. */
export interface Look {
  /** The project's documents that say something. */
  readonly documents: readonly Document[];
  readonly adrs: readonly AdrPlace[];
  /** What the change itself has written so far, but for its context check. */
  readonly own: readonly (Document & { readonly stage: ChangeStage })[];
  readonly others: readonly OpenChange[];
  /** Changes that are no longer open. */
  readonly prior: readonly string[];
  /** Looked at only where the project has no documents. */
  readonly conventions: readonly Document[];
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

/** Where a change says what it is about. Its later artifacts only carry that out. */
const TELLING: readonly ChangeStage[] = ["describe", "propose", "scope", "spec"];
/** Lines of a convention file, and characters of them: a line can be as long as the file. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 32_768;

/**
 * Looks at the workspace for a change, or for nobody's. A file that is not what it should be is told; one that the disk
 * does not give is a fault, for the next look may be given it.
 */
export function lookAround(tree: Tree, change?: ShelvedChange): Look {
  const unread: { path: string; why: string }[] = [];
  const forgiving = forgivingTree(tree, (path, why, fault) => {
    if (fault.code === "files.unwritable" || fault.code === "disk.full") throw fault;
    unread.push({ path, why });
  });
  // A damaged record may be that of an open change, and a check that is to count must not miss one.
  if (change) unfinishedChanges(tree);
  const documents = SPECS.flatMap((path) => documentAt(forgiving, path, unread));
  const { changes, damaged } = everyChange(forgiving, [CHANGES]);
  const others = changes.filter(({ record }) => isOpen(record) && record.id !== change?.record.id);
  const closed = changes.filter(({ record }) => !isOpen(record)).map(({ record }) => record.id);
  const prior = new Set([...closed, ...forgiving.names(HISTORY).filter(isChangeId)]);
  if (change) prior.delete(change.record.id);
  return {
    documents,
    adrs: workspaceAdrs(forgiving),
    own: change ? ownTexts(forgiving, change) : [],
    others: others.map(({ record: { id, description } }) => ({
      id,
      texts: [description, ...textsOf(forgiving, CHANGES, id, TELLING).map(({ text }) => text)],
    })),
    prior: [...prior].toSorted(),
    conventions: documents.length > 0 ? [] : conventionsIn(forgiving, unread),
    unread: [...unread, ...damaged],
  };
}

/** What stands for all of it: another one as soon as anything that the report was made from is another. */
export function treeOf(engine: Pick<Engine, "digest">, change: ShelvedChange, look: Look): string {
  const { id, description, adrs } = change.record;
  const { unread, ...rest } = look;
  return engine.digest(JSON.stringify([id, description, adrs, rest, unread.map(({ path }) => path)]));
}

function documentAt(tree: Tree, path: Path, unread: { path: string; why: string }[]): Document[] {
  const text = tree.text(path);
  if (text === undefined) return [];
  if (text.trim() !== "") return [{ path, text }];
  unread.push({ path, why: "It is empty." });
  return [];
}

function ownTexts(tree: Tree, { shelf, record }: ShelvedChange): Look["own"] {
  const stages = CHANGE_STAGES.filter((stage) => stage !== "context-check");
  return textsOf(tree, shelf, record.id, stages);
}

function textsOf(
  tree: Tree,
  shelf: ShelvedChange["shelf"],
  id: ChangeId,
  stages: readonly ChangeStage[],
): (Document & { stage: ChangeStage })[] {
  return stages.flatMap((stage) => {
    const path = changeArtifact(shelf, id, stage);
    const text = tree.text(path);
    return text === undefined ? [] : [{ path, text, stage }];
  });
}

function conventionsIn(tree: Tree, unread: { path: string; why: string }[]): Document[] {
  const rules = tree.names(CONVENTION_FOLDER).filter((name) => /\.(?:mdc?|txt)$/.test(name));
  const steering = tree.names(STEERING_FOLDER).filter((name) => name.endsWith(".md"));
  const paths = [
    ...CONVENTIONS,
    ...rules.map((name) => inFolder(CONVENTION_FOLDER, name)),
    ...steering.map((name) => inFolder(STEERING_FOLDER, name)),
  ];
  return paths.flatMap((path) => documentAt(tree, path, unread).map(({ text }) => ({ path, text: firstLines(text) })));
}

function firstLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.slice(0, MOST_LINES).join("\n").trimEnd();
  if (first.length > MOST_CHARACTERS) return startOf(first, MOST_CHARACTERS);
  return lines.length <= MOST_LINES ? first : `${first}\n[${lines.length - MOST_LINES} more lines]`;
}
