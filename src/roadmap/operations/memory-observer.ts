import { Fault } from "#kernel/model/fault.ts";
import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { CHANGE_STAGES, parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { PROJECT_DOCUMENT_STAGES, type ProjectDocumentStage } from "#kernel/model/stages/project-stages.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { MAX_CONTENT_BYTES } from "#memory/model/observation.ts";
import { type MemoryStore, type ObservationDraft, resolveMemoryProject } from "#memory/operations/ports/memory.ts";
import { TextCleaner } from "#memory/operations/text-cleaner.ts";
import {
  createDecisionView,
  findDecisionFile,
  listChangeDecisions,
  readDecisionFileText,
} from "#planning/operations/adr/decision-files.ts";
import { findStoredChange } from "#planning/operations/change/change-records.ts";
import { findProjectRecord } from "#planning/operations/project/project-record-file.ts";
import type { LedgerObserver } from "#store/operations/engine.ts";
import type { StoredEvent, StoreTree } from "#store/operations/ports/store.ts";
import type { DecisionEntry } from "../model/handover/decision-log.ts";
import { formatDecisionEntry, isSessionDecision, parseDecisionLog } from "../model/handover/decision-log.ts";
import { parseKnowledgeDocument, removePlaceholders } from "../model/knowledge/knowledge-document.ts";
import { type KnowledgeType, parseKnowledgeFileName } from "../model/knowledge/lesson.ts";
import type { RoadmapEngine } from "./engine.ts";

const EVENT_BATCH_SIZE = 500;
const MAX_TOPIC_SLUG = 80;

type MemoryObserverEngine = Pick<RoadmapEngine, "store" | "settings" | "memory" | "project" | "secrets">;

export function createMemoryObserver(engine: MemoryObserverEngine): LedgerObserver {
  return {
    name: "memory",
    async catchUp() {
      const { memory: settings } = await engine.settings.load();
      if (!settings.enabled) return;
      // The first event identifies a ledger, even if its file moves.
      const [first] = await engine.store.events(0, 1);
      if (!first) return;
      const memory = await engine.memory();
      for (;;) {
        const at = await memory.followed(first.id);
        const events = await engine.store.events(at, EVENT_BATCH_SIZE);
        const last = events.at(-1);
        if (!last) return;
        const found = await engine.store.read((tree) => collectRecordedTexts(tree, events));
        await memory.follow(first.id, at, last.seq, await createObservationDrafts(engine, memory, found), last.at);
      }
    },
  };
}

interface RecordedText {
  readonly kind: "adr" | "change" | "project" | "decision" | "imported" | KnowledgeType;
  /** `ADR-0001`, `<change>/<stage>`, a project stage, `D12`, a knowledge file, or an imported file's path. */
  readonly ref: string;
  readonly title: string;
  readonly content: string;
  readonly path: string;
  readonly supersedes?: string | undefined;
}

function collectRecordedTexts(tree: StoreTree, events: readonly StoredEvent[]): RecordedText[] {
  const found = new Map<string, RecordedText>();
  for (const event of events) {
    try {
      for (const text of findEventTexts(tree, event)) if (text) found.set(text.ref, text);
    } catch (error) {
      // `status` and `doctor` report unreadable files. Here they are skipped.
      if (!(error instanceof Fault)) throw error;
    }
  }
  return [...found.values()];
}

function findEventTexts(tree: StoreTree, { kind, subject, data = {} }: StoredEvent): (RecordedText | undefined)[] {
  if (kind.startsWith("adr.")) return [readDecisionText(tree, subject)];
  if (kind === "knowledge.written") return [readLessonText(tree, subject)];
  if (kind === "handover.decided") return [readLoggedDecision(tree, subject)];
  if (kind === "change.stage-completed") return [readStageText(tree, subject, data["stage"])];
  if (kind === "project.stage-completed") return [readProjectDocumentText(tree, (stage) => stage === data["stage"])];
  if (kind === "importing.carried") {
    const isPlaced = [paths.IMPORTED_FOLDER, paths.HISTORY_FOLDER].some((folder) => subject.startsWith(`${folder}/`));
    const content = isPlaced ? tree.text(subject as paths.WorkspacePath) : undefined;
    const { title } = data;
    if (content === undefined || typeof title !== "string") return [];
    return [{ kind: "imported", ref: subject, title, content, path: subject }];
  }
  if (kind !== "change.archived") return [];
  // Archiving a change moves its files, and alters the documents it was merged into.
  const written = Array.isArray(data["documents"]) ? (data["documents"] as unknown[]) : [];
  return [
    ...written.map((path) => readProjectDocumentText(tree, (stage) => paths.getProjectDocumentPath(stage) === path)),
    ...readArchivedTexts(tree, subject),
  ];
}

/** The file name is the key, so that later authors appear as a revision. */
function readLessonText(tree: StoreTree, file: string): RecordedText | undefined {
  const path = parseKnowledgeFileName(file) && paths.getKnowledgePath(file);
  const content = path && tree.text(path);
  const known = content === undefined ? undefined : parseKnowledgeDocument(file, content);
  if (!path || content === undefined || !known) return undefined;
  return { kind: known.type, ref: file, title: known.title, content: removePlaceholders(content), path };
}

/** Decisions that only record a session's start or end are skipped. */
function readLoggedDecision(tree: StoreTree, ref: string): RecordedText | undefined {
  const found = parseDecisionLog(tree.text(paths.DECISIONS_PATH) ?? "").findLast(({ number }) => `D${number}` === ref);
  if (!found || isSessionDecision(found)) return undefined;
  const { number, at, ...decision } = found;
  const content = formatDecisionEntry(number, at, { ...decision, type: decision.type as DecisionEntry["type"] });
  return { kind: "decision", ref, title: found.summary, content, path: paths.DECISIONS_PATH };
}

/** What memory knows of the change already, at its new place. */
function readArchivedTexts(tree: StoreTree, subject: string): (RecordedText | undefined)[] {
  const change = findStoredChange(tree, parseChangeId(subject));
  const done = change.record.stages.filter(({ status }) => status === "completed");
  return [
    ...done.map(({ name }) => readStageText(tree, subject, name)),
    ...listChangeDecisions(tree, change).map((place) => readDecisionText(tree, place.ref)),
  ];
}

function readDecisionText(tree: StoreTree, ref: string): RecordedText {
  const place = findDecisionFile(tree, ref);
  const content = readDecisionFileText(tree, place);
  const { title, supersedes } = createDecisionView(place, content);
  return { kind: "adr", ref, title, content, path: place.path, supersedes };
}

function readStageText(tree: StoreTree, subject: string, name: unknown): RecordedText | undefined {
  const stage = CHANGE_STAGES.find((each) => each === name);
  if (!stage) return undefined;
  const { shelf, record } = findStoredChange(tree, parseChangeId(subject));
  const path = paths.getChangeArtifactPath(shelf, record.id, stage);
  const content = tree.text(path);
  const ref = `${subject}/${stage}`;
  if (content !== undefined) return { kind: "change", ref, title: `${stage}: ${record.description}`, content, path };
  if (record.size !== "quick") return undefined;
  // A quick change has only its sentence.
  const { description } = record;
  return {
    kind: "change",
    ref,
    title: description,
    content: description,
    path: paths.getChangeFolder(shelf, record.id),
  };
}

function readProjectDocumentText(tree: StoreTree, isMeant: (stage: ProjectDocumentStage) => boolean) {
  const stage = PROJECT_DOCUMENT_STAGES.find(isMeant);
  const content = stage && tree.text(paths.getProjectDocumentPath(stage));
  if (!stage || content === undefined) return undefined;
  const name = findProjectRecord(tree)?.name;
  const title = name === undefined ? paths.STAGE_DOCUMENTS[stage] : `${stage}: ${name}`;
  return { kind: "project", ref: stage, title, content, path: paths.getProjectDocumentPath(stage) } as const;
}

async function createObservationDrafts(
  engine: MemoryObserverEngine,
  memory: MemoryStore,
  found: readonly RecordedText[],
): Promise<ObservationDraft[]> {
  const project = await resolveMemoryProject(engine, undefined);
  const name = await memory.projectName(project);
  const scope = { project, scope: "project", namespace: "" } as const;
  const cleaner = new TextCleaner(engine);
  const keys = new Map<string, string>();
  const drafts: ObservationDraft[] = [];
  for (const text of found) {
    const { title, content } = await cleaner.all({ title: text.title, content: text.content });
    const key = await createTopicKey(memory, { project, name }, { ...text, title }, keys);
    keys.set(text.ref, key);
    const about = { type: text.kind, title, content: truncateContent(content, text.path), source: text.path };
    drafts.push({ ...scope, session: "tenon", ...about, topic_key: key });
  }
  return drafts.map((draft, i) => {
    const old = keys.get(found[i]?.supersedes ?? "");
    return old === undefined ? draft : { ...draft, supersedes: { ...scope, topic_key: old } };
  });
}

/** The first of several decisions with one title gets the plain key. The key uses the cleaned title. */
async function createTopicKey(
  memory: MemoryStore,
  { project, name }: { readonly project: ProjectIdentity; readonly name: string },
  text: RecordedText,
  given: ReadonlyMap<string, string>,
): Promise<string> {
  if (text.kind === "change") return `change/${name}/${text.ref}`;
  if (text.kind === "imported")
    return `import/${name}/${createSlug(text.ref.slice(paths.IMPORTED_FOLDER.length), "file", MAX_TOPIC_SLUG)}`;
  if (text.kind === "project") return `sdd/${name}/${text.ref}`;
  if (text.kind === "decision") return `decision/${name}/${text.ref.toLowerCase()}`;
  if (text.kind !== "adr") return `knowledge/${name}/${text.ref.replace(/\.md$/, "")}`;
  const plain = `adr/${name}/${createSlug(text.title, "adr", MAX_TOPIC_SLUG)}`;
  const holder = await memory.topic({ project, scope: "project", namespace: "", topic_key: plain });
  const isHeld =
    holder?.source !== undefined && normalizeArchivedPath(holder.source) !== normalizeArchivedPath(text.path);
  const isGiven = [...given.values()].includes(plain);
  return isHeld || isGiven ? `${plain}-${createSlug(text.ref, "adr")}` : plain;
}

/** The same path before and after the change is archived. */
const normalizeArchivedPath = (path: string): string => path.replace(/^sdd\/history\//, "sdd/changes/");

/** A document can exceed the size of an observation. The text is cut with a note that names the file. */
function truncateContent(content: string, source: string): string {
  const bytes = new TextEncoder().encode(content);
  if (bytes.length <= MAX_CONTENT_BYTES) return content;
  const kept = MAX_CONTENT_BYTES - 1_000;
  const head = new TextDecoder().decode(bytes.subarray(0, kept)).replace(/\uFFFD+$/, "");
  return `${head}\n\n[These are the first ${kept} of ${bytes.length} bytes; ${source} has them all.]`;
}
