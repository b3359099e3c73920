import rows from "../../assets/doors.json" with { type: "json" };
import type { AnyOperation } from "./engine.ts";

export type OperationId = keyof typeof rows.operations;

/** Loaded on demand. Each operation has a command, and a tool unless it is for the user only. */
const OPERATION_MODULES: readonly (readonly [load: () => Promise<object>, ...ids: OperationId[]])[] = [
  [() => import("#onboarding/operations/workspace/init-workspace.ts"), "workspace.init"],
  [() => import("#onboarding/operations/workspace/show-workspace-status.ts"), "workspace.status"],
  [() => import("#onboarding/operations/workspace/run-doctor.ts"), "workspace.doctor"],
  [() => import("#onboarding/operations/workspace/show-documents.ts"), "workspace.documents"],
  [() => import("#onboarding/operations/workspace/validate-workspace.ts"), "workspace.validate"],
  [() => import("#onboarding/operations/ci/run-ci.ts"), "ci.run"],
  [() => import("#onboarding/operations/ci/show-ci-example.ts"), "ci.example"],
  [() => import("#onboarding/operations/setup/set-up-clients.ts"), "setup.clients"],
  [() => import("#onboarding/operations/release/list-release-notes.ts"), "release.notes"],
  [() => import("#onboarding/operations/release/create-release.ts"), "release.create"],
  [() => import("#onboarding/operations/adopt/scan-repository.ts"), "adopt.scan"],
  [() => import("#onboarding/operations/adopt/bootstrap-documents.ts"), "adopt.bootstrap"],
  [() => import("#onboarding/operations/adopt/accept-drafts.ts"), "adopt.accept", "adopt.undo"],
  [() => import("#planning/operations/explore/record-exploration.ts"), "explore.record"],
  [
    () => import("#planning/operations/project/project-operations.ts"),
    "project.init",
    "project.propose",
    "project.specify",
    "project.business-rules",
    "project.design",
    "project.tasks",
    "project.reopen",
  ],
  [() => import("#planning/operations/project/clarify-project.ts"), "project.clarify"],
  [() => import("#planning/operations/project/validate-project.ts"), "project.validate", "project.confirm"],
  [() => import("#planning/operations/project/show-project-context.ts"), "project.context"],
  [() => import("#planning/operations/change/start-change.ts"), "change.start"],
  [() => import("#checking/operations/change-gate/advance-change.ts"), "change.advance"],
  [() => import("#checking/operations/change-gate/quick-change.ts"), "change.quick"],
  [() => import("#planning/operations/change/show-changes.ts"), "change.status", "change.list"],
  [
    () => import("#planning/operations/change/revise-change.ts"),
    "change.reopen",
    "change.abandon",
    "change.resize",
    "change.archive",
  ],
  [() => import("#planning/operations/change/review-change.ts"), "change.review"],
  [
    () => import("#planning/operations/workflow/start-workflow.ts"),
    "workflow.feature",
    "workflow.bugfix",
    "workflow.research",
  ],
  [() => import("#checking/operations/workflow-gate/advance-workflow.ts"), "workflow.advance"],
  [() => import("#roadmap/operations/workflow/show-workflow-status.ts"), "workflow.status"],
  [() => import("#planning/operations/workflow/switch-workflow.ts"), "workflow.switch", "workflow.resume"],
  [
    () => import("#planning/operations/workflow/manage-work.ts"),
    "workflow.prioritize",
    "workflow.abandon",
    "workflow.lock",
    "workflow.conflicts",
  ],
  [() => import("#planning/operations/workflow/manage-attribution.ts"), "workflow.work"],
  [() => import("#planning/operations/workflow/roll-back-workflow.ts"), "workflow.rollback", "workflow.snapshot"],
  [() => import("#planning/operations/workflow/show-workflow-stats.ts"), "workflow.stats"],
  [() => import("#checking/operations/approval/answer-question.ts"), "approval.answer"],
  [() => import("#checking/operations/gate/run-gate.ts"), "gate.run", "gate.evidence", "gate.mutation-check"],
  [() => import("#checking/operations/gate/verify-receipts.ts"), "gate.verify"],
  [() => import("#roadmap/operations/feature/feature-commands.ts"), "feature.design", "feature.impl"],
  [() => import("#roadmap/operations/review/feature-reviews.ts"), "review.begin", "review.waive"],
  [() => import("#roadmap/operations/management/manage-roadmap.ts"), "roadmap.manage"],
  [() => import("#roadmap/operations/management/show-roadmap-graph.ts"), "roadmap.graph"],
  [() => import("#roadmap/operations/lead/next-actions.ts"), "roadmap.next"],
  [() => import("#roadmap/operations/lead/show-brief.ts"), "roadmap.brief"],
  [() => import("#roadmap/operations/lead/report-action.ts"), "roadmap.report"],
  [() => import("#running/operations/start-run.ts"), "run.start"],
  [() => import("#running/operations/show-run.ts"), "run.show"],
  [() => import("#running/operations/stop-action.ts"), "run.stop", "run.resume"],
  [() => import("#running/operations/start-worker.ts"), "worker.start"],
  [() => import("#running/operations/check-agents.ts"), "run.check"],
  [() => import("#planning/operations/context/context-reports.ts"), "context.check", "context.suggest"],
  [() => import("#planning/operations/context/audit-context.ts"), "context.audit"],
  [() => import("#planning/operations/spec/validate-specs.ts"), "spec.validate"],
  [() => import("#checking/operations/stack/detect-stacks.ts"), "stack.detect"],
  [() => import("#code/operations/index/update-index.ts"), "indexing.update"],
  [() => import("#code/operations/index/commit-feed.ts"), "indexing.feed"],
  [() => import("#code/operations/index/query-index.ts"), "indexing.query"],
  [() => import("#code/operations/trace/show-trace.ts"), "trace.show"],
  [() => import("#code/operations/trace/check-drift.ts"), "trace.drift"],
  [() => import("#code/operations/trace/show-impact.ts"), "trace.impact"],
  [() => import("#roadmap/operations/knowledge/manage-knowledge.ts"), "knowledge.manage", "knowledge.approve"],
  [() => import("#roadmap/operations/steering/manage-steering.ts"), "steering.manage"],
  [() => import("#roadmap/operations/handover/write-handover.ts"), "handover.write"],
  [() => import("#roadmap/operations/handover/record-decision.ts"), "handover.decide"],
  [() => import("#planning/operations/adr/decision-operations.ts"), "adr.record", "adr.status", "adr.list"],
  [() => import("#checking/operations/stack/trust-stack.ts"), "stack.trust"],
  [() => import("#code/operations/index/summarize-code.ts"), "indexing.summarize"],
  [() => import("#onboarding/operations/import/import-foreign-specs.ts"), "importing.take"],
  [() => import("#onboarding/operations/export/export-openspec.ts"), "export.openspec"],
  [() => import("#onboarding/operations/team/init-team.ts"), "team.init"],
  [() => import("#onboarding/operations/team/show-team.ts"), "team.status", "team.doctor"],
  [() => import("#onboarding/operations/team/export-team.ts"), "team.export"],
  [() => import("#memory/operations/save-observation.ts"), "memory.save", "memory.suggest-topic-key"],
  [() => import("#memory/operations/search-memory.ts"), "memory.search"],
  [() => import("#memory/operations/memory-context.ts"), "memory.context", "memory.timeline"],
  [() => import("#memory/operations/show-observation.ts"), "memory.get", "memory.history"],
  [() => import("#memory/operations/track-session.ts"), "memory.session", "memory.progress"],
  [
    () => import("#memory/operations/change-observation.ts"),
    "memory.update",
    "memory.delete",
    "memory.relate",
    "memory.compact",
  ],
  [
    () => import("#memory/operations/transfer-memory.ts"),
    "memory.stats",
    "memory.export",
    "memory.import",
    "memory.backup",
  ],
];

