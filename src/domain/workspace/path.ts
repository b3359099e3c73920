import type { ChangeId } from "../change/id.ts";
import type { ChangeStage } from "../change/flows.ts";
import type { FeatureName } from "../feature/name.ts";
import type { Layout } from "../importing/found.ts";
import type { ProjectDocumentStage } from "../project/flow.ts";
import type { TraceId } from "../trace/acceptance.ts";
import type { WorkflowId } from "../workflow/id.ts";
import type { LogName } from "../workflow/log.ts";

declare const brand: unique symbol;
/** A path relative to the workspace root with forward slashes. Only this file creates one, from validated ids. */
export type Path = string & { readonly [brand]: "Path" };

const path = (...parts: readonly string[]): Path => parts.join("/") as Path;

export const CONFIG: Path = path("sdd", "config.yaml");
export const GITIGNORE: Path = path(".gitignore");
export const GITATTRIBUTES: Path = path(".gitattributes");
export const PROJECT: Path = path("sdd", "sdd.json");

export const DOCUMENTS: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: "proposal",
  specify: "requirements",
  "business-rules": "business-rules",
  clarify: "clarifications",
  design: "design",
  tasks: "tasks",
  validate: "validation",
};

export function projectDocument(stage: ProjectDocumentStage): Path {
  return path("sdd", `${DOCUMENTS[stage]}.md`);
}

export const REQUIREMENTS: Path = projectDocument("specify");
export const BUSINESS_RULES: Path = projectDocument("business-rules");
export const DESIGN: Path = projectDocument("design");
export const TASKS: Path = projectDocument("tasks");
/** The project's documents in writing order, without the validation report. */
export const SPECS: readonly Path[] = (Object.keys(DOCUMENTS) as ProjectDocumentStage[])
  .filter((stage) => stage !== "validate")
  .map(projectDocument);
export const CONVENTIONS: readonly Path[] = [
  path("CLAUDE.md"),
  path("AGENTS.md"),
  path("README.md"),
  path("CONTRIBUTING.md"),
  path(".github", "copilot-instructions.md"),
  path(".github", "CODEOWNERS"),
];
export const CONVENTION_FOLDER: Path = path(".cursor", "rules");
export const MACHINE_FOLDER: Path = path(".sdd");
export const EXPORT: Path = path(".sdd", "state.yaml");
/** The code index, which can be rebuilt. */
export const INDEX: Path = path(".sdd", "index.db");
export const INDEX_EXPORT: Path = path(".sdd", "index.yaml");
export const SUMMARIES: Path = path("sdd", "summaries.yaml");
export const LOG_FOLDER: Path = path(".sdd", "logs");
export const logFile = (log: LogName): Path => path(LOG_FOLDER, `${log}.log`);
export const CHANGES = path("sdd", "changes") as Shelf;
export const HISTORY = path("sdd", "history") as Shelf;
export const ADRS: Path = path("sdd", "adrs");
export const SPEC_FOLDER: Path = path("sdd", "specs");
export const FEATURE_FOLDER: Path = path("sdd", "features");
export const featureFolder = (name: FeatureName): Path => path(FEATURE_FOLDER, name);
export const featureRecord = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "spec.yaml");
export const featureDesign = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "design.md");
export const featureResearch = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "research.md");
export const featureTasks = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "tasks.yaml");
export const featureReceipts = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "receipts.jsonl");
export const featureReviews = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "reviews");
export const featureReview = (name: FeatureName, batch: string): Path => path(featureReviews(name), `${batch}.yaml`);
export const REVIEWS: Path = path("sdd", "reviews");
export const reviewFile = (batch: string): Path => path(REVIEWS, `${batch}.yaml`);
export const WAVES: Path = path("sdd", "waves");
export const waveRecord = (wave: number): Path => path(WAVES, `${wave}.yaml`);
/** Generated from the records. */
export const ROADMAP: Path = path("sdd", "roadmap.md");
export const STEERING_FOLDER: Path = path("sdd", "steering");
/** `name` is a validated file name, such as `tech.md`. */
export const steeringFile = (name: string): Path => path(STEERING_FOLDER, name);
export const HANDOVER: Path = path("sdd", "handover");
export const DECISIONS: Path = path(HANDOVER, "decisions.md");
export const SESSION: Path = path(HANDOVER, "session.md");
export const SESSIONS_KEPT: Path = path(HANDOVER, "sessions");
/** Pending lessons, generated from the ledger. */
export const BUFFER: Path = path(HANDOVER, "buffer.md");
export const KNOWLEDGE_FOLDER: Path = path("sdd", "knowledge");
export const knowledgeFile = (file: string): Path => path(KNOWLEDGE_FOLDER, file);
export const KNOWLEDGE_INDEX: Path = knowledgeFile("index.md");
export const CLAUDE_FOLDER: Path = path(".claude");
export const AGENTS_FOLDER: Path = path(".agents");
export const skillFile = (client: Path, name: string): Path => path(client, "skills", name, "SKILL.md");
export const IMPORTED: Path = path("sdd", "imported");
export const IMPORT_MANIFEST: Path = path(IMPORTED, "manifest.yaml");
export const importedFile = (layout: Layout, names: readonly string[]): Path => path(IMPORTED, layout, ...names);
export const STACK_FOLDER: Path = path("sdd", "stacks");
export const specFile = (id: WorkflowId): Path => path(SPEC_FOLDER, `${id}.yaml`);
export const RECEIPT_FOLDER: Path = path("sdd", "receipts");
export const receiptFile = (id: WorkflowId): Path => path(RECEIPT_FOLDER, `${id}.jsonl`);

