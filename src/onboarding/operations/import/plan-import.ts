import { Fault } from "#kernel/model/fault.ts";
import {
  formatImportManifest,
  parseImportManifest,
  chooseSpecPrefix,
  formatImportedSpec,
} from "../../model/import/imported-output.ts";
import {
  IMPORT_MANIFEST_PATH,
  ADR_FOLDER,
  DECISIONS_PATH,
  joinFolderPath,
  KNOWLEDGE_INDEX_PATH,
  getKnowledgePath,
  HANDOVER_HISTORY_FOLDER,
  getSpecPath,
  PROJECT_RECORD_PATH,
  getProjectDocumentPath,
} from "#kernel/model/workspace-paths.ts";
import type { StorePlan, StoreTree } from "#store/operations/ports/store.ts";
import { planFoundationSteps } from "#planning/operations/workspace-foundation.ts";
import { ImportDraft, type ImportRow } from "./import-draft.ts";
import { placeImportedFeatures } from "./place-features.ts";
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
import type {
  ForeignAdr,
  ForeignDecisions,
  ForeignDocument,
  ForeignKnowledge,
  ForeignSpec,
  ForeignProjectDocument,
} from "../../model/import/import-source.ts";
import { parseKnowledgeDocument, formatKnowledgeIndex } from "#roadmap/model/knowledge/knowledge-document.ts";
import { sanitizeText, escapeUnprintable } from "#kernel/model/text-format.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { parseSteeringName, resolveSteeringPath, matchSteeringName } from "#roadmap/model/steering/steering-name.ts";
import {
  formatIdCounter,
  computeNextWorkflowId,
  parseWorkflowNumber,
} from "#planning/model/workflow/workflow-lifecycle.ts";
import { loadKnowledgeFolder } from "#roadmap/operations/knowledge/knowledge-folder.ts";
import { SUMMARY_PLACEHOLDER } from "#planning/operations/spec/spec-files.ts";
import { DECISION_NUMBER_KEY, DECISION_NUMBERS } from "#roadmap/operations/steering/steering-draft.ts";
import { type DocumentReferences, findReferenceProblems } from "#planning/model/project/project-document.ts";
import type { ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import { loadDocumentReferences } from "#planning/operations/project/project-document-files.ts";

export interface PreparedLayout {
  readonly seen: DetectedLayout;
  readonly items: readonly PreparedItem[];
}

export interface ImportPlanResult {
  readonly rows: readonly ImportRow[];
  readonly notes: readonly string[];
  readonly made: readonly string[];
}

export function planImport(
  tree: StoreTree,
  prepared: readonly PreparedLayout[],
  { at, config }: { readonly at: string; readonly config: string },
): StorePlan<ImportPlanResult> {
  const before = parseImportManifest(tree.text(IMPORT_MANIFEST_PATH));
  if (!before) throw createBadManifestFault();
  const draft = new ImportDraft(tree, before, at);
  for (const { seen, items } of prepared) {
    for (const item of items) placeImportItem(draft, seen, item);
    for (const { path, why, files } of [...seen.found.left, ...seen.unread]) draft.leave(seen, path, why, files);
  }
  const all = prepared.flatMap(({ seen, items }) => items.map((item) => ({ seen, item })));
  placeImportedFeatures(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "feature" ? [{ seen, feature: item }] : [])),
  );
  placeProjectDocuments(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "project" ? [{ seen, document: item }] : [])),
  );
  placeKnowledgeIndex(
    draft,
    all.map(({ item }) => item).filter((item) => item.kind === "knowledge"),
  );
  const { manifest, steps } = draft;
  const begun = manifest ? planFoundationSteps(tree, config) : [];
  if (manifest) draft.step({ kind: "document", path: IMPORT_MANIFEST_PATH, text: formatImportManifest(manifest) });
  const records = steps.filter(({ kind }) => kind === "record");
  return {
    // Records come last, because they confirm the other files.
    steps: [...begun, ...steps.filter(({ kind }) => kind !== "record"), ...records],
    occurrences: [...draft.occurrences, ...createImportEvents(draft.rows)],
    counters: draft.counters,
    keeps: draft.keeps,
    result: {
      rows: draft.rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      notes: draft.notes,
      made: begun.map(({ path }) => path),
    },
  };
}

