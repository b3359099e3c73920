import type { ChangeId } from "../change/id.ts";
import type { ChangeStage } from "../change/flows.ts";
import type { FeatureName } from "../feature/name.ts";
import type { Layout } from "../importing/found.ts";
import type { WrittenStage } from "../project/flow.ts";
import type { TraceId } from "../trace/acceptance.ts";
import type { WorkflowId } from "../workflow/id.ts";
import type { LogName } from "../workflow/log.ts";

declare const brand: unique symbol;
/** A place in the workspace, relative to its root, with forward slashes. Made only from checked ids, here. */
export type Path = string & { readonly [brand]: "Path" };

const path = (...parts: readonly string[]): Path => parts.join("/") as Path;

export const CONFIG: Path = path("sdd", "config.yaml");
export const GITIGNORE: Path = path(".gitignore");
export const GITATTRIBUTES: Path = path(".gitattributes");
/** The record of the project pipeline. */
export const PROJECT: Path = path("sdd", "sdd.json");

/** The document that each stage writes, by its name in `sdd/`. */
export const DOCUMENTS: Readonly<Record<WrittenStage, string>> = {
  propose: "proposal",
  specify: "requirements",
  "business-rules": "business-rules",
  clarify: "clarifications",
  design: "design",
  tasks: "tasks",
  validate: "validation",
};

/** The document that a stage of the project pipeline writes. */
export function projectDocument(stage: WrittenStage): Path {
  return path("sdd", `${DOCUMENTS[stage]}.md`);
}

export const REQUIREMENTS: Path = projectDocument("specify");
export const BUSINESS_RULES: Path = projectDocument("business-rules");
export const DESIGN: Path = projectDocument("design");
export const TASKS: Path = projectDocument("tasks");
/** What the project says of itself, in the order in which it is written; the verdict on it is not among that. */
export const SPECS: readonly Path[] = (Object.keys(DOCUMENTS) as WrittenStage[])
  .filter((stage) => stage !== "validate")
  .map(projectDocument);
/** Files in which a repository tells newcomers how things are done in it, and a folder of such. */
export const CONVENTIONS: readonly Path[] = [
  path("CLAUDE.md"),
  path("AGENTS.md"),
  path("README.md"),
  path("CONTRIBUTING.md"),
  path(".github", "copilot-instructions.md"),
  path(".github", "CODEOWNERS"),
];
export const CONVENTION_FOLDER: Path = path(".cursor", "rules");
/** What belongs to this machine alone and is not committed. */
export const MACHINE_FOLDER: Path = path(".sdd");
export const EXPORT: Path = path(".sdd", "state.yaml");
/** What is known of the code; it can be made again. */
export const INDEX: Path = path(".sdd", "index.db");
/** A copy of it for readers. */
export const INDEX_EXPORT: Path = path(".sdd", "index.yaml");
/** Summaries in words of somebody's own. */
export const SUMMARIES: Path = path("sdd", "summaries.yaml");
export const LOG_FOLDER: Path = path(".sdd", "logs");
export const logFile = (log: LogName): Path => path(LOG_FOLDER, `${log}.log`);
export const CHANGES = path("sdd", "changes") as Shelf;
export const HISTORY = path("sdd", "history") as Shelf;
export const ADRS: Path = path("sdd", "adrs");
/** The spec documents of features, bugs and research. */
export const SPEC_FOLDER: Path = path("sdd", "specs");
/** The features of the roadmap, a folder each. */
export const FEATURE_FOLDER: Path = path("sdd", "features");
export const featureFolder = (name: FeatureName): Path => path(FEATURE_FOLDER, name);
export const featureRecord = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "spec.yaml");
export const featureDesign = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "design.md");
export const featureResearch = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "research.md");
export const featureTasks = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "tasks.yaml");
/** What the gate of a feature left behind. */
export const featureReceipts = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "receipts.jsonl");
/** What reviews of a feature came to, a batch a file: `B3`. */
export const featureReviews = (name: FeatureName): Path => path(FEATURE_FOLDER, name, "reviews");
export const featureReview = (name: FeatureName, batch: string): Path => path(featureReviews(name), `${batch}.yaml`);
/** What reviews of waves and of everything came to. */
export const REVIEWS: Path = path("sdd", "reviews");
export const reviewFile = (batch: string): Path => path(REVIEWS, `${batch}.yaml`);
export const WAVES: Path = path("sdd", "waves");
export const waveRecord = (wave: number): Path => path(WAVES, `${wave}.yaml`);
/** For readers: made from the records, and never the truth. */
export const ROADMAP: Path = path("sdd", "roadmap.md");
/** What the project holds to, for every agent to read. */
export const STEERING_FOLDER: Path = path("sdd", "steering");
/** By the name of the file, as `tech.md`, that was checked. */
export const steeringFile = (name: string): Path => path(STEERING_FOLDER, name);
/** What one session leaves to the next. */
export const HANDOVER: Path = path("sdd", "handover");
/** What was decided on the way, in its order. */
export const DECISIONS: Path = path(HANDOVER, "decisions.md");
/** Where the work stands, in words; what came before it is kept by its day. */
export const SESSION: Path = path(HANDOVER, "session.md");
export const SESSIONS_KEPT: Path = path(HANDOVER, "sessions");
/** What was learned and waits: made from the ledger, and never the truth. */
export const BUFFER: Path = path(HANDOVER, "buffer.md");
/** What was learned, a file a lesson. */
export const KNOWLEDGE_FOLDER: Path = path("sdd", "knowledge");
/** By the name of the file, which was checked. */
export const knowledgeFile = (file: string): Path => path(KNOWLEDGE_FOLDER, file);
/** For readers: made from the files beside it. */
export const KNOWLEDGE_INDEX: Path = knowledgeFile("index.md");
/** Folders of clients that load skills from them. */
export const CLAUDE_FOLDER: Path = path(".claude");
export const AGENTS_FOLDER: Path = path(".agents");
/** By a name that was checked. */
export const skillFile = (client: Path, name: string): Path => path(client, "skills", name, "SKILL.md");
/** What other tools left behind and has no place of its own. */
export const IMPORTED: Path = path("sdd", "imported");
export const IMPORT_MANIFEST: Path = path(IMPORTED, "manifest.yaml");
/** Below the name of its tool, by names that were checked. */
export const importedFile = (layout: Layout, names: readonly string[]): Path => path(IMPORTED, layout, ...names);
/** The project's own profiles of stacks. */
export const STACK_FOLDER: Path = path("sdd", "stacks");
export const specFile = (id: WorkflowId): Path => path(SPEC_FOLDER, `${id}.yaml`);
/** What gates left behind, one chain of receipts a workflow. */
export const RECEIPT_FOLDER: Path = path("sdd", "receipts");
export const receiptFile = (id: WorkflowId): Path => path(RECEIPT_FOLDER, `${id}.jsonl`);

