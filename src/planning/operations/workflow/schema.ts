import * as z from "zod";
import { parseSinceDate } from "#kernel/model/search/search-question.ts";
import { WORKFLOW_KINDS } from "../../model/workflow/workflow-record.ts";
import { ALL_WORK_KINDS, WorkflowStatistics } from "../../model/workflow/workflow-statistics.ts";
import { MAX_NAME, MAX_SENTENCE, createTextField, MAX_TITLE } from "#kernel/operations/text-fields.ts";

const workflowIdField = createTextField(MAX_NAME, "Default: the current one").optional();
export const sessionField = z
  .string()
  .regex(/^[\w.:@+-]{1,64}$/, "must be letters, digits and marks as ids have them, at most 64")
  .optional()
  .describe("Yours");
const priorityField = z.int().min(0).max(9).describe("0 most urgent, 9 least");
const MAX_INPUT_PATHS = 500;
/** Later validation names each invalid path, so the schema only limits the count. */
const createPathsField = (description: string) =>
  z
    .array(z.string())
    .refine((list) => list.length <= MAX_INPUT_PATHS, `must be at most ${MAX_INPUT_PATHS}`)
    .optional()
    .describe(description);

const workflowStartFields = {
  id: createTextField(MAX_NAME, "Default: made").optional(),
  priority: priorityField.optional(),
  files: createPathsField("Paths or globs to lock"),
  worktree: z.boolean().optional().describe("In its own git worktree"),
  session: sessionField,
};

export const StartFeatureInput = z.strictObject({
  title: createTextField(MAX_TITLE, "What it gives the user"),
  ...workflowStartFields,
});

export const StartBugfixInput = z.strictObject({
  title: createTextField(MAX_TITLE, "The symptom"),
  ...workflowStartFields,
});

export const StartResearchInput = z.strictObject({
  topic: createTextField(MAX_TITLE, "The question"),
  timebox: createTextField(20, "30m, 2h, 1d; default 2h").optional(),
  ...workflowStartFields,
});

export const AdvanceWorkflowInput = z.strictObject({
  id: workflowIdField,
  approve: createTextField(MAX_NAME, "User who agreed, where the gate asks")
    .refine((name) => /\p{L}/u.test(name) && !/[…<>]/.test(name), "must be a name, not a blank to fill in")
    .optional(),
  check: z.boolean().optional().describe("Only look whether it would pass"),
  stage: createTextField(40, "Makes a repeated call safe").optional(),
  extend: createTextField(20, "Give a research more time: 30m").optional(),
  reason: createTextField(MAX_SENTENCE, "Why it needs more").optional(),
  session: sessionField,
});

/** Agents that work on workflows. Each has an asset in `assets/roles`. */
export const WORKFLOW_ROLES = ["spec-agent", "test-agent", "impl-agent"] as const;

/** The guide of a stage names the roles. An enum would add them to the tool list of every session. */
const workflowRoleField = createTextField(MAX_NAME, "Role").refine(
  (name) => (WORKFLOW_ROLES as readonly string[]).includes(name),
  `must be ${WORKFLOW_ROLES.join(", ")}`,
);

export const WorkflowStatusInput = z.strictObject({
  id: createTextField(MAX_NAME, "Default: all").optional(),
  all: z.boolean().optional().describe("Finished ones too"),
  brief: workflowRoleField.optional(),
  session: sessionField,
});

export const SwitchWorkflowInput = z.strictObject({
  id: createTextField(MAX_NAME, "Workflow or change"),
  force: z.boolean().optional().describe("Although others lock the files"),
  session: sessionField,
});

export const PrioritizeWorkInput = z.strictObject({
  id: createTextField(MAX_NAME, "Workflow or change"),
  priority: priorityField,
});

export const AbandonWorkflowInput = z.strictObject({
  id: createTextField(MAX_NAME, "Workflow or change"),
  reason: createTextField(MAX_SENTENCE, "Why"),
  session: sessionField,
});

export const RollbackWorkflowInput = z.strictObject({
  id: workflowIdField,
  stage: createTextField(40, "Stage to go back to").optional(),
  snapshot: z.int().min(1).optional().describe("Or a snapshot's number"),
  keep_overlaps: z.boolean().optional().describe("Leave what others changed too"),
  confirm: createTextField(80, "Token of the plan").optional(),
  session: sessionField,
});

export const ResumeWorkflowInput = z.strictObject({
  id: createTextField(MAX_NAME, "Default: the interrupted one").optional(),
  take_over: z.boolean().optional().describe("Although another session works on it"),
  session: sessionField,
});

export const TakeSnapshotInput = z.strictObject({ id: workflowIdField, session: sessionField });

export const LockFilesInput = z.strictObject({
  action: z.enum(["claim", "release", "list"]),
  paths: createPathsField("Paths, globs, folders with a trailing slash"),
  id: workflowIdField,
  force: z.boolean().optional().describe("Although others hold it"),
  session: sessionField,
});

export const FindConflictsInput = z.strictObject({
  a: createTextField(MAX_NAME, "Workflow or change"),
  b: createTextField(MAX_NAME, "Another"),
});

const textsOutput = z.array(z.string());
const WorkflowProblemOutput = z.object({ problem: z.string(), line: z.int().optional() });

