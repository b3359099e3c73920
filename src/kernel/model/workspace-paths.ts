import type { ChangeId, ChangeStage } from "./stages/change-stages.ts";
import type { FeatureName } from "./ids/feature-name.ts";
import type { ProjectDocumentStage } from "./stages/project-stages.ts";
import type { TraceId } from "./ids/trace-id.ts";
import type { WorkflowId } from "./workflow-id.ts";
import type { EventLogName } from "./event-log.ts";

declare const pathBrand: unique symbol;
/** A path relative to the workspace root with forward slashes. Only this file creates one, from validated ids. */
export type WorkspacePath = string & { readonly [pathBrand]: "Path" };

const joinPath = (...parts: readonly string[]): WorkspacePath => parts.join("/") as WorkspacePath;

export const SDD_FOLDER: WorkspacePath = joinPath("sdd");
export const CONFIG_PATH: WorkspacePath = joinPath("sdd", "config.yaml");
export const SETUP_MANIFEST_PATH: WorkspacePath = joinPath("sdd", "setup.json");
export const GITIGNORE_PATH: WorkspacePath = joinPath(".gitignore");
export const GITATTRIBUTES_PATH: WorkspacePath = joinPath(".gitattributes");
export const PROJECT_RECORD_PATH: WorkspacePath = joinPath("sdd", "sdd.json");

export const STAGE_DOCUMENTS: Readonly<Record<ProjectDocumentStage, string>> = {
  propose: "proposal",
  specify: "requirements",
  "business-rules": "business-rules",
  clarify: "clarifications",
  design: "design",
  tasks: "tasks",
  validate: "validation",
};

export const getProjectDocumentPath = (stage: ProjectDocumentStage) => joinPath("sdd", `${STAGE_DOCUMENTS[stage]}.md`);

export const REQUIREMENTS_PATH: WorkspacePath = getProjectDocumentPath("specify");
export const BUSINESS_RULES_PATH: WorkspacePath = getProjectDocumentPath("business-rules");
export const DESIGN_PATH: WorkspacePath = getProjectDocumentPath("design");
export const TASKS_PATH: WorkspacePath = getProjectDocumentPath("tasks");
/** The project's documents in writing order, without the validation report. */
export const PROJECT_SPEC_PATHS: readonly WorkspacePath[] = (Object.keys(STAGE_DOCUMENTS) as ProjectDocumentStage[])
  .filter((stage) => stage !== "validate")
  .map(getProjectDocumentPath);
/** What `tenon adopt` drafted and the user has not accepted yet. Nothing else reads it. */
export const DRAFT_FOLDER: WorkspacePath = joinPath("sdd", "drafts");
export const getDraftPath = (document: WorkspacePath): WorkspacePath =>
  joinPath(DRAFT_FOLDER, document.slice(document.lastIndexOf("/") + 1));
export const getUndonePath = (at: string, path: WorkspacePath): WorkspacePath =>
  joinPath(".sdd", "undone", at.replaceAll(":", "-"), path.replace(/^\./, ""));
