import { expect, test } from "vitest";
import {
  type SummaryCandidate,
  selectSummaryCandidates,
  type SummaryFilter,
  groupMemberNames,
  createComponentSubject,
  createFileSubject,
  createTextSubject,
} from "./summary-subject.ts";

const component = (
  path: string,
  name: string,
  kind: "function" | "class" | "constant",
  isExported = true,
): SummaryCandidate => ({
  ...createComponentSubject({
    kind,
    name,
    within: "",
    signature: "",
    doc: "",
    line: 3,
    hash: "h",
    isExported,
    path,
    ref: name,
    isTest: false,
  }),
  isExported,
});

const ALL: readonly SummaryCandidate[] = [
  component("src/auth.ts", "LIMIT", "constant"),
  component("src/auth.ts", "hidden", "function", false),
  component("src/auth.ts", "login", "function"),
  component("src/auth-more.ts", "Session", "class"),
  { ...createFileSubject({ path: "src/auth.ts", hash: "h", doc: "", language: "typescript" }), isExported: true },
  {
    ...createTextSubject({
      kind: "spec",
      key: "AUTH-001",
      path: "sdd/specs/AUTH-001.yaml",
      line: 1,
      title: "Log in",
      text: "",
      hash: "h",
    }),
    isExported: true,
  },
  {
    ...createTextSubject({
      kind: "doc",
      key: "docs/a.md#b",
      path: "docs/a.md",
      line: 1,
      title: "B",
      text: "",
      hash: "h",
    }),
    isExported: true,
  },
];

test.each<[SummaryFilter, string[]]>([
  [
    {},
    [
      "src/auth-more.ts#Session",
      "src/auth.ts#login",
      "src/auth.ts",
      "AUTH-001",
      "docs/a.md#b",
      "src/auth.ts#LIMIT",
      "src/auth.ts#hidden",
    ],
  ],
  [{ type: "components", path: "src/auth.ts" }, ["src/auth.ts#login", "src/auth.ts#LIMIT", "src/auth.ts#hidden"]],
  [{ type: "code" }, ["src/auth.ts"]],
  [{ type: "specs" }, ["AUTH-001"]],
  [{ type: "docs", path: "./docs/" }, ["docs/a.md#b"]],
  [{ path: "src/auth" }, []],
  [{ path: ".", type: "code" }, ["src/auth.ts"]],
  [{ key: "AUTH-001" }, ["AUTH-001"]],
])("%j", (meant, keys) => {
  expect(selectSummaryCandidates(ALL, meant).map(({ key }) => key)).toEqual(keys);
});

test("names each inner symbol once, exported ones first", () => {
  const at = (within: string, name: string, isExported: boolean) => ({
    kind: "method" as const,
    name,
    within,
    signature: "",
    doc: "",
    line: 1,
    hash: "",
    isExported,
    path: "a.ts",
    ref: name,
    isTest: false,
  });
  expect([
    ...groupMemberNames([at("A", "x", false), at("A", "y", true), at("A", "y", true), at("", "A", true)]),
  ]).toEqual([
    ["A", ["y", "x"]],
    ["", ["A"]],
  ]);
});
