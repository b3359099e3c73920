import { Fault } from "#kernel/model/fault.ts";
import { formatImportManifest, parseImportManifest } from "../../model/import/imported-output.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { planFoundationSteps } from "#planning/operations/workspace-foundation.ts";
import { ImportDraft } from "./import-draft.ts";
import { placeImportedFeatures } from "./place-features.ts";
import { type ChangeSurroundings, placeImportedChanges } from "./place-changes.ts";
import { placeImportedRequirements } from "./place-requirements.ts";
import { loadDeltaContext } from "#planning/operations/change/change-deltas.ts";
import type { DetectedLayout, PreparedItem } from "./import-sources.ts";
import {
  formatDecisionFileName,
  formatDecisionId,
  MAX_DECISION_NUMBER,
  getNextDecisionNumber,
  parseDecisionFileName,
} from "#planning/model/adr/decision-record.ts";
import {
  appendDecisionEntries,
  type DecisionEntry,
  formatDecisionEntry,
  findLastDecisionNumber,
} from "#roadmap/model/handover/decision-log.ts";
import type { ForeignAdr, ForeignDecisions, ForeignProjectDocument } from "../../model/import/import-source.ts";
import { parseKnowledgeDocument, formatKnowledgeIndex } from "#roadmap/model/knowledge/knowledge-document.ts";
import { sanitizeText, escapeUnprintable } from "#kernel/model/text-format.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { parseSteeringName, resolveSteeringPath, matchSteeringName } from "#roadmap/model/steering/steering-name.ts";
import { loadKnowledgeFolder } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import { DECISION_NUMBER_KEY, DECISION_NUMBERS } from "#roadmap/operations/steering/steering-draft.ts";
import { type DocumentReferences, findReferenceProblems } from "#planning/model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { loadDocumentReferences } from "#planning/operations/project/project-document-files.ts";

export interface PreparedLayout {
  readonly seen: DetectedLayout;
  readonly items: readonly PreparedItem[];
}

/** Settings for a new workspace, and what changes need from outside the tree. */
export interface ImportSurroundings extends ChangeSurroundings {
  readonly template: string;
}

export function planImport(
  tree: StoreTree,
  prepared: readonly PreparedLayout[],
  at: string,
  around: ImportSurroundings,
) {
  const before = parseImportManifest(tree.text(paths.IMPORT_MANIFEST_PATH));
  if (!before) {
    throw new Fault("import.bad-manifest", {
      what: "Nothing was imported.",
      why: `${paths.IMPORT_MANIFEST_PATH} cannot be read, so Tenon does not know what was imported before.`,
      fix: `git checkout -- ${paths.IMPORT_MANIFEST_PATH}`,
    });
  }
  const draft = new ImportDraft(tree, before, at);
  for (const { seen, items } of prepared) {
    for (const item of items) placeImportItem(draft, seen, item);
    for (const { path, why, files } of [...seen.found.left, ...seen.unread]) draft.leave(seen, path, why, files);
  }
  const all = prepared.flatMap(({ seen, items }) => items.map((item) => ({ seen, item })));
  const features = all.flatMap(({ seen, item }) => (item.kind === "feature" ? [{ seen, feature: item }] : []));
  placeImportedFeatures(draft, features);
  const documents = all.flatMap(({ seen, item }) => (item.kind === "project" ? [{ seen, document: item }] : []));
  placeProjectDocuments(draft, documents);
  const { claims, given } = loadDeltaContext(tree);
  const ids = { claims: [...claims], given };
  const requirements = all.flatMap(({ seen, item }) => (item.kind === "requirements" ? [{ seen, item }] : []));
  placeImportedRequirements(draft, requirements, ids);
  const changes = all.flatMap(({ seen, item }) => (item.kind === "change" ? [{ seen, change: item }] : []));
  const placed = placeImportedChanges(draft, changes, ids, around);
  placeKnowledgeIndex(
    draft,
    all.flatMap(({ item }) => (item.kind === "knowledge" ? [item] : [])),
  );
  const { manifest, steps } = draft;
  const begun = manifest ? planFoundationSteps(tree, around.template) : [];
  if (manifest)
    draft.step({ kind: "document", path: paths.IMPORT_MANIFEST_PATH, text: formatImportManifest(manifest) });
  const records = steps.filter(({ kind }) => kind === "record");
  const taken = draft.rows.filter(({ outcome }) => outcome === "taken" || outcome === "carried");
  const events = [...Map.groupBy(taken, ({ layout }) => layout)].map(([layout, files]) => ({
    kind: "importing.taken",
    subject: layout,
    data: { files: files.length },
  }));
  return {
    // Records come last, because they confirm the other files.
    steps: [...begun, ...steps.filter(({ kind }) => kind !== "record"), ...records],
    occurrences: [...draft.occurrences, ...events],
    counters: draft.counters,
    keeps: draft.keeps,
    result: {
      rows: draft.rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      notes: draft.notes,
      changes: placed,
      made: begun.map(({ path }) => path),
    },
  };
}

