import type * as z from "zod";
import type { VerifyReceiptsOutput } from "#checking/operations/gate/schema.ts";
import type { DriftCheckOutput, TraceShowOutput } from "#code/operations/trace/schema.ts";
import type {
  MemoryContextOutput,
  ObservationHistoryOutput,
  SearchMemoryOutput,
  TimelineOutput,
} from "#memory/operations/schema.ts";
import type {
  DocumentsOutput,
  WorkspaceDoctorOutput,
  WorkspaceStatusOutput,
} from "#onboarding/operations/workspace/schema.ts";
import type { AdrList } from "#planning/operations/adr/schema.ts";
import type { AnswerQuestionOutput } from "#planning/operations/approval/schema.ts";
import type { ChangeArchived, ChangeList, ChangeStatus } from "#planning/operations/change/schema.ts";
import type { WorkflowStatsOutput, WorkflowStatusOutput } from "#planning/operations/workflow/schema.ts";
import type {
  ManageRoadmapOutputSchema,
  ReportActionOutputSchema,
  RoadmapGraphOutputSchema,
} from "#roadmap/operations/management/schema.ts";
import type { ShowRunOutputSchema } from "#running/operations/schema.ts";

/** The operations that the page calls, with the types of their own output schemas. */
export interface PageAnswers {
  "adr.list": z.infer<typeof AdrList>;
  "approval.answer": z.infer<typeof AnswerQuestionOutput>;
  "change.archive": z.infer<typeof ChangeArchived>;
  "change.list": z.infer<typeof ChangeList>;
  "change.status": z.infer<typeof ChangeStatus>;
  "gate.verify": z.infer<typeof VerifyReceiptsOutput>;
  "memory.context": z.infer<typeof MemoryContextOutput>;
  "memory.history": z.infer<typeof ObservationHistoryOutput>;
  "memory.search": z.infer<typeof SearchMemoryOutput>;
  "memory.timeline": z.infer<typeof TimelineOutput>;
  "roadmap.graph": z.infer<typeof RoadmapGraphOutputSchema>;
  "roadmap.manage": z.infer<typeof ManageRoadmapOutputSchema>;
  "roadmap.report": z.infer<typeof ReportActionOutputSchema>;
  "run.resume": unknown;
  "run.show": z.infer<typeof ShowRunOutputSchema>;
  "run.stop": unknown;
  "trace.drift": z.infer<typeof DriftCheckOutput>;
  "trace.show": z.infer<typeof TraceShowOutput>;
  "workflow.prioritize": unknown;
  "workflow.stats": z.infer<typeof WorkflowStatsOutput>;
  "workflow.status": z.infer<typeof WorkflowStatusOutput>;
  "workspace.doctor": z.infer<typeof WorkspaceDoctorOutput>;
  "workspace.documents": z.infer<typeof DocumentsOutput>;
  "workspace.status": z.infer<typeof WorkspaceStatusOutput>;
}
