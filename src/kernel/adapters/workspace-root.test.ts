import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Fault } from "../model/fault.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/kit/folder.ts";
import { findWorkspaceRoot, type RootRequest } from "./workspace-root.ts";

/** A folder with repositories `one` and `two`, the workspace `plain` without git, an `empty` folder and a `home`. */
function world(): TemporaryFolder {
  const folder = temporaryFolder();
  for (const path of ["one/.git", "one/src/deep", "two/.git", "plain/sdd", "plain/docs", "empty/deep", "home/code"]) {
    fs.mkdirSync(join(folder.path, path), { recursive: true });
  }
  fs.writeFileSync(join(folder.path, "file"), "");
  return folder;
}

type Said = { readonly [key in keyof RootRequest]?: RootRequest[key] };

/** The root relative to the world, or the code of the fault. Paths are said relative to the world, too. */
function find(
  base: string,
  { argument, environment, clientRoots, cwd = "empty", home = "home", mayBegin }: Said,
): string {
  try {
    const found = findWorkspaceRoot({
      argument,
      environment,
      clientRoots: clientRoots?.map((root) => join(base, root)),
      cwd: join(base, cwd),
      home: join(base, home),
      ...(mayBegin === undefined ? {} : { mayBegin }),
    });
    return found.replace(base, "");
  } catch (error) {
    if (error instanceof Fault) return error.message.replaceAll(base, "");
    throw error;
  }
}

test.each<[string, Said, string]>([
  [
    "an argument comes first",
    { argument: "../one", environment: "../two", clientRoots: ["plain"], cwd: "plain" },
    "/one",
  ],
  ["TENON_WORKSPACE comes second", { environment: "../two", clientRoots: ["plain"], cwd: "one" }, "/two"],
  ["the folder that the client has open comes third", { clientRoots: ["plain"], cwd: "one" }, "/plain"],
  ["the current folder comes last", { clientRoots: [], cwd: "one" }, "/one"],
  ["an argument is relative to the current folder", { argument: ".", cwd: "one/src" }, "/one/src"],
  ["an argument names the workspace itself, not a folder inside it", { argument: "../one/src/deep" }, "/one/src/deep"],
])("follows the order: %s", (_, said, expected) => {
  using folder = world();
  expect(find(folder.path, said)).toBe(expected);
});

test.each<[string, Said, string]>([
  ["the folder itself", { cwd: "one" }, "/one"],
  ["a folder above", { cwd: "one/src/deep" }, "/one"],
  ["a folder with sdd and without git", { cwd: "plain/docs" }, "/plain"],
  ["above a folder that the client has open", { clientRoots: ["one/src/deep"] }, "/one"],
  ["the first of several that the client has open", { clientRoots: ["two", "one"] }, "/two"],
  ["the first open folder that is a workspace", { clientRoots: ["empty", "gone", "one"] }, "/one"],
  ["the current folder, if the client has none open", { clientRoots: [], cwd: "two" }, "/two"],
])("finds the nearest parent: %s", (_, said, expected) => {
  using folder = world();
  expect(find(folder.path, said)).toBe(expected);
});

test("uses the folder that the client has open, even before it is a workspace", () => {
  using folder = world();
  const said: Said = { clientRoots: ["empty"], cwd: "two" };
  expect(find(folder.path, said)).toMatch(/^There is no workspace here\. Neither .*\/empty nor/);
  expect(find(folder.path, { ...said, mayBegin: true })).toBe("/empty");
});

test("takes a link to a workspace for the workspace", () => {
  using folder = world();
  fs.symlinkSync("one", join(folder.path, "link"));
  expect([find(folder.path, { argument: "../link" }), find(folder.path, { cwd: "link/src" })]).toEqual([
    "/one",
    "/one",
  ]);
});

const HOME = "It is a home folder or the root of the file system, and you did not name it.";

test.each<[string, Said]>([
  ["because it is the current folder", { cwd: "home" }],
  ["above the current folder", { cwd: "home/code" }],
  ["above a folder that the client has open", { clientRoots: ["home/code"] }],
  ["through a link", { cwd: "home/code", home: "link" }],
  ["even where a workspace may begin", { cwd: "home", mayBegin: true }],
])("never guesses a home folder %s", (_, said) => {
  using folder = world();
  fs.mkdirSync(join(folder.path, "home/.git"));
  fs.symlinkSync("home", join(folder.path, "link"));
  expect(find(folder.path, said)).toBe(`/home is not used as a workspace. ${HOME}`);
});

test.each<[string, Said]>([
  ["as an argument", { argument: "../home" }],
  ["in TENON_WORKSPACE", { environment: "../home" }],
])("accepts a home folder that is named %s", (_, said) => {
  using folder = world();
  expect(find(folder.path, said)).toBe("/home");
});

test("never guesses the root of the file system", () => {
  expect(find("", { cwd: "/", home: "/nowhere", mayBegin: true })).toBe(`/ is not used as a workspace. ${HOME}`);
});

test("offers a folder without a workspace only to commands that create one", () => {
  using folder = world();
  expect([find(folder.path, { mayBegin: true }), find(folder.path, { cwd: "empty/deep", mayBegin: true })]).toEqual([
    "/empty",
    "/empty/deep",
  ]);
  expect(find(folder.path, {})).toBe(
    "There is no workspace here. Neither /empty nor a folder above it has sdd/ or .git.",
  );
});

test.each<[string, Said, string]>([
  ["missing", { argument: "../gone" }, `"/gone" cannot be the workspace. There is no such folder.`],
  [
    "missing in TENON_WORKSPACE",
    { environment: "../gone" },
    `"/gone" cannot be the workspace. There is no such folder.`,
  ],
  ["no folder", { argument: "../file" }, `"/file" cannot be the workspace. It is not a folder.`],
  ["below a file", { argument: "../file/x" }, `"/file/x" cannot be the workspace. The system reported ENOTDIR.`],
  ["a git folder", { argument: "../one/.git" }, `"/one/.git" cannot be the workspace. It belongs to git.`],
])("reports a named folder that is %s, without a fallback", (_, said, expected) => {
  using folder = world();
  expect(find(folder.path, { cwd: "one", ...said })).toBe(expected);
});
