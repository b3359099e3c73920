import * as z from "zod/mini";
import { TIMESTAMP_PATTERN } from "#kernel/model/record-schema.ts";
import { Approval } from "#planning/model/approval/approval-record.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";

// The message of a field completes "… is not".
const text = z.string("a text");
const textList = z.readonly(z.array(text, "a list"));
const integer = z.int("a whole number");
const hashText = z.string("a hash").check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, "a hash"));

const CheckReceipt = z.strictObject(
  {
    check: text,
    status: z.enum(["passed", "failed", "waived"], "passed, failed or waived"),
    directory: z.optional(text),
    /** The commit on whose files it ran, with the new tests copied over them. Missing if it ran on the working files. */
    on: z.optional(hashText),
    tool: z.optional(text),
    /** The command line; a shell command is one argument after `sh -c`. Missing for static checks. */
    argv: z.optional(textList),
    exit: z.optional(integer),
    ms: z.optional(integer),
    tests: z.optional(
      z.array(
        z.strictObject(
          { file: text, name: text, status: z.enum(["passed", "failed", "skipped"], "passed, failed or skipped") },
          "an object",
        ),
        "a list",
      ),
    ),
    output_hash: z.optional(hashText),
    /** Failures that the files without the work had too. */
    already_failing: z.optional(textList),
    /** Findings that a `tenon-allow` comment or a reason in the call excuses. */
    allowed: z.optional(z.readonly(z.array(z.strictObject({ what: text, reason: text }, "an object"), "a list"))),
    reason: z.optional(text),
    /** What a check with a limit left out. */
    unchecked: z.optional(textList),
  },
  "an object",
);
export type CheckReceipt = Readonly<z.output<typeof CheckReceipt>>;

/** The files that the gate judged as the work, and changed files that it did not. */
const WorkReceipt = z.strictObject(
  {
    files: z.readonly(
      z.array(z.strictObject({ path: text, why: text, blob: z.optional(hashText) }, "an object"), "a list"),
    ),
    excluded: z.optional(z.readonly(z.array(z.strictObject({ path: text, reason: text }, "an object"), "a list"))),
    unattributed: z.optional(textList),
  },
  "an object",
);
export type WorkReceipt = Readonly<z.output<typeof WorkReceipt>>;

/** Proof that a gate passed on certain files. The field order is the order in which a receipt is written. */
const Receipt = z.strictObject(
  {
    id: text,
    gate: text,
    workflow: text,
    stage: text,
    passed: z.boolean("true or false"),
    checks: z.readonly(z.array(CheckReceipt, "a list")),
    /** Hash of the working files without Tenon's own; missing outside git. */
    tree: z.optional(hashText),
    base: z.optional(hashText),
    /** Hash of the trusted check definitions at that time. */
    trust: z.optional(hashText),
    work: z.optional(WorkReceipt),
    spec_ids: textList,
    /** Criteria named by a passing test, as `AUTH-001.AC-1`. */
    criteria: textList,
    /** The user's approvals that the gate asked for. Missing in older receipts. */
    approvals: z.optional(z.readonly(z.array(Approval, "a list"))),
    environment: z.strictObject({ tenon: text, node: text, platform: text }, "an object"),
    at: z.string("a time").check(z.regex(TIMESTAMP_PATTERN, "a time")),
  },
  "an object",
);
export type Receipt = Readonly<z.output<typeof Receipt>>;

/** Each receipt holds the SHA-256 of the line before, zeros for the first, and of its own line without that field. */
const LinkedReceipt = z.extend(Receipt, { prev: hashText });
const SealedReceipt = z.extend(LinkedReceipt, { hash: hashText });
type SealedReceipt = z.output<typeof SealedReceipt>;

export type TextDigest = (text: string) => string;

export interface ChainedReceipt {
  readonly receipt: Receipt;
  readonly line: number;
  readonly hash: string;
}

/** All receipts of one file. An edited line is reported as a problem and left out of the receipts. */
export interface ReceiptChain {
  readonly receipts: readonly ChainedReceipt[];
  readonly problems: readonly Problem[];
}

export const CHAIN_START_HASH = "0".repeat(64);