export const OPERATION_IDS = OPERATION_MODULES.flatMap(([, ...ids]) => ids);

export async function loadCatalogueOperation(id: OperationId): Promise<AnyOperation> {
  const [load] = OPERATION_MODULES.find(([, ...ids]) => ids.includes(id)) ?? [];
  const isWanted = (value: unknown): value is AnyOperation =>
    typeof value === "object" && value !== null && "run" in value && "id" in value && value.id === id;
  const operation = Object.values((await load?.()) ?? {}).find(isWanted);
  if (!operation) throw new Error(`No module exports the operation ${id}.`);
  return operation;
}

export interface ToolJsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, ToolJsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: ToolJsonSchema;
}

/** An operation as an MCP tool, generated from its schemas into `assets/surface/<operation>.json`. */
export interface ToolSurface {
  readonly operation: OperationId;
  readonly name: string;
  readonly toolset: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, boolean>>;
  readonly inputSchema: ToolJsonSchema;
}

export interface ToolSurfaceStore {
  of(id: OperationId): Promise<ToolSurface>;
}

/** A flag of the command line that agents are not offered, such as one that writes files anywhere. */
interface CliOnlyFlag {
  readonly type: "boolean" | "string";
  readonly description: string;
  /** Placeholder for the value in the help; default `path`. */
  readonly value?: string;
  readonly choices?: readonly string[];
}

/** How the doors offer one operation: a row of `assets/doors.json`. */
export interface DoorRow {
  /** Without a tool, the operation is for the user alone. Its description is `assets/tools/<tool>.md`. */
  readonly tool?: string;
  readonly toolset?: string;
  /** Offered to agents without asking for its toolset. */
  readonly isDefault?: boolean;
  readonly command: string;
  readonly summary: string;
  readonly positionals?: readonly string[];
  /** The input field whose text `--file` reads. */
  readonly fileFor?: string;
  /** Asks a person at a terminal once whether to run it again with the token of its answer. */
  readonly asks?: {
    readonly field: string;
    readonly token: string;
    /** A list in the answer. While it has entries, yes or no is not enough, so no question is asked. */
    readonly unless?: string;
    readonly question: string;
  };
  readonly ownFlags?: Readonly<Record<string, CliOnlyFlag>>;
  /** Whether it may run code of the repository. `--trust <hash>` then allows that code for one call. */
  readonly runsChecks?: boolean;
  /** Opens an operation that writes to the page of `tenon ui`, for these fields: any value, or one of a list. */
  readonly page?: Readonly<Record<string, true | readonly (string | boolean)[]>>;
  /** For scripts: always JSON, exit code 1 for a refusal and 2 for every error. */
  readonly isScript?: boolean;
  /** Exit codes of a linter: 1 for a refusal, 2 for every error. */
  readonly isCheck?: boolean;
  readonly examples: readonly string[];
}

/** One table for tools and commands, in the order in which they are listed. */
export const DOOR_TABLE = rows.operations as Readonly<Record<OperationId, DoorRow>>;

export const COMMAND_GROUPS: Readonly<Record<string, string>> = rows.groups;
