import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { matchCommand } from "#doors/cli/command-table.ts";
import { CI_EXAMPLES } from "#checking/model/ci/ci-findings.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { BIN, environment, tenon } from "../kit/process.ts";
import { put } from "../kit/repository.ts";

const getFile = (name: string): string => {
  using folder = temporaryFolder();
  return tenon(["ci", "example", name], { cwd: folder.path }).out;
};

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }>
  >;
}
interface PreCommit {
  readonly repos: readonly {
    readonly hooks: readonly { readonly entry: string; readonly [name: string]: unknown }[];
  }[];
}

test("prints the example file with existing commands only", () => {
  const { jobs } = parse(getFile("github")) as Workflow;
  const { repos } = parse(getFile("pre-commit")) as PreCommit;
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const entries = repos.flatMap(({ hooks }) => hooks.map(({ entry }) => entry));
  const served = getFile("pre-receive").match(/\btenon ci [^)\n]+/g) ?? [];
  const commands = [...runs, ...entries, ...served].filter((line) => line.startsWith("tenon "));
  expect(commands.map((line) => matchCommand(line.split(" ").slice(1))?.command.operation)).toEqual([
    "ci.run",
    "ci.run",
    "ci.run",
  ]);
  const { version } = JSON.parse(fs.readFileSync("package.json", "utf8")) as { version: string };
  expect(runs).toContain(`npm install --global --ignore-scripts ./.github/tenon-${version}.tgz`);
});

test("the guide contains the examples", () => {
  const guide = fs.readFileSync("docs/guide/ci.md", "utf8");
  for (const [name, path] of Object.entries(CI_EXAMPLES)) {
    expect(guide).toContain(`tenon ci example ${name}`);
    expect(guide).toContain(path);
  }
});

test("the pre-commit hook, run by git, passes a sound commit and stops an unsound one", () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  const root = repository.path;
  const [hook] = (parse(getFile("pre-commit")) as PreCommit).repos.flatMap(({ hooks }) => hooks);
  // What pre-commit makes of an entry of the system's own: it is run as it stands, without the names of files.
  expect(hook).toEqual(expect.objectContaining({ language: "system", pass_filenames: false, always_run: true }));
  put(folder.path, "tenon", `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  fs.chmodSync(join(folder.path, "tenon"), 0o755);
  put(root, ".git/hooks/pre-commit", `#!/bin/sh\nexec ${hook?.entry}\n`);
  fs.chmodSync(join(root, ".git/hooks/pre-commit"), 0o755);
  const commit = (path: string, text: string): [number | null, string] => {
    put(root, path, text);
    git(root, "add", path);
    const env = environment({ PATH: `${folder.path}:${process.env["PATH"]}` });
    const done = spawnSync("git", ["commit", "-qm", path], { cwd: root, env, encoding: "utf8" });
    return [done.status, /^.*checks.*$/m.exec(done.stdout + done.stderr)?.[0] ?? done.stderr];
  };
  expect(commit(".gitignore", ".sdd/\n")).toEqual([0, "All 4 checks pass."]);
  expect(commit("src/a.js", "// @spec AUTH-007\nexport const a = 1;\n")).toEqual([1, "1 of 4 checks fail: trace."]);
  expect(commit("src/a.js", "export const a = 1;\n")).toEqual([0, "All 4 checks pass."]);
  expect(git(root, "log", "--format=%s")).toBe("src/a.js\n.gitignore\n");
});

test("the hook of a git server refuses a push whose tests fail in a clean clone, and accepts an honest one", () => {
  using repository = temporaryRepository();
  using server = temporaryFolder();
  using folder = temporaryFolder();
  const root = repository.path;
  put(root, ".gitignore", ".sdd/\n");
  put(root, "package.json", '{ "type": "module", "scripts": { "test": "node --test" } }\n');
  put(root, "src/one.js", "export const one = 1;\n");
  const code =
    'import assert from "node:assert";\nimport test from "node:test";\nimport { one } from "../src/one.js";\n\n';
  put(root, "test/one.test.js", `${code}test("is one", () => assert.equal(one, 1));\n`);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  const { hash } = JSON.parse(tenon(["trust", "--json"], { cwd: root }).out) as { hash: string };
  git(server.path, "init", "-q", "--bare");
  git(server.path, "symbolic-ref", "HEAD", "refs/heads/main");
  put(folder.path, "tenon", `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  fs.chmodSync(join(folder.path, "tenon"), 0o755);
  put(server.path, "hooks/pre-receive", getFile("pre-receive"));
  fs.chmodSync(join(server.path, "hooks/pre-receive"), 0o755);
  const push = (): [boolean, string] => {
    const own = { PATH: `${folder.path}:${process.env["PATH"]}`, TENON_TRUST: hash };
    const words = ["push", "-q", server.path, "HEAD:main"];
    const done = spawnSync("git", words, { cwd: root, env: environment(own), encoding: "utf8" });
    return [done.status === 0, done.stderr];
  };
  expect(push()[0]).toBe(true);
  put(root, "src/one.js", "export const one = 2;\n");
  git(root, "commit", "-qam", "Break it");
  expect(push()).toEqual([false, expect.stringContaining("error run: tests: test/one.test.js: is one")]);
  put(root, "src/one.js", "export const one = 1;\n// One.\n");
  git(root, "commit", "-qam", "Fix it");
  expect(push()[0]).toBe(true);
});
