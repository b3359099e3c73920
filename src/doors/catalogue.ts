import type { AnyOperation } from "./engine.ts";

/**
 * All operations, loaded on demand. Each has a command, and a tool unless it is for the user only.
 * `test/laws/surface.test.ts` checks this.
 */
const OPERATION_LOADERS = {
  "workspace.init": async () =>
    (await import("#onboarding/operations/workspace/init-workspace.ts")).initWorkspaceOperation,
  "workspace.status": async () =>
    (await import("#onboarding/operations/workspace/show-workspace-status.ts")).showWorkspaceStatusOperation,
  "workspace.doctor": async () => (await import("#onboarding/operations/workspace/run-doctor.ts")).runDoctorOperation,
  "workspace.validate": async () =>
    (await import("#onboarding/operations/workspace/validate-workspace.ts")).validateWorkspaceOperation,
  "ci.run": async () => (await import("#onboarding/operations/ci/run-ci.ts")).runCiOperation,
  "ci.example": async () => (await import("#onboarding/operations/ci/show-ci-example.ts")).showCiExampleOperation,
  "setup.clients": async () => (await import("#onboarding/operations/setup/set-up-clients.ts")).setUpClients,
  "release.notes": async () => (await import("#onboarding/operations/release/list-release-notes.ts")).listReleaseNotes,
  "adopt.scan": async () => (await import("#onboarding/operations/adopt/scan-repository.ts")).scanRepository,
  "adopt.bootstrap": async () =>
    (await import("#onboarding/operations/adopt/bootstrap-documents.ts")).bootstrapDocuments,
  "explore.record": async () =>
    (await import("#planning/operations/explore/record-exploration.ts")).recordExplorationOperation,
  "project.init": async () => (await import("#planning/operations/project/init-project.ts")).initProjectOperation,
  "project.propose": async () =>
    (await import("#planning/operations/project/write-project-documents.ts")).proposeProjectOperation,
  "project.specify": async () =>
    (await import("#planning/operations/project/write-project-documents.ts")).specifyProjectOperation,
  "project.business-rules": async () =>
    (await import("#planning/operations/project/write-project-documents.ts")).businessRulesOperation,
  "project.clarify": async () =>
    (await import("#planning/operations/project/clarify-project.ts")).clarifyProjectOperation,
  "project.design": async () =>
    (await import("#planning/operations/project/write-project-documents.ts")).designProjectOperation,
  "project.tasks": async () =>
    (await import("#planning/operations/project/write-project-documents.ts")).projectTasksOperation,
  "project.validate": async () =>
    (await import("#planning/operations/project/validate-project.ts")).validateProjectOperation,
  "project.context": async () =>
    (await import("#planning/operations/project/show-project-context.ts")).projectContextOperation,
  "project.confirm": async () =>
    (await import("#planning/operations/project/revise-project.ts")).confirmProjectOperation,
  "project.reopen": async () => (await import("#planning/operations/project/revise-project.ts")).reopenProjectOperation,
  "change.start": async () => (await import("#planning/operations/change/start-change.ts")).startChangeOperation,
  "change.advance": async () => (await import("#planning/operations/change/advance-change.ts")).advanceChangeOperation,
  "change.status": async () => (await import("#planning/operations/change/show-changes.ts")).changeStatusOperation,
  "change.list": async () => (await import("#planning/operations/change/show-changes.ts")).listChangesOperation,
  "change.reopen": async () => (await import("#planning/operations/change/revise-change.ts")).reopenChangeOperation,
  "change.abandon": async () => (await import("#planning/operations/change/revise-change.ts")).abandonChangeOperation,
  "change.resize": async () => (await import("#planning/operations/change/revise-change.ts")).resizeChangeOperation,
  "change.review": async () => (await import("#planning/operations/change/review-change.ts")).reviewChangeOperation,
  "change.archive": async () => (await import("#planning/operations/change/archive-change.ts")).archiveChangeOperation,
  "workflow.feature": async () =>
    (await import("#planning/operations/workflow/start-workflow.ts")).startFeatureOperation,
  "workflow.bugfix": async () => (await import("#planning/operations/workflow/start-workflow.ts")).startBugfixOperation,
  "workflow.research": async () =>
    (await import("#planning/operations/workflow/start-workflow.ts")).startResearchOperation,
  "workflow.advance": async () =>
    (await import("#checking/operations/workflow-gate/advance-workflow.ts")).advanceWorkflowOperation,
  "workflow.status": async () =>
    (await import("#roadmap/operations/workflow/show-workflow-status.ts")).showWorkflowStatusOperation,
  "workflow.switch": async () =>
    (await import("#planning/operations/workflow/switch-workflow.ts")).switchWorkflowOperation,
  "workflow.prioritize": async () =>
    (await import("#planning/operations/workflow/manage-work.ts")).prioritizeWorkOperation,
  "workflow.abandon": async () =>
    (await import("#planning/operations/workflow/manage-work.ts")).abandonWorkflowOperation,
  "workflow.rollback": async () =>
    (await import("#planning/operations/workflow/roll-back-workflow.ts")).rollbackWorkflowOperation,
  "workflow.resume": async () =>
    (await import("#planning/operations/workflow/switch-workflow.ts")).resumeWorkflowOperation,
  "workflow.snapshot": async () =>
    (await import("#planning/operations/workflow/roll-back-workflow.ts")).takeSnapshotOperation,
  "workflow.lock": async () => (await import("#planning/operations/workflow/lock-files.ts")).lockFilesOperation,
  "workflow.conflicts": async () =>
    (await import("#planning/operations/workflow/lock-files.ts")).findConflictsOperation,
  "workflow.stats": async () =>
    (await import("#planning/operations/workflow/show-workflow-stats.ts")).showWorkflowStatsOperation,
  "gate.run": async () => (await import("#checking/operations/gate/run-gate.ts")).runGate,
  "gate.evidence": async () => (await import("#checking/operations/gate/check-test-evidence.ts")).checkTestEvidence,
  "gate.bite": async () => (await import("#checking/operations/gate/check-mutations.ts")).checkMutations,
  "gate.verify": async () => (await import("#checking/operations/gate/verify-receipts.ts")).verifyReceipts,
  "feature.design": async () => (await import("#roadmap/operations/feature/feature-commands.ts")).designFeature,
  "feature.impl": async () => (await import("#roadmap/operations/feature/feature-commands.ts")).implementFeature,
  "review.begin": async () => (await import("#roadmap/operations/review/begin-review.ts")).beginFeatureReview,
  "review.waive": async () => (await import("#roadmap/operations/review/waive-finding.ts")).waiveFinding,
  "roadmap.manage": async () => (await import("#roadmap/operations/management/manage-roadmap.ts")).manageRoadmap,
  "roadmap.next": async () => (await import("#roadmap/operations/lead/next-actions.ts")).nextActions,
  "roadmap.report": async () => (await import("#roadmap/operations/lead/report-action.ts")).reportAction,
  "context.check": async () => (await import("#planning/operations/context/check-context.ts")).contextCheckOperation,
  "context.suggest": async () =>
    (await import("#planning/operations/context/suggest-context.ts")).contextSuggestOperation,
  "context.audit": async () => (await import("#planning/operations/context/audit-context.ts")).contextAuditOperation,
  "spec.validate": async () => (await import("#planning/operations/spec/validate-specs.ts")).validateSpecsOperation,
  "stack.detect": async () => (await import("#checking/operations/stack/detect-stacks.ts")).detectStacksOperation,
  "indexing.update": async () => (await import("#code/operations/index/update-index.ts")).updateCodeIndex,
  "indexing.feed": async () => (await import("#code/operations/index/commit-feed.ts")).showCommitFeed,
  "indexing.query": async () => (await import("#code/operations/index/query-index.ts")).queryIndex,
  "trace.show": async () => (await import("#code/operations/trace/show-trace.ts")).showTrace,
  "trace.drift": async () => (await import("#code/operations/trace/check-drift.ts")).checkDrift,
  "trace.impact": async () => (await import("#code/operations/trace/show-impact.ts")).showImpact,
  "knowledge.manage": async () => (await import("#roadmap/operations/knowledge/manage-knowledge.ts")).manageKnowledge,
  "knowledge.approve": async () => (await import("#roadmap/operations/knowledge/approve-skill.ts")).approveSkill,
  "steering.manage": async () => (await import("#roadmap/operations/steering/manage-steering.ts")).manageSteering,
  "handover.write": async () => (await import("#roadmap/operations/handover/write-handover.ts")).writeHandover,
  "handover.decide": async () => (await import("#roadmap/operations/handover/record-decision.ts")).recordDecision,
  "adr.record": async () => (await import("#planning/operations/adr/record-decision.ts")).recordDecisionOperation,
  "adr.status": async () =>
    (await import("#planning/operations/adr/change-decision-status.ts")).decisionStatusOperation,
  "adr.list": async () => (await import("#planning/operations/adr/list-decisions.ts")).listDecisionsOperation,
  "stack.trust": async () => (await import("#checking/operations/stack/trust-stack.ts")).trustStackOperation,
  "indexing.summarize": async () => (await import("#code/operations/index/summarize-code.ts")).summarizeCode,
  "importing.take": async () =>
    (await import("#onboarding/operations/import/import-foreign-specs.ts")).importForeignSpecs,
  "memory.save": async () => (await import("#memory/operations/save-observation.ts")).saveObservation,
  "memory.search": async () => (await import("#memory/operations/search-memory.ts")).searchMemory,
  "memory.context": async () => (await import("#memory/operations/memory-context.ts")).readMemoryContext,
  "memory.get": async () => (await import("#memory/operations/show-observation.ts")).getObservation,
  "memory.session": async () => (await import("#memory/operations/track-session.ts")).manageMemorySession,
  "memory.timeline": async () => (await import("#memory/operations/memory-context.ts")).readMemoryTimeline,
  "memory.update": async () => (await import("#memory/operations/change-observation.ts")).editObservation,
  "memory.delete": async () => (await import("#memory/operations/change-observation.ts")).deleteObservation,
  "memory.relate": async () => (await import("#memory/operations/change-observation.ts")).relateObservations,
  "memory.history": async () => (await import("#memory/operations/show-observation.ts")).readObservationHistory,
  "memory.progress": async () => (await import("#memory/operations/track-session.ts")).manageProgress,
  "memory.compact": async () => (await import("#memory/operations/change-observation.ts")).compactMemory,
  "memory.suggest-topic-key": async () =>
    (await import("#memory/operations/save-observation.ts")).suggestObservationTopic,
  "memory.stats": async () => (await import("#memory/operations/transfer-memory.ts")).showMemoryStats,
  "memory.export": async () => (await import("#memory/operations/transfer-memory.ts")).exportObservations,
  "memory.import": async () => (await import("#memory/operations/transfer-memory.ts")).importObservations,
  "memory.backup": async () => (await import("#memory/operations/transfer-memory.ts")).backUpObservations,
} as const;

export type OperationId = keyof typeof OPERATION_LOADERS;

export const OPERATION_IDS = Object.keys(OPERATION_LOADERS) as OperationId[];

export const loadCatalogueOperation = (id: OperationId): Promise<AnyOperation> => OPERATION_LOADERS[id]();

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
