import { expect, test } from "vitest";
import { readSource, type Source, sources } from "./source.ts";

/** The only files that see every room. */
const ASSEMBLY = new Set(["main.ts", "hook.ts", "assembly.ts", "workspace.ts", "databases.ts"]);

const breaking = (law: (source: Source) => readonly string[]): string[] =>
  sources.flatMap((source) => law(source).map((what) => `${source.path}: ${what}`));

/** `domain`, `operations`, or one adapter such as `adapters/cli`. */
export function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "adapters" ? `${first}/${second}` : first;
}

/** The room an import reaches into; nothing for packages and Node's own modules. */
function targetRoom(source: Source, specifier: string): string | undefined {
  if (specifier.startsWith("#")) return roomOf(specifier.slice(1));
  if (!specifier.startsWith(".")) return undefined;
  return roomOf(new URL(specifier, `file:///${source.path}`).pathname.slice(1));
}

const mayReach: Readonly<Record<string, (room: string) => boolean>> = {
  domain: (room) => room === "domain",
  operations: (room) => room === "domain" || room === "operations",
};

function roomsBroken(source: Source): string[] {
  if (ASSEMBLY.has(source.path)) return [];
  const own = roomOf(source.path);
  const allows = mayReach[own] ?? ((room) => room === own || room === "domain" || room === "operations");
  return source.imports.filter((specifier) => {
    const room = targetRoom(source, specifier);
    return room !== undefined && !allows(room);
  });
}

function spellingBroken(source: Source): string[] {
  if (ASSEMBLY.has(source.path)) return [];
  return source.imports.filter((specifier) => {
    const isOwn = targetRoom(source, specifier) === roomOf(source.path);
    return specifier.startsWith(".") ? !isOwn : specifier.startsWith("#") && isOwn;
  });
}

const PURE =
  /^(?:async|await|Promise|process|console|Date|performance|Math\.random|setTimeout|setInterval|fetch|globalThis)(?:\.|$)/;
const ON_PORTS = /^(?:process|console|Date|performance|Math\.random|setTimeout|setInterval|fetch|globalThis)(?:\.|$)/;
const AT_THE_EDGE = /^process\.(?:argv|env|exit|exitCode|stdin|stdout|stderr|cwd|on|kill)$|^console/;

test("rooms face one way: domain ← operations ← adapters", () => {
  expect(breaking(roomsBroken)).toEqual([]);
});

test("an import shows whether it leaves its room", () => {
  expect(breaking(spellingBroken)).toEqual([]);
});

test("the domain is pure and synchronous, and imports only itself", () => {
  const law = (source: Source): string[] => {
    if (roomOf(source.path) !== "domain") return [];
    return [
      ...[...source.names].filter((name) => PURE.test(name)),
      ...source.imports.filter((name) => !/^[.#]/.test(name)),
    ];
  };
  expect(breaking(law)).toEqual([]);
});

test("operations meet the world only through ports", () => {
  const law = (source: Source): string[] => {
    if (roomOf(source.path) !== "operations") return [];
    const packages = source.imports.filter((name) => !/^[.#]/.test(name) && name !== "zod");
    return [...[...source.names].filter((name) => ON_PORTS.test(name)), ...packages];
  };
  expect(breaking(law)).toEqual([]);
});

/** Signals are for what the runner itself started, which nobody can end otherwise when it got away from its group. */
const SENDS_SIGNALS = "adapters/runner/processes.ts";

test("only main and hook, one for each entry, touch the process", () => {
  const law = (source: Source): string[] => {
    if (source.path === "main.ts" || source.path === "hook.ts") return [];
    const mayKill = source.path === SENDS_SIGNALS;
    return [...source.names].filter((name) => AT_THE_EDGE.test(name) && !(mayKill && name === "process.kill"));
  };
  expect(breaking(law)).toEqual([]);
});

test("no file only hands on what others export", () => {
  expect(breaking((source) => (source.isBarrel ? ["is a barrel"] : []))).toEqual([]);
});

test("files are named for a thing, not a kind", () => {
  const kinds =
    /(?:^|\/)(?:utils?|helpers?|common|shared|misc|lib|core|managers?|services?|constants|types|index)(?:\/|\.ts$)/;
  expect(
    sources.map((source) => source.path).filter((path) => kinds.test(path) || !/^[a-z0-9/.-]+$/.test(path)),
  ).toEqual([]);
});

test("prose is an asset, not a string", () => {
  const law = (source: Source): string[] =>
    /\/(?:sqlite|store\/indexing)\//.test(source.path) ? [] : source.strings.filter((text) => text.length > 240);
  expect(breaking(law)).toEqual([]);
});

test("zod, the dearest import, is loaded only by schemas", () => {
  const law = (source: Source): string[] => {
    const isLoaded = /^import (?!type\b).*from "zod"/m.test(source.text);
    return isLoaded && !/(?:\/schema|operations\/text)\.ts$/.test(source.path) ? ["loads zod"] : [];
  };
  expect(breaking(law)).toEqual([]);
});

/** `git --version` looks at no repository, so nothing that one brings along can be run by it. */
const MAY_START_GIT = new Set(["adapters/source/git.ts", "adapters/workspace/machine.ts"]);

function startsGit(source: Source): string[] {
  if (MAY_START_GIT.has(source.path) || !source.imports.includes("node:child_process")) return [];
  return source.strings.filter((text) => /^git(?:\.exe)?(?:\s|$)/.test(text));
}

test("only one file starts git, so that nothing a repository brings along is run", () => {
  expect(breaking(startsGit)).toEqual([]);
  const machine = sources.find(({ path }) => path === "adapters/workspace/machine.ts");
  expect(machine?.text.match(/spawn\w*\([^)]*/g)).toEqual([
    'spawnSync("git", ["--version"], { cwd: AWAY, encoding: "utf8", timeout: 5000 }',
  ]);
});

test.each([
  ['import { spawn } from "node:child_process"; spawn("git", ["status"]);', ["git"]],
  ['const { exec } = await import("node:child_process"); exec("git status");', ["git status"]],
  ['import { spawn } from "node:child_process"; spawn("npm", ["test"]);', []],
])("the law sees who starts git: %s", (text, expected) => {
  expect(startsGit(readSource("adapters/store/x.ts", text))).toEqual(expected);
});

test.each([
  ["domain/x.ts", 'import fs from "node:fs";', ["node:fs"]],
  ["domain/x.ts", 'import "../adapters/cli/argv.ts";', ["../adapters/cli/argv.ts"]],
  ["domain/x.ts", "const x = () => new Date();", ["Date"]],
  ["operations/x.ts", 'const x = () => import("#adapters/cli/argv.ts");', ["#adapters/cli/argv.ts"]],
  ["adapters/store/x.ts", 'export * from "#adapters/cli/argv.ts";', ["#adapters/cli/argv.ts"]],
])("the laws see through %s: %s", (path, text, expected) => {
  const source = readSource(path, text);
  const pure = [...source.names].filter((name) => PURE.test(name));
  const packages = source.imports.filter((name) => !/^[.#]/.test(name));
  expect([...roomsBroken(source), ...pure, ...packages]).toEqual(expected);
});