export const CONVENTION_PATHS: readonly WorkspacePath[] = [
  joinPath("CLAUDE.md"),
  joinPath("AGENTS.md"),
  joinPath("README.md"),
  joinPath("CONTRIBUTING.md"),
  joinPath(".github", "copilot-instructions.md"),
  joinPath(".github", "CODEOWNERS"),
];
export const CONVENTION_FOLDER: WorkspacePath = joinPath(".cursor", "rules");
export const MACHINE_FOLDER: WorkspacePath = joinPath(".sdd");
export const STATE_EXPORT_PATH: WorkspacePath = joinPath(".sdd", "state.yaml");
/** An export with workflows that the ledger lacks. */
export const getLostExportPath = (at: string) => joinPath(".sdd", `state.yaml.lost-${at.replaceAll(":", "-")}`);
/** The code index, which can be rebuilt. */
export const CODE_INDEX_PATH: WorkspacePath = joinPath(".sdd", "index.db");
export const CODE_INDEX_EXPORT_PATH: WorkspacePath = joinPath(".sdd", "index.yaml");
/** Briefs of assigned actions, for agents without Tenon's tools. */
export const getBriefPath = (action: string): WorkspacePath => joinPath(".sdd", "briefs", `${action}.md`);
/** The corrected form of a report, until its agent confirms it. */
export const getReportDraftPath = (action: string): WorkspacePath => joinPath(".sdd", "briefs", `${action}.report`);
/** The agent that took an action, noted by the hook of a client that tells its agents apart. */
export const getActionAgentPath = (action: string): WorkspacePath => joinPath(".sdd", "briefs", `${action}.agent`);
export const SUMMARIES_PATH: WorkspacePath = joinPath("sdd", "summaries.yaml");
export const getReleasePath = (tag: string): WorkspacePath => joinPath("sdd", "releases", `${tag}.md`);
/** A file in the folder of the workspace that carries the version of a package. */
export const getManifestPath = (name: string): WorkspacePath => joinPath(name);
export const LOG_FOLDER: WorkspacePath = joinPath(".sdd", "logs");
export const getLogPath = (log: EventLogName): WorkspacePath => joinPath(LOG_FOLDER, `${log}.log`);
export const CHANGES_FOLDER = joinPath("sdd", "changes") as ChangeShelf;
export const HISTORY_FOLDER = joinPath("sdd", "history") as ChangeShelf;
export const ADR_FOLDER: WorkspacePath = joinPath("sdd", "adrs");
export const SPEC_FILE_FOLDER: WorkspacePath = joinPath("sdd", "specs");
export const FEATURE_FOLDER: WorkspacePath = joinPath("sdd", "features");
export const getFeatureFolder = (name: FeatureName): WorkspacePath => joinPath(FEATURE_FOLDER, name);
export const getFeatureRecordPath = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "spec.yaml");
export const getFeatureDesignPath = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "design.md");
export const getFeatureResearchPath = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "research.md");
export const getFeatureTasksPath = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "tasks.yaml");
export const getFeatureReceiptsPath = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "receipts.jsonl");
export const getFeatureReviewsFolder = (name: FeatureName) => joinPath(FEATURE_FOLDER, name, "reviews");
export const getFeatureReviewPath = (name: FeatureName, batch: string) =>
  joinPath(getFeatureReviewsFolder(name), `${batch}.yaml`);
export const REVIEWS_FOLDER: WorkspacePath = joinPath("sdd", "reviews");
export const getReviewPath = (batch: string): WorkspacePath => joinPath(REVIEWS_FOLDER, `${batch}.yaml`);
export const WAVES_FOLDER: WorkspacePath = joinPath("sdd", "waves");
export const getWaveRecordPath = (wave: number): WorkspacePath => joinPath(WAVES_FOLDER, `${wave}.yaml`);
/** Generated from the records. */
export const ROADMAP_PATH: WorkspacePath = joinPath("sdd", "roadmap.md");
export const STEERING_FOLDER: WorkspacePath = joinPath("sdd", "steering");
/** `name` is a validated file name, such as `tech.md`. */
export const getSteeringFilePath = (name: string): WorkspacePath => joinPath(STEERING_FOLDER, name);
export const HANDOVER_FOLDER: WorkspacePath = joinPath("sdd", "handover");
export const DECISIONS_PATH: WorkspacePath = joinPath(HANDOVER_FOLDER, "decisions.md");
export const HANDOVER_SESSION_PATH: WorkspacePath = joinPath(HANDOVER_FOLDER, "session.md");
export const HANDOVER_HISTORY_FOLDER: WorkspacePath = joinPath(HANDOVER_FOLDER, "sessions");
/** Pending lessons, generated from the ledger. */
export const LESSON_BUFFER_PATH: WorkspacePath = joinPath(HANDOVER_FOLDER, "buffer.md");
export const KNOWLEDGE_FOLDER: WorkspacePath = joinPath("sdd", "knowledge");
export const getKnowledgePath = (file: string): WorkspacePath => joinPath(KNOWLEDGE_FOLDER, file);
export const KNOWLEDGE_INDEX_PATH: WorkspacePath = getKnowledgePath("index.md");
export const CLAUDE_FOLDER: WorkspacePath = joinPath(".claude");
export const AGENTS_FOLDER: WorkspacePath = joinPath(".agents");
export const getSkillPath = (client: WorkspacePath, name: string) => joinPath(client, "skills", name, "SKILL.md");
export const IMPORTED_FOLDER: WorkspacePath = joinPath("sdd", "imported");
export const IMPORT_MANIFEST_PATH: WorkspacePath = joinPath(IMPORTED_FOLDER, "manifest.yaml");
export const getImportedPath = (layout: string, names: readonly string[]) =>
  joinPath(IMPORTED_FOLDER, layout, ...names);
