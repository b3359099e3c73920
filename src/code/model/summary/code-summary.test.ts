import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMPONENT_KINDS } from "../index/code-outline.ts";
import { type SummarySubject, deriveSummary, chooseSummary, computeSubjectVersion } from "./code-summary.ts";

const of = (signature: string, name: string, more: Partial<SummarySubject> = {}): string =>
  deriveSummary({ kind: "function", name, signature, ...more });

describe("with a doc comment", () => {
  test.each([
    ["Checks a token.", "Checks a token."],
    ["Checks a token.\nTwice a day.\n\nThe rest is long.", "Checks a token. Twice a day."],
    ["Checks a token.\n@param token the token\n@returns whether", "Checks a token."],
    ["@brief Checks a token.", "Checks a token."],
    ["@spec AUTH-001\nChecks a token.", "Checks a token."],
    ["Checks a token. @spec AUTH-001", "Checks a token."],
    ["Checks a token.\n\nArgs:\n    token: what it is", "Checks a token."],
    ["Check a token\n\nParameters\n----------\ntoken : str", "Check a token"],
    ["# Sessions\n\nKeeps them for an hour.\n\n# Examples\n```rust\nx();\n```", "Keeps them for an hour."],
    ['<summary>\nChecks a <c>token</c> of <see cref="Session"/>.\n</summary>', "Checks a token of Session."],
    ["Asks {@link Store} and [the page](https://example.com/x).", "Asks Store and the page."],
    ["Uses :py:class:`~auth.Store` and ``x``.", "Uses `auth.Store` and `x`."],
    ["=====\n**Bold** words here", "Bold words here"],
    ["Copyright 2026 Somebody.\nAll rights reserved.\n\nChecks tokens.", "Checks tokens."],
    ["eslint-disable no-console", "Function `check(token)`: gives `boolean`."],
    ["@param token the token", "Function `check(token)`: gives `boolean`."],
    ["---", "Function `check(token)`: gives `boolean`."],
    ["検証する。二度。", "検証する。二度。"],
  ])("%j", (doc, expected) => {
    expect(of("function check(token: string): boolean", "check", { doc })).toBe(expected);
  });
});

