import { expect, test } from "vitest";
import { countMatchedSegments, findDefaultValues, parseSourceQuestion } from "./source-facts.ts";

test.each([
  ["What is the default number of retries?", ["retri"]],
  ["what is the default of max_redirects", ["max", "redirect"]],
  ["What does keepAliveTimeout default to?", ["keep", "aliv", "timeout"]],
  ["Which value has trust proxy by default?", undefined],
  ["default pool size", ["pool", "size"]],
  ["Where are the default values of an option worked out?", ["work"]],
  ["How is a user logged in?", undefined],
])("reads the setting of a question about its default: %s", (asked, terms) => {
  const question = parseSourceQuestion(asked);
  expect(question?.about === "default" ? question.terms : undefined).toEqual(terms);
});

test.each([
  ["Who handles POST /users/{id}?", "POST", "/users/{id}"],
  ["which function serves `/login`?", "", "/login"],
  ["Who serves GET /?", "GET", "/"],
  ["What is behind the endpoint get /api/items/5", "GET", "/api/items/5"],
])("reads the method and path of a question about a route: %s", (asked, method, path) => {
  expect(parseSourceQuestion(asked)).toEqual({ about: "route", method, path });
});

test.each([
  "Who handles errors in src/app.ts?",
  "What handles input / output of files?",
  "How are relative and/or absolute paths handled?",
])("does not take a file or two words for a route: %s", (asked) => {
  expect(parseSourceQuestion(asked)).toBeUndefined();
});

test.each([
  ["a constant", "DEFAULT_RETRIES = 0", ["retri"], "0"],
  ["a typed parameter", "def send(url, max_retries: int = 3):", ["max", "retri"], "3"],
  ["a Go assignment", "\tmaxRetries := 5", ["max", "retri"], "5"],
  ["an entry of an object", '  maxRetries: 2, other: "x"', ["max", "retri"], "2"],
  ["the arguments of a call", "  this.set('trust proxy', false);", ["trust", "proxi"], "false"],
  ["a value behind ??", "const n = options.maxRetries ?? 7;", ["max", "retri"], "7"],
  ["a conditional", "this.t = keepAlive == null ? 4e3 : keepAlive", ["keep", "aliv"], "4e3"],
])("finds a default in %s", (_, line, terms, value) => {
  expect(findDefaultValues(`first line\n${line}`, terms)).toMatchObject([{ line: 2, value }]);
});

test.each([
  ["a comparison", "if (maxRetries === 3) stop();"],
  ["a comment", "// maxRetries = 3"],
  ["an example in a docstring", ">>> Client(max_retries=3)"],
  ["a much longer name", "const maxRetriesBeforeTheNextRequest = 3;"],
  ["an argument without quotes", "call(maxRetries, 3)"],
])("takes no default from %s", (_, line) => {
  expect(findDefaultValues(line, ["max", "retri"])).toEqual([]);
});

test("ranks the exact name and a line that says default first", () => {
  const text = "maxRetriesDelay = 1\nmaxRetries = 2\nDEFAULT_MAX_RETRIES = 3";
  const found = findDefaultValues(text, ["max", "retri"]).toSorted((one, other) => other.score - one.score);
  expect(found.map(({ value }) => value)).toEqual(["3", "2", "1"]);
});

test.each([
  ["GET /users/:id", "GET", "/users/5", 2],
  ["ANY /users/{id}", "POST", "/users/{id}", 2],
  ["GET /users/:id", "", "/api/v1/users/5", 2],
  ["POST /users", "GET", "/users", 0],
  ["GET /users/:id/posts", "GET", "/users/5", 0],
  ["GET /:anything", "GET", "/users", 0],
  ["GET /", "GET", "/", 1],
])("matches the route %s to %s %s by %i segments", (route, method, path, count) => {
  expect(countMatchedSegments({ method, path }, route)).toBe(count);
});