export const STACK_FOLDER: WorkspacePath = joinPath("sdd", "stacks");
export const getSpecPath = (id: WorkflowId): WorkspacePath => joinPath(SPEC_FILE_FOLDER, `${id}.yaml`);
export const RECEIPT_FOLDER: WorkspacePath = joinPath("sdd", "receipts");
export const getReceiptPath = (id: WorkflowId): WorkspacePath => joinPath(RECEIPT_FOLDER, `${id}.jsonl`);

/** The user's answers to questions of changes, projects and roadmaps. */
export const APPROVALS_FOLDER: WorkspacePath = joinPath("sdd", "approvals");
/** `subject` is a validated name. */
export const getApprovalLogPath = (subject: string): WorkspacePath => joinPath(APPROVALS_FOLDER, `${subject}.json`);

export const getFeaturePagePath = (id: WorkflowId) => joinPath("docs", "60-features", `${id}.md`);
/** A project document with sections that Tenon fills. Undefined for any other file. */
export function parseFilledDocumentPath(place: string): WorkspacePath | undefined {
  const isDocument = /^(?:docs\/.+|README)\.md$/.test(place) && !/[\\\p{Cc}]/u.test(place);
  return isDocument && place.split("/").every((part) => !/^\.{0,2}$/.test(part)) ? joinPath(place) : undefined;
}
/** One record per requirement, so that two branches rarely change the same file. */
export const TRACE_FOLDER: WorkspacePath = joinPath("sdd", "trace");
export const getAcceptancePath = (id: TraceId): WorkspacePath => joinPath(TRACE_FOLDER, `${id}.json`);

/** `changes` holds open, completed and abandoned changes, `history` the archived ones. */
export type ChangeShelf = WorkspacePath & { readonly [changeShelfBrand]: true };
declare const changeShelfBrand: unique symbol;

export const getChangeFolder = (on: ChangeShelf, id: ChangeId): WorkspacePath => joinPath(on, id);
export const getChangeRecordPath = (on: ChangeShelf, id: ChangeId) => joinPath(on, id, "change.json");
export const getChangeArtifactPath = (on: ChangeShelf, id: ChangeId, stage: ChangeStage) =>
  joinPath(on, id, `${stage}.md`);
export const getChangeReceiptsPath = (on: ChangeShelf, id: ChangeId) => joinPath(on, id, "receipts.jsonl");
export const getChangeAdrFolder = (on: ChangeShelf, id: ChangeId): WorkspacePath => joinPath(on, id, "adrs");

export const getSupersededFolder = (id: ChangeId): WorkspacePath => joinPath(CHANGES_FOLDER, id, "superseded");
export const getSupersededArtifactPath = (id: ChangeId, stage: ChangeStage, n: number) =>
  joinPath(CHANGES_FOLDER, id, "superseded", `${stage}-${n}.md`);

export const SUPERSEDED_FOLDER: WorkspacePath = joinPath("sdd", "superseded");
export const getSupersededSteeringPath = (name: string, n: number) =>
  joinPath(SUPERSEDED_FOLDER, `steering-${name}-${n}.md`);

export const getSupersededFeatureFolder = (name: FeatureName, n: number) =>
  joinPath(SUPERSEDED_FOLDER, `feature-${name}-${n}`);
export const getSupersededRoadmapFolder = (n: number) => joinPath(SUPERSEDED_FOLDER, `roadmap-${n}`);

/** `name` comes from a listing of the workspace or from a validated id. */
export const joinFolderPath = (folder: WorkspacePath, name: string): WorkspacePath => joinPath(folder, name);
