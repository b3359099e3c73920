import { expect, test } from "vitest";
import { readSource, type Source, sources } from "./source.ts";

/** Modules from the bottom up. A module imports only those before it. */
const RANKS = [
  "kernel",
  "store",
  "git",
  "code",
  "memory",
  "planning",
  "checking",
  "roadmap",
  "running",
  "onboarding",
  "doors",
  "app",
];
const LAYERS = ["model", "operations", "adapters"];

/** Imports that still go against the ranks. Delete a line when its import is gone; never add one. */
const EXCEPTIONS = new Set<string>([]);

/** Packages that compute and do nothing else, so that models may use them. */
const PURE_PACKAGES = new Set([
  "zod/mini",
  "yaml",
  "smol-toml",
  "jsonc-parser",
  "saxes",
  "diff",
  "node-diff3",
  "stemmer",
]);

const findBreaches = (law: (source: Source) => readonly string[]): string[] =>
  sources.flatMap((source) => law(source).map((what) => `${source.path}: ${what}`));

const readModule = (path: string): string => path.split("/")[0] ?? "";

/** The layer of a file inside its module. Doors and the application have none. */
const readLayer = (path: string): string | undefined => LAYERS.find((layer) => path.split("/")[1] === layer);

/** The file an import names, relative to `src/`; undefined for packages and Node's own modules. */
function resolveImport(source: Source, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (!specifier.startsWith(".")) return undefined;
  return new URL(specifier, `file:///${source.path}`).pathname.slice(1);
}

function findRankBreaches(source: Source): string[] {
  const own = readModule(source.path);
  return source.imports.filter((specifier) => {
    const target = resolveImport(source, specifier);
    if (target === undefined || EXCEPTIONS.has(`${source.path} -> ${target}`)) return false;
    const other = readModule(target);
    if (RANKS.indexOf(other) > RANKS.indexOf(own)) return true;
    if (own === "app") return false;
    // Shared file and SQLite code is the kernel's, and only adapters may use it.
    if (other !== own && readLayer(target) === "adapters") return other !== "kernel" || !mayUseAdapters(source.path);
    return (
      other === own && LAYERS.indexOf(readLayer(target) ?? "") > LAYERS.indexOf(readLayer(source.path) ?? "adapters")
    );
  });
}

const mayUseAdapters = (path: string): boolean => readLayer(path) === "adapters" || path.startsWith("doors/hook/");

function findSpellingBreaches(source: Source): string[] {
  // The demo is not part of the product's modules; only the application loads it.
  if (source.path === "app/application-host.ts") return [];
  return source.imports.filter((specifier) => {
    const target = resolveImport(source, specifier);
    // Data that ships lies beside the code.
    if (target?.endsWith(".json")) return false;
    const isOwn = target !== undefined && readModule(target) === readModule(source.path);
    return specifier.startsWith(".") ? !isOwn : specifier.startsWith("#") && isOwn;
  });
}

const CLOCKS = /^(?:Date\.now|new Date|performance|setTimeout|setInterval)(?:\.|$)/;
const OUTSIDE = /^(?:process|console|Math\.random|fetch|globalThis)(?:\.|$)/;
const ASYNCHRONOUS = /^(?:async|await|Promise)(?:\.|$)/;
const PROCESS_EDGE = /^process\.(?:argv|env|exit|exitCode|stdin|stdout|stderr|cwd|on|kill)$|^console/;

