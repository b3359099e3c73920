import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import {
  sortWorkQueue,
  MAX_UNFINISHED_WORK,
  type QueueItem,
  rejectQueueOverflow,
  describeUnusualPriority,
  getDefaultPriority,
} from "./work-queue.ts";

const item = (id: string, priority: number, started_at = "2026-01-31T12:00:00Z"): QueueItem => ({
  id,
  kind: "feature",
  title: id,
  stage: "discover",
  priority,
  started_at,
  updated_at: started_at,
});

const ids = (items: readonly QueueItem[]): string[] => sortWorkQueue(items).map(({ id }) => id);

test("lists the most urgent first (TC-001)", () => {
  expect(ids([item("AUTH-001", 3), item("BUG-042", 0), item("RES-001", 7)])).toEqual([
    "BUG-042",
    "AUTH-001",
    "RES-001",
  ]);
});

test("lists the older of two equally urgent items first, then the smaller id", () => {
  expect(ids([item("C-001", 3, "2026-01-31T12:00:01Z"), item("B-001", 3), item("A-001", 3)])).toEqual([
    "A-001",
    "B-001",
    "C-001",
  ]);
});

test.each([
  ["bugfix", 0],
  ["feature", 3],
  ["research", 7],
  ["change", 7],
] as const)("gives a %s the priority %i by default", (kind, priority) => {
  expect([getDefaultPriority(kind), describeUnusualPriority(kind, priority)]).toEqual([priority, undefined]);
});

test.each([
  ["bugfix", 4, "A bugfix usually has priority 0."],
  ["feature", 0, "A feature usually has priority 1 to 5."],
  ["research", 5, "A research usually has priority 6 to 9."],
] as const)("records a %s with priority %i", (kind, priority, note) => {
  expect(describeUnusualPriority(kind, priority)).toBe(note);
});

test("allows at most ten items", () => {
  const items = Array.from({ length: MAX_UNFINISHED_WORK }, (_, i) => item(`A-00${i}`, 3));
  expect(() => rejectQueueOverflow(items.slice(1), "No.")).not.toThrow();
  expect(() => rejectQueueOverflow(items, "No.")).toThrow(Fault);
});
