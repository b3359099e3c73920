import { type ChangeStage, CHANGE_STAGES } from "#kernel/model/stages/change-stages.ts";
import type { PlanningDocument } from "#kernel/model/document/document-pieces.ts";
import { cutTextStart } from "#kernel/model/search/text-snippet.ts";
import { isSystemFault } from "#kernel/model/fault.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { listWorkspaceDecisionIds, loadKnownDecisions } from "../adr/decision-files.ts";
import { readArtifactText } from "../change/artifact-files.ts";
import {
  CHANGE_FOLDERS,
  loadChangeRecords,
  isOpenChange,
  type StoredChange,
  listActiveChanges,
} from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { DRAFT_HEADER } from "../../model/adopt/document-drafts.ts";
import { PROJECT_DOCUMENT_STAGES } from "#kernel/model/stages/project-stages.ts";

export type ContextSnapshot = ReturnType<typeof readContextSnapshot>;

const DESCRIBING_STAGES: readonly ChangeStage[] = ["describe", "propose", "scope", "spec"];
/** Limits per convention file. A single line can be as long as the file. */
const MAX_CONVENTION_LINES = 200;
const MAX_CONVENTION_LENGTH = 32_768;

interface SnapshotOptions {
  readonly change?: StoredChange | undefined;
  /** Closed changes and decisions. Reading a long history is slow. */
  readonly isWithHistory: boolean;
}

/** Malformed files are in `unread`. Convention files are read only if the project has no documents. */
export function readContextSnapshot(tree: StoreTree, { change, isWithHistory }: SnapshotOptions) {
  const unread: { path: string; why: string }[] = [];
  const forgiving = createTolerantTree(tree, (path, why, fault) => {
    if (isSystemFault(fault)) throw fault;
    unread.push({ path, why });
  });
  const readDocument = (path: paths.WorkspacePath): PlanningDocument[] => {
    const text = forgiving.text(path);
    if (text?.trim() === "") unread.push({ path, why: "It is empty." });
    return text === undefined || text.trim() === "" ? [] : [{ path, text }];
  };
  // Faults on damaged records: one may belong to an open change that the check must not miss.
  if (change) listActiveChanges(tree);
  const documents = paths.PROJECT_SPEC_PATHS.flatMap(readDocument);
  const { changes, damaged } = loadChangeRecords(forgiving, isWithHistory ? CHANGE_FOLDERS : [paths.CHANGES_FOLDER]);
  const others = changes.filter(({ record }) => isOpenChange(record) && record.id !== change?.record.id);
  const ownStages = CHANGE_STAGES.filter((stage) => stage !== "context-check");
  const { adrs: decisions, damaged: damagedDecisions } = isWithHistory
    ? loadKnownDecisions(forgiving, changes)
    : { adrs: [], damaged: [] };
  return {
    documents,
    decisions,
    adrs: listWorkspaceDecisionIds(forgiving),
    own: change ? readChangeArtifacts(forgiving, change, ownStages) : [],
    others: others.map((other) => ({
      id: other.record.id,
      texts: [
        other.record.description,
        ...readChangeArtifacts(forgiving, other, DESCRIBING_STAGES).map(({ text }) => text),
      ],
    })),
    changes: changes.map(({ record }) => record),
    conventions:
      documents.length > 0 ? [] : listConventionPaths(forgiving).flatMap(readDocument).map(shortenConvention),
    hasSpecs: [paths.SPEC_FILE_FOLDER, paths.FEATURE_FOLDER].some((folder) => forgiving.names(folder).length > 0),
    unread: [...unread, ...damaged, ...damagedDecisions],
  };
}

const readChangeArtifacts = (tree: StoreTree, { shelf, record }: StoredChange, stages: readonly ChangeStage[]) =>
  stages.flatMap((stage) => {
    const path = paths.getChangeArtifactPath(shelf, record.id, stage);
    const text = readArtifactText(tree, path);
    return text === undefined ? [] : [{ path, text, stage }];
  });

function listConventionPaths(tree: StoreTree): paths.WorkspacePath[] {
  const rules = tree.names(paths.CONVENTION_FOLDER).filter((name) => /\.(?:mdc?|txt)$/.test(name));
  const steering = tree.names(paths.STEERING_FOLDER).filter((name) => name.endsWith(".md"));
  return [
    ...paths.CONVENTION_PATHS,
    ...rules.map((name) => paths.joinFolderPath(paths.CONVENTION_FOLDER, name)),
    ...steering.map((name) => paths.joinFolderPath(paths.STEERING_FOLDER, name)),
  ];
}

function shortenConvention({ path, text }: PlanningDocument): PlanningDocument {
  const lines = text.split(/\r\n|\r|\n/);
  const first = lines.slice(0, MAX_CONVENTION_LINES).join("\n").trimEnd();
  if (first.length > MAX_CONVENTION_LENGTH) return { path, text: cutTextStart(first, MAX_CONVENTION_LENGTH) };
  const rest = lines.length - MAX_CONVENTION_LINES;
  return { path, text: rest > 0 ? `${first}\n[${rest} more lines]` : first };
}

export async function loadTemplateLines({ assets }: Pick<PlanningEngine, "assets">): Promise<ReadonlySet<string>> {
  const templates = PROJECT_DOCUMENT_STAGES.map((stage) => assets.text(`templates/project/${stage}`));
  const lines = (await Promise.all(templates))
    .join("\n")
    .split("\n")
    .map((line) => line.trim());
  return new Set([DRAFT_HEADER, ...lines.filter((line) => line.startsWith(">"))]);
}
