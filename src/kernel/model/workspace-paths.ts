import type { ChangeId, ChangeStage } from "./stages/change-stages.ts";
import type { FeatureName } from "./ids/feature-name.ts";
import type { ProjectDocumentStage } from "./stages/project-stages.ts";
import type { TraceId } from "./ids/trace-id.ts";
import type { WorkflowId } from "./workflow-id.ts";
import type { EventLogName } from "./event-log.ts";

declare const pathBrand: unique symbol;
/** A path relative to the workspace root with forward slashes. Only this file creates one, from validated ids. */
export type WorkspacePath = string & { readonly [pathBrand]: "Path" };

const joinWorkspacePath = (...parts: readonly string[]): WorkspacePath => parts.join("/") as WorkspacePath;

export const CONFIG_PATH: WorkspacePath = joinWorkspacePath("sdd", "config.yaml");
export const GITIGNORE_PATH: WorkspacePath = joinWorkspacePath(".gitignore");
export const GITATTRIBUTES_PATH: WorkspacePath = joinWorkspacePath(".gitattributes");
export const PROJECT_RECORD_PATH: WorkspacePath = joinWorkspacePath("sdd", "sdd.json");

export const STAGE_DOCUMENTS: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: "proposal",
  specify: "requirements",
  "business-rules": "business-rules",
  clarify: "clarifications",
  design: "design",
  tasks: "tasks",
  validate: "validation",
};

export function getProjectDocumentPath(stage: ProjectDocumentStage): WorkspacePath {
  return joinWorkspacePath("sdd", `${STAGE_DOCUMENTS[stage]}.md`);
}

export const REQUIREMENTS_PATH: WorkspacePath = getProjectDocumentPath("specify");
export const BUSINESS_RULES_PATH: WorkspacePath = getProjectDocumentPath("business-rules");
export const DESIGN_PATH: WorkspacePath = getProjectDocumentPath("design");
export const TASKS_PATH: WorkspacePath = getProjectDocumentPath("tasks");
/** The project's documents in writing order, without the validation report. */
export const PROJECT_SPEC_PATHS: readonly WorkspacePath[] = (Object.keys(STAGE_DOCUMENTS) as ProjectDocumentStage[])
  .filter((stage) => stage !== "validate")
  .map(getProjectDocumentPath);
export const CONVENTION_PATHS: readonly WorkspacePath[] = [
  joinWorkspacePath("CLAUDE.md"),
  joinWorkspacePath("AGENTS.md"),
  joinWorkspacePath("README.md"),
  joinWorkspacePath("CONTRIBUTING.md"),
  joinWorkspacePath(".github", "copilot-instructions.md"),
  joinWorkspacePath(".github", "CODEOWNERS"),
];
export const CONVENTION_FOLDER: WorkspacePath = joinWorkspacePath(".cursor", "rules");
export const MACHINE_FOLDER: WorkspacePath = joinWorkspacePath(".sdd");
export const STATE_EXPORT_PATH: WorkspacePath = joinWorkspacePath(".sdd", "state.yaml");
/** The code index, which can be rebuilt. */
export const CODE_INDEX_PATH: WorkspacePath = joinWorkspacePath(".sdd", "index.db");
export const CODE_INDEX_EXPORT_PATH: WorkspacePath = joinWorkspacePath(".sdd", "index.yaml");
export const SUMMARIES_PATH: WorkspacePath = joinWorkspacePath("sdd", "summaries.yaml");
export const LOG_FOLDER: WorkspacePath = joinWorkspacePath(".sdd", "logs");
export const getLogPath = (log: EventLogName): WorkspacePath => joinWorkspacePath(LOG_FOLDER, `${log}.log`);
export const CHANGES_FOLDER = joinWorkspacePath("sdd", "changes") as ChangeShelf;
export const HISTORY_FOLDER = joinWorkspacePath("sdd", "history") as ChangeShelf;
export const ADR_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "adrs");
export const SPEC_FILE_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "specs");
export const FEATURE_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "features");
export const getFeatureFolder = (name: FeatureName): WorkspacePath => joinWorkspacePath(FEATURE_FOLDER, name);
export const getFeatureRecordPath = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "spec.yaml");
export const getFeatureDesignPath = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "design.md");
export const getFeatureResearchPath = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "research.md");
export const getFeatureTasksPath = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "tasks.yaml");
export const getFeatureReceiptsPath = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "receipts.jsonl");
export const getFeatureReviewsFolder = (name: FeatureName): WorkspacePath =>
  joinWorkspacePath(FEATURE_FOLDER, name, "reviews");
export const getFeatureReviewPath = (name: FeatureName, batch: string): WorkspacePath =>
  joinWorkspacePath(getFeatureReviewsFolder(name), `${batch}.yaml`);
