import { isPlainObject, isTimestamp } from "../flow/shape.ts";
import { quote } from "../quote.ts";
import type { CheckReceipt, Receipt } from "./receipt.ts";

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

export interface LinkedReceipt extends Receipt {
  /** SHA-256 of the line before; zeros for the first. */
  readonly prev: string;
}

export interface SealedReceipt extends LinkedReceipt {
  /** SHA-256 of the line without this field. */
  readonly hash: string;
}

const LINKED_FORM: ReceiptForm = { fields: { ...RECEIPT_FIELDS, prev: requireField(HASH_FORM) } };
const SEALED_FORM: ReceiptForm = {
  fields: { ...RECEIPT_FIELDS, prev: requireField(HASH_FORM), hash: requireField(HASH_FORM) },
};

export const findSealedReceiptProblem = (value: unknown): string | undefined => findFormProblem(value, SEALED_FORM, "");
export const castSealedReceipt = (value: unknown): SealedReceipt => value as SealedReceipt;

/** The one valid encoding: fields in their order, without spaces. */
export const formatReceiptLine = (receipt: LinkedReceipt | SealedReceipt): string =>
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
