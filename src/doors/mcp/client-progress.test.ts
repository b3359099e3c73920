import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClientProgress } from "./client-progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request of a client that may have asked to be told. */
function request(progressToken?: string) {
  const told: { progress: number; total?: number; message: string }[] = [];
  const asked = {
    _meta: progressToken === undefined ? {} : { progressToken },
    signal: new AbortController().signal,
    notify: async ({ params }: { params?: unknown }): Promise<void> => void told.push(params as (typeof told)[number]),
  };
  return { told, progress: createClientProgress(asked) };
}

test("a client receives the latest progress once a second, with a growing number", () => {
  const { told, progress } = request("token");
  progress.tell("lint", 1, 3);
  progress.tell("dropped", 1, 3);
  progress.tell("still\u001b lint", 1, 3);
  vi.advanceTimersByTime(1000);
  vi.advanceTimersByTime(5000);
  progress.tell("vitest", 2, 3);
  expect(told).toEqual([
    { progressToken: "token", progress: 1, total: 3, message: "lint" },
    { progressToken: "token", progress: 1 + 1 / 61, total: 3, message: "still\\u001b lint" },
    { progressToken: "token", progress: 2, total: 3, message: "vitest" },
  ]);
});

test("increases the number with time, and never reaches the next step", () => {
  const { told, progress } = request("token");
  for (let second = 0; second < 20_000; second++) {
    progress.tell("line", second < 10_000 ? 1 : 0);
    vi.advanceTimersByTime(1000);
  }
  const numbers = told.map((each) => each.progress);
  expect(numbers).toHaveLength(20_000);
  expect(numbers.every((number, at) => number < 2 && (at === 0 || number > (numbers[at - 1] ?? 0)))).toBe(true);
});

test("sends no progress after the end, or to a client that did not ask", () => {
  const asked = request("token");
  asked.progress.tell("first");
  asked.progress.tell("second");
  asked.progress.stop();
  asked.progress.tell("third");
  vi.advanceTimersByTime(10_000);
  expect(asked.told.map((each) => each.message)).toEqual(["first"]);
  const silent = request();
  silent.progress.tell("first");
  vi.advanceTimersByTime(10_000);
  expect(silent.told).toEqual([]);
});
