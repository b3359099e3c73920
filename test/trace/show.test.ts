import { afterAll, beforeAll, expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import type { Stand } from "../workflow/stand.ts";
import { FILES, traceGround } from "./ground.ts";

let it: Stand;
beforeAll(async () => {
  it = await traceGround();
});
afterAll(() => it[Symbol.dispose]());

const show = (input: Readonly<Record<string, unknown>> = {}) => it.run("trace.show", input);

test("follows an id to everything that carries it", async () => {
  const { problems, ...found } = await show({ id: "AUTH-001" });
  expect(found).toEqual({
    id: "AUTH-001",
    due: 3,
    refused: false,
    subject: {
      kind: "feature",
      title: "Second factor at login",
      status: "implemented",
      path: "sdd/specs/AUTH-001.yaml",
      line: 1,
    },
    criteria: [
      {
        id: "AC-1",
        text: "Given a user with a second factor, when the right code is given, then the session begins",
        tests: ["tests/login.test.ts: lets the right code in"],
      },
      {
        id: "AC-2",
        text: "Given a user with a second factor, when a wrong code is given three times, then login is locked for 15 minutes",
        tests: [],
      },
    ],
    code: [
      expect.objectContaining({ id: "AUTH-001", path: "src/login.ts", by: "tag", key: "src/login.ts#Session" }),
      expect.objectContaining({ id: "AUTH-001.AC-1", path: "src/login.ts", by: "tag" }),
      expect.objectContaining({ id: "AUTH-001.AC-7", path: "src/lost.ts", by: "tag" }),
    ],
    tests: [{ id: "AUTH-001.AC-1", path: "tests/login.test.ts", line: 3, by: "tag", test: "lets the right code in" }],
    docs: [{ path: "docs/login.md", line: 3 }],
    decisions: [{ ref: "ADR-0001", path: "sdd/adrs/ADR-0001-codes.md", title: "Codes of six digits" }],
    commits: [],
    receipts: [],
    workflows: [],
    omitted: 0,
  });
  expect((problems as { problem: string }[]).map(({ problem }) => problem)).toEqual([
    "src/lost.ts:3: AUTH-001 has no AC-7; it has AC-1, AC-2.",
    "No test names AUTH-001.AC-2: say @spec AUTH-001.AC-2 in the one that shows it, or just above.",
    "trace.code of AUTH-001 names src/gone.ts, which does not exist.",
  ]);
});

test("follows a criterion by itself", async () => {
  const { criteria, code, tests, problems } = await show({ id: "AUTH-001.AC-1" });
  expect([
    (criteria as { id: string }[]).map(({ id }) => id),
    (code as { id: string }[]).map(({ id }) => id),
    (tests as { test: string }[]).map(({ test: name }) => name),
    (problems as { problem: string }[]).map(({ problem }) => problem),
  ]).toEqual([
    ["AC-1"],
    ["AUTH-001.AC-1"],
    ["lets the right code in"],
    ["trace.code of AUTH-001 names src/gone.ts, which does not exist."],
  ]);
});

test("lists commits that name it, newest first, and counts the rest", async () => {
  const said = (subject: string): void => void git(it.root, "commit", "-q", "--allow-empty", "-m", subject);
  for (let i = 1; i <= 22; i++) said(`feat(AUTH-002): step ${i}`);
  said("Lock it after three\n\nSpec: AUTH-002.AC-2");
  said("feat(AUTH-0022): something else");
  const { commits, older_commits } = await show({ id: "AUTH-002" });
  const subjects = (commits as { subject: string; hash: string; date: string }[]).map(({ subject }) => subject);
  expect([subjects.length, subjects[0], subjects[1], older_commits]).toEqual([
    20,
    "Lock it after three",
    "feat(AUTH-002): step 22",
    3,
  ]);
  const one = (await show({ id: "AUTH-002.AC-2" }))["commits"] as { subject: string }[];
  expect(one.map(({ subject }) => subject)).toEqual(["Lock it after three"]);
});

test("follows a requirement of the project like other ids", async () => {
  const { subject, code, docs } = await show({ id: "FR-001" });
  expect([subject, (code as { path: string }[]).map(({ path }) => path), docs]).toEqual([
    { kind: "requirement", title: "People log in with a code", path: "sdd/requirements.md", line: 5 },
    ["src/login.ts"],
    [],
  ]);
});

test("shows the ids of a file and their tests", async () => {
  const { serves, tests, path } = await show({ path: "./src/login.ts" });
  expect([
    path,
    (serves as { id: string; title: string }[]).map(({ id, title }) => [id, title]),
    (tests as { id: string }[]).map(({ id }) => id),
  ]).toEqual([
    "src/login.ts",
    [
      ["AUTH-001", "Second factor at login"],
      ["FR-001", "People log in with a code"],
      ["AUTH-001.AC-1", "Second factor at login"],
    ],
    ["AUTH-001.AC-1"],
  ]);
});

test.each([
  [
    { path: "src/login.ts", symbol: "leave" },
    [
      ["AUTH-001", "around"],
      ["FR-001", "around"],
    ],
  ],
  [
    { path: "src/login.ts#login" },
    [
      ["AUTH-001.AC-1", "itself"],
      ["AUTH-001", "around"],
      ["FR-001", "around"],
    ],
  ],
  [
    { path: "src/login.ts:5" },
    [
      ["AUTH-001.AC-1", "itself"],
      ["AUTH-001", "around"],
      ["FR-001", "around"],
    ],
  ],
  [
    { path: "login.ts", symbol: "login" },
    [
      ["AUTH-001.AC-1", "itself"],
      ["AUTH-001", "around"],
      ["FR-001", "around"],
    ],
  ],
  [{ path: "src/plain.ts" }, []],
])("finds for %j the ids %j", async (input, expected) => {
  const { serves } = await show(input);
  expect((serves as { id: string; from: string }[]).map(({ id, from }) => [id, from])).toEqual(expected);
});

test("shows the matrix and every problem", async () => {
  const { specs, problems, aimless, totals, due } = await show();
  const rows = specs as Record<string, unknown>[];
  expect(
    rows.map((row) => [
      row["id"],
      row["status"],
      row["covered"],
      row["criteria"],
      row["code"],
      row["tests"],
      row["docs"],
    ]),
  ).toEqual([
    ["AUTH-001", "implemented", 1, 2, 3, 1, 1],
    ["AUTH-002", "specified", 0, 2, 0, 0, 0],
    ["AUTH-003", "draft", 0, 2, 0, 0, 0],
    ["FR-001", undefined, 0, 0, 1, 0, 0],
  ]);
  expect(
    (problems as { id: string; kind: string; due: boolean }[]).map((each) => [each.kind, each.id, each.due]),
  ).toEqual([
    ["orphan", "AUTH-009", true],
    ["orphan", "AUTH-001.AC-7", true],
    ["untested", "AUTH-001.AC-2", true],
    ["stale", "AUTH-001", true],
    ["no-code", "AUTH-002", false],
    ["no-tests", "AUTH-002", false],
    ["untested", "AUTH-002.AC-1", false],
    ["untested", "AUTH-002.AC-2", false],
    ["no-docs", "AUTH-002", false],
  ]);
  expect([aimless, totals, due]).toEqual([
    [{ path: "tests/plain.test.ts", tests: 2 }],
    { aimless_tests: 2, code_files: 3, untagged_files: 1 },
    4,
  ]);
});

test("fails for problems with --strict, with an exit code", async () => {
  expect([(await show({ strict: true }))["refused"], (await show())["refused"]]).toEqual([true, false]);
  expect([(await show({ id: "AUTH-002", strict: true }))["refused"]]).toEqual([false]);
  const [strict, plain] = [await it.tenon.run("trace", "--strict"), await it.tenon.run("trace")];
  expect([strict.code, plain.code]).toEqual([3, 0]);
  expect(plain.out).toMatch(/^Trace of 4 ids\. 4 problems\.\n/);
  const { code, out } = await it.tenon.run("trace", "AUTH-001", "--json");
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ id: "AUTH-001", due: 3, omitted: 0 })]);
});

