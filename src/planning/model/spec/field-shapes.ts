import type { LocatedNode, YamlValue } from "#kernel/model/yaml-tree.ts";

/** A draft may begin. A complete spec is ready to build. */
export type SpecDepth = "draft" | "complete";

export interface FieldShape {
  readonly shape: SpecShape;
  /** The depth from which on the field is required. Optional if missing. */
  readonly need?: SpecDepth;
  /** Former names. Hyphens instead of underscores are always accepted. */
  readonly older?: readonly string[];
  /** Former locations: `investigation.reproduction`. */
  readonly stood?: readonly string[];
  readonly otherwise?: YamlValue;
}

/** Converts an older form. Undefined if the node already has the current form or the conversion is uncertain. */
type FormConverter = (node: LocatedNode) => YamlValue | undefined;

export interface TextFieldShape {
  readonly kind: "text";
  readonly least: number;
  readonly most: number;
  readonly pattern?: RegExp;
  /** Describes the pattern in messages. */
  readonly says?: string;
  readonly form?: FormConverter;
}

export interface WordFieldShape {
  readonly kind: "word";
  readonly of: readonly string[];
  /** Current words by former words. */
  readonly older?: Readonly<Record<string, string>>;
}

export interface NumberFieldShape {
  readonly kind: "number";
  readonly least: number;
  readonly most: number;
  /** Former spellings of the number. */
  readonly older?: Readonly<Record<string, number>>;
}

export interface ListFieldShape {
  readonly kind: "list";
  readonly of: SpecShape;
  readonly most: number;
}

export interface RecordFieldShape {
  readonly kind: "record";
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Prefix of item ids: `AC` for `AC-1`. */
  readonly numbered?: string;
  readonly form?: FormConverter;
}

export interface TableFieldShape {
  readonly kind: "table";
  readonly of: SpecShape;
}

export interface AlternativeShape {
  readonly kind: "either";
  readonly of: readonly SpecShape[];
}

export type SpecShape =
  | TextFieldShape
  | WordFieldShape
  | NumberFieldShape
  | ListFieldShape
  | RecordFieldShape
  | TableFieldShape
  | AlternativeShape
  | { readonly kind: "free" };

const MAX_SPEC_SENTENCE = 2_000;
const MAX_EXPLANATION = 20_000;
const MAX_LIST_ITEMS = 200;

export const FREE_SHAPE: SpecShape = { kind: "free" };
export const SENTENCE_SHAPE: TextFieldShape = { kind: "text", least: 1, most: MAX_SPEC_SENTENCE };
export const LONG_TEXT_SHAPE: TextFieldShape = { kind: "text", least: 1, most: MAX_EXPLANATION };
export const TITLE_SHAPE: TextFieldShape = { kind: "text", least: 1, most: 200 };
export const createMinTextShape = (least: number): TextFieldShape => ({ kind: "text", least, most: MAX_SPEC_SENTENCE });
export const createPatternShape = (pattern: RegExp, says: string): TextFieldShape => ({
  ...TITLE_SHAPE,
  pattern,
  says,
});
export const createWordShape = (
  of: readonly string[],
  older: Readonly<Record<string, string>> = {},
): WordFieldShape => ({
  kind: "word",
  of,
  older,
});
export const createNumberShape = (least: number, most: number): NumberFieldShape => ({ kind: "number", least, most });
export const createListShape = (of: SpecShape, most = MAX_LIST_ITEMS): ListFieldShape => ({ kind: "list", of, most });
export const createRecordShape = (
  fields: Readonly<Record<string, FieldShape>>,
  more: Pick<RecordFieldShape, "form" | "numbered"> = {},
): RecordFieldShape => ({ kind: "record", fields, ...more });
export const createTableShape = (of: SpecShape): TableFieldShape => ({ kind: "table", of });
export const createAlternativeShape = (...of: readonly SpecShape[]): AlternativeShape => ({ kind: "either", of });

export function getShapeNodeKind(shape: SpecShape): LocatedNode["kind"] | undefined {
  switch (shape.kind) {
    case "text":
    case "word":
    case "number":
      return "scalar";
    case "list":
      return "sequence";
    case "record":
    case "table":
      return "mapping";
    case "either":
    case "free":
      return undefined;
  }
}

export function selectNodeShape(shape: SpecShape, node: LocatedNode): SpecShape {
  if (shape.kind !== "either") return shape;
  return shape.of.find((each) => getShapeNodeKind(each) === node.kind) ?? shape.of[0] ?? FREE_SHAPE;
}

const SPEC_STATUSES = ["draft", "specified", "implemented", "verified", "done"] as const;
export type SpecStatus = (typeof SPEC_STATUSES)[number];
const SPEC_PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type SpecPriority = (typeof SPEC_PRIORITIES)[number];

interface SpecTrace {
  readonly code: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  readonly decisions: readonly string[];
}

interface SpecMetadata {
  readonly created?: string;
  readonly updated?: string;
  readonly resolved?: string;
}

export interface SpecHead {
  readonly schema_version: number;
  readonly id: string;
  readonly status: SpecStatus;
  readonly trace: SpecTrace;
  readonly metadata: SpecMetadata;
}

const SPEC_DATE_PATTERN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const createDateField = (older: readonly string[], stood: readonly string[]): FieldShape => ({
  shape: createPatternShape(SPEC_DATE_PATTERN, "a date such as 2026-01-31 or 2026-01-31T12:00:00Z"),
  older,
  stood,
});

const SENTENCE_LIST_SHAPE = createListShape(SENTENCE_SHAPE);

export const SPEC_HEAD_FIELDS = {
  schema_version: {
    shape: { ...createNumberShape(2, 2), older: { "1": 2, "1.0": 2 } },
    otherwise: 2,
    older: ["schema"],
  },
  id: { shape: TITLE_SHAPE, need: "draft", older: ["spec_id", "bug_id", "research_id"] },
} as const satisfies Record<string, FieldShape>;

export const STATUS_FIELD: FieldShape = {
  shape: createWordShape(SPEC_STATUSES, {
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
  }),
  otherwise: "draft",
};

export const PRIORITY_FIELD: FieldShape = {
  shape: createWordShape(SPEC_PRIORITIES, {
    p0: "critical",
    p1: "high",
    p2: "medium",
    p3: "low",
    urgent: "critical",
    major: "high",
    normal: "medium",
    minor: "low",
  }),
  older: ["severity"],
};

export const OWNER_FIELD: FieldShape = { shape: TITLE_SHAPE, older: ["assignee", "author"] };

export const SPEC_TAIL_FIELDS = {
  trace: {
    shape: createRecordShape({
      code: { shape: SENTENCE_LIST_SHAPE, older: ["src", "source"] },
      tests: { shape: SENTENCE_LIST_SHAPE, older: ["test"] },
      docs: { shape: SENTENCE_LIST_SHAPE, older: ["doc", "documentation"] },
      decisions: { shape: SENTENCE_LIST_SHAPE, older: ["adrs", "adr"] },
    }),
    older: ["traces", "traceability"],
  },
  metadata: {
    shape: createRecordShape({
      created: createDateField(["created_at", "created_on"], ["created", "created_at"]),
      updated: createDateField(["updated_at", "updated_on"], ["updated", "updated_at"]),
      resolved: createDateField(["resolved_at", "resolved_on"], ["resolved", "resolved_at"]),
    }),
    older: ["meta"],
  },
} as const satisfies Record<string, FieldShape>;
