import { expect, test } from "vitest";
import { findSpanForLine } from "../index/code-outline.ts";
import { type TraceLocation, collectTraceLocations } from "./trace-locations.ts";
import {
  isUnknownId,
  type TraceableItem,
  type TraceableIds,
  isMissingCriterion,
  parseTraceReference,
} from "./traceable-ids.ts";
import {
  groupServingLocations,
  buildTraceMatrix,
  listUntracedTestFiles,
  suggestTraceIds,
  findSpecGaps,
  findOrphanTags,
} from "./trace-matrix.ts";
import { createTestNameReader } from "./id-mentions.ts";

const NOWHERE = { code: [], tests: [], docs: [], decisions: [] };
const known = (id: string, more: Partial<TraceableItem> = {}): TraceableItem => ({
  id,
  kind: "feature",
  title: `Title of ${id}`,
  path: `sdd/specs/${id}.yaml`,
  line: 1,
  status: "implemented",
  criteria: [
    { id: "AC-1", text: "one" },
    { id: "AC-2", text: "two" },
  ],
  trace: NOWHERE,
  ...more,
});
const idsOf = (all: readonly TraceableItem[], features?: readonly string[]): TraceableIds => ({
  ids: new Map(all.map((each) => [each.id, each])),
  ...(features ? { features: new Set(features) } : {}),
});
const carrier = (said: string, path: string, more: Partial<TraceLocation> = {}): TraceLocation => ({
  ...(parseTraceReference(said) ?? { spec: said }),
  by: "tag",
  path,
  line: 1,
  isTest: false,
  ...more,
});
const inTest = (said: string, name: string): TraceLocation =>
  carrier(said, "tests/a.test.ts", { isTest: true, test: name });

test.each([
  ["AUTH-001", { spec: "AUTH-001" }],
  ["AUTH-001.AC-2", { spec: "AUTH-001", criterion: "AC-2" }],
  ["FR-001", { spec: "FR-001" }],
  ["user-login", { spec: "user-login" }],
  ["user-login.S1.AC2", { spec: "user-login", criterion: "S1.AC2" }],
  ["auth_001", undefined],
  ["AUTH-01", undefined],
  ["AUTH-001.AC2", undefined],
  ["AUTH-001.S1.AC2", undefined],
  ["src/a.ts", undefined],
  ["", undefined],
])("reads %j as %j", (text, said) => {
  expect(parseTraceReference(text)).toEqual(said);
});

test("assigns a tag to the test around it, or to the one just below", () => {
  const cases = [
    { name: "a", line: 10, lastLine: 20 },
    { name: "a > b", line: 12, lastLine: 14 },
    { name: "c", line: 30, lastLine: 30 },
  ];
  expect([6, 7, 10, 13, 16, 21, 26, 27, 31].map((line) => findSpanForLine(cases, line)?.name)).toEqual([
    undefined,
    "a",
    "a",
    "a > b",
    "a",
    undefined,
    undefined,
    "c",
    undefined,
  ]);
});

test("counts a test once that names an id in its title and in a tag, and ignores fixtures", () => {
  const tag = { spec: "AUTH-001", criterion: "AC-1", by: "tag" as const, isTest: true };
  const tests = [
    { path: "tests/a.test.ts", name: "AUTH-001 AC-1: opens", line: 4, lastLine: 6 },
    { path: "tests/a.test.ts", name: "AUTH-001 AC-2: refuses", line: 8, lastLine: 9 },
    { path: "src/lib.rs", name: "tests > opens", line: 20, lastLine: 22 },
  ];
  const tags = [
    { ...tag, path: "tests/a.test.ts", line: 3 },
    { ...tag, path: "tests/fixtures/b.ts", line: 1 },
    { ...tag, path: "src/lib.rs", line: 19, isTest: false },
    { ...tag, path: "src/lib.rs", line: 2, isTest: false, ref: "open" },
  ];
  const found = collectTraceLocations({ tags, tests }, createTestNameReader(["AUTH-001"]));
  expect(
    found.map(({ path, line, criterion, by, isTest, test: name }) => [path, line, criterion, by, isTest, name]),
  ).toEqual([
    ["src/lib.rs", 2, "AC-1", "tag", false, undefined],
    ["src/lib.rs", 19, "AC-1", "tag", true, "tests > opens"],
    ["tests/a.test.ts", 3, "AC-1", "tag", true, "AUTH-001 AC-1: opens"],
    ["tests/a.test.ts", 8, "AC-2", "name", true, "AUTH-001 AC-2: refuses"],
  ]);
});

test("counts locations in the matrix, and a criterion once a test names it", () => {
  const carriers = [
    carrier("AUTH-001", "src/a.ts", { ref: "login" }),
    carrier("AUTH-001.AC-1", "src/a.ts", { ref: "login", line: 3 }),
    carrier("AUTH-001.AC-2", "src/b.ts"),
    inTest("AUTH-001.AC-1", "opens"),
    inTest("AUTH-001.AC-1", "opens twice"),
    carrier("FR-001", "src/a.ts"),
  ];
  const docs = new Map([["AUTH-001", ["docs/a.md"]]]);
  const all = [
    known("FR-001", { kind: "requirement", criteria: [] }),
    known("AUTH-001", { trace: { ...NOWHERE, docs: ["docs/a.md#codes", "docs/b.md"] } }),
    known("API-001", { criteria: [] }),
  ];
  const rows = buildTraceMatrix(all, groupServingLocations(carriers, docs));
  expect(
    rows.map(({ id, criteria, covered, code, tests, docs: told }) => [id, criteria, covered, code, tests, told]),
  ).toEqual([
    ["API-001", 0, 0, 0, 0, 0],
    ["AUTH-001", 2, 1, 2, 2, 2],
    ["FR-001", 0, 0, 1, 0, 0],
  ]);
});

