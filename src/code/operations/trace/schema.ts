import * as z from "zod";
import { SYMBOL_ROLES } from "../../model/trace/trace-acceptance.ts";
import { DRIFT_SEVERITIES } from "../../model/trace/code-drift.ts";
import { TRACE_PROBLEM_KINDS } from "../../model/trace/trace-matrix.ts";
import { MIN_ANSWER_TOKENS, MIN_NAMED_ANSWER_TOKENS } from "#kernel/operations/answer-budget.ts";
import * as fields from "#kernel/operations/text-fields.ts";

const [text, count, optionalText] = [z.string(), z.int(), z.string().optional()];

export const TraceShowInput = z.strictObject({
  id: fields.createTextField(fields.MAX_TITLE * 2, "AUTH-001, FR-001 or a path").optional(),
  path: fields.createTextField(fields.MAX_TITLE * 2, "A file; default: the matrix").optional(),
  symbol: fields.createTextField(fields.MAX_TITLE, "In the file: Session.login").optional(),
  strict: z.boolean().optional().describe("Fail on problems"),
  max_tokens: fields.createTokenLimitField(MIN_ANSWER_TOKENS),
});

export const TraceLocationSchema = z.object({
  id: z.string(),
  path: z.string(),
  line: z.int(),
  by: z.enum(["tag", "marker", "name", "evidence"]),
  key: z.string().optional(),
  signature: z.string().optional(),
  test: z.string().optional(),
});

const ServedLocationSchema = TraceLocationSchema.extend({
  from: z.enum(["itself", "around", "file"]),
  title: optionalText,
  status: optionalText,
});

const DocumentMentionSchema = z.object({ path: text, line: count.optional(), title: optionalText });

const SubjectSchema = z.object({ kind: text, title: text, status: optionalText, path: optionalText });
const MatrixRowSchema = z.object({ id: text, kind: text, title: text, status: optionalText });

export const TraceShowOutput = z.object({
  id: optionalText,
  path: optionalText,
  symbol: optionalText,
  due: count,
  /** Whether `strict` turns problems into a failure. */
  refused: z.boolean(),
  subject: SubjectSchema.extend({ line: count.optional() }).optional(),
  problems: z.array(
    z.object({
      kind: z.enum(TRACE_PROBLEM_KINDS),
      id: text,
      path: optionalText,
      line: count.optional(),
      problem: text,
      due: z.boolean(),
    }),
  ),
  criteria: z.array(z.object({ id: text, text, tests: z.array(text) })).optional(),
  code: z.array(TraceLocationSchema).optional(),
  tests: z.array(TraceLocationSchema).optional(),
  docs: z.array(DocumentMentionSchema).optional(),
  decisions: z.array(DocumentMentionSchema.extend({ ref: text })).optional(),
  commits: z.array(z.object({ hash: text, date: text, subject: text })).optional(),
  older_commits: count.optional(),
  receipts: z.array(z.object({ id: text, gate: text, at: text, criteria: z.array(text) })).optional(),
  workflows: z.array(z.object({ id: text, kind: text, stage: text, status: text })).optional(),
  serves: z.array(ServedLocationSchema).optional(),
  specs: z
    .array(MatrixRowSchema.extend({ criteria: count, covered: count, code: count, tests: count, docs: count }))
    .optional(),
  aimless: z.array(z.object({ path: text, tests: count })).optional(),
  /** Code files, and those without any tag. */
  totals: z.object({ aimless_tests: count, code_files: count, untagged_files: count }).optional(),
  omitted: count,
});

const max_tokens = fields.createTokenLimitField(MIN_NAMED_ANSWER_TOKENS);

export const DriftCheckInput = z.strictObject({
  id: fields.createTextField(fields.MAX_NAME, "AUTH-001.AC-2 or FR-003; default: all").optional(),
  accept: fields.createTextField(fields.MAX_SENTENCE, "Ids to accept as they are now; comma-separated").optional(),
  reason: fields.createTextField(fields.MAX_SENTENCE).optional(),
  level: z.enum(DRIFT_SEVERITIES).optional().describe("Fails from this level; default medium"),
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
  of: fields.createTextField(300, "AUTH-001, src/login.ts or src/login.ts#Session.login"),
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
