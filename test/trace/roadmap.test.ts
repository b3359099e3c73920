import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sealRecord } from "#store/adapters/record-seal.ts";
import { parseFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  type FeatureRecord,
  createFeatureRecord,
  applyAcceptedDesign,
  applyCompletedImplementation,
} from "#roadmap/model/feature/feature-record.ts";
import { DESIGN, RESEARCH } from "../kit/feature.ts";
import { type TraceStand, traceStand } from "./stand.ts";

const AT = "2026-01-31T12:00:00Z";
const NAME = parseFeatureName("user-login");
const BEGUN = createFeatureRecord(NAME, "Users log in", "en", AT);
const DESIGNED = applyAcceptedDesign(BEGUN, { hash: "d", files: [], basis: {} }, AT);
const BUILT = applyCompletedImplementation(DESIGNED, { hash: "i", files: ["src/login.ts"] }, AT);

const CODE = {
  "src/login.ts": "/** AC: user-login.S1.AC1 */\nexport const login = (name: string): boolean => name !== '';\n",
  "src/login.test.ts": [
    'import { test } from "vitest";',
    "// AC: user-login.S1.AC1, S1.AC2",
    'test("lets users in", () => {});',
    "// AC: user-login.S2.AC9",
    'test("user login works", () => {});',
    "// AC: user-logn.S1.AC1",
    'test("user login is fine", () => {});',
    "",
  ].join("\n"),
  "tests/test_other.py": "def test_user_login_works():\n    assert True\n",
};

const road = (record: FeatureRecord, more: Readonly<Record<string, string>> = {}): Promise<TraceStand> =>
  traceStand({
    "sdd/features/user-login/spec.yaml": sealRecord(record, "yaml"),
    "sdd/features/user-login/design.md": DESIGN,
    "sdd/features/user-login/research.md": RESEARCH,
    ...CODE,
    ...more,
  });

type Problems = { kind: string; id: string; due: boolean; problem: string }[];
const listTraceLines = (answer: Readonly<Record<string, unknown>>): string[] =>
  ((answer["problems"] ?? []) as Problems).map(
    ({ kind, due, problem }) => `${due ? "due" : "later"} ${kind}: ${problem}`,
  );

const ORPHANS = [
  "due orphan: src/login.test.ts:4: user-login has no S2.AC9; it has S1.AC1, S1.AC2, S2.AC1.",
  "due orphan: src/login.test.ts:6: nothing defines user-logn, but there is user-login.",
];

test("shows a roadmap feature in the matrix, with its gaps", async () => {
  using it = await road(BUILT);
  const { specs, ...all } = await it.run("trace.show");
  expect(specs).toEqual([
    {
      id: "user-login",
      kind: "roadmap",
      title: "Users log in",
      status: "implemented",
      criteria: 3,
      covered: 2,
      code: 1,
      tests: 2,
      docs: 0,
    },
  ]);
  expect(listTraceLines(all)).toEqual([
    ...ORPHANS,
    "due untested: No test names user-login.S2.AC1: say AC: user-login.S2.AC1 in the one that shows it, or just above.",
    "due stale: The design of user-login names src/sessions.test.ts, which does not exist.",
    "due stale: The design of user-login names src/sessions.ts, which does not exist.",
  ]);
});

test.each<[string, FeatureRecord, string[]]>([
  ["was only started", BEGUN, ORPHANS],
  [
    "is designed",
    DESIGNED,
    [
      ...ORPHANS,
      "later untested: No test names user-login.S2.AC1: say AC: user-login.S2.AC1 in the one that shows it, or just above.",
    ],
  ],
])("requires no more of a feature that %s", async (_, record, problems) => {
  using it = await road(record);
  expect(listTraceLines(await it.run("trace.show"))).toEqual(problems);
});

test("follows a criterion to its code and tests", async () => {
  using it = await road(BUILT);
  expect(await it.run("trace.show", { id: "user-login.S1.AC1" })).toMatchObject({
    subject: { kind: "roadmap", status: "implemented", path: "sdd/features/user-login/design.md" },
    criteria: [{ id: "S1.AC1", tests: ["src/login.test.ts: lets users in"] }],
    code: [{ path: "src/login.ts", by: "marker" }],
    tests: [{ path: "src/login.test.ts", test: "lets users in" }],
    due: 2,
  });
  await expect(it.run("trace.show", { id: "user-login.S1.AC3" })).rejects.toMatchObject({
    code: "trace.unknown-id",
    why: "Its criteria are S1.AC1, S1.AC2, S2.AC1.",
  });
});

test("reports no criteria before there is a design", async () => {
  using it = await road(BEGUN);
  fs.rmSync(join(it.root, "sdd/features/user-login/design.md"));
  expect(listTraceLines(await it.run("trace.show"))).toEqual(ORPHANS.slice(1));
});

test("a damaged record and a senseless design block no other feature", async () => {
  using it = await road(BUILT, {
    "sdd/features/user-login/spec.yaml": "torn",
    "sdd/features/other/design.md": "# Nothing\n",
    "sdd/features/Odd Name/design.md": "# Nothing\n",
  });
  const { specs } = await it.run("trace.show");
  expect((specs as { id: string; criteria: number }[]).map(({ id, criteria }) => [id, criteria])).toEqual([
    ["other", 0],
    ["user-login", 3],
  ]);
});

test("accepted code drifts when it or its criterion changes", async () => {
  using it = await road(BUILT);
  await it.accept("user-login.S1.AC1");
  expect(await it.spoken()).toEqual([]);
  it.write("src/login.ts", CODE["src/login.ts"].replace("!== ''", "!== 'nobody'"));
  expect(await it.spoken({ id: "user-login.S1.AC1" })).toEqual(["high changed user-login.S1.AC1 src/login.ts#login"]);
  it.write("src/login.ts", CODE["src/login.ts"]);
  it.write("sdd/features/user-login/design.md", DESIGN.replace("answers with a session", "begins a session"));
  expect(await it.spoken({ id: "user-login.S1.AC1" })).toEqual(["medium spec-changed user-login.S1.AC1"]);
});
