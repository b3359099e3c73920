import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applyRunEvent,
  createRunAction,
  explainGivenUp,
  formatWorktreeName,
  type RunAction,
  type RunEvent,
} from "./run-action.ts";

const AT = "2026-11-18T20:00:00Z";
const digest = (text: string): string => `d${text.length}`.padEnd(64, "0");
const fresh = createRunAction({ run: "run-1", agent: "claude", at: AT });
const play = (...events: readonly RunEvent[]): RunAction =>
  events.reduce((action, event) => applyRunEvent(action, event, AT), fresh);

const STARTED = { kind: "started", base: "b1", start: "t1", tag: "x/1", session: "s1", isResumed: false } as const;
const ENDED = { kind: "ended", report: "done" } as const;
const COMMITTED = { kind: "committed", commit: "c1" } as const;
const QUEUED = { kind: "queued" } as const;
const MERGING = { kind: "merging", from: "t0", to: "m1" } as const;
const LANDED = { kind: "landed" } as const;

test("moves an action through each state in order", () => {
  const path: readonly RunEvent[] = [STARTED, ENDED, COMMITTED, QUEUED, MERGING, LANDED];
  const states = path.map((_, i) => play(...path.slice(0, i + 1)).state);
  expect(states).toEqual(["assigned", "ended", "committed", "queued", "queued", "landed"]);
});

test.each([
  [QUEUED, []],
  [LANDED, [STARTED, ENDED, COMMITTED]],
  [MERGING, [STARTED, ENDED]],
  [STARTED, [STARTED, ENDED]],
  [{ kind: "conflicted", problems: [] }, [STARTED, ENDED, COMMITTED]],
] as const)("reports an event that does not fit the state as an error: %o", (event, before) => {
  expect(() => play(...before, event)).toThrow(RangeError);
});

test.each([
  [
    "continues the session in its worktree after a rejection before landing",
    { kind: "rejected", problems: ["no"] },
    [STARTED, ENDED, COMMITTED, QUEUED],
    { next: "resume", session: "s1", base: "b1", rejections: 1 },
  ],
  [
    "does not count a result whose work became larger as a rejection",
    { kind: "rejected", problems: ["more"], isProgress: true },
    [STARTED, ENDED],
    { next: "resume", session: "s1", base: "b1", rejections: 0, waits: 1 },
  ],
  [
    "creates a worktree of the new tip after a rejection after landing",
    { kind: "rejected", problems: ["no"] },
    [STARTED, ENDED, COMMITTED, QUEUED, MERGING, LANDED],
    { next: "resume", session: "s1", base: undefined },
  ],
  [
    "starts a fresh agent after a conflict",
    { kind: "conflicted", problems: ["both"] },
    [STARTED, ENDED, COMMITTED, QUEUED],
    { next: "fresh", session: undefined, base: undefined, conflicts: 1, rejections: 0 },
  ],
  [
    "continues an interrupted session once",
    { kind: "cut-off", why: "killed", mayResume: true },
    [STARTED],
    { next: "resume", resumes: 1, rejections: 0 },
  ],
  [
    "restarts a session that never began",
    { kind: "cut-off", why: "killed", mayResume: false },
    [STARTED],
    { next: "fresh", session: undefined, rejections: 1 },
  ],
  [
    "does not blame the agent for a limit of its provider",
    { kind: "limited" },
    [STARTED],
    { next: "resume", waits: 1, rejections: 0 },
  ],
] as const)("%s", (_, event, before, expected) => {
  const { state, tag, commit, landing, ...rest } = play(...before, event);
  expect({ state, tag, commit, landing }).toEqual({ state: "assigned" });
  const names = Object.keys(expected);
  const found = Object.fromEntries(names.map((name) => [name, Reflect.get(rest, name) as unknown]));
  expect(found).toEqual(expected);
});

test("starts a fresh session after a second cut-off", () => {
  const cut = { kind: "cut-off", why: "killed", mayResume: true } as const;
  expect(play(STARTED, cut, { ...STARTED, isResumed: true }, cut)).toMatchObject({
    next: "fresh",
    rejections: 1,
    starts: 1,
  });
});

test("ends the action after three unusable results or three conflicts", () => {
  const rejected = [STARTED, ENDED, { kind: "rejected", problems: ["wrong file"] }] as const;
  expect(explainGivenUp(play(...rejected, ...rejected))).toBeUndefined();
  expect(explainGivenUp(play(...rejected, ...rejected, ...rejected))).toBe("wrong file");
  const conflict = [STARTED, ENDED, COMMITTED, QUEUED, { kind: "conflicted", problems: ["both"] }] as const;
  expect(explainGivenUp(play(...conflict, ...conflict, ...conflict))).toContain("third time");
});

const anyEvent: fc.Arbitrary<RunEvent> = fc.constantFrom<RunEvent>(
  STARTED,
  ENDED,
  COMMITTED,
  QUEUED,
  MERGING,
  LANDED,
  { kind: "limited" },
  { kind: "rejected", problems: ["no"] },
  { kind: "conflicted", problems: ["both"] },
  { kind: "cut-off", why: "killed", mayResume: true },
);

/** What is wrong with an action that went through these states since its agent started. */
const findBreach = (action: RunAction, seen: readonly string[]): boolean =>
  (action.state === "landed" && seen.join() !== "ended,committed,queued,landed") ||
  (action.state === "assigned" && action.commit !== undefined) ||
  (action.state === "assigned" && action.next === "resume" && action.session === undefined);

test("lands only what was committed and queued in the same try, for any events", () => {
  const property = fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
    let action = fresh;
    let seen: string[] = [];
    for (const event of events) {
      try {
        action = applyRunEvent(action, event, AT);
      } catch {
        continue;
      }
      seen = action.state === "assigned" ? [] : [...new Set([...seen, action.state])];
      if (findBreach(action, seen)) return false;
    }
    return true;
  });
  expect(fc.check(property)).toMatchObject({ failed: false });
});

test.each([
  ["user-login/build-A/1", "user-login_build-A_1"],
  ["wave-1/impl/B2/quality@2", "wave-1_impl_B2_quality_2_d2400000"],
])("the worktree of %s is %s", (action, name) => {
  expect(formatWorktreeName(action, digest)).toBe(name);
});
