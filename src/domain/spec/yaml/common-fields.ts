import {
  createPatternShape,
  type FieldShape,
  createListShape,
  createNumberShape,
  createRecordShape,
  SENTENCE_SHAPE,
  TITLE_SHAPE,
  createWordShape,
} from "./shape.ts";

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
