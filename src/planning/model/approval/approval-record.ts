import * as z from "zod/mini";
import { boundedText, filledText, type Immutable, Timestamp } from "#kernel/model/record-schema.ts";
import { APPROVAL_PROOFS, MAX_QUOTE } from "./approval-proof.ts";

/** The user's yes to exactly one text, and what proves it. Receipts and records store it in this form. */
export const Approval = z.strictObject(
  {
    /** The stage, or the question of a roadmap. */
    stage: filledText(200),
    by: filledText(200),
    at: Timestamp,
    text: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    proof: z.enum(APPROVAL_PROOFS),
    /** The client that showed the question, or the terminal. */
    client: z.exactOptional(filledText(100)),
    /** The beginning of the user's own words, with secrets masked. */
    quote: z.exactOptional(boundedText(MAX_QUOTE)),
    /** In a team: the user of the database, who proved who they are to the server. */
    member: z.exactOptional(filledText(100)),
  },
  "an object",
);
export type Approval = Immutable<z.infer<typeof Approval>>;
