import { createSafeFileName, getCarriedPath } from "../../model/import/imported-output.ts";
import { formatNameAsTitle } from "../../model/import/imported-markdown.ts";
import type { ForeignChange } from "../../model/import/import-source.ts";
import {
  type BuiltRequirement,
  chooseChangeFlow,
  formatChangeDesign,
  formatChangeOpening,
  formatChangeSpec,
  formatChangeTasks,
} from "../../model/import/change-documents.ts";
import {
  addCapabilityPurpose,
  EMPTY_REQUIREMENTS,
  listLivingRequirements,
} from "../../model/import/requirement-book.ts";
import { qualifyForeignIds } from "../../model/import/requirement-text.ts";
import {
  CHANGE_STAGES,
  type ChangeId,
  type ChangeStage,
  createChangeId,
  isChangeId,
} from "#kernel/model/stages/change-stages.ts";
import { findFreeSlug } from "#kernel/model/slug.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { checkChangeArtifact } from "#planning/model/change/change-artifact.ts";
import { advanceChange, beginChange } from "#planning/model/change/change-lifecycle.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import { checkSpecDeltas } from "#planning/model/living-spec/delta-merge.ts";
import type { WrittenDelta } from "#planning/model/living-spec/item-outline.ts";
import type { WorkBasis } from "#planning/model/workflow/work-attribution.ts";
import { MAX_UNFINISHED_WORK } from "#planning/model/workflow/work-queue.ts";
import {
  CHANGE_FOLDERS,
  countUnfinishedWorkflows,
  createChangeShape,
  listOpenChanges,
} from "#planning/operations/change/change-records.ts";
import { type ArtifactForms, planArtifactTemplates } from "#planning/operations/change/artifact-templates.ts";
import { listWorkspaceDecisionIds } from "#planning/operations/adr/decision-files.ts";
import { WORK_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { ImportDraft } from "./import-draft.ts";
import type { DetectedLayout } from "./import-sources.ts";
import { createIdScope, type ImportedIds, loadDraftBooks } from "./place-requirements.ts";
import { resolveDeltas } from "./resolve-deltas.ts";

interface FoundChange {
  readonly seen: DetectedLayout;
  readonly change: ForeignChange;
}

export interface ChangeSurroundings {
  readonly forms: ArtifactForms;
  readonly digest: (text: string) => string;
  readonly head: string | undefined;
  readonly baseline: WorkBasis | undefined;
}

const MAX_CHANGE_DESCRIPTION = 1_000;

/** Open changes become open changes at their first stage that is not done, archived ones become history. */
export function placeImportedChanges(
  draft: ImportDraft,
  found: readonly FoundChange[],
  ids: ImportedIds,
  around: ChangeSurroundings,
): { id: ChangeId; stage: string }[] {
  const active = listOpenChanges(draft.tree).filter(({ status }) => status === "active");
  let room = MAX_UNFINISHED_WORK - active.length - countUnfinishedWorkflows(draft.tree);
  const placed: { id: ChangeId; stage: string }[] = [];
  for (const each of found) {
    if (isKnownChange(draft, each)) continue;
    if (each.change.archived !== undefined) placeArchivedChange(draft, each);
    else if (room <= 0) leaveChange(draft, each);
    else {
      const record = placeOpenChange(draft, each, ids, around);
      if (record) placed.push({ id: record.id, stage: record.current_stage });
      if (record) room--;
    }
  }
  return placed;
}

function isKnownChange(draft: ImportDraft, { seen, change }: FoundChange): boolean {
  const files = [change.from, ...change.parts.map(({ from }) => from).filter((from) => from !== change.from)];
  const isKnown = files.some((from) => draft.wasTaken(seen, from));
  if (!isKnown) return false;
  for (const from of files) {
    const part = change.parts.find((each) => each.from === from);
    if (!draft.isKnown(seen, from) && part) draft.carry(seen, part, "its change was imported before");
  }
  return true;
}

function leaveChange(draft: ImportDraft, { seen, change }: FoundChange): void {
  const why = `${MAX_UNFINISHED_WORK} pieces of work are open, which is the most: import it when one has ended`;
  for (const from of new Set([change.from, ...change.parts.map((part) => part.from)])) draft.leave(seen, from, why);
}

function chooseChangeId(draft: ImportDraft, name: string): ChangeId {
  const isTaken = (id: string): boolean =>
    CHANGE_FOLDERS.some(
      (shelf) =>
        draft.tree.has(paths.joinFolderPath(shelf, id)) || draft.isFolderWritten(paths.joinFolderPath(shelf, id)),
    );
  return isChangeId(name) ? createChangeId(findFreeSlug(name, isTaken), () => false) : createChangeId(name, isTaken);
}

function placeOpenChange(
  draft: ImportDraft,
  { seen, change }: FoundChange,
  ids: ImportedIds,
  around: ChangeSurroundings,
): ChangeRecord | undefined {
  const id = chooseChangeId(draft, change.name);
  const scope = createIdScope(seen, `changes/${id}`);
  const title = formatNameAsTitle(change.name);
  addPurposes(draft, seen, change);
  const { deltas, notes } = resolveDeltas(draft, seen, change, ids);
  const built = listBuiltRequirements(draft, change);
  const kind = chooseChangeFlow(change, deltas.length + built.length);
  const spec = deltas.length + built.length === 0 ? undefined : formatChangeSpec(deltas, built, title);
  const books = loadDraftBooks(draft);
  const checked = checkSpecDeltas(spec ?? "", { books, ...ids });
  const [problem] = spec === undefined ? [] : checked.problems;
  const carry = (why: string): undefined => {
    for (const part of change.parts) draft.carry(seen, part, why);
    return undefined;
  };
  if (problem) return carry(`its deltas do not hold here: ${sanitizeText(problem.problem, 200)}`);
  const why = change.proposal.why.replace(/\s+/g, " ").trim();
  const description = sanitizeText(why === "" ? title : `${title}: ${why}`, MAX_CHANGE_DESCRIPTION);
  const proposal = { ...kind, description, concurrent: true, base_commit: around.head };
  const begun = beginChange(proposal, [], () => false, draft.at);
  const stored = checked.deltas.map((delta) => ({ ...delta, base: around.digest(delta.was) }));
  const record = { ...begun, id, ...(stored.length > 0 ? { deltas: stored } : {}) };
  const opening = record.current_stage;
  const ownIds = [
    ...built.map((each) => each.id),
    ...deltas.filter(({ op }) => op !== "removed").map((each) => each.id),
  ];
  const foreign = (text: string): string => qualifyForeignIds(text, scope);
  const documents: Partial<Record<ChangeStage, string | undefined>> = {
    [opening]:
      change.parts.some(({ as }) => as === "opening") || change.proposal.text !== ""
        ? foreign(formatChangeOpening(opening, change, seen.nameOf(change.from)))
        : undefined,
    spec,
    design:
      change.design === undefined
        ? undefined
        : formatChangeDesign(foreign(change.design), title, listComponents(change, deltas, built)),
    tasks: change.tasks === undefined ? undefined : formatChangeTasks(foreign(change.tasks), title, ownIds),
  };
  const first = documents[opening];
  const isOpened =
    first !== undefined &&
    checkChangeArtifact(opening, first, {
      ...books,
      spec,
      tasks: documents.tasks,
      adrs: listWorkspaceDecisionIds(draft.tree),
      headings: around.forms.headings[opening],
    }).passed;
  const [moved] = isOpened ? advanceChange(record, draft.at) : [record];
  const written = { ...moved, rev: 1 };
  const targets = writeChangeDocuments(draft, written, documents);
  for (const step of planArtifactTemplates(draft.tree, written, around.forms))
    if (step.kind === "document" && !draft.isWritten(step.path)) draft.step(step);
  ids.claims.push({ change: id, deltas: stored });
  draft.step({
    kind: "record",
    path: paths.getChangeRecordPath(paths.CHANGES_FOLDER, id),
    record: written,
    shape: createChangeShape(id),
  });
  if (around.baseline) draft.keeps.push({ space: WORK_SPACE.name, key: id, value: around.baseline });
  draft.occurrences.push({ kind: "change.started", subject: id, data: { ...kind, description } });
  addChangeRows(draft, { seen, change }, written, targets);
  draft.notes.push(...notes);
  return written;
}

const listBuiltRequirements = (draft: ImportDraft, { builds }: ForeignChange): BuiltRequirement[] =>
  listLivingRequirements(draft.text(paths.REQUIREMENTS_PATH) ?? "")
    .flatMap(({ id, requirement }) => (requirement && requirement.capability === builds ? [{ id, requirement }] : []))
    .toSorted((one, other) => one.id.length - other.id.length || (one.id < other.id ? -1 : 1));

function writeChangeDocuments(
  draft: ImportDraft,
  { id, stages }: ChangeRecord,
  documents: Partial<Record<ChangeStage, string | undefined>>,
): ReadonlyMap<ChangeStage, paths.WorkspacePath> {
  const targets = new Map<ChangeStage, paths.WorkspacePath>();
  for (const stage of CHANGE_STAGES) {
    const text = documents[stage];
    if (text === undefined || stages.every(({ name }) => name !== stage)) continue;
    const path = paths.getChangeArtifactPath(paths.CHANGES_FOLDER, id, stage);
    draft.write(path, text);
    targets.set(stage, path);
  }
  return targets;
}

function addChangeRows(
  draft: ImportDraft,
  { seen, change }: FoundChange,
  { id, current_stage, stages }: ChangeRecord,
  targets: ReadonlyMap<ChangeStage, paths.WorkspacePath>,
): void {
  const as = `change, stage ${current_stage}`;
  const record = paths.getChangeRecordPath(paths.CHANGES_FOLDER, id);
  for (const part of change.parts) {
    const stage = part.as === "opening" ? stages[0]?.name : part.as;
    const target = stage === undefined ? undefined : targets.get(stage);
    const isFirst = part.from === change.from;
    const beside = target === undefined || part.hasRest ? draft.carryBeside(seen, part) : undefined;
    const to = [...(isFirst ? [record] : []), ...(target ? [target] : []), ...(beside ? [beside] : [])];
    if (to.length === 0) draft.collide(seen, part.from, getCarriedPath(seen.layout, part.from));
    else if (target === undefined && !isFirst)
      draft.addRow(seen, part.from, "carried", { to, why: "no stage has a place for it" });
    else draft.addRow(seen, part.from, "taken", { as, to });
  }
  if (change.parts.every(({ from }) => from !== change.from))
    draft.addRow(seen, change.from, "taken", { as, to: [record] });
}

/** New capabilities are named with their purpose before they have requirements. */
function addPurposes(draft: ImportDraft, seen: DetectedLayout, { purposes }: ForeignChange): void {
  for (const [capability, purpose] of Object.entries(purposes)) {
    const before = draft.text(paths.REQUIREMENTS_PATH);
    if (before === undefined && !draft.isFree(paths.REQUIREMENTS_PATH)) return;
    const text = qualifyForeignIds(purpose, createIdScope(seen, capability));
    const added = addCapabilityPurpose(before ?? EMPTY_REQUIREMENTS, capability, text);
    if (added !== undefined && added !== before) draft.rewrite(paths.REQUIREMENTS_PATH, added);
  }
}

const listComponents = (
  { builds }: ForeignChange,
  deltas: readonly (WrittenDelta & { readonly capability: string })[],
  built: readonly { readonly id: string }[],
): string[] => {
  const groups = Map.groupBy(
    [...deltas, ...built.map(({ id }) => ({ id, capability: builds ?? "" }))],
    ({ capability }) => capability,
  );
  const items = [...groups].map(([capability, own]) => `- ${capability}: ${own.map(({ id }) => id).join(", ")}`);
  return items.length > 0 ? items : ["- As the approach names them."];
};

/** Keeps the documents of an archived change as they are. Its stages were not Tenon's, so the record has only one. */
function placeArchivedChange(draft: ImportDraft, { seen, change }: FoundChange): void {
  const id = chooseChangeId(draft, change.name);
  const folder = paths.getChangeFolder(paths.HISTORY_FOLDER, id);
  const at = change.archived ? `${change.archived}T00:00:00Z` : draft.at;
  const title = formatNameAsTitle(change.name);
  const begun = beginChange({ type: "feature", size: "small", description: title }, [], () => false, at);
  const { needs_receipt: _, ...rest } = begun;
  const stage = { name: "describe" as const, status: "completed" as const, started_at: at, completed_at: at };
  const record: ChangeRecord = { ...rest, id, stages: [stage], current_stage: "describe", status: "archived" };
  const described = paths.getChangeArtifactPath(paths.HISTORY_FOLDER, id, "describe");
  const text = qualifyForeignIds(change.proposal.text, createIdScope(seen, `changes/${id}`)).trim();
  draft.write(described, text === "" ? `# ${title}` : text);
  const path = paths.getChangeRecordPath(paths.HISTORY_FOLDER, id);
  draft.step({ kind: "record", path, record, shape: createChangeShape(id) });
  draft.occurrences.push({ kind: "importing.carried", subject: described, data: { title } });
  for (const part of change.parts) {
    const own = part.path.split("/").map(createSafeFileName).join("/");
    const target = part.as === "opening" ? described : paths.joinFolderPath(folder, own);
    if (part.as !== "opening") draft.write(target, part.text);
    draft.addRow(seen, part.from, "taken", {
      as: "archived change",
      to: part.from === change.from ? [path, target] : [target],
    });
  }
  if (change.parts.every(({ from }) => from !== change.from))
    draft.addRow(seen, change.from, "taken", { as: "archived change", to: [path] });
}
