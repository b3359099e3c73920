import * as z from "zod/mini";
import { formatCount, quote } from "#kernel/model/text-format.ts";
import { isYamlNull, type LocatedNode, readYamlText, type YamlValue } from "#kernel/model/yaml-tree.ts";

/** A draft may begin. A complete spec is ready to build. */
export type SpecDepth = "draft" | "complete";

export interface SchemaNotes {
  /** The kind of YAML node. Missing if several kinds are allowed. */
  readonly kind?: LocatedNode["kind"];
  readonly fields?: Readonly<Record<string, SchemaNotes>>;
  readonly items?: SchemaNotes;
  readonly options?: readonly SchemaNotes[];
  /** True if a complete spec must have the field. */
  readonly isNeeded?: boolean;
  /** Former names. Hyphens instead of underscores are always accepted. */
  readonly older?: readonly string[];
  /** Former locations: `investigation.reproduction`. */
  readonly stood?: readonly string[];
  readonly otherwise?: YamlValue;
  /** Current values by their own and by former spellings, in lower case. */
  readonly words?: Readonly<Record<string, string | number>>;
  /** Prefix of item ids: `AC` for `AC-1`. */
  readonly numbered?: string;
  /** Converts an older form. Undefined if the node already has the current form or the conversion is uncertain. */
  readonly form?: (node: LocatedNode) => YamlValue | undefined;
}

type SpecSchema = z.ZodMiniType;
const schemaNotes = new WeakMap<SpecSchema, SchemaNotes>();

export const getNotes = (schema: SpecSchema): SchemaNotes => schemaNotes.get(schema) ?? {};

function addNotes<S extends SpecSchema>(schema: S, ...notes: readonly SchemaNotes[]): S {
  schemaNotes.set(schema, Object.assign({}, ...notes));
  return schema;
}

type ReadContext = z.core.ParsePayload;
type GivenNode = LocatedNode | undefined;

function rejectValue(context: ReadContext, message: string, isWrongKind = false): never {
  context.issues.push({ code: "custom", input: context.value, message, params: { isWrongKind } });
  return z.NEVER;
}

function rejectKind(context: ReadContext, node: GivenNode, wanted: string): never {
  if (node === undefined) return rejectValue(context, "is missing");
  const kinds = { scalar: "a single value", sequence: "a list", mapping: "a mapping" };
  return rejectValue(context, `must be ${wanted}, not ${isYamlNull(node) ? "nothing" : kinds[node.kind]}`, true);
}

interface TextLimits {
  readonly least?: number;
  readonly most?: number;
  readonly pattern?: RegExp;
  readonly says?: string;
}

function readText(node: GivenNode, context: ReadContext, limits: TextLimits): string {
  const { least = 1, most = 2_000, pattern, says } = limits;
  if (node?.kind !== "scalar") return rejectKind(context, node, "a text");
  const text = readYamlText(node) ?? "";
  const length = text.trim().length;
  if (length === 0) return rejectValue(context, "is empty");
  if (text.length > most) return rejectValue(context, `is too long: ${text.length} characters; the limit is ${most}`);
  if (length < least)
    return rejectValue(context, `is too short: ${formatCount(length, "character")}, and ${least} are needed`);
  return pattern?.test(text) === false ? rejectValue(context, `must be ${says}, not ${quote(text, 40)}`) : text;
}

export const createText = (limits: TextLimits, notes: SchemaNotes = {}) =>
  addNotes(
    z.transform((node: GivenNode, context) => readText(node, context, limits)),
    { kind: "scalar", ...notes },
  );

export const SENTENCE = createText({});
export const LONG_TEXT = createText({ most: 20_000 });
export const TITLE = createText({ most: 200 });

export const createWord = <const W extends string>(words: readonly W[], older: Readonly<Record<string, W>> = {}) =>
  addNotes(
    z.transform((node: GivenNode, context): W => {
      const text = readText(node, context, { most: 200 });
      const word = words.find((each) => each === text);
      const alternatives = [words.slice(0, -1).join(", "), ...words.slice(-1)].filter(Boolean).join(" or ");
      // An unreadable text is already rejected.
      if (word !== undefined || context.issues.length > 0) return word ?? z.NEVER;
      return rejectValue(context, `must be ${alternatives}, not ${quote(text, 40)}`);
    }),
    { kind: "scalar", words: { ...Object.fromEntries(words.map((word) => [word, word])), ...older } },
  );

export const createNumber = (least: number, most: number, words: SchemaNotes["words"] = {}) =>
  addNotes(
    z.transform((node: GivenNode, context): number => {
      if (node === undefined) return rejectKind(context, node, "");
      const value = node.kind === "scalar" ? node.value : undefined;
      if (typeof value === "number" && value >= least && value <= most) return value;
      return rejectValue(context, `must be ${least === most ? least : `a number from ${least} to ${most}`}`);
    }),
    { kind: "scalar", words },
  );

export const FREE_VALUE = z.transform((node: LocatedNode, context): unknown =>
  isYamlNull(node) ? rejectValue(context, "is empty") : readFreeValue(node),
);