test.each([
  [{ id: "auth-001" }, "trace.unknown-id", /defines auth-001/, { id: "AUTH-001" }],
  [{ id: "AUTH-001.AC-9" }, "trace.unknown-id", /Its criteria are AC-1, AC-2\./, { id: "AUTH-001" }],
  [{ id: "what is it" }, "trace.unknown-id", /Ids look like/, undefined],
  [{ id: "login" }, "trace.unknown-id", /defines login/, undefined],
  [{ path: "src/logn.ts" }, "trace.unknown-path", /Did you mean "src\/login.ts"/, { path: "src/login.ts" }],
  [{ path: "../outside.ts" }, "trace.unknown-path", /files that git tracks/, undefined],
  [{ path: "src/login.ts", symbol: "logn" }, "trace.unknown-symbol", /Did you mean "login"/, { path: "src/login.ts" }],
  [{ id: "AUTH-001", path: "src/login.ts" }, "input.invalid", /a separate trace/, { id: "AUTH-001" }],
  [{ symbol: "login" }, "input.missing", /needs the file that defines it/, { path: "…", symbol: "login" }],
])("%j is %s", async (input, code, why, next) => {
  const fault = (await show(input).then(
    () => undefined,
    (error: unknown) => error,
  )) as { code: string; why: string; fixes: { input?: Record<string, unknown> }[] } | undefined;
  expect([fault?.code, fault?.why]).toEqual([code, expect.stringMatching(why)]);
  expect({ ...fault?.fixes[0]?.input }).toMatchObject({ ...next });
});

