import * as z from "zod";
import { WORKFLOW_ROLES } from "#domain/agent/role.ts";
import { readSince } from "#domain/memory/question.ts";
import { WORKFLOW_KINDS } from "#domain/workflow/flows.ts";
import { WORK_KINDS } from "#domain/workflow/stats.ts";
import { NAME, SENTENCE, text, TITLE } from "../text.ts";

const id = text(NAME, "Default: the current one").optional();
export const session = z
  .string()
  .regex(/^[\w.:@+-]{1,64}$/, "must be letters, digits and marks as ids have them, at most 64")
  .optional()
  .describe("Yours");
const priority = z.int().min(0).max(9).describe("0 most urgent, 9 least");
const MOST_PATHS = 500;
/** Later validation names each invalid path, so the schema only limits the count. */
const paths = (description: string) =>
  z
    .array(z.string())
    .refine((list) => list.length <= MOST_PATHS, `must be at most ${MOST_PATHS}`)
    .optional()
    .describe(description);
const force = z.boolean().optional();

const start = {
  id: text(NAME, "Default: made").optional(),
  priority: priority.optional(),
  files: paths("Paths or globs to lock"),
  worktree: z.boolean().optional().describe("In its own git worktree"),
  session,
};

export const Feature = z.strictObject({
  title: text(TITLE, "What it gives the user"),
  ...start,
});

export const Bugfix = z.strictObject({
  title: text(TITLE, "The symptom"),
  ...start,
});

export const Research = z.strictObject({
  topic: text(TITLE, "The question"),
  timebox: text(20, "30m, 2h, 1d; default 2h").optional(),
  ...start,
});

export const Advance = z.strictObject({
  id,
  approve: text(NAME, "User who agreed, where the gate asks")
    .refine((name) => /\p{L}/u.test(name) && !/[…<>]/.test(name), "must be a name, not a blank to fill in")
    .optional(),
  check: z.boolean().optional().describe("Only look whether it would pass"),
  stage: text(40, "Makes a repeated call safe").optional(),
  extend: text(20, "Give a research more time: 30m").optional(),
  reason: text(SENTENCE, "Why it needs more").optional(),
  session,
});

/** The guide of a stage names the roles. An enum would add them to the tool list of every session. */
const role = text(NAME, "Role").refine(
  (name) => (WORKFLOW_ROLES as readonly string[]).includes(name),
  `must be ${WORKFLOW_ROLES.join(", ")}`,
);

export const StatusQuery = z.strictObject({
  id: text(NAME, "Default: all").optional(),
  all: z.boolean().optional().describe("Finished ones too"),
  brief: role.optional(),
  session,
});

export const Switch = z.strictObject({
  id: text(NAME, "Workflow or change"),
  force: force.describe("Although others lock the files"),
  session,
});

export const Prioritize = z.strictObject({ id: text(NAME, "Workflow or change"), priority });

export const Abandon = z.strictObject({
  id: text(NAME, "Workflow or change"),
  reason: text(SENTENCE, "Why"),
  session,
});

export const Rollback = z.strictObject({
  id,
  stage: text(40, "Stage to go back to").optional(),
  snapshot: z.int().min(1).optional().describe("Or a snapshot's number"),
  keep_overlaps: z.boolean().optional().describe("Leave what others changed too"),
  confirm: text(80, "Token of the plan").optional(),
  session,
});

export const Resume = z.strictObject({
  id: text(NAME, "Default: the interrupted one").optional(),
  take_over: z.boolean().optional().describe("Although another session works on it"),
  session,
});

export const SnapshotRequest = z.strictObject({ id, session });

export const Lock = z.strictObject({
  action: z.enum(["claim", "release", "list"]),
  paths: paths("Paths, globs, folders with a trailing slash"),
  id,
  force: force.describe("Although others hold it"),
  session,
});

export const Conflicts = z.strictObject({ a: text(NAME, "Workflow or change"), b: text(NAME, "Another") });

const Problem = z.object({ problem: z.string(), line: z.int().optional() });

