import * as z from "zod";
import { SYMBOL_ROLES } from "../../model/trace/trace-acceptance.ts";
import { DRIFT_SEVERITIES } from "../../model/trace/code-drift.ts";
import { TRACE_PROBLEM_KINDS } from "../../model/trace/trace-matrix.ts";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import {
  createTokenLimitField,
  MAX_NAME,
  MAX_SENTENCE,
  createTextField,
  MAX_TITLE,
} from "#kernel/operations/text-fields.ts";

export const TraceShowInput = z.strictObject({
  id: createTextField(MAX_NAME, "AUTH-001, AUTH-001.AC-2, FR-001").optional(),
  path: createTextField(MAX_TITLE * 2, "A file; default: the matrix").optional(),
  symbol: createTextField(MAX_TITLE, "In the file: Session.login").optional(),
  strict: z.boolean().optional().describe("Problems refuse"),
  max_tokens: createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const TraceLocationSchema = z.object({
  id: z.string(),
  path: z.string(),
  line: z.int(),
  by: z.enum(["tag", "marker", "name"]),
  key: z.string().optional(),
  signature: z.string().optional(),
  test: z.string().optional(),
});

const DocumentMentionSchema = z.object({ path: z.string(), line: z.int().optional(), title: z.string().optional() });

export const TraceShowOutput = z.object({
  id: z.string().optional(),
  path: z.string().optional(),
  symbol: z.string().optional(),
  due: z.int(),
  /** Whether `strict` turns problems into a failure. */
  refused: z.boolean(),
  subject: z
    .object({
      kind: z.string(),
      title: z.string(),
      status: z.string().optional(),
      path: z.string().optional(),
      line: z.int().optional(),
    })
    .optional(),
  problems: z.array(
    z.object({
      kind: z.enum(TRACE_PROBLEM_KINDS),
      id: z.string(),
      path: z.string().optional(),
      line: z.int().optional(),
      problem: z.string(),
      due: z.boolean(),
    }),
  ),
  criteria: z.array(z.object({ id: z.string(), text: z.string(), tests: z.array(z.string()) })).optional(),
  code: z.array(TraceLocationSchema).optional(),
  tests: z.array(TraceLocationSchema).optional(),
  docs: z.array(DocumentMentionSchema).optional(),
  decisions: z.array(DocumentMentionSchema.extend({ ref: z.string() })).optional(),
  commits: z.array(z.object({ hash: z.string(), date: z.string(), subject: z.string() })).optional(),
  older_commits: z.int().optional(),
  receipts: z
    .array(z.object({ id: z.string(), gate: z.string(), at: z.string(), criteria: z.array(z.string()) }))
    .optional(),
  workflows: z.array(z.object({ id: z.string(), kind: z.string(), stage: z.string(), status: z.string() })).optional(),
  serves: z
    .array(
      TraceLocationSchema.extend({
        from: z.enum(["itself", "around", "file"]),
        title: z.string().optional(),
        status: z.string().optional(),
      }),
    )
    .optional(),
  specs: z
    .array(
      z.object({
        id: z.string(),
        kind: z.string(),
        title: z.string(),
        status: z.string().optional(),
        criteria: z.int(),
        covered: z.int(),
        code: z.int(),
        tests: z.int(),
        docs: z.int(),
      }),
    )
    .optional(),
  aimless: z.array(z.object({ path: z.string(), tests: z.int() })).optional(),
  totals: z
    .object({
      aimless_tests: z.int(),
      /** Code files, and those without any tag. */
      code_files: z.int(),
      untagged_files: z.int(),
    })
    .optional(),
  omitted: z.int(),
});

const max_tokens = createTokenLimitField(MIN_NAMED_ANSWER_TOKENS);

export const DriftCheckInput = z.strictObject({
  id: createTextField(MAX_NAME, "AUTH-001, AUTH-001.AC-2 or FR-003; default: all").optional(),
  accept: createTextField(MAX_SENTENCE, "Ids to accept as they are now; comma-separated").optional(),
  reason: createTextField(MAX_SENTENCE, "Why").optional(),
  level: z.enum(DRIFT_SEVERITIES).optional().describe("From which it refuses; default medium"),
  max_tokens,
});

export const DriftFindingSchema = z.object({
  id: z.string(),
  kind: z.enum(["changed", "removed", "renamed", "added", "spec-changed", "damaged"]),
  severity: z.enum(DRIFT_SEVERITIES),
  role: z.enum(SYMBOL_ROLES).optional(),
  /** Current location, and the accepted one if it differs. */
  symbol: z.string().optional(),
  was: z.string().optional(),
  accepted: z.string().optional(),
  commit: z.string().optional(),
  diff: z.string().optional(),
  note: z.string().optional(),
});

export const DriftCheckOutput = z.object({
  passed: z.boolean(),
  level: z.enum(DRIFT_SEVERITIES),
  accepted: z.array(z.string()),
  findings: z.array(DriftFindingSchema),
  omitted: z.int(),
  speaking: z.int(),
  requirements: z.int(),
  unaccepted: z.int(),
  delta: z.string().optional(),
});

export const ImpactShowInput = z.strictObject({
  of: createTextField(300, "AUTH-001, src/login.ts or src/login.ts#Session.login"),
  depth: z.int().min(1).max(20).optional().describe("Steps to follow; default 3"),
  max_tokens,
});

export const ImpactItemSchema = z.object({
  kind: z.enum(["symbol", "dependent", "requirement", "test", "doc"]),
  name: z.string(),
  by: z.enum(["call", "import", "tag"]).optional(),
  depth: z.int().optional(),
  via: z.string().optional(),
});

export const ImpactShowOutput = z.object({
  of: z.string(),
  symbols: z.int(),
  dependents: z.int(),
  requirements: z.int(),
  tests: z.int(),
  docs: z.int(),
  is_cut: z.boolean(),
  reached: z.array(ImpactItemSchema),
  omitted: z.int(),
});
