import fs from "node:fs";
import { dirname, join } from "node:path";
import { git } from "../kit/folder.ts";

/** What a vector writes with, and what it tries to have run. */
export interface Ground {
  readonly root: string;
  /** A line for a shell that leaves the canary. */
  readonly line: string;
  /** A program that does the same. */
  readonly program: string;
  /** The same in JavaScript and in Python. */
  readonly js: string;
  readonly python: string;
}

/** One way in which a repository could have something run. */
export interface Vector {
  readonly name: string;
  readonly plant: (ground: Ground) => void;
  /** What sets it off by nature, as a line for a shell in the repository, where the tool for it is at hand. */
  readonly trigger?: string;
}

export function put({ root }: Ground, path: string, text: string, mode = 0o644): void {
  const file = join(root, path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  fs.chmodSync(file, mode);
}

export const json = (ground: Ground, path: string, value: unknown): void =>
  put(ground, path, JSON.stringify(value, null, 2));

/** Adds to what others planted there. */
export function append({ root }: Ground, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.appendFileSync(join(root, path), text);
}

/** Adds scripts to those that others planted. */
export function scripts(ground: Ground, more: Readonly<Record<string, string>>): void {
  const file = join(ground.root, "package.json");
  const old = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as { scripts?: object }) : {};
  json(ground, "package.json", { name: "evil", version: "1.0.0", ...old, scripts: { ...old.scripts, ...more } });
}

export const config =
  (...keys: readonly string[]) =>
  ({ root, program }: Ground): void =>
    keys.forEach((key) => void git(root, "config", "--add", key, program));

export const executable =
  (...paths: readonly string[]) =>
  (ground: Ground): void =>
    paths.forEach((path) => put(ground, path, `#!/bin/sh\n${ground.line}\n`, 0o755));

/** The same text in several places. */
export const copies =
  (of: "js" | "python", ...paths: readonly string[]) =>
  (ground: Ground): void =>
    paths.forEach((path) => put(ground, path, ground[of]));

/** Several at once. */
export const all =
  (...plants: readonly Vector["plant"][]): Vector["plant"] =>
  (ground) =>
    plants.forEach((plant) => plant(ground));

export function groundOf(root: string, cage: string, name: string): Ground {
  const canary = join(cage, name.replace(/\W+/g, "-"));
  const program = `${canary}.sh`;
  const line = `touch ${canary}.alive`;
  fs.writeFileSync(program, `#!/bin/sh\n${line}\n`);
  fs.chmodSync(program, 0o755);
  return {
    root,
    line,
    program,
    js: `process.getBuiltinModule("node:fs").writeFileSync("${canary}.alive", "");\n`,
    python: `open("${canary}.alive", "w").close()\n`,
  };
}

/** The canaries that something set free. */
export const alarms = (cage: string): string[] => fs.readdirSync(cage).filter((name) => name.endsWith(".alive"));
