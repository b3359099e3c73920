import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../model/fault.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { validateOperationInput } from "./operation.ts";

const START = { type: "fix", size: "small", description: "Fix the login" };

/** What the fault says is wrong, or the input as it was let through. */
async function check(id: OperationId, input: Record<string, unknown>): Promise<unknown> {
  try {
    return await validateOperationInput(await loadCatalogueOperation(id), input);
  } catch (error) {
    if (error instanceof Fault && error.code === "input.invalid") return error.what;
    throw error;
  }
}

test.each<[OperationId, Record<string, unknown>]>([
  ["change.start", START],
  ["change.start", { ...START, concurrent: true }],
  ["change.advance", {}],
  ["change.advance", { content: "x".repeat(262_144) }],
  ["change.list", { limit: 500 }],
  ["change.list", { limit: undefined }],
  ["adr.list", { status: "proposed" }],
  ["workspace.status", {}],
])("%s accepts %.60j unchanged", async (id, input) => {
  expect(await check(id, input)).toEqual(input);
});

test.each<[string, OperationId, Record<string, unknown>, string]>([
  ["one is missing", "change.start", { type: "fix", size: "small" }, "Missing argument `description`."],
  ["one is nothing", "change.start", { ...START, description: undefined }, "Missing argument `description`."],
  [
    "two do not go together",
    "stack.trust",
    { revoke: true, pass: ["A"] },
    "--revoke cannot be combined with other flags.",
  ],
  [
    "all are missing",
    "adr.status",
    {},
    "Missing argument `adr`. Missing argument `status`: choose proposed, accepted, deprecated or superseded.",
  ],
  [
    "one is not of the list",
    "change.start",
    { ...START, type: "bug" },
    'Unknown type "bug": choose feature, fix, refactor or enhancement.',
  ],
  ["one is a list", "change.start", { ...START, size: ["small"] }, "size must be one of small, medium, large."],
  ["a number for a text", "change.start", { ...START, description: 5 }, "description must be a string."],
  ["null for a text", "change.start", { ...START, description: null }, "description must be a string."],
  ["an object for a text", "change.start", { ...START, description: {} }, "description must be a string."],
  ["a text for a yes or no", "change.start", { ...START, concurrent: "yes" }, "concurrent must be a boolean."],
  ["a blank text", "change.start", { ...START, description: " \n\t" }, "description must not be blank."],
  ["an empty text", "change.start", { ...START, description: "" }, "description must not be blank."],
  ["a NUL", "change.start", { ...START, description: "a\0b" }, "description must be well-formed Unicode without NUL."],
  [
    "half a pair",
    "change.start",
    { ...START, description: "a\ud800" },
    "description must be well-formed Unicode without NUL.",
  ],
  [
    "too long",
    "change.start",
    { ...START, description: "x".repeat(2001) },
    "description is too long: it has 2001 characters; the limit is 2000.",
  ],
  [
    "far too long",
    "change.advance",
    { content: "x".repeat(262_145) },
    "content is too long: it has 262145 characters; the limit is 262144.",
  ],
  ["a text for a number", "change.list", { limit: "5" }, "limit must be a number."],
  ["a broken number", "change.list", { limit: 1.5 }, "limit must be a whole number."],
  ["too small", "change.list", { limit: 0 }, "limit is too small: at least 1."],
  ["too large", "change.list", { limit: 501 }, "limit is too large: at most 500."],
  ["an unknown one", "change.list", { limits: 5 }, 'Unknown argument "limits". Did you mean "limit"?'],
  ["two unknown ones", "change.list", { a: 1, "b\u0007": 2 }, 'Unknown argument "a". Unknown argument "b\\u0007".'],
  ["one of every object's", "change.list", { constructor: 1 }, 'Unknown argument "constructor".'],
  ["any where none is taken", "workspace.validate", { a: 1 }, 'Unknown argument "a": it takes none.'],
  [
    "two where none is taken",
    "workspace.validate",
    { a: 1, b: 2 },
    'Unknown argument "a": it takes none. Unknown argument "b": it takes none.',
  ],
  [
    "everything at once",
    "change.start",
    { type: "bug", description: " ", concurrent: 1, x: 1 },
    'Unknown type "bug": choose feature, fix, refactor or enhancement. description must not be blank. concurrent must be a boolean. Unknown argument "x".',
  ],
])("%s", async (_, id, input, why) => {
  expect(await check(id, input)).toBe(why);
});

test("rejects an argument named __proto__ as unknown", async () => {
  const input = JSON.parse('{"__proto__":{"limit":5}}') as Record<string, unknown>;
  expect(await check("change.list", input)).toBe('Unknown argument "__proto__".');
  expect(await check("workspace.validate", input)).toBe('Unknown argument "__proto__": it takes none.');
});

test.each([
  ["change.start", {}, "Missing argument `description`.", { sample: { description: "…" } }],
  ["workflow.conflicts", {}, "Missing arguments: `a`, `b`.", { sample: { a: "…", b: "…" } }],
  [
    "change.start",
    { description: "x", typ: "fix" },
    'Unknown argument "typ". Did you mean "type"?',
    { sample: { description: "x" } },
  ],
  ["change.start", { description: "x", type: "feture" }, 'Unknown type "feture".', { input: { type: "feature" } }],
  ["setup.clients", { clients: ["claude-code"] }, 'Unknown client "claude-code".', { input: { clients: ["claude"] } }],
])("a rejected call of %s with %j suggests the call to make", async (id, input, what, call) => {
  const operation = await loadCatalogueOperation(id as "change.start");
  await expect(validateOperationInput(operation, input)).rejects.toThrow(
    expect.objectContaining({
      code: "input.invalid",
      what: expect.stringContaining(what) as string,
      why: "Nothing was changed.",
      fixes: [expect.objectContaining({ operation: id, ...deepContaining(call) })],
    }),
  );
});

const deepContaining = (call: Readonly<Record<string, object>>) =>
  Object.fromEntries(Object.entries(call).map(([key, value]) => [key, expect.objectContaining(value) as object]));

test("accepts an input unchanged or names its problem", async () => {
  const field = fc.oneof(fc.constantFrom("type", "size", "description", "concurrent"), fc.string({ unit: "binary" }));
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("fix", "small", "Fix it", true));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(field, value), async (input) => {
      const result = await check("change.start", input);
      const isRefused = typeof result === "string" && /^(?:[a-z_]+ |Unknown |Missing ).+[.?]$/s.test(result);
      expect(isRefused ? input : result).toEqual(input);
    }),
    { numRuns: 300 },
  );
});
