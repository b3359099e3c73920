import { isPlainObject, isTimestamp } from "../flow/shape.ts";
import { quote } from "../quote.ts";
import type { CheckReceipt, Receipt } from "./receipt.ts";

/** The field order is the order in which a receipt is written. */
type Form =
  | { readonly is: (value: unknown) => boolean; readonly said: string }
  | { readonly each: Form }
  | { readonly fields: Readonly<Record<string, { readonly form: Form; readonly isOptional: boolean }>> };

const plainForm = (said: string, is: (value: unknown) => boolean): Form => ({ said, is });
const TEXT = plainForm("a text", (value) => typeof value === "string");
const FLAG = plainForm("true or false", (value) => typeof value === "boolean");
const WHOLE = plainForm("a whole number", (value) => Number.isSafeInteger(value));
const TIME = plainForm("a time", isTimestamp);
const HASH = plainForm("a hash", (value) => typeof value === "string" && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value));
const oneOf = (...words: readonly string[]): Form =>
  plainForm(words.join(", ").replace(/, (?=[^,]*$)/, " or "), (value) => words.includes(value as string));
const list = (each: Form): Form => ({ each });
const must = (form: Form) => ({ form, isOptional: false });
const may = (form: Form) => ({ form, isOptional: true });

const TEST: Form = {
  fields: { file: must(TEXT), name: must(TEXT), status: must(oneOf("passed", "failed", "skipped")) },
};

const CHECK_FIELDS = {
  check: must(TEXT),
  status: must(oneOf("passed", "failed", "waived")),
  directory: may(TEXT),
  on: may(HASH),
  tool: may(TEXT),
  argv: may(list(TEXT)),
  exit: may(WHOLE),
  ms: may(WHOLE),
  tests: may(list(TEST)),
  output_hash: may(HASH),
  reason: may(TEXT),
} satisfies Record<keyof CheckReceipt, unknown>;

const RECEIPT_FIELDS = {
  id: must(TEXT),
  gate: must(TEXT),
  workflow: must(TEXT),
  stage: must(TEXT),
  passed: must(FLAG),
  checks: must(list({ fields: CHECK_FIELDS })),
  tree: may(HASH),
  base: may(HASH),
  trust: may(HASH),
  spec_ids: must(list(TEXT)),
  criteria: must(list(TEXT)),
  environment: must({ fields: { tenon: must(TEXT), node: must(TEXT), platform: must(TEXT) } }),
  at: must(TIME),
} satisfies Record<keyof Receipt, unknown>;

export interface Linked extends Receipt {
  /** SHA-256 of the line before; zeros for the first. */
  readonly prev: string;
}

export interface Sealed extends Linked {
  /** SHA-256 of the line without this field. */
  readonly hash: string;
}

const LINKED: Form = { fields: { ...RECEIPT_FIELDS, prev: must(HASH) } };
const SEALED: Form = { fields: { ...RECEIPT_FIELDS, prev: must(HASH), hash: must(HASH) } };

export const sealedProblem = (value: unknown): string | undefined => problemOf(value, SEALED, "");
export const asSealed = (value: unknown): Sealed => value as Sealed;

/** The one valid encoding: fields in their order, without spaces. */
export const lineOf = (receipt: Linked | Sealed): string =>
  JSON.stringify(inOrder(receipt, "hash" in receipt ? SEALED : LINKED));

function problemOf(value: unknown, form: Form, at: string): string | undefined {
  if ("is" in form) return form.is(value) ? undefined : `${at} is not ${form.said}`;
  if ("each" in form) {
    if (!Array.isArray(value)) return `${at} is not a list`;
    return firstOf(value.map((item: unknown, i) => () => problemOf(item, form.each, `${at}[${i}]`)));
  }
  if (!isPlainObject(value)) return at === "" ? "it is not an object" : `${at} is not an object`;
  const place = (name: string): string => (at === "" ? name : `${at}.${name}`);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(form.fields, name));
  if (unknown !== undefined) return `it has a field ${quote(place(unknown), 60)}, which no receipt has`;
  return firstOf(
    Object.entries(form.fields).map(([name, { form: inner, isOptional }]) => () => {
      if (Object.hasOwn(value, name)) return problemOf(value[name], inner, place(name));
      return isOptional ? undefined : `${place(name)} is missing`;
    }),
  );
}

function firstOf(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const problem = look();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inOrder(value: unknown, form: Form): unknown {
  if ("each" in form) return (value as readonly unknown[]).map((item) => inOrder(item, form.each));
  if (!("fields" in form)) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(form.fields).filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, inOrder(given[name], form.fields[name]?.form ?? TEXT)]));
}
