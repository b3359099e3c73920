import { type ChangeStage, type ChangeId, CHANGE_STAGES, isChangeId } from "#kernel/model/stages/change-stages.ts";
import type { PlanningDocument } from "#kernel/model/document/document-pieces.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import {
  getChangeArtifactPath,
  CHANGES_FOLDER,
  CONVENTION_FOLDER,
  CONVENTION_PATHS,
  HISTORY_FOLDER,
  joinFolderPath,
  type WorkspacePath,
  PROJECT_SPEC_PATHS,
  STEERING_FOLDER,
} from "#kernel/model/workspace-paths.ts";
import { type DecisionFile, listWorkspaceDecisions } from "../adr/decision-files.ts";
import { loadChangeRecords, isOpenChange, type StoredChange, listActiveChanges } from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { findUnansweredFacts } from "../../model/context/context-facts.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { DRAFT_HEADER } from "../../model/adopt/document-drafts.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";

interface OtherOpenChange {
  readonly id: ChangeId;
  readonly texts: readonly string[];
}

/** Everything a context report reads. Archived changes are represented by their ids only. */
export interface ContextSnapshot {
  readonly documents: readonly PlanningDocument[];
  readonly adrs: readonly DecisionFile[];
  readonly own: readonly (PlanningDocument & { readonly stage: ChangeStage })[];
  readonly others: readonly OtherOpenChange[];
  readonly prior: readonly string[];
  /** Read only if the project has no documents. */
  readonly conventions: readonly PlanningDocument[];
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

const DESCRIBING_STAGES: readonly ChangeStage[] = ["describe", "propose", "scope", "spec"];
/** Limits per convention file. A single line can be as long as the file. */
const MAX_CONVENTION_LINES = 200;
const MAX_CONVENTION_LENGTH = 32_768;

/** Reports malformed files in `unread`. Faults if the disk fails, because a retry may succeed. */
export function readContextSnapshot(tree: StoreTree, change?: StoredChange): ContextSnapshot {
  const unread: { path: string; why: string }[] = [];
  const forgiving = createTolerantTree(tree, (path, why, fault) => {
    if (fault.code === "files.unwritable" || fault.code === "disk.full") throw fault;
    unread.push({ path, why });
  });
  // Faults on damaged records: one may belong to an open change that the check must not miss.
  if (change) listActiveChanges(tree);
  const documents = PROJECT_SPEC_PATHS.flatMap((path) => readNonEmptyDocument(forgiving, path, unread));
  const { changes, damaged } = loadChangeRecords(forgiving, [CHANGES_FOLDER]);
  const others = changes.filter(({ record }) => isOpenChange(record) && record.id !== change?.record.id);
  const closed = changes.filter(({ record }) => !isOpenChange(record)).map(({ record }) => record.id);
  const prior = new Set([...closed, ...forgiving.names(HISTORY_FOLDER).filter(isChangeId)]);
  if (change) prior.delete(change.record.id);
  return {
    documents,
    adrs: listWorkspaceDecisions(forgiving),
    own: change ? readOwnArtifacts(forgiving, change) : [],
    others: others.map(({ record: { id, description } }) => ({
      id,
      texts: [
        description,
        ...readChangeArtifacts(forgiving, CHANGES_FOLDER, id, DESCRIBING_STAGES).map(({ text }) => text),
      ],
    })),
    prior: [...prior].toSorted(),
    conventions: documents.length > 0 ? [] : readConventionFiles(forgiving, unread),
    unread: [...unread, ...damaged],
  };
}

/** Changes as soon as any source of the report changes. */
export function digestContextSnapshot(
  engine: Pick<PlanningEngine, "digest">,
  change: StoredChange,
  look: ContextSnapshot,
): string {
  const { id, description, adrs } = change.record;
  const { unread, ...rest } = look;
  return engine.digest(JSON.stringify([id, description, adrs, rest, unread.map(({ path }) => path)]));
}

function readNonEmptyDocument(
  tree: StoreTree,
  path: WorkspacePath,
  unread: { path: string; why: string }[],
): PlanningDocument[] {
  const text = tree.text(path);
  if (text === undefined) return [];
  if (text.trim() !== "") return [{ path, text }];
  unread.push({ path, why: "It is empty." });
  return [];
}

function readOwnArtifacts(tree: StoreTree, { shelf, record }: StoredChange): ContextSnapshot["own"] {
  const stages = CHANGE_STAGES.filter((stage) => stage !== "context-check");
  return readChangeArtifacts(tree, shelf, record.id, stages);
}

function readChangeArtifacts(
  tree: StoreTree,
  shelf: StoredChange["shelf"],
  id: ChangeId,
  stages: readonly ChangeStage[],
): (PlanningDocument & { stage: ChangeStage })[] {
  return stages.flatMap((stage) => {
    const path = getChangeArtifactPath(shelf, id, stage);
    const text = tree.text(path);
    return text === undefined ? [] : [{ path, text, stage }];
  });
}

function readConventionFiles(tree: StoreTree, unread: { path: string; why: string }[]): PlanningDocument[] {
  const rules = tree.names(CONVENTION_FOLDER).filter((name) => /\.(?:mdc?|txt)$/.test(name));
  const steering = tree.names(STEERING_FOLDER).filter((name) => name.endsWith(".md"));
  const paths = [
    ...CONVENTION_PATHS,
    ...rules.map((name) => joinFolderPath(CONVENTION_FOLDER, name)),
    ...steering.map((name) => joinFolderPath(STEERING_FOLDER, name)),
  ];
  return paths.flatMap((path) =>
    readNonEmptyDocument(tree, path, unread).map(({ text }) => ({ path, text: truncateConventionText(text) })),
  );
}

function truncateConventionText(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.slice(0, MAX_CONVENTION_LINES).join("\n").trimEnd();
  if (first.length > MAX_CONVENTION_LENGTH) return cutTextStart(first, MAX_CONVENTION_LENGTH);
  return lines.length <= MAX_CONVENTION_LINES ? first : `${first}\n[${lines.length - MAX_CONVENTION_LINES} more lines]`;
}

export function findContextCheckProblems(
  engine: Pick<PlanningEngine, "digest">,
  tree: StoreTree,
  change: StoredChange,
  artifact: string,
): Problem[] {
  const { context_check: check } = change.record;
  if (!check) return [{ problem: "No context check was made for this change: make one and answer what it finds." }];
  if (check.tree !== digestContextSnapshot(engine, change, readContextSnapshot(tree, change))) {
    return [
      {
        problem: `The context check of ${check.at} no longer holds, for what it was made from has changed: make it again.`,
      },
    ];
  }
  return findUnansweredFacts(check.facts, artifact);
}

export async function loadTemplateLines({ assets }: Pick<PlanningEngine, "assets">): Promise<ReadonlySet<string>> {
  const templates = await Promise.all(
    PROJECT_DOCUMENT_STAGES.map((stage) => assets.text(`templates/project/${stage}`)),
  );
  const lines = templates.flatMap((text) => text.split("\n").map((line) => line.trim()));
  return new Set([DRAFT_HEADER, ...lines.filter((line) => line.startsWith(">"))]);
}
