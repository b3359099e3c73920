import { expect, test } from "vitest";
import { createLessonSignature, isSameLesson } from "./lesson.ts";

const same = (one: string, other: string): boolean =>
  isSameLesson(createLessonSignature(one), createLessonSignature(other));

test.each([
  ["Sessions are renewed at login.", "sessions are renewed at LOGIN"],
  ["Sessions are renewed at login.", "Renew the session on each login"],
  ["Repositories take the clock as an argument", "Pass the clock as an argument to repositories"],
  ["Parse input at the edge of billing", "Input is parsed at the edge of login"],
  ["`retry()` waits twice as long each time", "Each time `retry()` waits twice as long"],
  ["再試行は安全です", "再試行は安全です。"],
])("treats %j and %j as one lesson", (one, other) => {
  expect([same(one, other), same(other, one)]).toEqual([true, true]);
});

test.each([
  ["Sessions are renewed at login", "Passwords are hashed with scrypt"],
  ["Retry with backoff", "Never retry with backoff"],
  ["Use the shared clock in tests", "Do not use the shared clock in tests"],
  ["Call `open()` before the first read", "Call `close()` before the first read"],
  ["Cache", "Cache the parsed schema by its hash"],
  ["Errors", "Errors are values in the parser"],
  ["", "Anything"],
])("treats %j and %j as two lessons", (one, other) => {
  expect([same(one, other), same(other, one)]).toEqual([false, false]);
});
