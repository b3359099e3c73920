import * as z from "zod";
import { ROLES } from "#domain/trace/acceptance.ts";
import { SEVERITIES } from "#domain/trace/drift.ts";
import { PROBLEM_KINDS } from "#domain/trace/problems.ts";
import { LOWEST_CEILING, LOWEST_NAMING } from "../fit.ts";
import { ceiling, NAME, SENTENCE, text, TITLE } from "../text.ts";

export const TraceQuery = z.strictObject({
  id: text(NAME, "AUTH-001, AUTH-001.AC-2, FR-001").optional(),
  path: text(TITLE * 2, "A file; default: the matrix").optional(),
  symbol: text(TITLE, "In the file: Session.login").optional(),
  strict: z.boolean().optional().describe("Problems refuse"),
  max_tokens: ceiling(LOWEST_CEILING),
});

/** Where something that says what it belongs to stands. */
export const Place = z.object({
  /** What it says: `AUTH-001.AC-1`. */
  id: z.string(),
  path: z.string(),
  line: z.int(),
  by: z.enum(["tag", "marker", "name"]),
  /** The component, as `src/auth.ts#Session.login`. */
  key: z.string().optional(),
  signature: z.string().optional(),
  /** The test, with its suites. */
  test: z.string().optional(),
});

const Telling = z.object({ path: z.string(), line: z.int().optional(), title: z.string().optional() });

export const Traced = z.object({
  id: z.string().optional(),
  path: z.string().optional(),
  symbol: z.string().optional(),
  /** Problems that have to be mended. */
  due: z.int(),
  /** Whether that makes a refusal, because `strict` was asked for. */
  refused: z.boolean(),
  /** What the id stands for. */
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
      kind: z.enum(PROBLEM_KINDS),
      id: z.string(),
      path: z.string().optional(),
      line: z.int().optional(),
      problem: z.string(),
      due: z.boolean(),
    }),
  ),
  criteria: z.array(z.object({ id: z.string(), text: z.string(), tests: z.array(z.string()) })).optional(),
  code: z.array(Place).optional(),
  tests: z.array(Place).optional(),
  docs: z.array(Telling).optional(),
  decisions: z.array(Telling.extend({ ref: z.string() })).optional(),
  commits: z.array(z.object({ hash: z.string(), date: z.string(), subject: z.string() })).optional(),
  /** How many more commits name it. */
  older_commits: z.int().optional(),
  receipts: z
    .array(z.object({ id: z.string(), gate: z.string(), at: z.string(), criteria: z.array(z.string()) }))
    .optional(),
  workflows: z.array(z.object({ id: z.string(), kind: z.string(), stage: z.string(), status: z.string() })).optional(),
  /** What a file or a symbol serves. */
  serves: z
    .array(
      Place.extend({
        /** Whether the symbol says so itself, something around it, or its file. */
        from: z.enum(["itself", "around", "file"]),
        title: z.string().optional(),
        status: z.string().optional(),
      }),
    )
    .optional(),
  /** The matrix. */
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
  /** Files whose tests serve no id. */
  aimless: z.array(z.object({ path: z.string(), tests: z.int() })).optional(),
  /** Of the whole repository. */
  totals: z
    .object({
      /** Tests in files that serve no id. */
      aimless_tests: z.int(),
      /** Files of code, and those of them that say nothing of what they belong to. */
      code_files: z.int(),
      untagged_files: z.int(),
    })
    .optional(),
  omitted: z.int(),
});

const max_tokens = ceiling(LOWEST_NAMING);

export const DriftQuery = z.strictObject({
  id: text(NAME, "AUTH-001, AUTH-001.AC-2 or FR-003; default: all").optional(),
  accept: text(SENTENCE, "Ids to accept as they are now; comma-separated").optional(),
  reason: text(SENTENCE, "Why").optional(),
  level: z.enum(SEVERITIES).optional().describe("From which it refuses; default medium"),
  max_tokens,
});

export const DriftFinding = z.object({
  id: z.string(),
  kind: z.enum(["changed", "removed", "renamed", "added", "spec-changed", "damaged"]),
  severity: z.enum(SEVERITIES),
  role: z.enum(ROLES).optional(),
  /** As it is now, and as it was where that is another place. */
  symbol: z.string().optional(),
  was: z.string().optional(),
  accepted: z.string().optional(),
  /** The commit that has the accepted version. */
  commit: z.string().optional(),
  diff: z.string().optional(),
  note: z.string().optional(),
});

export const DriftFound = z.object({
  passed: z.boolean(),
  level: z.enum(SEVERITIES),
  accepted: z.array(z.string()),
  findings: z.array(DriftFinding),
  omitted: z.int(),
  /** How many of those that speak are of at least the level. */
  speaking: z.int(),
  requirements: z.int(),
  unaccepted: z.int(),
  /** A ready wording for the spec, where one requirement was asked for. */
  delta: z.string().optional(),
});

export const ImpactQuery = z.strictObject({
  of: text(300, "AUTH-001, src/login.ts or src/login.ts#Session.login"),
  depth: z.int().min(1).max(20).optional().describe("Steps to follow; default 3"),
  max_tokens,
});

export const ImpactReached = z.object({
  kind: z.enum(["symbol", "dependent", "requirement", "test", "doc"]),
  name: z.string(),
  by: z.enum(["call", "import", "tag"]).optional(),
  depth: z.int().optional(),
  via: z.string().optional(),
});

export const ImpactFound = z.object({
  of: z.string(),
  symbols: z.int(),
  dependents: z.int(),
  requirements: z.int(),
  tests: z.int(),
  docs: z.int(),
  is_cut: z.boolean(),
  /** Most relevant first. */
  reached: z.array(ImpactReached),
  omitted: z.int(),
});