function readFreeValue(node: LocatedNode): unknown {
  if (node.kind === "scalar") return readYamlText(node);
  if (node.kind === "sequence") return node.items.map(readFreeValue);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, readFreeValue(value)]));
}

const MAX_LIST_ITEMS = 200;

export const createList = <S extends SpecSchema>(of: S) =>
  addNotes(
    z.pipe(
      z.transform((node: GivenNode, context): readonly unknown[] => {
        if (node?.kind !== "sequence") return rejectKind(context, node, "a list");
        const { length } = node.items;
        if (length <= MAX_LIST_ITEMS) return node.items;
        return rejectValue(context, `has ${length} items; the limit is ${MAX_LIST_ITEMS}`);
      }),
      z.array(of),
    ),
    { kind: "sequence", items: getNotes(of) },
  );

/** An empty value counts as a missing field. */
const createMappingReader = (fields: object) =>
  z.transform((node: GivenNode, context): Record<string, unknown> => {
    if (node?.kind !== "mapping") return rejectKind(context, node, "a mapping");
    const entries = node.entries.filter(({ key, value }) => !isYamlNull(value) || !Object.hasOwn(fields, key));
    return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  });

export const createTable = <S extends SpecSchema>(of: S) =>
  addNotes(z.pipe(createMappingReader({}), z.record(z.string(), of)), { kind: "mapping" });

export const createRecord = <S extends Record<string, SpecSchema>>(shape: S, notes: SchemaNotes = {}) => {
  const fields = Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, getNotes(field)]));
  return addNotes(z.pipe(createMappingReader(shape), z.strictObject(shape)), { kind: "mapping", fields }, notes);
};

export const createAlternative = <A extends SpecSchema, B extends SpecSchema>(one: A, other: B) =>
  addNotes(z.union([one, other]), { options: [getNotes(one), getNotes(other)] });

/** Even a draft must have it, or the canonical form adds it. */
export const neededField = <S extends SpecSchema>(schema: S, notes: SchemaNotes): S =>
  addNotes(schema.clone(), getNotes(schema), notes);

export const optionalField = <S extends SpecSchema>(schema: S, notes: SchemaNotes = {}) =>
  addNotes(z.optional(schema), getNotes(schema), notes);

/** A list, table or record that is empty if missing. */
export const fillableField = <O>(schema: z.ZodMiniType<O, GivenNode>, notes: SchemaNotes = {}) => {
  const isList = getNotes(schema).kind === "sequence";
  const empty: LocatedNode = isList
    ? { kind: "sequence", line: 0, items: [] }
    : { kind: "mapping", line: 0, entries: [] };
  return addNotes(z.prefault(schema, empty), getNotes(schema), notes);
};

const SPEC_DATE = createText({
  most: 200,
  pattern:
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  says: "a date such as 2026-01-31 or 2026-01-31T12:00:00Z",
});
const createDateField = (name: string) =>
  optionalField(SPEC_DATE, { older: [`${name}_at`, `${name}_on`], stood: [name, `${name}_at`] });

const SPEC_STATUS = createWord(["draft", "specified", "implemented", "verified", "done"], {
  review: "draft",
  investigating: "draft",
  exploring: "draft",
  architected: "specified",
  approved: "specified",
  fixing: "specified",
  verifying: "implemented",
  completed: "done",
  resolved: "done",
  closed: "done",
});
export type SpecStatus = z.infer<typeof SPEC_STATUS>;

export const SPEC_PRIORITY = createWord(["critical", "high", "medium", "low"], {
  p0: "critical",
  p1: "high",
  p2: "medium",
  p3: "low",
  urgent: "critical",
  major: "high",
  normal: "medium",
  minor: "low",
});

export const SPEC_HEAD_FIELDS = {
  schema_version: neededField(createNumber(2, 2, { "1": 2, "1.0": 2 }), { otherwise: 2, older: ["schema"] }),
  id: neededField(TITLE, { older: ["spec_id", "bug_id", "research_id"] }),
};

export const SPEC_STATUS_FIELDS = {
  status: neededField(SPEC_STATUS, { otherwise: "draft" }),
  priority: optionalField(SPEC_PRIORITY, { older: ["severity"] }),
  owner: optionalField(TITLE, { older: ["assignee", "author"] }),
};

export const SPEC_TAIL_FIELDS = {
  trace: fillableField(
    createRecord({
      code: fillableField(createList(SENTENCE), { older: ["src", "source"] }),
      tests: fillableField(createList(SENTENCE), { older: ["test"] }),
      docs: fillableField(createList(SENTENCE), { older: ["doc", "documentation"] }),
      decisions: fillableField(createList(SENTENCE), { older: ["adrs", "adr"] }),
    }),
    { older: ["traces", "traceability"] },
  ),
  metadata: fillableField(
    createRecord({
      created: createDateField("created"),
      updated: createDateField("updated"),
      resolved: createDateField("resolved"),
    }),
    { older: ["meta"] },
  ),
};