function findModelBreaches(source: Source): string[] {
  if (readLayer(source.path) !== "model") return [];
  const packages = source.imports.filter((name) => !/^[.#]/.test(name) && !PURE_PACKAGES.has(name));
  return [...listNames(source, [CLOCKS, OUTSIDE, ASYNCHRONOUS]), ...packages];
}

function findOperationBreaches(source: Source): string[] {
  if (readLayer(source.path) !== "operations") return [];
  const packages = source.imports.filter((name) => !/^[.#]/.test(name) && name !== "zod" && !PURE_PACKAGES.has(name));
  return [...listNames(source, [CLOCKS, OUTSIDE]), ...packages];
}

const listNames = (source: Source, banned: readonly RegExp[]): string[] =>
  [...source.names].filter((name) => banned.some((pattern) => pattern.test(name)));

test("every file belongs to a module and, in a capability, to a layer", () => {
  const isPlaced = ({ path }: Source): boolean =>
    RANKS.includes(readModule(path)) && (["doors", "app"].includes(readModule(path)) || readLayer(path) !== undefined);
  expect(sources.filter((source) => !isPlaced(source)).map(({ path }) => path)).toEqual([]);
});

test("a module imports lower ranks, and of them only models and operations", () => {
  expect(findBreaches(findRankBreaches)).toEqual([]);
});

test("every exception to the ranks is still needed", () => {
  const imports = new Set(
    sources.flatMap((source) =>
      source.imports.map((name) => `${source.path} -> ${resolveImport(source, name) ?? name}`),
    ),
  );
  expect([...EXCEPTIONS].filter((exception) => !imports.has(exception))).toEqual([]);
});

test("the form of an import shows whether it leaves its module", () => {
  expect(findBreaches(findSpellingBreaches)).toEqual([]);
});

test("models are pure and synchronous, and import only pure packages", () => {
  expect(findBreaches(findModelBreaches)).toEqual([]);
});

test("operations reach the world only through ports", () => {
  expect(findBreaches(findOperationBreaches)).toEqual([]);
});

/** Ends only processes that the runner started, also those that left its process group. */
const SENDS_SIGNALS = "checking/adapters/runner/process-containment.ts";

const ENTRY_POINTS = new Set(["app/main.ts", "app/hook-entry.ts", "app/acp-entry.ts"]);

test("only the entry points touch the process", () => {
  const law = (source: Source): string[] => {
    if (ENTRY_POINTS.has(source.path)) return [];
    const mayKill = source.path === SENDS_SIGNALS;
    return [...source.names].filter((name) => PROCESS_EDGE.test(name) && !(mayKill && name === "process.kill"));
  };
  expect(findBreaches(law)).toEqual([]);
});

test("no file only re-exports others", () => {
  expect(findBreaches((source) => (source.isBarrel ? ["is a barrel"] : []))).toEqual([]);
});

test("files are named for a thing, not a kind", () => {
  const kinds =
    /(?:^|\/)(?:utils?|helpers?|common|shared|misc|lib|core|managers?|services?|constants|types|index)(?:\.ts$)/;
  expect(
    sources.map((source) => source.path).filter((path) => kinds.test(path) || !/^[a-z0-9/.-]+$/.test(path)),
  ).toEqual([]);
});

test("prose is an asset, not a string", () => {
  const law = (source: Source): string[] =>
    /\/adapters\/(?:.*sqlite|index-db\/|memory-|observation)/.test(source.path)
      ? []
      : source.strings.filter((text) => text.length > 240);
  expect(findBreaches(law)).toEqual([]);
});

test("zod, the most expensive import, is loaded only by schemas", () => {
  const law = (source: Source): string[] => {
    const isLoaded = /^import (?!type\b).*from "zod"/m.test(source.text);
    return isLoaded && !/(?:\/schema|kernel\/operations\/text-fields)\.ts$/.test(source.path) ? ["loads zod"] : [];
  };
  expect(findBreaches(law)).toEqual([]);
});

/** `git --version` reads no repository, so it runs nothing that a repository brings along. */
const MACHINE = "kernel/adapters/host-machine.ts";
const MAY_START_GIT = new Set(["git/adapters/git-command.ts", MACHINE]);

function findGitStarts(source: Source): string[] {
  if (MAY_START_GIT.has(source.path) || !source.imports.includes("node:child_process")) return [];
  return source.strings.filter((text) => /^git(?:\.exe)?(?:\s|$)/.test(text));
}

test("only one file starts git, so that git runs nothing from a repository", () => {
  expect(findBreaches(findGitStarts)).toEqual([]);
  const machine = sources.find(({ path }) => path === MACHINE);
  expect(machine?.text.match(/spawn\w*\("git"[^)]*/g)?.map((call) => call.replace(/cwd: \w+/, "cwd"))).toEqual([
    'spawnSync("git", ["--version"], { cwd, encoding: "utf8", timeout: 5000 }',
  ]);
});

test.each([
  ['import { spawn } from "node:child_process"; spawn("git", ["status"]);', ["git"]],
  ['const { exec } = await import("node:child_process"); exec("git status");', ["git status"]],
  ['import { spawn } from "node:child_process"; spawn("npm", ["test"]);', []],
])("the law detects starts of git: %s", (text, expected) => {
  expect(findGitStarts(readSource("store/adapters/x.ts", text))).toEqual(expected);
});

test.each([
  ["planning/model/x.ts", 'import fs from "node:fs";', ["node:fs"]],
  ["planning/model/x.ts", 'import "../adapters/x.ts";', ["../adapters/x.ts"]],
  ["planning/model/x.ts", 'import "#checking/model/x.ts";', ["#checking/model/x.ts"]],
  ["planning/model/x.ts", "const x = () => new Date();", ["new Date"]],
  ["planning/model/x.ts", "const x = () => Date.now();", ["Date.now"]],
  ["planning/model/x.ts", 'const x = () => Date.parse("2026-01-31");', []],
  ["planning/operations/x.ts", 'const x = () => import("../adapters/x.ts");', ["../adapters/x.ts"]],
  ["planning/operations/x.ts", 'import "#store/adapters/x.ts";', ["#store/adapters/x.ts"]],
  ["planning/adapters/x.ts", 'export * from "#store/adapters/x.ts";', ["#store/adapters/x.ts"]],
  ["planning/adapters/x.ts", 'import "#kernel/adapters/x.ts";', []],
  ["app/x.ts", 'import "#store/adapters/x.ts";', []],
])("the laws detect %s: %s", (path, text, expected) => {
  const source = readSource(path, text);
  expect([...findRankBreaches(source), ...findModelBreaches(source)]).toEqual(expected);
});
