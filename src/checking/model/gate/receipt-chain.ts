import type { TestOutcome } from "../report/test-report.ts";
import { quote } from "#kernel/model/text-format.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { isPlainObject, isTimestamp } from "#kernel/model/flow/record-shape.ts";

export interface CheckReceipt {
  readonly check: string;
  readonly status: "passed" | "failed" | "waived";
  readonly directory?: string;
  /**
   * The commit on whose files it ran, with the new tests copied over them. Undefined if it ran on the working files.
   */
  readonly on?: string;
  readonly tool?: string;
  /** The command line; a shell command is one argument after `sh -c`. Undefined for static checks. */
  readonly argv?: readonly string[];
  readonly exit?: number;
  readonly ms?: number;
  readonly tests?: readonly Pick<TestOutcome, "file" | "name" | "status">[];
  readonly output_hash?: string;
  readonly reason?: string;
}

/** Proof that a gate passed on certain files. Each receipt is chained to the one before it. */
export interface Receipt {
  readonly id: string;
  readonly gate: string;
  readonly workflow: string;
  readonly stage: string;
  readonly passed: boolean;
  readonly checks: readonly CheckReceipt[];
  /** Hash of the working files without Tenon's own; undefined outside git. */
  readonly tree?: string;
  readonly base?: string;
  /** Hash of the trusted check definitions at that time. */
  readonly trust?: string;
  readonly spec_ids: readonly string[];
  /** Criteria named by a passing test, as `AUTH-001.AC-1`. */
  readonly criteria: readonly string[];
  readonly environment: { readonly tenon: string; readonly node: string; readonly platform: string };
  readonly at: string;
}

/** SHA-256 of a text, as 64 hexadecimal digits. */
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
export function appendReceiptLine(text: string, receipt: Receipt, digest: TextDigest): { text: string; hash: string } {
  const lines = splitReceiptLines(text);
  const last = lines.at(-1);
  const linked = { ...receipt, prev: last === undefined ? CHAIN_START_HASH : digest(last) };
  const hash = digest(formatReceiptLine(linked));
  return { text: [...lines, formatReceiptLine({ ...linked, hash }), ""].join("\n"), hash };
}

/** Cannot detect a file truncated at the end of a line: that is a shorter valid chain. */
export function readReceiptChain(text: string, digest: TextDigest, workflow?: string): ReceiptChain {
  const lines = splitReceiptLines(text);
  const digests = lines.map(digest);
  const isTorn = text !== "" && !text.endsWith("\n");
  const read = lines.map((line, i) => readReceiptLine(line, isTorn && i === lines.length - 1, digest));
  const first = new Map<string, number>();
  const problems = read.flatMap((found, i): Problem[] => {
    const line = i + 1;
    if (found.problem !== undefined) return [{ problem: found.problem, line }];
    const { sealed } = found;
    const earlier = first.get(sealed.id);
    first.set(sealed.id, earlier ?? line);
    const isEditedBefore = i > 0 && read[i - 1]?.problem !== undefined;
    return [
      ...(isEditedBefore ? [] : listLinkProblems(sealed, i, digests)),
      ...(earlier === undefined ? [] : [`${quote(sealed.id, 60)} is the id of line ${earlier} already.`]),
      ...(workflow === undefined || sealed.workflow === workflow
        ? []
        : [`It is a receipt of ${quote(sealed.workflow, 60)}, not of ${workflow}.`]),
    ].map((problem) => ({ problem, line }));
  });
  const receipts = read.flatMap(({ sealed }, i) => (sealed ? [createChainedReceipt(sealed, i + 1)] : []));
  return { receipts, problems };
}

/** A checkout may convert all line ends to CRLF; the content is the same. */
function splitReceiptLines(text: string): string[] {
  const isWindows = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  const lines = (isWindows ? text.replaceAll("\r\n", "\n") : text).split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

type ReceiptLineReading =
  | { readonly sealed: SealedReceipt; readonly problem?: undefined }
  | { readonly sealed?: undefined; readonly problem: string };

function readReceiptLine(line: string, isTorn: boolean, digest: TextDigest): ReceiptLineReading {
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line)) {
    return { problem: "A merge left its mark: keep the lines of one side, then run the gate again." };
  }
  const value = parseReceiptJson(line);
  if (isTorn) return { problem: "It is torn: the line does not end." };
  if (value === undefined) return { problem: "It is not JSON." };
  const shape = findSealedReceiptProblem(value);
  if (shape !== undefined) return { problem: `It is no receipt: ${shape}.` };
  const sealed = castSealedReceipt(value);
  const { hash, ...linked } = sealed;
  if (digest(formatReceiptLine(linked)) !== hash) {
    return { problem: `${quote(sealed.id, 60)} was edited: its hash is not that of what it says.` };
  }
  // The same values in different bytes: spaces, another field order, a repeated field.
  if (formatReceiptLine(sealed) !== line)
    return { problem: `${quote(sealed.id, 60)} is not written as Tenon writes it.` };
  return { sealed };
}

function listLinkProblems({ prev }: SealedReceipt, i: number, digests: readonly string[]): string[] {
  if (prev === (digests[i - 1] ?? CHAIN_START_HASH)) return [];
  if (i === 0) return ["It is not the first receipt: those before it were removed."];
  if (prev === CHAIN_START_HASH) return ["It begins a chain of its own: two chains were put together."];
  const place = digests.indexOf(prev);
  if (place >= 0) return [`It follows line ${place + 1}, not line ${i}: lines were moved, repeated or put in.`];
  return [`It does not follow line ${i}: a line was removed or edited between them.`];
}