/** They depend on each other. */
const isPlacedTogether = (item: PreparedItem): item is Extract<PreparedItem, { kind: TogetherKind }> =>
  TOGETHER_KINDS.some((kind) => kind === item.kind);

const TOGETHER_KINDS = ["feature", "project", "requirements", "change"] as const;
type TogetherKind = (typeof TOGETHER_KINDS)[number];

function placeImportItem(draft: ImportDraft, seen: DetectedLayout, item: PreparedItem): void {
  if (isPlacedTogether(item) || draft.isKnown(seen, item.from)) return;
  switch (item.kind) {
    case "spec-file":
      return void draft.place(seen, item, "spec", paths.getSpecPath(item.id), item.note);
    case "steering": {
      const name = matchSteeringName(item.name) ?? parseSteeringName(createSlug(item.name, "topic"));
      return void draft.place(seen, item, "steering", resolveSteeringPath(name));
    }
    case "adr":
      return placeImportedAdr(draft, seen, item);
    case "decisions":
      return placeImportedDecisions(draft, seen, item);
    case "knowledge":
      if (draft.place(seen, item, "knowledge", paths.getKnowledgePath(item.name)))
        draft.occurrences.push({ kind: "knowledge.written", subject: item.name, data: { imported: true } });
      return;
    case "session":
      return void draft.place(seen, item, "session", paths.joinFolderPath(paths.HANDOVER_HISTORY_FOLDER, item.name));
    case "document": {
      const subject = draft.carry(seen, item, item.why);
      if (subject === undefined || item.remember === undefined) return;
      const data = { title: sanitizeText(item.remember, 200) };
      draft.occurrences.push({ kind: "importing.carried", subject, data });
    }
  }
}

/** A decision gets the next number; its text stays unchanged. */
function placeImportedAdr(draft: ImportDraft, seen: DetectedLayout, adr: ForeignAdr): void {
  const { from, title, status, date, text } = adr;
  const number = getNextDecisionNumber(draft.tree.names(paths.ADR_FOLDER), draft.counter("adr"));
  if (number > MAX_DECISION_NUMBER)
    return draft.leave(seen, from, `decisions have numbers up to ${MAX_DECISION_NUMBER}`);
  const id = formatDecisionId(number, false);
  const path = paths.joinFolderPath(paths.ADR_FOLDER, formatDecisionFileName(id, title, false));
  const head = [
    `# ${id}: ${sanitizeText(title, 200)}`,
    "",
    `- Status: ${status}`,
    `- Date: ${date ?? draft.at}`,
    `- Imported from: ${sanitizeText(seen.nameOf(from), 300)}`,
  ];
  draft.counters["adr"] = number;
  draft.write(path, `${head.join("\n")}\n\n${text}`);
  draft.occurrences.push({ kind: "adr.recorded", subject: id, data: { title, status, path } });
  draft.addRow(seen, from, "taken", { as: "decision", to: [path] });
}

