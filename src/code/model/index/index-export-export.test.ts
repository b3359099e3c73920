import { parse } from "yaml";
import { expect, test } from "vitest";
import { classifyDocumentPath, type IndexExportData, formatIndexExport, EXPORT_LIMITS } from "./index-export.ts";

const EMPTY: IndexExportData = {
  generated: "2026-01-31T12:00:00Z",
  tool: "1.0.0",
  components: [],
  specs: [],
  docs: [],
  code: [],
  queries: [],
  changes: [],
  all: { components: 0, specs: 0, docs: 0, code: 0 },
};

const component = (path: string, ref: string, line: number, uses: readonly string[] = []) => ({
  key: `${path}#${ref}`,
  kind: "function",
  path,
  ref,
  line,
  summary: `What ${ref} does.`,
  uses,
});

const MATERIAL: IndexExportData = {
  ...EMPTY,
  project: "my-app",
  components: [
    component("src/db/users.ts", "users", 3),
    component("src/auth/login.ts", "login", 15, ["src/db/users.ts#users", "src/gone.ts#gone"]),
  ],
  specs: [
    {
      id: "AUTH-001",
      title: "User Login",
      status: "complete",
      summary: "Members log in.",
      trace: {
        code: ["src/auth/login.ts:15"],
        tests: ["tests/login.test.ts:8"],
        docs: ["docs/60-features/AUTH-001.md"],
      },
    },
  ],
  docs: [{ path: "docs/10-architecture/ARCHITECTURE.md", summary: "Three tiers.", updated: "2026-01-30T10:00:00Z" }],
  code: [{ path: "src/auth/login.ts", summary: "Logging in.", specs: ["AUTH-001"] }],
  queries: [
    {
      question: "how does authentication work",
      answer: 'By "login": see AUTH-001.',
      sources: ["src/auth/login.ts#login", "AUTH-001"],
      at: "2026-01-31T12:00:00Z",
    },
  ],
  changes: [
    {
      timestamp: "2026-01-31T11:00:00Z",
      hash: "a3f5c7e0a3f5c7e0a3f5c7e0a3f5c7e0a3f5c7e0",
      message: "feat(AUTH-001, BUG-042): log in",
      files: [{ path: "src/auth/login.ts" }],
      insertions: 45,
      deletions: 2,
      specs: ["AUTH-001", "BUG-042"],
    },
  ],
  all: { components: 12, specs: 1, docs: 1, code: 4 },
};

test("has the documented shape", () => {
  expect(parse(formatIndexExport(MATERIAL))).toEqual({
    meta: {
      generated: "2026-01-31T12:00:00Z",
      version: "2.0",
      schema_version: 2,
      tool: "tenon 1.0.0",
      project_name: "my-app",
      left_out: { components: 10, specs: 0, docs: 0, code: 3 },
    },
    components: [
      {
        id: "comp-auth-login",
        type: "function",
        path: "src/auth/login.ts:15",
        summary: "What login does.",
        dependencies: ["comp-db-users"],
      },
      {
        id: "comp-db-users",
        type: "function",
        path: "src/db/users.ts:3",
        summary: "What users does.",
        dependencies: [],
      },
    ],
    specs: [
      {
        id: "AUTH-001",
        title: "User Login",
        status: "complete",
        summary: "Members log in.",
        trace: {
          code: ["src/auth/login.ts:15"],
          tests: ["tests/login.test.ts:8"],
          docs: ["docs/60-features/AUTH-001.md"],
        },
      },
    ],
    docs: [
      {
        path: "docs/10-architecture/ARCHITECTURE.md",
        type: "architecture",
        summary: "Three tiers.",
        last_updated: "2026-01-30T10:00:00Z",
      },
    ],
    code: [{ path: "src/auth/login.ts", components: ["comp-auth-login"], specs: ["AUTH-001"], summary: "Logging in." }],
    queries: {
      "how does authentication work": {
        answer: 'By "login": see AUTH-001.',
        sources: ["comp-auth-login", "AUTH-001"],
        last_updated: "2026-01-31T12:00:00Z",
      },
    },
    changes: [
      {
        timestamp: "2026-01-31T11:00:00Z",
        commit_hash: "a3f5c7e0a3f5",
        message: "feat(AUTH-001, BUG-042): log in",
        files_changed: ["src/auth/login.ts"],
        insertions: 45,
        deletions: 2,
        spec_id: "AUTH-001",
        spec_ids: ["AUTH-001", "BUG-042"],
      },
    ],
  });
});

test("has the same keys for an empty repository", () => {
  expect(Object.entries(parse(formatIndexExport(EMPTY)) as object).map(([key, value]) => [key, value])).toEqual([
    ["meta", expect.objectContaining({ project_name: null })],
    ["components", []],
    ["specs", []],
    ["docs", []],
    ["code", []],
    ["queries", {}],
    ["changes", []],
  ]);
});

test("stays small, and counts the items that it leaves out", () => {
  const many = Array.from({ length: 5000 }, (_, i) => component(`src/a${i}.ts`, "run", 1));
  const { components, meta } = parse(
    formatIndexExport({ ...EMPTY, components: many, all: { ...EMPTY.all, components: 9000 } }),
  ) as {
    components: unknown[];
    meta: { left_out: Record<string, number> };
  };
  expect([components.length, meta.left_out["components"]]).toEqual([EXPORT_LIMITS.components, 8700]);
});

test.each(["a: b", "no", "1e3", "- x", "\u001b[2J\u0085\u2028\ufeff", "#", "a\nb", '"', "{}", "\ud800"])(
  "reports text such as %j unchanged",
  (text) => {
    const question = { question: text, answer: text, sources: [text], at: text };
    const { queries } = parse(formatIndexExport({ ...EMPTY, queries: [question] })) as {
      queries: Record<string, unknown>;
    };
    expect(queries).toEqual({ [text]: { answer: text, sources: [text], last_updated: text } });
  },
);

test.each([
  ["README.md", "overview"],
  ["docs/60-features/AUTH-001.md", "feature"],
  ["docs/guide/memory.md", "guide"],
  ["docs/adr/0001-x.md", "decision"],
  ["docs/50-api/users.md", "api"],
  ["docs/notes.md", "other"],
])("%s is a %s", (path, type) => {
  expect(classifyDocumentPath(path)).toBe(type);
});
