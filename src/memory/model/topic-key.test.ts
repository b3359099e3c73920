import fc from "fast-check";
import { expect, test } from "vitest";
import { normalizeTopicKey, suggestTopicKey } from "./topic-key.ts";

test.each([
  ["architecture", "architecture design adr refactor Architecture"],
  ["bug", "bug bugfix fix incident hotfix"],
  ["decision", "decision"],
  ["pattern", "pattern convention guideline"],
  ["config", "config setup infra infrastructure ci"],
  ["discovery", "discovery investigation root_cause"],
  ["explore", "explore exploration context discuss"],
  ["learning", "learning learn"],
  ["session", "session_summary"],
])("the family %s includes the types %s", (family, types) => {
  const keys = types.split(" ").map((type) => suggestTopicKey({ type, title: "Billing day" }));
  expect(keys).toEqual(types.split(" ").map(() => `${family}/billing-day`));
});

test.each([
  ["bug", "The login crashes"],
  ["bug", "Fixed an architecture decision"],
  ["architecture", "The design was decided"],
  ["decision", "We chose a pattern"],
  ["decision", "SQLite instead of files"],
  ["pattern", "Always configure first"],
  ["config", "Setup that was discovered"],
  ["discovery", "It turned out to be learned"],
  ["learning", "A lesson for all"],
  ["topic", "Prefix, debugger, redesigned, foundation"],
  ["topic", "Billing day"],
])("derives the family from the words where the type gives none: %s for %j", (family, said) => {
  const spoken = [suggestTopicKey({ title: said }), suggestTopicKey({ type: "manual", title: "Day", content: said })];
  expect(spoken.map((key) => key.slice(0, key.indexOf("/")))).toEqual([family, family]);
});

test.each([
  [
    "keeps an unknown type before the title",
    { type: "Meeting Notes", title: "Billing day" },
    "meeting-notes/billing-day",
  ],
  ["prefers a word of the title to an unknown type", { type: "meeting", title: "Login crash" }, "bug/login-crash"],
  ["does not repeat the family", { type: "bugfix", title: "Bug: login loops" }, "bug/login-loops"],
  ["keeps a title that equals the family", { type: "bugfix", title: "Bug" }, "bug/bug"],
  ["keeps a word that only starts like the family", { type: "bugfix", title: "Buggy login" }, "bug/buggy-login"],
  [
    "uses the first eight words of the content",
    { type: "decision", content: "a b c d e f g h i j" },
    "decision/a-b-c-d-e-f-g-h",
  ],
  [
    "uses the content if the title is blank",
    { type: "decision", title: "  ", content: "Use SQLite" },
    "decision/use-sqlite",
  ],
  ["keeps the type explore", { type: "explore", title: "User auth system" }, "explore/user-auth-system"],
  ["uses a general key without input", {}, "topic/general"],
  ["uses the type alone", { type: "decision" }, "decision/general"],
])("%s", (_, said, key) => {
  expect(suggestTopicKey(said)).toBe(key);
});

test("separates two titles in another alphabet", () => {
  const [one, other] = ["修复登录", "修复缓存"].map((title) => suggestTopicKey({ type: "bug", title }));
  expect(one).not.toBe(other);
});

const anyText = fc.option(fc.string({ unit: "binary", maxLength: 300 }), { nil: undefined });

test("derives the same key of a family and a name from any text", () => {
  fc.assert(
    fc.property(fc.record({ type: anyText, title: anyText, content: anyText }), (said) => {
      const key = suggestTopicKey(said);
      expect(key).toMatch(/^[a-z0-9-]{1,60}\/[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect({ again: suggestTopicKey(said), kept: normalizeTopicKey(key).slice(0, 110) }).toEqual({
        again: key,
        kept: key.slice(0, 110),
      });
      expect(key.length - key.indexOf("/") - 1).toBeLessThanOrEqual(100);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [" Bug/Login  Loops\n", "bug/login-loops"],
  ["", ""],
  ["A".repeat(190), "a".repeat(190)],
])("keeps %j in lower case, without spaces, and uncut", (said, kept) => {
  expect(normalizeTopicKey(said)).toBe(kept);
});