describe("without a doc comment, from the signature", () => {
  test.each([
    [
      "export async function load(path: string, most = 10): Promise<Text | undefined>",
      "load(path, most)`: gives `Promise<Text | undefined>",
    ],
    ["export const load = async (path: string, { most }: Options): Promise<void> =>", "load(path, …)"],
    ["function load<T extends Record<string, number>>(...all: T[]): void", "load(...all)"],
    ["load?(then: (text: string) => void): this", "load(then)`: gives `this"],
    [
      "async def load(self, path: str, *, most: int = 3, **more) -> dict[str, int]",
      "load(path, most, **more)`: gives `dict[str, int]",
    ],
    ["def load(path, most = 10)", "load(path, most)"],
    [
      "func (s *Session) load(ctx context.Context, names ...string) (Token, error)",
      "load(ctx, names)`: gives `(Token, error)",
    ],
    ["func load[T any](of T, most int) error", "load(of, most)`: gives `error"],
    [
      "pub async fn load<'a>(&self, path: &'a str, mut most: usize) -> Result<Vec<u8>, Error>",
      "load(path, most)`: gives `Result<Vec<u8>, Error>",
    ],
    ["pub(crate) fn load(self)", "load()"],
    [
      "public static List<String> load(final String path, int... most) throws IOException",
      "load(path, most)`: gives `List<String>",
    ],
    [
      "internal async Task<int> load(string path, CancellationToken cancel = default)",
      "load(path, cancel)`: gives `Task<int>",
    ],
    ["static int load(const char *path, size_t most)", "load(path, most)`: gives `int"],
    ["std::vector<int> Session::load(const std::string& path) const noexcept", "load(path)`: gives `std::vector<int>"],
    ["def load(path, most: 10, &block)", "load(path, most, block)"],
    ["public function load(string $path, ?int $most = null): ?array", "load($path, $most)`: gives `?array"],
    ["load", "load"],
    ["", "load"],
    ["function load(", "load"],
    ["function preload(load)", "load"],
  ])("%s", (signature, expected) => {
    expect(of(signature, "load")).toBe(`Function \`${expected}\`.`);
  });

  test.each<[SummarySubject, string]>([
    [
      { kind: "method", name: "login", within: "Session", signature: "login(name: string): Token" },
      "Method `login(name)` of `Session`: gives `Token`.",
    ],
    [{ kind: "class", name: "Session", members: ["login", "logout"] }, "Class `Session` with `login` and `logout`."],
    [
      { kind: "class", name: "Session", members: "abcdefg".split("") },
      "Class `Session` with `a`, `b`, `c`, `d`, `e` and 2 more.",
    ],
    [{ kind: "interface", name: "Store", within: "kept" }, "Interface `Store` of `kept`."],
    [
      { kind: "type", name: "Id", signature: "export type Id = string & { readonly brand: 1 };" },
      "Type `Id`: `string & { readonly brand: 1 }`.",
    ],
    [{ kind: "constant", name: "LIMIT", signature: "const LIMIT: number = 10" }, "Constant `LIMIT`: `10`."],
    [{ kind: "constant", name: "MAX", signature: "pub const MAX: usize" }, "Constant `MAX`: `usize`."],
    [{ kind: "constant", name: "X", signature: "X" }, "Constant `X`."],
    [{ kind: "route", name: "GET /users/:id" }, "Route `GET /users/:id`."],
    [{ kind: "file", name: "src/auth.ts", language: "typescript", members: ["login"] }, "Typescript with `login`."],
    [{ kind: "file", name: "src/a.ts" }, "File in `src/a.ts`."],
    [{ kind: "spec", name: "Log in", doc: "Members log in with a passkey." }, "Log in: Members log in with a passkey."],
    [
      {
        kind: "spec",
        name: "AUTH-001: Log in",
        doc: "schema_version: 2\nid: AUTH-001\ntitle: Log in\nsummary: Members log in\nwith a passkey.\nid: US-1",
      },
      "Members log in with a passkey.",
    ],
    [
      {
        kind: "spec",
        name: "BUG-001: Error 500",
        doc: "schema_version: 2\nid: BUG-001\ndescription: Login answers 500.",
      },
      "Login answers 500.",
    ],
    [
      { kind: "spec", name: "RES-001: Which store?", doc: "schema_version: 2\nid: RES-001\ntopic: Which store?" },
      "RES-001: Which store?",
    ],
    [
      { kind: "doc", name: "AUTH-001", doc: "<!-- AUTO:BEGIN:feature:AUTH-001 -->\n\n# Log in\n\nMembers log in." },
      "AUTH-001: Members log in.",
    ],
    [{ kind: "doc", name: "AUTH-001", doc: "<!-- AUTO:BEGIN:x -->\n<!-- AUTO:END:x -->" }, "AUTH-001"],
    [{ kind: "doc", name: "Install", doc: "Install it with npm." }, "Install it with npm."],
    [{ kind: "doc", name: "Install:", doc: "" }, "Install"],
    [{ kind: "doc", name: "", doc: "" }, "Section"],
    [{ kind: "class", name: "a`b\nc" }, "Class `a'b c`."],
  ])("%j", (subject, expected) => {
    expect(deriveSummary(subject)).toBe(expected);
  });

  test("shortens a long summary", () => {
    const many = Array.from({ length: 30 }, (_, i) => `parameter${i}: string`).join(", ");
    expect(of(`function load(${many}): boolean`, "load")).toBe(
      "Function `load(parameter0, parameter1, parameter2, …)`: gives `boolean`.",
    );
    expect(of(`function load(a: string): ${"Long".repeat(60)}`, "load")).toBe("Function `load`.");
  });
});

test("returns one line of at most 200 characters for any symbol", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme", maxLength: 600 }),
    fc.lorem({ maxCount: 80 }),
  );
  const kind = fc.constantFrom(...COMPONENT_KINDS, "file" as const, "spec" as const, "doc" as const);
  const subject = fc.record({ kind, name: text, within: text, signature: text, doc: text, members: fc.array(text) });
  fc.assert(
    fc.property(subject, (each) => {
      const summary = deriveSummary(each);
      expect(Array.from(summary).length).toBeLessThanOrEqual(200);
      expect(summary).toMatch(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u);
      expect(summary.trim()).toBe(summary);
      expect(summary.isWellFormed()).toBe(true);
    }),
    { numRuns: 500 },
  );
});

const SEEN = computeSubjectVersion({ kind: "class", hash: "now", doc: "Says it." });

test.each([
  ["by hand", { text: "Mine.", hash: "", source: "manual" }, { text: "Mine.", source: "manual" }],
  ["by a model that saw it", { text: "Worded.", hash: SEEN, source: "model" }, { text: "Worded.", source: "model" }],
  ["by an agent that saw it", { text: "Worded.", hash: SEEN, source: "agent" }, { text: "Worded.", source: "agent" }],
  ["of other code", { text: "Worded.", hash: "other", source: "model" }, { text: "Says it.", source: "itself" }],
  ["without an author", undefined, { text: "Says it.", source: "itself" }],
] as const)("reads the summary of %s", (_, kept, expected) => {
  expect(chooseSummary({ kind: "class", name: "A", doc: "Says it.", hash: "now" }, kept)).toEqual(expected);
});

test.each<[string, Parameters<typeof computeSubjectVersion>[0], boolean]>([
  ["a component with another doc comment", { kind: "class", hash: "now", doc: "Says that." }, false],
  ["a component with other code", { kind: "class", hash: "then", doc: "Says it." }, false],
  ["the same component", { kind: "class", hash: "now", doc: "Says it." }, true],
])("%s", (_, subject, isSame) => {
  expect(computeSubjectVersion(subject) === SEEN).toBe(isSame);
});
