import { afterAll, beforeAll, expect, test } from "vitest";
import type * as z from "zod";
import type { ImpactShowOutput } from "#code/operations/trace/schema.ts";
import { traceStand, type TraceStand } from "./stand.ts";

type Impact = z.infer<typeof ImpactShowOutput>;

const FILES = {
  "src/token.ts": `/** @spec AUTH-001 */
export function signToken(text: string): string {
  return hashed(text);
}

function hashed(text: string): string {
  return text + text;
}

export const unusedLimit = 3;
`,
  "src/session.ts": `import { signToken } from "./token.ts";

export class Session {
  /** @spec AUTH-002.AC-1 */
  begin(): string {
    return signToken("begin");
  }
}
`,
  "src/app.ts": `import { Session } from "./session.ts";

export function main(): string {
  return new Session().begin();
}
`,
  "src/types.ts": 'import type { signToken } from "./token.ts";\n\nexport type Signs = typeof signToken;\n',
  "src/ping.ts":
    'import { pong } from "./pong.ts";\n\nexport function ping(n: number): number {\n  return pong(n);\n}\n',
  "src/pong.ts":
    'import { ping } from "./ping.ts";\n\nexport function pong(n: number): number {\n  return ping(n);\n}\n',
  "tests/token.test.ts": `import { signToken } from "../src/token.ts";

// @spec AUTH-001.AC-1
test("signs", () => expect(signToken("a")).toBe("aa"));
`,
  "tests/app.test.ts": `import { main } from "../src/app.ts";

test("begins", () => expect(main()).toBe("beginbegin"));
`,
  "docs/tokens.md": "# Tokens\n\nEach is made by `signToken`.\n\n## Other\n\nNothing of it.\n",
  "docs/auth.md": "# Log in\n\nAs AUTH-001 has it, and not AUTH-0010.\n",
};

let it: TraceStand;
beforeAll(async () => {
  it = await traceStand(FILES);
}, 60_000);
afterAll(() => it[Symbol.dispose]());

const impact = async (of: string, more = {}): Promise<Impact> =>
  (await it.run("trace.impact", { of, ...more })) as unknown as Impact;
const listReached = ({ reached }: Impact): string[] =>
  reached.map(({ kind, name, by, depth, via }) => [kind, name, by, depth, via && `< ${via}`].filter(Boolean).join(" "));

test("follows a symbol to callers, tests, requirements and documents, nearest first", async () => {
  const found = await impact("src/token.ts#signToken");
  expect(listReached(found)).toEqual([
    "dependent src/session.ts#Session.begin call 1 < src/token.ts#signToken",
    "dependent src/types.ts import 1 < src/token.ts#signToken",
    "test tests/token.test.ts#signs tag",
    "test tests/token.test.ts import 1 < src/token.ts#signToken",
    "test tests/app.test.ts import 3 < src/app.ts#main",
    "requirement AUTH-001 < src/token.ts#signToken",
    "requirement AUTH-002.AC-1 1 < src/session.ts#Session.begin",
    "doc docs/tokens.md#tokens < signToken",
    "dependent src/app.ts#main call 2 < src/session.ts#Session.begin",
  ]);
  expect(found).toMatchObject({ dependents: 3, requirements: 2, tests: 3, docs: 1, is_cut: false, omitted: 0 });
});

test("follows a requirement to everything that its code reaches", async () => {
  expect(listReached(await impact("AUTH-001", { depth: 1 }))).toEqual([
    "symbol src/token.ts#signToken",
    "dependent src/session.ts#Session.begin call 1 < src/token.ts#signToken",
    "dependent src/types.ts import 1 < src/token.ts#signToken",
    "test tests/token.test.ts#signs tag",
    "test tests/token.test.ts import 1 < src/token.ts#signToken",
    "requirement AUTH-002.AC-1 1 < src/session.ts#Session.begin",
    "doc docs/auth.md#log-in < AUTH-001",
  ]);
});

test("follows a private symbol only to its callers in the file", async () => {
  expect(listReached(await impact("src/token.ts#hashed", { depth: 1 }))).toEqual([
    "dependent src/token.ts#signToken call 1 < src/token.ts#hashed",
    "requirement AUTH-001 1 < src/token.ts#signToken",
  ]);
});

test("lists circular callers once", async () => {
  expect(listReached(await impact("src/ping.ts#ping", { depth: 20 }))).toEqual([
    "dependent src/pong.ts#pong call 1 < src/ping.ts#ping",
  ]);
});

test("follows a file to its importers", async () => {
  expect(listReached(await impact("./src/app.ts"))).toEqual(["test tests/app.test.ts import 1 < src/app.ts"]);
});

test.each([
  ["AUTH-009", "trace.nothing-there"],
  ["src/nowhere.ts", "trace.unknown-path"],
  ["../../etc/passwd", "trace.unknown-path"],
  ["src/token.ts#signTokens", "trace.unknown-symbol"],
])("rejects %s as unknown: %s", async (of, code) => {
  await expect(impact(of)).rejects.toMatchObject({ code });
});

test("resolves a unique symbol without its file", async () => {
  expect((await impact("Session.begin")).of).toBe("src/session.ts#Session.begin");
  expect(await impact("signToken")).toEqual(await impact("src/token.ts#signToken"));
  await expect(impact("signTokn")).rejects.toMatchObject({
    what: 'No file or symbol "signTokn".',
    why: "Did you mean src/token.ts#signToken?",
    fixes: [{ operation: "trace.impact", input: { of: "src/token.ts#signToken" } }],
  });
});

test("lists the symbols that match a name that is not unique", async () => {
  it.write("src/other-token.ts", "export const hashed = (text: string): string => text;\n");
  await expect(impact("hashed")).rejects.toMatchObject({
    code: "trace.ambiguous-symbol",
    message: '2 symbols match "hashed". They are src/other-token.ts#hashed, src/token.ts#hashed.',
    fixes: [
      { operation: "trace.impact", input: { of: "src/other-token.ts#hashed" } },
      { operation: "trace.impact", input: { of: "src/token.ts#hashed" } },
    ],
  });
  it.write("src/other-token.ts", "");
});

test("keeps the ceiling and counts what it leaves out", async () => {
  const found = await impact("src/token.ts#signToken", { max_tokens: 250 });
  expect(found.reached.length + found.omitted).toBe(9);
  expect(found.omitted).toBeGreaterThan(0);
  expect(found.reached[0]?.name).toBe("src/session.ts#Session.begin");
});

test("prints a table on the command line", async () => {
  const { code, out } = await it.tenon.run("impact", "src/ping.ts");
  expect([code, out]).toMatchInlineSnapshot(`
    [
      0,
      "A change to src/ping.ts reaches 1 dependent, 0 requirements, 0 tests, 0 documents.

    	what	how	steps
    dependent	src/pong.ts	imports it	1

    - Found by names and imports in the syntax; dynamic calls are not found.
    ",
    ]
  `);
});