/** Features and project documents depend on each other, so they are placed together. */
function placeImportItem(draft: ImportDraft, seen: DetectedLayout, item: PreparedItem): void {
  if (item.kind === "feature" || item.kind === "project" || draft.isKnown(seen, item.from)) return;
  switch (item.kind) {
    case "spec":
      return placeImportedSpec(draft, seen, item);
    case "spec-file":
      return void draft.place(seen, item.from, {
        as: "spec",
        path: getSpecPath(item.id),
        text: item.text,
        why: item.note,
      });
    case "steering": {
      const name = matchSteeringName(item.name) ?? parseSteeringName(createSlug(item.name, "topic"));
      const path = resolveSteeringPath(name);
      return void draft.place(seen, item.from, { as: "steering", path, text: item.text });
    }
    case "adr":
      return placeImportedAdr(draft, seen, item);
    case "decisions":
      return placeImportedDecisions(draft, seen, item);
    case "knowledge": {
      const { from, name, text } = item;
      if (draft.place(seen, from, { as: "knowledge", path: getKnowledgePath(name), text }))
        draft.occurrences.push({ kind: "knowledge.written", subject: name, data: { imported: true } });
      return;
    }
    case "session": {
      const path = joinFolderPath(HANDOVER_HISTORY_FOLDER, item.name);
      return void draft.place(seen, item.from, { as: "session", path, text: item.text });
    }
    case "document":
      return placeImportedDocument(draft, seen, item);
  }
}

function createImportEvents(rows: readonly ImportRow[]) {
  const taken = rows.filter(({ outcome }) => outcome === "taken" || outcome === "carried");
  return [...Map.groupBy(taken, ({ layout }) => layout)].map(([layout, files]) => ({
    kind: "importing.taken",
    subject: layout,
    data: { files: files.length },
  }));
}

function createBadManifestFault(): Fault {
  return new Fault("import.bad-manifest", {
    what: "Nothing was imported.",
    why: `${IMPORT_MANIFEST_PATH} cannot be read, so what was taken before is not known.`,
    fix: `git checkout -- ${IMPORT_MANIFEST_PATH}`,
  });
}

function placeImportedSpec(draft: ImportDraft, seen: DetectedLayout, spec: ForeignSpec): void {
  const prefix = chooseSpecPrefix(spec);
  const counter = formatIdCounter(prefix);
  const id = computeNextWorkflowId(prefix, draft.specIds(), draft.counter(counter));
  draft.counters[counter] = parseWorkflowNumber(id);
  draft.write(
    getSpecPath(id),
    formatImportedSpec(id, spec, { source: seen.nameOf(spec.from), at: draft.at, open: SUMMARY_PLACEHOLDER }),
  );
  draft.taken(seen, spec.from, { as: "spec", to: [getSpecPath(id)] });
}

/** A decision gets the next number; its text stays unchanged. */
function placeImportedAdr(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, title, status, date, body }: ForeignAdr,
): void {
  const number = getNextDecisionNumber(draft.tree.names(ADR_FOLDER), draft.counter("adr"));
  if (number > MAX_DECISION_NUMBER)
    return draft.leave(seen, from, `decisions have numbers up to ${MAX_DECISION_NUMBER}`);
  const id = formatDecisionId(number, false);
  const path = joinFolderPath(ADR_FOLDER, formatDecisionFileName(id, title, false));
  const head = [
    `# ${id}: ${sanitizeText(title, 200)}`,
    "",
    `- Status: ${status}`,
    `- Date: ${date ?? draft.at}`,
    `- Imported from: ${sanitizeText(seen.nameOf(from), 300)}`,
  ];
  draft.counters["adr"] = number;
  draft.write(path, `${head.join("\n")}\n\n${body}`);
  draft.occurrences.push({ kind: "adr.recorded", subject: id, data: { title, status, path } });
  draft.taken(seen, from, { as: "decision", to: [path] });
}