test("shows an id that no spec defines as a problem", async () => {
  const { code, problems, due } = await show({ id: "AUTH-009" });
  expect([(code as { id: string }[]).map(({ id }) => id), due]).toEqual([["AUTH-009"], 1]);
  expect((problems as { problem: string }[])[0]?.problem).toMatch(/nothing defines AUTH-009/);
});

test("traces a path that is given as the id", async () => {
  const [id, path] = [await show({ id: "src/login.ts" }), await show({ path: "src/login.ts" })];
  expect(id).toEqual(path);
  expect(await it.tenon.run("trace", "src/login.ts")).toEqual(await it.tenon.run("trace", "--path", "src/login.ts"));
});

test("reads an edit at once, whatever the index has", async () => {
  it.write("src/late.ts", "// @spec AUTH-003\nexport const late = 1;\n");
  const before = ((await show({ id: "AUTH-003" }))["code"] as unknown[]).length;
  it.write("src/late.ts", "export const later = 1;\n");
  expect([before, ((await show({ id: "AUTH-003" }))["code"] as unknown[]).length]).toEqual([1, 0]);
});

test("works without git", async () => {
  using bare = await traceGround({ "src/late.ts": "" }, false);
  const { due } = await bare.run("trace.show");
  expect(due).toBe(4);
});

test("follows markers of the roadmap, and judges them once there is a roadmap", async () => {
  using road = await traceGround({ "tests/road.test.ts": '// AC: user-login.S1.AC2\ntest("a", () => {});\n' });
  const found = await road.run("trace.show", { id: "user-login.S1.AC2" });
  expect([(found["tests"] as { by: string }[]).map(({ by }) => by), found["due"]]).toEqual([["marker"], 0]);
  road.write("sdd/features/other/design.md", "x\n");
  await expect(road.run("trace.show", { id: "user-login" })).resolves.toMatchObject({ due: 1 });
  const { problems } = await road.run("trace.show");
  expect((problems as { problem: string }[])[2]?.problem).toBe("tests/road.test.ts:1: nothing defines user-login.");
});

test("escapes control characters of untrusted files", async () => {
  const evil = String.raw`\u001b[31mred\u202e`;
  using hostile = await traceGround({
    "sdd/specs/AUTH-004.yaml": (FILES["sdd/specs/AUTH-003.yaml"] ?? "")
      .replaceAll("AUTH-003", "AUTH-004")
      .replace("Second factor at login", `"x ${evil}"`),
  });
  const { out } = await hostile.tenon.run("trace");
  expect(out).toContain(`x ${evil}`);
  expect(["\u001b", "\u202e"].filter((mark) => out.includes(mark))).toEqual([]);
});