export const WorkflowViewOutput = z.object({
  id: z.string(),
  kind: z.enum(WORKFLOW_KINDS),
  title: z.string(),
  status: z.string(),
  stage: z.string(),
  stages: z.array(z.object({ name: z.string(), status: z.string() })),
  priority: z.int(),
  is_current: z.boolean(),
  interrupted: z.boolean(),
  spec: z.string(),
  started_at: z.string(),
  updated_at: z.string(),
  finished_at: z.string().optional(),
  files_locked: textsOutput,
  snapshots: z.array(
    z.object({
      n: z.int(),
      stage: z.string(),
      why: z.string(),
      timestamp: z.string(),
      files_modified: textsOutput,
      git_commit: z.string().optional(),
    }),
  ),
  timebox: z
    .object({
      limit: z.string(),
      spent: z.string(),
      percent: z.int(),
      extensions: z.array(z.object({ by: z.string(), reason: z.string(), at: z.string() })),
    })
    .optional(),
  adr: z.string().optional(),
  worktree: z.string().optional(),
  reason: z.string().optional(),
});

const OpenStageOutput = z.object({ stage: z.string(), guide: z.string() });

export const WorkflowStartOutput = z.object({
  workflow: WorkflowViewOutput,
  next: OpenStageOutput,
  notes: textsOutput,
});

export const GateCheckOutput = z.object({
  check: z.string(),
  status: z.string(),
  problems: z.array(WorkflowProblemOutput),
  reason: z.string().optional(),
});

export const GateAttemptsOutput = z.array(
  z.object({
    n: z.int(),
    waited_s: z.number(),
    fixed: textsOutput,
    failed: z.array(z.object({ check: z.string(), failure: z.string(), said: z.string() })),
  }),
);

export const AdvanceWorkflowOutput = z.object({
  passed: z.boolean(),
  extended: z.string().optional(),
  gate: z.string(),
  checks: z.array(GateCheckOutput),
  attempts: GateAttemptsOutput,
  receipt: z.string().optional(),
  workflow: WorkflowViewOutput,
  next: OpenStageOutput.optional(),
  notes: textsOutput,
});

export const QueueItemOutput = z.object({
  id: z.string(),
  kind: z.string(),
  title: z.string(),
  status: z.string(),
  stage: z.string(),
  priority: z.int(),
  is_current: z.boolean(),
  interrupted: z.boolean(),
  session: z.string().optional(),
  age: z.string(),
  started_at: z.string(),
  updated_at: z.string(),
});

export const WorkflowStatusOutput = z.object({
  session: z.string(),
  current: z.string().optional(),
  queue: z.array(QueueItemOutput),
  finished: z.array(QueueItemOutput),
  workflow: WorkflowViewOutput.optional(),
  gate: z
    .object({ gate: z.string(), passed: z.boolean(), at: z.string(), is_stale: z.boolean(), open: textsOutput })
    .optional(),
  next: OpenStageOutput.optional(),
  brief: z.object({ role: z.enum(WORKFLOW_ROLES), text: z.string(), tokens: z.int() }).optional(),
  notes: textsOutput,
});

export const LockHolderOutput = z.object({
  path: z.string(),
  workflow: z.string(),
  stage: z.string(),
  since: z.string(),
});

export const FindConflictsOutput = z.object({
  conflict: z.boolean(),
  conflicting_files: textsOutput,
  current_workflow: z.string().nullable(),
  target_workflow: z.string(),
  holders: z.array(LockHolderOutput),
});

export const SwitchWorkflowOutput = z.object({
  switched: z.boolean(),
  ...FindConflictsOutput.shape,
  current: z.object({ id: z.string(), kind: z.string(), stage: z.string(), files_locked: textsOutput }),
  workflow: WorkflowViewOutput.optional(),
  next: OpenStageOutput.optional(),
  notes: textsOutput,
});

export const PrioritizeWorkOutput = z.object({
  id: z.string(),
  from: z.int(),
  to: z.int(),
  queue: z.array(QueueItemOutput),
  notes: textsOutput,
});

export const AbandonWorkflowOutput = z.object({
  id: z.string(),
  kind: z.string(),
  stage: z.string(),
  reason: z.string(),
  released: textsOutput,
});

export const RollbackWorkflowOutput = z.object({
  done: z.boolean(),
  workflow: WorkflowViewOutput,
  to: z.object({ snapshot: z.int(), stage: z.string(), timestamp: z.string() }),
  restored: textsOutput,
  deleted: textsOutput,
  kept: textsOutput,
  overlaps: z.array(z.object({ path: z.string(), with: textsOutput })),
  foreign: textsOutput,
  token: z.string().optional(),
  undo: z.object({ id: z.string(), snapshot: z.int() }).optional(),
  notes: textsOutput,
});

export const ResumeWorkflowOutput = z.object({
  workflow: WorkflowViewOutput,
  session: z.string(),
  interrupted_session: z.string().optional(),
  last_activity: z.string(),
  uncommitted: textsOutput,
  since_snapshot: textsOutput,
  next: OpenStageOutput,
  notes: textsOutput,
});

export const TakeSnapshotOutput = z.object({
  id: z.string(),
  snapshot: z.int(),
  stage: z.string(),
  timestamp: z.string(),
  files_modified: textsOutput,
  ref: z.string(),
});

export const LockFilesOutput = z.object({
  action: z.string(),
  changed: textsOutput,
  locks: z.array(z.object({ workflow: z.string(), path: z.string(), how: z.string(), since: z.string() })),
  notes: textsOutput,
});

export const WorkflowStatsInput = z.strictObject({
  since: z
    .string()
    .refine(
      (value) => parseSinceDate(value, "2026-01-01T00:00:00Z"),
      "must be a day such as 2026-01-31, or a span such as 7d",
    )
    .optional()
    .describe("2026-01-31 or 7d"),
  kind: z.enum(ALL_WORK_KINDS).optional(),
});

export const WorkflowStatsOutput = z.object(WorkflowStatistics.shape);