test("suggests the id that an orphaned tag means", () => {
  const ids = idsOf([known("AUTH-001"), known("BUG-001", { kind: "bug", criteria: undefined as never })]);
  const tags = [
    carrier("AUTH-001.AC-2", "src/a.ts"),
    carrier("AUTH-002", "src/a.ts", { line: 7 }),
    carrier("AUTH-001.AC-9", "src/a.ts", { line: 8 }),
    carrier("ZZZZ-999", "src/a.ts", { line: 9 }),
    carrier("BUG-001.AC-5", "src/a.ts"),
    carrier("login.S1.AC1", "src/a.ts"),
  ];
  expect(findOrphanTags(tags, ids).map(({ id, problem, due }) => [id, problem, due])).toEqual([
    ["AUTH-002", "src/a.ts:7: nothing defines AUTH-002, but there is AUTH-001.", true],
    ["AUTH-001.AC-9", "src/a.ts:8: AUTH-001 has no AC-9; it has AC-1, AC-2.", true],
    ["ZZZZ-999", "src/a.ts:9: nothing defines ZZZZ-999.", true],
  ]);
});

test("judges roadmap features only where there is a roadmap", () => {
  const said = { spec: "login", criterion: "S1.AC1" };
  expect([
    isUnknownId(idsOf([]), said),
    isUnknownId(idsOf([], []), said),
    isUnknownId(idsOf([], ["login"]), said),
  ]).toEqual([false, true, false]);
  expect(isMissingCriterion(idsOf([], ["login"]), said)).toBe(false);
});

const there = (path: string): boolean => path.startsWith("src/");
const EMPTY = { code: [], tests: [], docs: [] };
const WHOLE = {
  code: [carrier("AUTH-001", "src/a.ts")],
  tests: [inTest("AUTH-001.AC-1", "a"), inTest("AUTH-001.AC-2", "b")],
  docs: ["docs/a.md"],
};

test.each<[string, Partial<TraceableItem>, typeof EMPTY | typeof WHOLE, string[]]>([
  ["requires nothing from a draft", { status: "draft" }, EMPTY, []],
  ["requires nothing from research", { kind: "research", status: "done" }, EMPTY, []],
  ["requires nothing from a requirement", { kind: "requirement", status: "done" }, EMPTY, []],
  ["finds no gap in a spec with code and tests", {}, WHOLE, []],
  [
    "finds every gap of a spec without code",
    {},
    EMPTY,
    ["no-code AUTH-001", "no-tests AUTH-001", "untested AUTH-001.AC-1", "untested AUTH-001.AC-2", "no-docs AUTH-001"],
  ],
  [
    "marks the gaps of an accepted spec as not due yet",
    { status: "specified" },
    EMPTY,
    [
      "(no-code AUTH-001)",
      "(no-tests AUTH-001)",
      "(untested AUTH-001.AC-1)",
      "(untested AUTH-001.AC-2)",
      "(no-docs AUTH-001)",
    ],
  ],
  ["finds a criterion without a test", {}, { ...WHOLE, tests: WHOLE.tests.slice(1) }, ["untested AUTH-001.AC-1"]],
  ["requires code and a test for a bug", { kind: "bug" }, EMPTY, ["no-code AUTH-001", "no-tests AUTH-001"]],
  ["accepts a document that the spec names", { trace: { ...NOWHERE, docs: ["src/a.md"] } }, { ...WHOLE, docs: [] }, []],
  [
    "finds a named location that no longer exists",
    { trace: { ...NOWHERE, code: ["lib/a.ts:15", "src/a.ts:1"] } },
    WHOLE,
    ["stale AUTH-001"],
  ],
])("%s", (_, more, carried, expected) => {
  const told = findSpecGaps(known("AUTH-001", more), carried, there);
  expect(told.map(({ kind, id, due }) => (due ? `${kind} ${id}` : `(${kind} ${id})`))).toEqual(expected);
});

test("lists tests without an id, the largest files first", () => {
  const tests = ["a", "b", "b", "c"].map((path) => ({ path }));
  expect(listUntracedTestFiles(tests, [carrier("AUTH-001", "c")])).toEqual([
    { path: "b", tests: 2 },
    { path: "a", tests: 1 },
  ]);
});

test("suggests the closest ids, then their family", () => {
  const ids = idsOf([known("AUTH-001"), known("AUTH-014"), known("PAY-001")], ["login"]);
  expect([
    suggestTraceIds("AUTH-015", ids),
    suggestTraceIds("PAYY-001", ids),
    suggestTraceIds("logon", ids),
    suggestTraceIds("Q-1", ids),
  ]).toEqual([["AUTH-014", "AUTH-001"], ["PAY-001"], ["login"], []]);
});

test("keeps a spec that cannot be read without judging its criteria", () => {
  const broken: TraceableItem = {
    id: "AUTH-001",
    path: "sdd/specs/AUTH-001.yaml",
    kind: "feature",
    line: 1,
    title: "",
    trace: NOWHERE,
  };
  expect(isMissingCriterion(idsOf([broken]), { spec: "AUTH-001", criterion: "AC-9" })).toBe(false);
  expect(findSpecGaps(broken, EMPTY, there)).toEqual([]);
});