/** Checks only the last line: call `readReceiptChain` first to make sure that the chain is intact. */
export function appendReceiptLine(file: string, receipt: Receipt, digest: TextDigest): { text: string; hash: string } {
  const lines = splitReceiptLines(file);
  const last = lines.at(-1);
  const linked = { ...receipt, prev: last === undefined ? CHAIN_START_HASH : digest(last) };
  const hash = digest(formatReceiptLine(LinkedReceipt, linked));
  return { text: [...lines, formatReceiptLine(SealedReceipt, { ...linked, hash }), ""].join("\n"), hash };
}

/** Cannot detect a file truncated at the end of a line: that is a shorter valid chain. */
export function readReceiptChain(file: string, digest: TextDigest, workflow?: string): ReceiptChain {
  const lines = splitReceiptLines(file);
  const digests = lines.map(digest);
  const isTorn = file !== "" && !file.endsWith("\n");
  const read = lines.map((line, i) => readReceiptLine(line, isTorn && i === lines.length - 1, digest));
  const first = new Map<string, number>();
  const problems = read.flatMap((sealed, i): Problem[] => {
    const line = i + 1;
    if (typeof sealed === "string") return [{ problem: sealed, line }];
    const earlier = first.get(sealed.id);
    first.set(sealed.id, earlier ?? line);
    const isEditedBefore = typeof read[i - 1] === "string";
    return [
      ...(isEditedBefore ? [] : listLinkProblems(sealed, i, digests)),
      ...(earlier === undefined ? [] : [`${quote(sealed.id, 60)} is already the id of line ${earlier}.`]),
      ...(workflow === undefined || sealed.workflow === workflow
        ? []
        : [`It is a receipt of ${quote(sealed.workflow, 60)}, not of ${workflow}.`]),
    ].map((problem) => ({ problem, line }));
  });
  const receipts = read.flatMap((sealed, i) => {
    if (typeof sealed === "string") return [];
    const { prev: _, hash, ...receipt } = sealed;
    return [{ receipt, line: i + 1, hash }];
  });
  return { receipts, problems };
}

/** A checkout may convert all line ends to CRLF; the content is the same. */
function splitReceiptLines(file: string): string[] {
  const isWindows = file.includes("\r\n") && !/(?:^|[^\r])\n/.test(file);
  const lines = (isWindows ? file.replaceAll("\r\n", "\n") : file).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Returns the problem as text. */
function readReceiptLine(line: string, isTorn: boolean, digest: TextDigest): SealedReceipt | string {
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line))
    return "It has merge marks: keep the lines of one side, then run the gate again.";
  if (isTorn) return "The line is cut off.";
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "It is not JSON.";
  }
  const { data: sealed, error } = z.safeParse(SealedReceipt, value, { reportInput: true });
  if (!sealed) return `It is not a receipt: ${formatReceiptIssue(error.issues[0])}.`;
  const { hash, ...linked } = sealed;
  if (digest(formatReceiptLine(LinkedReceipt, linked)) !== hash)
    return `${quote(sealed.id, 60)} was edited: its hash does not match.`;
  // The same values in different bytes: spaces, another field order, a repeated field.
  if (formatReceiptLine(SealedReceipt, sealed) !== line)
    return `${quote(sealed.id, 60)} is not written as Tenon writes it.`;
  return sealed;
}

function listLinkProblems({ prev }: SealedReceipt, i: number, digests: readonly string[]): string[] {
  if (prev === (digests[i - 1] ?? CHAIN_START_HASH)) return [];
  if (i === 0) return ["It is not the first receipt: those before it were removed."];
  if (prev === CHAIN_START_HASH) return ["It starts a second chain: two chains were joined."];
  const place = digests.indexOf(prev);
  if (place >= 0) return [`It follows line ${place + 1}, not line ${i}: lines were moved, repeated or inserted.`];
  return [`It does not follow line ${i}: a line was removed or edited between them.`];
}

/** The one valid encoding: fields in the order of the schema, without spaces. */
const formatReceiptLine = (
  schema: typeof LinkedReceipt | typeof SealedReceipt,
  receipt: z.output<typeof LinkedReceipt> | SealedReceipt,
): string => JSON.stringify(z.parse(schema, receipt));

function formatReceiptIssue(issue: z.core.$ZodIssue | undefined): string {
  const path = (issue?.path ?? []).map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  const place = path.join("").replace(/^\./, "");
  if (issue?.code === "unrecognized_keys") {
    const [field = ""] = issue.keys;
    return `it has the unknown field ${quote(place === "" ? field : `${place}.${field}`, 60)}`;
  }
  return issue?.input === undefined ? `${place} is missing` : `${place || "it"} is not ${issue.message}`;
}
