import { expect, test } from "vitest";
import { listTextCategories, detectKnowledgeCategory } from "./lesson.ts";

test.each([
  ["Passwords are hashed, and tokens never logged", "security"],
  ["Retries wait with backoff until the timeout", "async"],
  ["The cache holds stale state after a reset", "state"],
  ["Every endpoint answers a bad request with one payload", "api"],
  ["A migration adds the column before code reads the row", "data"],
  ["The vendor's webhook comes twice", "integration"],
  ["One name for one thing", "integration"],
  ["", "integration"],
  ["api: one name for one thing", "api"],
  ["(Security) One name for one thing", "security"],
  ["[async] One name for one thing", "async"],
  ["weather: passwords and tokens", "security"],
])("puts %j into the category %s", (text, category) => {
  expect(detectKnowledgeCategory(text)).toBe(category);
});

test("puts a longer text only into categories with several matching words", () => {
  const text = "The endpoint takes a request and gives a response. Passwords are hashed.";
  expect([...listTextCategories(text, 3)]).toEqual(["api"]);
  expect([...listTextCategories(text, 2)]).toEqual(["api", "security"]);
});