export const WorkflowView = z.object({
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
  files_locked: z.array(z.string()),
  snapshots: z.array(
    z.object({
      n: z.int(),
      stage: z.string(),
      why: z.string(),
      timestamp: z.string(),
      files_modified: z.array(z.string()),
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

const Next = z.object({ stage: z.string(), guide: z.string() });

export const WorkflowBegun = z.object({ workflow: WorkflowView, next: Next, notes: z.array(z.string()) });

export const Check = z.object({
  check: z.string(),
  status: z.string(),
  problems: z.array(Problem),
  reason: z.string().optional(),
});

export const Attempts = z.array(
  z.object({
    n: z.int(),
    waited_s: z.number(),
    fixed: z.array(z.string()),
    failed: z.array(z.object({ check: z.string(), failure: z.string(), said: z.string() })),
  }),
);

export const WorkflowAdvanced = z.object({
  passed: z.boolean(),
  extended: z.string().optional(),
  gate: z.string(),
  checks: z.array(Check),
  attempts: Attempts,
  receipt: z.string().optional(),
  workflow: WorkflowView,
  next: Next.optional(),
  notes: z.array(z.string()),
});

const Item = z.object({
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

export const WorkflowStatus = z.object({
  session: z.string(),
  current: z.string().optional(),
  queue: z.array(Item),
  finished: z.array(Item),
  workflow: WorkflowView.optional(),
  gate: z
    .object({ gate: z.string(), passed: z.boolean(), at: z.string(), is_stale: z.boolean(), open: z.array(z.string()) })
    .optional(),
  next: Next.optional(),
  brief: z.object({ role: z.enum(WORKFLOW_ROLES), text: z.string(), tokens: z.int() }).optional(),
  notes: z.array(z.string()),
});

const HolderView = z.object({ path: z.string(), workflow: z.string(), stage: z.string(), since: z.string() });

const conflict = {
  conflict: z.boolean(),
  conflicting_files: z.array(z.string()),
  current_workflow: z.string().nullable(),
  target_workflow: z.string(),
};

export const ConflictsFound = z.object({ ...conflict, holders: z.array(HolderView) });

export const WorkflowSwitched = z.object({
  switched: z.boolean(),
  ...conflict,
  holders: z.array(HolderView),
  current: z.object({ id: z.string(), kind: z.string(), stage: z.string(), files_locked: z.array(z.string()) }),
  workflow: WorkflowView.optional(),
  next: Next.optional(),
  notes: z.array(z.string()),
});

export const Prioritized = z.object({
  id: z.string(),
  from: z.int(),
  to: z.int(),
  queue: z.array(Item),
  notes: z.array(z.string()),
});

export const Abandoned = z.object({
  id: z.string(),
  kind: z.string(),
  stage: z.string(),
  reason: z.string(),
  released: z.array(z.string()),
});

export const RolledBack = z.object({
  done: z.boolean(),
  workflow: WorkflowView,
  to: z.object({ snapshot: z.int(), stage: z.string(), timestamp: z.string() }),
  restored: z.array(z.string()),
  deleted: z.array(z.string()),
  kept: z.array(z.string()),
  overlaps: z.array(z.object({ path: z.string(), with: z.array(z.string()) })),
  foreign: z.array(z.string()),
  token: z.string().optional(),
  undo: z.object({ id: z.string(), snapshot: z.int() }).optional(),
  notes: z.array(z.string()),
});

export const Resumed = z.object({
  workflow: WorkflowView,
  session: z.string(),
  interrupted_session: z.string().optional(),
  last_activity: z.string(),
  uncommitted: z.array(z.string()),
  since_snapshot: z.array(z.string()),
  next: Next,
  notes: z.array(z.string()),
});

export const SnapshotTaken = z.object({
  id: z.string(),
  snapshot: z.int(),
  stage: z.string(),
  timestamp: z.string(),
  files_modified: z.array(z.string()),
  ref: z.string(),
});

export const Locks = z.object({
  action: z.string(),
  changed: z.array(z.string()),
  locks: z.array(z.object({ workflow: z.string(), path: z.string(), how: z.string(), since: z.string() })),
  notes: z.array(z.string()),
});

export const WorkflowStatsQuery = z.strictObject({
  since: z
    .string()
    .refine(
      (value) => readSince(value, "2026-01-01T00:00:00Z"),
      "must be a day such as 2026-01-31, or a span such as 7d",
    )
    .optional()
    .describe("2026-01-31 or 7d"),
  kind: z.enum(WORK_KINDS).optional(),
});

const rate = z.number().min(0).max(1);

export const WorkflowStats = z.object({
  since: z.string().optional(),
  kinds: z.array(
    z.object({
      kind: z.enum(WORK_KINDS),
      started: z.int(),
      completed: z.int(),
      abandoned: z.int(),
      unfinished: z.int(),
      completion_rate: rate,
      duration_s: z.object({ median: z.int(), mean: z.int(), longest: z.int() }).optional(),
    }),
  ),
  gates: z.array(
    z.object({
      gate: z.string(),
      runs: z.int(),
      failed: z.int(),
      failure_rate: rate,
      workflows: z.int(),
      blocked: z.int(),
      checks: z.array(z.object({ check: z.string(), failed: z.int(), unknown: z.int() })),
    }),
  ),
  retries: z.object({ failures: z.int(), attempts: z.int(), recovered: z.int(), recovery_rate: rate.optional() }),
  conflicts: z.object({ overlaps: z.int(), refusals: z.int() }),
  rollbacks: z.int(),
  resumes: z.object({ count: z.int(), taken_over: z.int() }),
  hooks: z.object({ count: z.int(), mean_ms: z.number().optional() }),
  writes: z.object({
    count: z.int(),
    mean_ms: z.number().optional(),
    p95_ms: z.number().optional(),
    p99_ms: z.number().optional(),
  }),
});