/** The page of a feature among the documents of the project. */
export const featurePage = (id: WorkflowId): Path => path("docs", "60-features", `${id}.md`);
/** A document of the project that has sections for Tenon to fill; nothing for any other file. */
export function filledDocument(place: string): Path | undefined {
  const isDocument = /^(?:docs\/.+|README)\.md$/.test(place) && !/[\\\p{Cc}]/u.test(place);
  return isDocument && place.split("/").every((part) => !/^\.{0,2}$/.test(part)) ? path(place) : undefined;
}
/** What was accepted of each requirement, one record an id, so that two branches seldom meet in one. */
export const TRACE_FOLDER: Path = path("sdd", "trace");
export const acceptanceFile = (id: TraceId): Path => path(TRACE_FOLDER, `${id}.json`);

/** Open, completed and abandoned changes stand in `changes`; archived ones in `history`. */
export type Shelf = Path & { readonly [shelf]: true };
declare const shelf: unique symbol;

export const changeFolder = (on: Shelf, id: ChangeId): Path => path(on, id);
export const changeRecord = (on: Shelf, id: ChangeId): Path => path(on, id, "change.json");
export const changeArtifact = (on: Shelf, id: ChangeId, stage: ChangeStage): Path => path(on, id, `${stage}.md`);
export const changeAdrs = (on: Shelf, id: ChangeId): Path => path(on, id, "adrs");

/** Where the text of a stage is kept that was written again: `superseded/spec-1.md`. */
export const supersededFolder = (id: ChangeId): Path => path(CHANGES, id, "superseded");
export const supersededArtifact = (id: ChangeId, stage: ChangeStage, n: number): Path =>
  path(CHANGES, id, "superseded", `${stage}-${n}.md`);

/** Where the text of such a document is kept that was written again: `sdd/superseded/design-1.md`. */
export const SUPERSEDED: Path = path("sdd", "superseded");
export const supersededDocument = (stage: WrittenStage, n: number): Path =>
  path(SUPERSEDED, `${DOCUMENTS[stage]}-${n}.md`);
/** Where a steering file goes that is replaced or taken away: `sdd/superseded/steering-tech-1.md`. */
export const supersededSteering = (name: string, n: number): Path => path(SUPERSEDED, `steering-${name}-${n}.md`);

/** Where a feature that is not wanted any more is kept, and a roadmap that was deleted, each whole. */
export const supersededFeature = (name: FeatureName, n: number): Path => path(SUPERSEDED, `feature-${name}-${n}`);
export const supersededRoadmap = (n: number): Path => path(SUPERSEDED, `roadmap-${n}`);

/** A file name that a folder of the workspace itself listed, or that was built from a checked id. */
export const inFolder = (folder: Path, name: string): Path => path(folder, name);