/** Appends decisions to our log with our numbers; each names its original. */
function placeImportedDecisions(draft: ImportDraft, seen: DetectedLayout, { from, entries }: ForeignDecisions): void {
  const log = draft.text(paths.DECISIONS_PATH);
  const kept = draft.tree.kept(DECISION_NUMBERS).get(DECISION_NUMBER_KEY) ?? 0;
  const last = Math.max(findLastDecisionNumber(log ?? ""), kept);
  const written = entries.map(({ number, at, type, ...said }, i) => {
    const source = `${said.source === "" ? "" : `${said.source}; `}D${number} of ${seen.nameOf(from)}`;
    const decision = { ...said, source, type: escapeUnprintable(type) } as DecisionEntry;
    return formatDecisionEntry(last + i + 1, at === "" ? draft.at : escapeUnprintable(at), decision);
  });
  if (log === undefined && !draft.isFree(paths.DECISIONS_PATH)) return draft.collide(seen, from, paths.DECISIONS_PATH);
  draft.rewrite(paths.DECISIONS_PATH, appendDecisionEntries(log, written));
  draft.keeps.push({ space: DECISION_NUMBERS.name, key: DECISION_NUMBER_KEY, value: last + entries.length });
  draft.addRow(seen, from, "taken", { as: "decisions", to: [paths.DECISIONS_PATH] });
}

function placeKnowledgeIndex(draft: ImportDraft, items: readonly { name: string; text: string }[]): void {
  const fresh = items.filter(({ name }) => draft.isWritten(paths.getKnowledgePath(name)));
  if (fresh.length === 0) return;
  const { known, others } = loadKnowledgeFolder(draft.tree);
  const added = fresh.flatMap(({ name, text }) => parseKnowledgeDocument(name, text) ?? []);
  const text = formatKnowledgeIndex([...known, ...added], others);
  draft.step({ kind: "document", path: paths.KNOWLEDGE_INDEX_PATH, text });
}

interface ProjectCandidate {
  readonly seen: DetectedLayout;
  readonly document: ForeignProjectDocument;
}

function placeProjectDocuments(draft: ImportDraft, found: readonly ProjectCandidate[]): void {
  const given = new Set<ProjectDocumentStage>();
  const open = found.filter(({ seen, document }) => {
    const path = paths.getProjectDocumentPath(document.stage);
    if (draft.isKnown(seen, document.from)) return false;
    if (draft.tree.has(paths.PROJECT_RECORD_PATH))
      draft.carry(seen, document, "this workspace has a project pipeline of its own");
    else if (!draft.isFree(path)) draft.collide(seen, document.from, path);
    else if (given.has(document.stage)) draft.carry(seen, document, `another file becomes ${path}`);
    else return given.add(document.stage);
    return false;
  });
  const problems = findProjectProblems(draft, open);
  for (const candidate of open) {
    const { seen, document } = candidate;
    const path = paths.getProjectDocumentPath(document.stage);
    const problem = problems.get(candidate);
    if (problem === undefined) draft.place(seen, document, "document of the project", path);
    else draft.carry(seen, document, `it is not valid as ${path}: ${sanitizeText(problem, 200)}`);
  }
}

/** A document that is only carried over can break references of others, so the checks repeat until nothing changes. */
function findProjectProblems(draft: ImportDraft, open: readonly ProjectCandidate[]): Map<ProjectCandidate, string> {
  const problems = new Map<ProjectCandidate, string>();
  for (let before = -1; before !== problems.size;) {
    before = problems.size;
    const kept = open.filter((candidate) => !problems.has(candidate));
    const around = collectImportNeighbours(draft, kept);
    for (const candidate of kept) {
      const { stage, text } = candidate.document;
      const [first] = findReferenceProblems(stage, text, around);
      if (first) problems.set(candidate, first.problem);
    }
  }
  return problems;
}

function collectImportNeighbours(draft: ImportDraft, kept: readonly ProjectCandidate[]): DocumentReferences {
  const there = loadDocumentReferences(draft.tree);
  const textOf = (stage: ProjectDocumentStage): string | undefined =>
    kept.find(({ document }) => document.stage === stage)?.document.text;
  const fresh = draft.steps.flatMap((step) =>
    "path" in step && step.path.startsWith(`${paths.ADR_FOLDER}/`)
      ? (parseDecisionFileName(step.path.slice(paths.ADR_FOLDER.length + 1))?.id ?? [])
      : [],
  );
  return {
    requirements: there.requirements ?? textOf("specify"),
    rules: there.rules ?? textOf("business-rules"),
    tasks: there.tasks ?? textOf("tasks"),
    adrs: [...there.adrs, ...fresh],
  };
}