export const REVIEWS_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "reviews");
export const getReviewPath = (batch: string): WorkspacePath => joinWorkspacePath(REVIEWS_FOLDER, `${batch}.yaml`);
export const WAVES_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "waves");
export const getWaveRecordPath = (wave: number): WorkspacePath => joinWorkspacePath(WAVES_FOLDER, `${wave}.yaml`);
/** Generated from the records. */
export const ROADMAP_PATH: WorkspacePath = joinWorkspacePath("sdd", "roadmap.md");
export const STEERING_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "steering");
/** `name` is a validated file name, such as `tech.md`. */
export const getSteeringFilePath = (name: string): WorkspacePath => joinWorkspacePath(STEERING_FOLDER, name);
export const HANDOVER_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "handover");
export const DECISIONS_PATH: WorkspacePath = joinWorkspacePath(HANDOVER_FOLDER, "decisions.md");
export const HANDOVER_SESSION_PATH: WorkspacePath = joinWorkspacePath(HANDOVER_FOLDER, "session.md");
export const HANDOVER_HISTORY_FOLDER: WorkspacePath = joinWorkspacePath(HANDOVER_FOLDER, "sessions");
/** Pending lessons, generated from the ledger. */
export const LESSON_BUFFER_PATH: WorkspacePath = joinWorkspacePath(HANDOVER_FOLDER, "buffer.md");
export const KNOWLEDGE_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "knowledge");
export const getKnowledgePath = (file: string): WorkspacePath => joinWorkspacePath(KNOWLEDGE_FOLDER, file);
export const KNOWLEDGE_INDEX_PATH: WorkspacePath = getKnowledgePath("index.md");
export const CLAUDE_FOLDER: WorkspacePath = joinWorkspacePath(".claude");
export const AGENTS_FOLDER: WorkspacePath = joinWorkspacePath(".agents");
export const getSkillPath = (client: WorkspacePath, name: string): WorkspacePath =>
  joinWorkspacePath(client, "skills", name, "SKILL.md");
export const IMPORTED_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "imported");
export const IMPORT_MANIFEST_PATH: WorkspacePath = joinWorkspacePath(IMPORTED_FOLDER, "manifest.yaml");
export const getImportedPath = (layout: string, names: readonly string[]): WorkspacePath =>
  joinWorkspacePath(IMPORTED_FOLDER, layout, ...names);
export const STACK_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "stacks");
export const getSpecPath = (id: WorkflowId): WorkspacePath => joinWorkspacePath(SPEC_FILE_FOLDER, `${id}.yaml`);
export const RECEIPT_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "receipts");
export const getReceiptPath = (id: WorkflowId): WorkspacePath => joinWorkspacePath(RECEIPT_FOLDER, `${id}.jsonl`);

export const getFeaturePagePath = (id: WorkflowId): WorkspacePath =>
  joinWorkspacePath("docs", "60-features", `${id}.md`);
/** A project document with sections that Tenon fills. Undefined for any other file. */
export function parseFilledDocumentPath(place: string): WorkspacePath | undefined {
  const isDocument = /^(?:docs\/.+|README)\.md$/.test(place) && !/[\\\p{Cc}]/u.test(place);
  return isDocument && place.split("/").every((part) => !/^\.{0,2}$/.test(part)) ? joinWorkspacePath(place) : undefined;
}
/** One record per requirement, so that two branches rarely change the same file. */
export const TRACE_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "trace");
export const getAcceptancePath = (id: TraceId): WorkspacePath => joinWorkspacePath(TRACE_FOLDER, `${id}.json`);

/** `changes` holds open, completed and abandoned changes, `history` the archived ones. */
export type ChangeShelf = WorkspacePath & { readonly [changeShelfBrand]: true };
declare const changeShelfBrand: unique symbol;

export const getChangeFolder = (on: ChangeShelf, id: ChangeId): WorkspacePath => joinWorkspacePath(on, id);
export const getChangeRecordPath = (on: ChangeShelf, id: ChangeId): WorkspacePath =>
  joinWorkspacePath(on, id, "change.json");
export const getChangeArtifactPath = (on: ChangeShelf, id: ChangeId, stage: ChangeStage): WorkspacePath =>
  joinWorkspacePath(on, id, `${stage}.md`);
export const getChangeAdrFolder = (on: ChangeShelf, id: ChangeId): WorkspacePath => joinWorkspacePath(on, id, "adrs");

export const getSupersededFolder = (id: ChangeId): WorkspacePath => joinWorkspacePath(CHANGES_FOLDER, id, "superseded");
export const getSupersededArtifactPath = (id: ChangeId, stage: ChangeStage, n: number): WorkspacePath =>
  joinWorkspacePath(CHANGES_FOLDER, id, "superseded", `${stage}-${n}.md`);

export const SUPERSEDED_FOLDER: WorkspacePath = joinWorkspacePath("sdd", "superseded");
export const getSupersededSteeringPath = (name: string, n: number): WorkspacePath =>
  joinWorkspacePath(SUPERSEDED_FOLDER, `steering-${name}-${n}.md`);

export const getSupersededFeatureFolder = (name: FeatureName, n: number): WorkspacePath =>
  joinWorkspacePath(SUPERSEDED_FOLDER, `feature-${name}-${n}`);
export const getSupersededRoadmapFolder = (n: number): WorkspacePath =>
  joinWorkspacePath(SUPERSEDED_FOLDER, `roadmap-${n}`);

/** `name` comes from a listing of the workspace or from a validated id. */
export const joinFolderPath = (folder: WorkspacePath, name: string): WorkspacePath => joinWorkspacePath(folder, name);