/** Appends decisions to our log with our numbers; each names its original. */
function placeImportedDecisions(draft: ImportDraft, seen: DetectedLayout, { from, entries }: ForeignDecisions): void {
  const log = draft.text(DECISIONS_PATH);
  const kept = draft.tree.kept(DECISION_NUMBERS).get(DECISION_NUMBER_KEY) ?? 0;
  const last = Math.max(findLastDecisionNumber(log ?? ""), kept);
  const written = entries.map(({ number, at, type, ...said }, i) => {
    const source = `${said.source === "" ? "" : `${said.source}; `}D${number} of ${seen.nameOf(from)}`;
    const decision = { ...said, source, type: escapeUnprintable(type) } as DecisionEntry;
    return formatDecisionEntry(last + i + 1, at === "" ? draft.at : escapeUnprintable(at), decision);
  });
  if (log === undefined && !draft.isFree(DECISIONS_PATH)) return draft.collide(seen, from, DECISIONS_PATH);
  draft.rewrite(DECISIONS_PATH, appendDecisionEntries(log, written));
  draft.keeps.push({ space: DECISION_NUMBERS.name, key: DECISION_NUMBER_KEY, value: last + entries.length });
  draft.taken(seen, from, { as: "decisions", to: [DECISIONS_PATH] });
}

function placeKnowledgeIndex(draft: ImportDraft, items: readonly ForeignKnowledge[]): void {
  const fresh = items.filter(({ name }) => draft.isWritten(getKnowledgePath(name)));
  if (fresh.length === 0) return;
  const { known, others } = loadKnowledgeFolder(draft.tree);
  const added = fresh.flatMap(({ name, text }) => parseKnowledgeDocument(name, text) ?? []);
  draft.step({
    kind: "document",
    path: KNOWLEDGE_INDEX_PATH,
    text: formatKnowledgeIndex([...known, ...added], others),
  });
}

function placeImportedDocument(
  draft: ImportDraft,
  seen: DetectedLayout,
  { from, text, why, remember }: ForeignDocument,
): void {
  const path = draft.carry(seen, from, text, why);
  if (path !== undefined && remember !== undefined)
    draft.occurrences.push({ kind: "importing.carried", subject: path, data: { title: sanitizeText(remember, 200) } });
}

interface ProjectCandidate {
  readonly seen: DetectedLayout;
  readonly document: ForeignProjectDocument;
}

/** Places project documents where ours are missing, if their references resolve. */
function placeProjectDocuments(draft: ImportDraft, found: readonly ProjectCandidate[]): void {
  const given = new Set<ProjectDocumentStage>();
  const open = found.filter(({ seen, document }) => {
    const { from, stage, text } = document;
    const path = getProjectDocumentPath(stage);
    if (draft.isKnown(seen, from)) return false;
    if (draft.tree.has(PROJECT_RECORD_PATH))
      draft.carry(seen, from, text, "this workspace has a project pipeline of its own");
    else if (!draft.isFree(path)) draft.collide(seen, from, path);
    else if (given.has(stage)) draft.carry(seen, from, text, `another file is taken as ${path}`);
    else return given.add(stage);
    return false;
  });
  for (const { candidate, problem } of checkProjectCandidates(draft, open)) {
    const { seen, document } = candidate;
    const path = getProjectDocumentPath(document.stage);
    if (problem === undefined)
      draft.place(seen, document.from, { as: "document of the project", path, text: document.text });
    else draft.carry(seen, document.from, document.text, `it does not hold as ${path}: ${sanitizeText(problem, 200)}`);
  }
}

/** A document that is only carried over can break references of others, so the checks repeat until nothing changes. */
function checkProjectCandidates(
  draft: ImportDraft,
  open: readonly ProjectCandidate[],
): { readonly candidate: ProjectCandidate; readonly problem: string | undefined }[] {
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
  return open.map((candidate) => ({ candidate, problem: problems.get(candidate) }));
}

function collectImportNeighbours(draft: ImportDraft, kept: readonly ProjectCandidate[]): DocumentReferences {
  const there = loadDocumentReferences(draft.tree);
  const textOf = (stage: ProjectDocumentStage): string | undefined =>
    kept.find(({ document }) => document.stage === stage)?.document.text;
  const fresh = draft.steps.flatMap((step) =>
    "path" in step && step.path.startsWith(`${ADR_FOLDER}/`)
      ? (parseDecisionFileName(step.path.slice(ADR_FOLDER.length + 1))?.id ?? [])
      : [],
  );
  return {
    requirements: there.requirements ?? textOf("specify"),
    rules: there.rules ?? textOf("business-rules"),
    tasks: there.tasks ?? textOf("tasks"),
    adrs: [...there.adrs, ...fresh],
  };
}
