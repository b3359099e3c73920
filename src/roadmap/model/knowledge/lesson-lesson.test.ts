import { expect, test } from "vitest";
import { listLessonFeatures, groupLessons, type KnowledgeTag } from "./lesson.ts";

const tag = (feature: string, said: string, more: Partial<KnowledgeTag> = {}): KnowledgeTag => ({
  feature,
  role: "builder",
  tag: said,
  at: "2026-01-31T12:00:00Z",
  ...more,
});

test("joins a repeated lesson of any source in its first wording", () => {
  const tags = new Map([
    ["bbbbbbbb", tag("login", "[PATTERN] Sessions are renewed at login.", { tasks: ["1.2"] })],
    ["aaaaaaaa", tag("mail", "[PATTERN] Renew the session on login", { at: "2026-02-01T12:00:00Z" })],
    ["cccccccc", tag("wave-1", "[INCIDENT] Sessions are renewed at login.", { role: "inspector-rulebase" })],
  ]);
  expect(groupLessons(tags)).toEqual([
    {
      id: "bbbbbb",
      type: "pattern",
      category: "security",
      text: "Sessions are renewed at login.",
      phases: ["design", "impl"],
      sources: [
        {
          feature: "login",
          role: "builder",
          tasks: ["1.2"],
          at: "2026-01-31T12:00:00Z",
          said: "Sessions are renewed at login.",
        },
        { feature: "mail", role: "builder", tasks: [], at: "2026-02-01T12:00:00Z", said: "Renew the session on login" },
      ],
      keys: ["bbbbbbbb", "aaaaaaaa"],
    },
    expect.objectContaining({ id: "cccccc", type: "incident", phases: ["design"] }),
  ]);
});

test("shortens an id only while it is unique", () => {
  const tags = new Map([
    ["aaaaaa1", tag("a", "[PATTERN] One clock for all")],
    ["aaaaaa2", tag("a", "[PATTERN] Errors name what to type")],
    ["bbbbbb1", tag("a", "[PATTERN] Tests stand beside their file")],
  ]);
  expect(groupLessons(tags).map(({ id }) => id)).toEqual(["aaaaaa1", "aaaaaa2", "bbbbbb"]);
});

test("lists no waves and no reviews of everything as features", () => {
  expect(
    listLessonFeatures([
      { feature: "b" },
      { feature: "wave-2" },
      { feature: "all" },
      { feature: "a" },
      { feature: "b" },
    ]),
  ).toEqual(["a", "b"]);
});
