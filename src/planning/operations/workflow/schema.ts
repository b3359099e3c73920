import * as z from "zod";
import { parseSinceDate } from "#kernel/model/search/search-question.ts";
import type { WorkReason } from "../../model/workflow/work-attribution.ts";
import { WORKFLOW_KINDS } from "../../model/workflow/workflow-record.ts";
import { ALL_WORK_KINDS, WorkflowStatistics } from "../../model/workflow/workflow-statistics.ts";
import { OpenQuestionOutput } from "../approval/schema.ts";
import { MAX_NAME, MAX_SENTENCE, createTextField, MAX_TITLE } from "#kernel/operations/text-fields.ts";

const workField = createTextField(MAX_NAME, "Workflow or change");
const workflowIdField = createTextField(MAX_NAME, "Default: current").optional();
export const sessionField = z
  .string()
  .regex(/^[\w.:@+-]{1,64}$/, "must be at most 64 letters, digits and marks that ids have")
  .optional();
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
  id: createTextField(MAX_NAME, "Default: generated").optional(),
  priority: priorityField.optional(),
  files: createPathsField("Paths or globs to lock"),
  worktree: z.boolean().optional().describe("In its own git worktree"),
  session: sessionField,
};

const createDescribedStart = (about: string) =>
  z.strictObject({ description: createTextField(MAX_TITLE, about), ...workflowStartFields });

export const StartFeatureInput = createDescribedStart("What it gives the user");
export const StartBugfixInput = createDescribedStart("The symptom");

export const StartResearchInput = z.strictObject({
  description: createTextField(MAX_TITLE, "The question"),
  timebox: createTextField(20, "30m, 2h, 1d; default 2h").optional(),
  ...workflowStartFields,
});

export const testRemovalsField = z
  .array(
    z.strictObject({
      test: z.string().min(1).max(MAX_SENTENCE),
      reason: z.string().min(1).max(MAX_SENTENCE),
    }),
  )
  .max(100)
  .optional()
  .describe("Removed tests, or their file");

export const AdvanceWorkflowInput = z.strictObject({
  id: workflowIdField,
  approve: createTextField(MAX_NAME, "User who approved")
    .refine((name) => /\p{L}/u.test(name) && !/[…<>]/.test(name), "must be a name, not a placeholder")
    .optional(),
  check: z.boolean().optional().describe("Dry run"),
  tests_removed: testRemovalsField,
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
  all: z.boolean().optional().describe("Include finished"),
  brief: workflowRoleField.optional(),
  session: sessionField,
});

export const SwitchWorkflowInput = z.strictObject({
  id: workField,
  force: z.boolean().optional().describe("Override others' locks"),
  session: sessionField,
});

export const PrioritizeWorkInput = z.strictObject({ id: workField, priority: priorityField });

export const AbandonWorkflowInput = z.strictObject({
  id: workField,
  reason: createTextField(MAX_SENTENCE),
  session: sessionField,
});

export const RollbackWorkflowInput = z.strictObject({
  id: workflowIdField,
  stage: createTextField(40, "Stage to go back to").optional(),
  snapshot: z.int().min(1).optional().describe("Or a snapshot's number"),
  keep_overlaps: z.boolean().optional().describe("Keep others' changes"),
  presumed: z.boolean().optional().describe("Also presumed paths; ask the user"),
  except: createPathsField("Paths to keep"),
  confirm: createTextField(80, "Token of the plan").optional(),
  session: sessionField,
});

export const ResumeWorkflowInput = z.strictObject({
  id: createTextField(MAX_NAME, "Default: the interrupted one").optional(),
  take_over: z.boolean().optional().describe("Even if another session holds it"),
  session: sessionField,
});

export const TakeSnapshotInput = z.strictObject({ id: workflowIdField, session: sessionField });

export const LockFilesInput = z.strictObject({
  action: z.enum(["claim", "release", "list"]),
  paths: createPathsField("Paths, globs, folders with a trailing slash"),
  id: workflowIdField,
  force: z.boolean().optional().describe("Override others' locks"),
  session: sessionField,
});

export const ShowWorkInput = z.strictObject({
  action: z.enum(["show", "claim", "unclaim", "exclude", "include"]),
  id: workflowIdField,
  paths: createPathsField("Changed files, folders with a trailing slash"),
  reason: createTextField(MAX_SENTENCE, "Why it is excluded").optional(),
  session: sessionField,
});

export const FindConflictsInput = z.strictObject({ a: workField, b: createTextField(MAX_NAME, "Another") });

const text = z.string();
const texts = z.array(text);
const whole = z.int();

export const WorkflowViewOutput = z.object({
  id: text,
  kind: z.enum(WORKFLOW_KINDS),
  title: text,
  status: text,
  stage: text,
  stages: z.array(z.object({ name: text, status: text })),
  priority: whole,
  is_current: z.boolean(),
  interrupted: z.boolean(),
  spec: text,
  started_at: text,
  updated_at: text,
  finished_at: text.optional(),
  files_locked: texts,
  snapshots: z.array(
    z.object({ n: whole, stage: text, why: text, timestamp: text, files_modified: texts, git_commit: text.optional() }),
  ),
  timebox: z
    .object({
      limit: text,
      spent: text,
      percent: whole,
      extensions: z.array(z.object({ by: text, reason: text, at: text })),
    })
    .optional(),
  adr: text.optional(),
  worktree: text.optional(),
  reason: text.optional(),
});

