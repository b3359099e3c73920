import * as z from "zod";
import { PROBLEM_KINDS } from "#domain/trace/problems.ts";
import { LOWEST_CEILING } from "../fit.ts";
import { ceiling, NAME, text, TITLE } from "../text.ts";

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
