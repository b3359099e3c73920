import * as z from "zod";
import { SENTENCE, text } from "../text.ts";

export const IndexUpdate = z.strictObject({
  full: z.boolean().optional().describe("From scratch"),
});

export const IndexUpdated = z.object({
  files: z.int(),
  components: z.int(),
  tags: z.int(),
  tests: z.int(),
  texts: z.int(),
  /** Of the files that are looked at. */
  read: z.int(),
  unchanged: z.int(),
  gone: z.int(),
  /** Files that could not be read, or only in part. */
  problems: z.array(z.object({ path: z.string(), why: z.string() })),
  omitted: z.int(),
  /** Whether the next process finds it. */
  kept: z.boolean(),
});

export const Query = z.strictObject({
  question: text(SENTENCE, "In plain words, or a name, path, key or id"),
});

export const Answered = z.object({
  wish: z.enum(["meaning", "callers", "calls", "signature", "tests", "specs", "changes", "ready", "nothing"]),
  hits: z.array(
    z.object({
      key: z.string(),
      at: z.string(),
      is: z.string(),
      takes: z.string().optional(),
      says: z.string().optional(),
    }),
  ),
  more: z.int(),
  facts: z.array(
    z.object({
      what: z.enum(["called by", "calls", "tests", "takes and gives", "carried by", "holds", "commits"]),
      values: z.array(z.string()),
      more: z.int(),
    }),
  ),
  specs: z.array(z.string()),
  repaired: z.array(z.object({ from: z.string(), to: z.string() })),
  near: z.array(z.string()),
  ready: z.object({ question: z.string(), answer: z.string(), isStale: z.boolean() }).optional(),
});
