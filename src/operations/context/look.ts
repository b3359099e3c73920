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

interface OpenChange {
  readonly id: ChangeId;
  readonly texts: readonly string[];
}

/** Everything a context report reads. Archived changes are represented by their ids only. */
export interface Look {
  readonly documents: readonly Document[];
  readonly adrs: readonly AdrPlace[];
  readonly own: readonly (Document & { readonly stage: ChangeStage })[];
  readonly others: readonly OpenChange[];
  readonly prior: readonly string[];
  /** Read only if the project has no documents. */
  readonly conventions: readonly Document[];
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

const TELLING: readonly ChangeStage[] = ["describe", "propose", "scope", "spec"];
/** Limits per convention file. A single line can be as long as the file. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 32_768;

/** Reports malformed files in `unread`. Faults if the disk fails, because a retry may succeed. */
export function lookAround(tree: Tree, change?: ShelvedChange): Look {
  const unread: { path: string; why: string }[] = [];
  const forgiving = forgivingTree(tree, (path, why, fault) => {
    if (fault.code === "files.unwritable" || fault.code === "disk.full") throw fault;
    unread.push({ path, why });
  });
  // Faults on damaged records: one may belong to an open change that the check must not miss.
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

/** Changes as soon as any source of the report changes. */
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
