import { expect, test } from "vitest";
import { Fault } from "#kernel/model/fault.ts";
import type { WorkSession } from "./workflow-record.ts";
import { DEFAULT_SESSION_ID, formatLeaseName, rejectLostLease, findWorkflowActivity } from "./work-sessions.ts";

const session = (id: string, current: string | undefined, more: Partial<WorkSession> = {}): WorkSession => ({
  id,
  ...(current ? { current } : {}),
  checkout: "main",
  started_at: "2026-01-31T12:00:00Z",
  seen_at: "2026-01-31T12:00:00Z",
  ...more,
});
const known = (...sessions: WorkSession[]) => new Map(sessions.map((each) => [each.id, each]));
const held = (holder: string, token: number, isLive: boolean) => ({ holder, token, isLive });

test.each<[string, WorkSession[], ReturnType<typeof held> | undefined, string, string | undefined]>([
  ["no session has it", [], undefined, "paused", undefined],
  ["its session is alive", [session("one", "A-001")], held("one", 1, true), "active", "one"],
  ["its session has vanished", [session("one", "A-001")], held("one", 1, false), "interrupted", "one"],
  [
    "its session has ended",
    [session("one", "A-001", { ended_at: "2026-01-31T13:00:00Z" })],
    held("one", 1, false),
    "paused",
    undefined,
  ],
  ["it is current for the project", [session(DEFAULT_SESSION_ID, "A-001")], undefined, "active", undefined],
  [
    "another session took it over",
    [session("one", "A-001"), session("two", "A-001")],
    held("two", 2, true),
    "active",
    "two",
  ],
])("finds the activity of a workflow when %s", (_, sessions, lease, standing, who) => {
  const found = findWorkflowActivity("A-001", sessions, lease);
  expect([found.standing, found.session?.id]).toEqual([standing, who]);
});

const refusal = (...args: Parameters<typeof rejectLostLease>): string => {
  try {
    rejectLostLease(...args);
    return "allowed";
  } catch (error) {
    return error instanceof Fault ? error.why : String(error);
  }
};

test.each([
  ["no session holds it", "one", undefined, "allowed"],
  ["the session holds it itself", "one", held("one", 1, true), "allowed"],
  ["its own lease ended and no other session came", "one", held("one", 1, false), "allowed"],
  ["another session is at work", "one", held("two", 2, true), "Session two is working on it."],
  [
    "another session came and ended",
    "one",
    held("two", 2, false),
    "Session two took it over while this one was silent.",
  ],
  ["another, of whom it never knew, has gone", "three", held("two", 2, false), "allowed"],
  ["the caller has no session", DEFAULT_SESSION_ID, held("two", 2, true), "allowed"],
])("allows a write or rejects it when %s", (_, who, lease, expected) => {
  const sessions = known(session("one", "A-001", { token: 1 }));
  expect(refusal("A-001", who, { sessions, lease: () => lease })).toBe(expected);
});

test("names a lease after its workflow", () => {
  expect(formatLeaseName("A-001")).toBe("workflow A-001");
});