function createChainedReceipt(sealed: SealedReceipt, line: number): ChainedReceipt {
  const { prev: _, hash, ...receipt } = sealed;
  return { receipt, line, hash };
}

function parseReceiptJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** The field order is the order in which a receipt is written. */
type ReceiptForm =
  | { readonly is: (value: unknown) => boolean; readonly said: string }
  | { readonly each: ReceiptForm }
  | { readonly fields: Readonly<Record<string, { readonly form: ReceiptForm; readonly isOptional: boolean }>> };

const createValueForm = (said: string, is: (value: unknown) => boolean): ReceiptForm => ({ said, is });
const TEXT_FORM = createValueForm("a text", (value) => typeof value === "string");
const FLAG_FORM = createValueForm("true or false", (value) => typeof value === "boolean");
const INTEGER_FORM = createValueForm("a whole number", (value) => Number.isSafeInteger(value));
const TIME_FORM = createValueForm("a time", isTimestamp);
const HASH_FORM = createValueForm(
  "a hash",
  (value) => typeof value === "string" && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value),
);
const createChoiceForm = (...words: readonly string[]): ReceiptForm =>
  createValueForm(words.join(", ").replace(/, (?=[^,]*$)/, " or "), (value) => words.includes(value as string));
const createListForm = (each: ReceiptForm): ReceiptForm => ({ each });
const requireField = (form: ReceiptForm) => ({ form, isOptional: false });
const allowField = (form: ReceiptForm) => ({ form, isOptional: true });

const TEST_FORM: ReceiptForm = {
  fields: {
    file: requireField(TEXT_FORM),
    name: requireField(TEXT_FORM),
    status: requireField(createChoiceForm("passed", "failed", "skipped")),
  },
};

const CHECK_RECEIPT_FIELDS = {
  check: requireField(TEXT_FORM),
  status: requireField(createChoiceForm("passed", "failed", "waived")),
  directory: allowField(TEXT_FORM),
  on: allowField(HASH_FORM),
  tool: allowField(TEXT_FORM),
  argv: allowField(createListForm(TEXT_FORM)),
  exit: allowField(INTEGER_FORM),
  ms: allowField(INTEGER_FORM),
  tests: allowField(createListForm(TEST_FORM)),
  output_hash: allowField(HASH_FORM),
  reason: allowField(TEXT_FORM),
} satisfies Record<keyof CheckReceipt, unknown>;

const RECEIPT_FIELDS = {
  id: requireField(TEXT_FORM),
  gate: requireField(TEXT_FORM),
  workflow: requireField(TEXT_FORM),
  stage: requireField(TEXT_FORM),
  passed: requireField(FLAG_FORM),
  checks: requireField(createListForm({ fields: CHECK_RECEIPT_FIELDS })),
  tree: allowField(HASH_FORM),
  base: allowField(HASH_FORM),
  trust: allowField(HASH_FORM),
  spec_ids: requireField(createListForm(TEXT_FORM)),
  criteria: requireField(createListForm(TEXT_FORM)),
  environment: requireField({
    fields: { tenon: requireField(TEXT_FORM), node: requireField(TEXT_FORM), platform: requireField(TEXT_FORM) },
  }),
  at: requireField(TIME_FORM),
} satisfies Record<keyof Receipt, unknown>;

interface LinkedReceipt extends Receipt {
  /** SHA-256 of the line before; zeros for the first. */
  readonly prev: string;
}

interface SealedReceipt extends LinkedReceipt {
  /** SHA-256 of the line without this field. */
  readonly hash: string;
}

const LINKED_FORM: ReceiptForm = { fields: { ...RECEIPT_FIELDS, prev: requireField(HASH_FORM) } };
const SEALED_FORM: ReceiptForm = {
  fields: { ...RECEIPT_FIELDS, prev: requireField(HASH_FORM), hash: requireField(HASH_FORM) },
};

const findSealedReceiptProblem = (value: unknown): string | undefined => findFormProblem(value, SEALED_FORM, "");
const castSealedReceipt = (value: unknown): SealedReceipt => value as SealedReceipt;

/** The one valid encoding: fields in their order, without spaces. */
const formatReceiptLine = (receipt: LinkedReceipt | SealedReceipt): string =>
  JSON.stringify(orderFormFields(receipt, "hash" in receipt ? SEALED_FORM : LINKED_FORM));

function findFormProblem(value: unknown, form: ReceiptForm, at: string): string | undefined {
  if ("is" in form) return form.is(value) ? undefined : `${at} is not ${form.said}`;
  if ("each" in form) {
    if (!Array.isArray(value)) return `${at} is not a list`;
    return findFirstProblem(value.map((item: unknown, i) => () => findFormProblem(item, form.each, `${at}[${i}]`)));
  }
  if (!isPlainObject(value)) return at === "" ? "it is not an object" : `${at} is not an object`;
  const place = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(form.fields, name));
  if (unknown !== undefined) return `it has a field ${quote(place(unknown), 60)}, which no receipt has`;
  return findFirstProblem(
    Object.entries(form.fields).map(([name, { form: inner, isOptional }]) => () => {
      if (Object.hasOwn(value, name)) return findFormProblem(value[name], inner, place(name));
      return isOptional ? undefined : `${place(name)} is missing`;
    }),
  );
}

function findFirstProblem(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const problem = look();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function orderFormFields(value: unknown, form: ReceiptForm): unknown {
  if ("each" in form) return (value as readonly unknown[]).map((item) => orderFormFields(item, form.each));
  if (!("fields" in form)) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(form.fields).filter((name) => given[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, orderFormFields(given[name], form.fields[name]?.form ?? TEXT_FORM)]),
  );
}
