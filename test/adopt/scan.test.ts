import { overridePort } from "../kit/override-port.ts";
import { expect, test } from "vitest";
import { renderMcpPage } from "#doors/mcp/mcp-render.ts";
import { MCP_TOOLS } from "#doors/mcp/tool-table.ts";
import { countTokens } from "#kernel/adapters/token-count.ts";
import { loadCatalogueOperation } from "#doors/catalogue.ts";
import type { Engine } from "#doors/engine.ts";
import { git } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { ask, fixture, LANGUAGES, repositoryOf } from "./repository.ts";

interface Answer {
  readonly files: number;
  readonly read: number;
  readonly findings: readonly {
    readonly section: string;
    readonly text: string;
    readonly evidence?: string;
    readonly confidence?: string;
  }[];
  readonly omitted: number;
}

const scan = (root: string, input: object = {}): Promise<Answer> => ask<Answer>(root, "adopt.scan", input);
const CEILINGS = [...Array.from({ length: 60 }, (_, i) => 50 + i), 200, 500, 1_000, 2_000, 4_000];

/** The files do not change meanwhile, and are read once for all ceilings. */
function looksOnce(engine: Engine): Engine {
  const files = engine.source.files();
  const texts = new Map<string, Promise<string | undefined>>();
  const masked = new Map<string, ReturnType<Engine["secrets"]["mask"]>>();
  const kept = <T>(map: Map<string, T>, key: string, make: () => T): T => {
    const value = map.get(key) ?? make();
    map.set(key, value);
    return value;
  };
  return {
    ...engine,
    source: overridePort(engine.source, {
      files: () => files,
      text: (path) => kept(texts, path, () => engine.source.text(path)),
    }),
    secrets: { mask: (text) => kept(masked, text, () => engine.secrets.mask(text)) },
  };
}

test.each(LANGUAGES)("%s: keeps every ceiling from 50 tokens, as text and as data", async (name) => {
  using repository = fixture(name);
  using tenon = testHouse(repository.path);
  const engine = looksOnce(await tenon.house.open({}));
  const operation = await loadCatalogueOperation("adopt.scan");
  for (const detail_level of ["summary", "full"]) {
    for (const max_tokens of CEILINGS) {
      const output = await operation.run(engine, { detail_level, max_tokens });
      const costs = [JSON.stringify(output), renderMcpPage(operation.page(output), MCP_TOOLS)].map(countTokens);
      expect({ max_tokens, over: costs.filter((cost) => cost > max_tokens) }).toEqual({ max_tokens, over: [] });
    }
  }
});

test.each(LANGUAGES)("%s: counts the findings that it leaves out, and writes nothing", async (name) => {
  using repository = fixture(name);
  const all = await scan(repository.path, { detail_level: "full", max_tokens: 100_000 });
  expect(all.omitted).toBe(0);
  for (const input of [{ detail_level: "summary" }, { max_tokens: 300 }, { detail_level: "full", max_tokens: 700 }]) {
    const some = await scan(repository.path, input);
    expect(some.findings.length + some.omitted).toBe(all.findings.length);
  }
  const sections = (await scan(repository.path, { max_tokens: 600 })).findings.map(({ section }) => section);
  expect(new Set(sections).size).toBeGreaterThan(4);
  expect(git(repository.path, "status", "--porcelain", "--ignored")).toBe("");
});

test("limits a scan to its folder and depth", async () => {
  using repository = fixture("typescript-express");
  const all = { detail_level: "full", max_tokens: 100_000 };
  const evidence = async (input: object): Promise<string[]> =>
    (await scan(repository.path, { ...all, ...input })).findings.flatMap((found) => found.evidence ?? []);
  expect((await evidence({ scan_path: "src" })).filter((link) => !link.startsWith("src/"))).toEqual([]);
  expect(await evidence({ scan_path: "./src/" })).toEqual(await evidence({ scan_path: "src" }));
  expect(await evidence({ scan_path: "." })).toEqual(await evidence({}));
  expect((await evidence({ max_depth: 1 })).filter((link) => link.includes("/"))).toEqual([]);
  const below = await evidence({ scan_path: "src", max_depth: 1 });
  expect(new Set(below.map((link) => link.split(":")[0]))).toEqual(new Set(["src/server.ts"]));
});

test("uses a manifest above the scanned folder", async () => {
  using repository = fixture("typescript-express");
  const { findings } = await scan(repository.path, { scan_path: "src/routes", detail_level: "full" });
  const routes = findings.filter(({ section }) => section === "routes");
  expect(routes.map(({ confidence }) => confidence)).toEqual(routes.map(() => "high"));
  expect(findings.filter(({ section }) => section === "manifests")).toEqual([]);
});

test.each([
  ["..", "input.invalid"],
  ["../x", "input.invalid"],
  ["src/../..", "input.invalid"],
  ["src\\..\\..", "input.invalid"],
  ["/etc", "input.invalid"],
  ["C:\\", "input.invalid"],
  ["nowhere", "adopt.nothing-there"],
  ["sr", "adopt.nothing-there"],
])("rejects the scan path %s with %s", async (path, fault) => {
  using repository = fixture("rust-axum");
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("adopt", "scan", path);
  expect([code, err.slice(0, fault.length + 8)]).toEqual([fault.startsWith("input") ? 2 : 1, `error[${fault}]:`]);
});

test("leaves ignored, foreign and generated files alone, and reports it", async () => {
  const route = 'import express from "express";\nconst app = express();\napp.get("/leak", show);\n';
  using repository = repositoryOf({
    ".gitignore": "secret/\n",
    "secret/app.js": route,
    "vendor/app.js": route,
    "dist/app.js": route,
    "node_modules/x/app.js": route,
    "app.min.js": route,
    "package-lock.json": "{}",
    "deep/er/and/deeper.js": route.replace("leak", "kept"),
    "picture.png": new Uint8Array([137, 80, 78, 71, 0, 255]),
  });
  const { findings } = await scan(repository.path);
  expect(findings.filter(({ section }) => section === "routes").map(({ text }) => text)).toEqual([
    "route GET /kept = show [express]",
  ]);
  expect(findings.filter(({ section }) => section === "skipped").map(({ text }) => text)).toEqual([
    "2 files: not source, first .gitignore",
    "1 file: lock file, first package-lock.json",
    "1 file: generated, first app.min.js",
    "3 files: vendored or built, first dist/app.js",
  ]);
});