const OpenStageOutput = z.object({ stage: text, guide: text });

export const WorkflowStartOutput = z.object({ workflow: WorkflowViewOutput, next: OpenStageOutput, notes: texts });

export const GateCheckOutput = z.object({
  check: text,
  status: text,
  problems: z.array(z.object({ problem: text, line: whole.optional() })),
  reason: text.optional(),
});

export const GateAttemptsOutput = z.array(
  z.object({
    n: whole,
    waited_s: z.number(),
    fixed: texts,
    failed: z.array(z.object({ check: text, failure: text, said: text })),
  }),
);

/** Milliseconds of each command; `reused` if it passed before on the same files. */
export const CheckTimesOutput = z.array(
  z.object({ check: text, tool: text, ms: whole, reused: z.boolean().optional() }),
);

export const AdvanceWorkflowOutput = z.object({
  passed: z.boolean(),
  extended: text.optional(),
  gate: text,
  checks: z.array(GateCheckOutput),
  attempts: GateAttemptsOutput,
  took: CheckTimesOutput.optional(),
  receipt: text.optional(),
  question: OpenQuestionOutput.optional(),
  unattributed: texts.optional(),
  workflow: WorkflowViewOutput,
  next: OpenStageOutput.optional(),
  notes: texts,
});

export const QueueItemOutput = z.object({
  id: text,
  kind: text,
  title: text,
  status: text,
  stage: text,
  priority: whole,
  is_current: z.boolean(),
  interrupted: z.boolean(),
  session: text.optional(),
  age: text,
  started_at: text,
  updated_at: text,
});

export const WorkflowStatusOutput = z.object({
  session: text,
  current: text.optional(),
  queue: z.array(QueueItemOutput),
  finished: z.array(QueueItemOutput),
  workflow: WorkflowViewOutput.optional(),
  gate: z.object({ gate: text, passed: z.boolean(), at: text, is_stale: z.boolean(), open: texts }).optional(),
  next: OpenStageOutput.optional(),
  brief: z.object({ role: z.enum(WORKFLOW_ROLES), text: text, tokens: whole }).optional(),
  notes: texts,
});

export const LockHolderOutput = z.object({ path: text, workflow: text, stage: text, since: text });

export const FindConflictsOutput = z.object({
  conflict: z.boolean(),
  conflicting_files: texts,
  current_workflow: text.nullable(),
  target_workflow: text,
  holders: z.array(LockHolderOutput),
});

export const SwitchWorkflowOutput = z.object({
  switched: z.boolean(),
  ...FindConflictsOutput.shape,
  current: z.object({ id: text, kind: text, stage: text, files_locked: texts }),
  workflow: WorkflowViewOutput.optional(),
  next: OpenStageOutput.optional(),
  notes: texts,
});

export const PrioritizeWorkOutput = z.object({
  id: text,
  from: whole,
  to: whole,
  queue: z.array(QueueItemOutput),
  notes: texts,
});

export const AbandonWorkflowOutput = z.object({ id: text, kind: text, stage: text, reason: text, released: texts });

export const RollbackWorkflowOutput = z.object({
  done: z.boolean(),
  workflow: WorkflowViewOutput,
  to: z.object({ snapshot: whole, stage: text, timestamp: text }),
  restored: texts,
  deleted: texts,
  presumed: texts,
  mixed: texts,
  unknown: texts,
  except: texts,
  kept: texts,
  overlaps: z.array(z.object({ path: text, with: texts })),
  foreign: texts,
  token: text.optional(),
  undo: z.object({ id: text, snapshot: whole }).optional(),
  notes: texts,
});

export const ResumeWorkflowOutput = z.object({
  workflow: WorkflowViewOutput,
  session: text,
  interrupted_session: text.optional(),
  last_activity: text,
  uncommitted: texts,
  since_snapshot: texts,
  next: OpenStageOutput,
  notes: texts,
});

export const TakeSnapshotOutput = z.object({
  id: text,
  snapshot: whole,
  stage: text,
  timestamp: text,
  files_modified: texts,
  ref: text,
});

export const LockFilesOutput = z.object({
  action: text,
  changed: texts,
  locks: z.array(z.object({ workflow: text, path: text, how: text, since: text })),
  notes: texts,
});

const WORK_REASONS = ["edit", "presumed", "tag", "claim"] as const satisfies readonly WorkReason[];
const excludedPaths = z.array(z.object({ path: text, reason: text }));

export const ShowWorkOutput = z.object({
  id: text,
  action: ShowWorkInput.shape.action,
  changed: texts,
  files: z.array(z.object({ path: text, why: z.enum(WORK_REASONS), status: text })),
  excluded: excludedPaths,
  others: z.array(z.object({ path: text, holder: text })),
  unattributed: texts,
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