export const featurePage = (id: WorkflowId): Path => path("docs", "60-features", `${id}.md`);
/** A project document with sections that Tenon fills. Undefined for any other file. */
export function filledDocument(place: string): Path | undefined {
  const isDocument = /^(?:docs\/.+|README)\.md$/.test(place) && !/[\\\p{Cc}]/u.test(place);
  return isDocument && place.split("/").every((part) => !/^\.{0,2}$/.test(part)) ? path(place) : undefined;
}
/** One record per requirement, so that two branches rarely change the same file. */
export const TRACE_FOLDER: Path = path("sdd", "trace");
export const acceptanceFile = (id: TraceId): Path => path(TRACE_FOLDER, `${id}.json`);

/** `changes` holds open, completed and abandoned changes, `history` the archived ones. */
export type Shelf = Path & { readonly [shelf]: true };
declare const shelf: unique symbol;

export const changeFolder = (on: Shelf, id: ChangeId): Path => path(on, id);
export const changeRecord = (on: Shelf, id: ChangeId): Path => path(on, id, "change.json");
export const changeArtifact = (on: Shelf, id: ChangeId, stage: ChangeStage): Path => path(on, id, `${stage}.md`);
export const changeAdrs = (on: Shelf, id: ChangeId): Path => path(on, id, "adrs");

export const supersededFolder = (id: ChangeId): Path => path(CHANGES, id, "superseded");
export const supersededArtifact = (id: ChangeId, stage: ChangeStage, n: number): Path =>
  path(CHANGES, id, "superseded", `${stage}-${n}.md`);

export const SUPERSEDED: Path = path("sdd", "superseded");
export const supersededDocument = (stage: ProjectDocumentStage, n: number): Path =>
  path(SUPERSEDED, `${DOCUMENTS[stage]}-${n}.md`);
export const supersededSteering = (name: string, n: number): Path => path(SUPERSEDED, `steering-${name}-${n}.md`);

export const supersededFeature = (name: FeatureName, n: number): Path => path(SUPERSEDED, `feature-${name}-${n}`);
export const supersededRoadmap = (n: number): Path => path(SUPERSEDED, `roadmap-${n}`);

/** `name` comes from a listing of the workspace or from a validated id. */
export const inFolder = (folder: Path, name: string): Path => path(folder, name);
