import { matching, type Field, list, numbers, record, SENTENCE_TEXT, TITLE_TEXT, words } from "./shape.ts";

const STATUSES = ["draft", "specified", "implemented", "verified", "done"] as const;
export type SpecStatus = (typeof STATUSES)[number];
const PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

interface Trace {
  readonly code: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  readonly decisions: readonly string[];
}

interface Metadata {
  readonly created?: string;
  readonly updated?: string;
  readonly resolved?: string;
}

export interface SpecHead {
  readonly schema_version: number;
  readonly id: string;
  readonly status: SpecStatus;
  readonly trace: Trace;
  readonly metadata: Metadata;
}

const DAY =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const date = (older: readonly string[], stood: readonly string[]): Field => ({
  shape: matching(DAY, "a date such as 2026-01-31 or 2026-01-31T12:00:00Z"),
  older,
  stood,
});

const sentences = list(SENTENCE_TEXT);

export const HEAD = {
  schema_version: { shape: { ...numbers(2, 2), older: { "1": 2, "1.0": 2 } }, otherwise: 2, older: ["schema"] },
  id: { shape: TITLE_TEXT, need: "draft", older: ["spec_id", "bug_id", "research_id"] },
} as const satisfies Record<string, Field>;

export const STATUS: Field = {
  shape: words(STATUSES, {
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

export const PRIORITY: Field = {
  shape: words(PRIORITIES, {
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

export const OWNER: Field = { shape: TITLE_TEXT, older: ["assignee", "author"] };

export const TAIL = {
  trace: {
    shape: record({
      code: { shape: sentences, older: ["src", "source"] },
      tests: { shape: sentences, older: ["test"] },
      docs: { shape: sentences, older: ["doc", "documentation"] },
      decisions: { shape: sentences, older: ["adrs", "adr"] },
    }),
    older: ["traces", "traceability"],
  },
  metadata: {
    shape: record({
      created: date(["created_at", "created_on"], ["created", "created_at"]),
      updated: date(["updated_at", "updated_on"], ["updated", "updated_at"]),
      resolved: date(["resolved_at", "resolved_on"], ["resolved", "resolved_at"]),
    }),
    older: ["meta"],
  },
} as const satisfies Record<string, Field>;
