import { spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TrustGrant } from "../../model/stack/trusted-surface.ts";
import { refusal } from "../../../../test/kit/fault.ts";
import { temporaryFolder } from "../../../../test/kit/folder.ts";
import { createTrustStore, type TrustedCheckout } from "./trust-store.ts";

const GRANTED: TrustGrant = {
  surface: {
    hash: "a".repeat(64),
    commands: [".: test vitest [] $ vitest run"],
    settings: [],
    files: [{ path: "package.json", hash: "b".repeat(64) }],
  },
  at: "2026-01-31T12:00:00Z",
  passes: ["DATABASE_URL"],
};

const MAIN: TrustedCheckout = { root: "/repo", main: "/repo", repository: "/repo/.git" };
const WORKTREE: TrustedCheckout = { root: "/repo-one", main: "/repo", repository: "/repo/.git" };

/** One process's view of a data folder, with what it told the user. */
function open(dataFolder: string, place: TrustedCheckout = MAIN) {
  const told: string[] = [];
  const trust = createTrustStore({
    dataFolder,
    place,
    newId: () => crypto.randomUUID(),
    notice: (text) => void told.push(text),
  });
  return { ...trust, told };
}

/** The only file that was written. */
function fileIn(dataFolder: string): string {
  const [only = "", ...others] = fs.readdirSync(join(dataFolder, "trust"));
  expect(others).toEqual([]);
  return join(dataFolder, "trust", only);
}

test("shows a grant to the next process until it is revoked", async () => {
  using folder = temporaryFolder();
  expect(await open(folder.path).granted()).toBeUndefined();
  expect(fs.readdirSync(folder.path)).toEqual([]);
  await open(folder.path).grant(GRANTED);
  expect(await open(folder.path).granted()).toEqual(GRANTED);
  const again = { ...GRANTED, passes: [], at: "2026-02-01T12:00:00Z" };
  await open(folder.path).grant(again);
  expect(await open(folder.path).granted()).toEqual(again);
  await open(folder.path).revoke();
  expect([await open(folder.path).granted(), fs.readdirSync(join(folder.path, "trust"))]).toEqual([undefined, []]);
});

test("only the user can read the trust file, whatever the mode of the folder was", async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, "deep/data");
  await open(data).grant(GRANTED);
  const modes = [join(data, "trust"), fileIn(data)].map((path) => (fs.statSync(path).mode & 0o777).toString(8));
  expect(modes).toEqual(["700", "600"]);
});

test.each<[string, TrustedCheckout]>([
  ["another folder", { root: "/other", main: "/other", repository: "/other/.git" }],
  ["another folder with the same git folder", { root: "/other", main: "/other", repository: "/repo/.git" }],
  ["the same folder with another git folder", { ...MAIN, repository: "/other/.git" }],
  ["the same folder without git", { ...MAIN, repository: "" }],
  ["a worktree of another main checkout", { root: "/repo-one", main: "/other", repository: "/repo/.git" }],
])("does not trust %s", async (_, place) => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  const other = open(folder.path, place);
  expect([await other.granted(), other.told]).toEqual([undefined, []]);
});

test("uses the trust of its repository in a worktree until the worktree has its own", async () => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  expect(await open(folder.path, WORKTREE).granted()).toEqual(GRANTED);
  const own = { ...GRANTED, passes: [] };
  await open(folder.path, WORKTREE).grant(own);
  expect([await open(folder.path).granted(), await open(folder.path, WORKTREE).granted()]).toEqual([GRANTED, own]);
  await open(folder.path, WORKTREE).revoke();
  expect([await open(folder.path).granted(), await open(folder.path, WORKTREE).granted()]).toEqual([
    undefined,
    undefined,
  ]);
});

test("ignores a trust file that was copied to a different name", async () => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  const source = fileIn(folder.path);
  const other: TrustedCheckout = { root: "/evil", main: "/evil", repository: "/evil/.git" };
  await open(folder.path, other).grant(GRANTED);
  const target = fs.readdirSync(join(folder.path, "trust")).find((name) => !source.endsWith(name)) ?? "";
  fs.copyFileSync(source, join(folder.path, "trust", target));
  const { granted, told } = open(folder.path, other);
  expect([await granted(), told]).toEqual([
    undefined,
    [expect.stringMatching(/is damaged\. Check it with tenon trust/)],
  ]);
});

const damage = (change: (value: Record<string, unknown>) => unknown) => (file: string) =>
  fs.writeFileSync(file, JSON.stringify(change(JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, unknown>)));

test.each<[string, (file: string) => void]>([
  ["empty", (file) => fs.writeFileSync(file, "")],
  ["cut off", (file) => fs.truncateSync(file, 100)],
  ["no JSON", (file) => fs.writeFileSync(file, "trust me")],
  ["null", (file) => fs.writeFileSync(file, "null")],
  ["too large", (file) => fs.truncateSync(file, 9 * 1024 * 1024)],
  ["of a later form", damage((value) => ({ ...value, version: 2 }))],
  ["about another place", damage((value) => ({ ...value, root: "/other" }))],
  ["without a surface", damage((value) => ({ ...value, surface: undefined }))],
  ["without a hash", damage((value) => ({ ...value, surface: { ...GRANTED.surface, hash: "*" } }))],
  ["with a variable that steers programs", damage((value) => ({ ...value, passes: ["NODE_OPTIONS"] }))],
])("trusts nothing from a file that is %s, and reports it", async (_, spoil) => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  const file = fileIn(folder.path);
  spoil(file);
  const { granted, told, grant } = open(folder.path);
  expect([await granted(), told]).toEqual([
    undefined,
    [`Nothing of this repository is trusted: ${file} is damaged. Check it with tenon trust.`],
  ]);
  await grant(GRANTED);
  expect(await granted()).toEqual(GRANTED);
});

test.each<[string, string, (file: string) => void]>([
  ["can be written by a group", "can be written by others.", (file) => fs.chmodSync(file, 0o620)],
  ["can be written by all", "can be written by others.", (file) => fs.chmodSync(file, 0o602)],
  [
    "is a link",
    "is a symbolic link.",
    (file) => (fs.renameSync(file, `${file}.real`), fs.symlinkSync(`${file}.real`, file)),
  ],
  ["is a folder", "is not a file.", (file) => (fs.rmSync(file), fs.mkdirSync(file))],
])("a file that %s trusts nothing", async (_, why, spoil) => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  const file = fileIn(folder.path);
  spoil(file);
  const { granted, told } = open(folder.path);
  expect([await granted(), told]).toEqual([
    undefined,
    [`Nothing of this repository is trusted: ${file} ${why} Check it with tenon trust.`],
  ]);
});

test.skipIf(process.getuid?.() !== 0)("a file of another user trusts nothing", async () => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  fs.chownSync(fileIn(folder.path), 1234, 1234);
  const { granted, told } = open(folder.path);
  expect([await granted(), told]).toEqual([undefined, [expect.stringContaining(" belongs to another user. ")]]);
});

test.each<[string, (trust: string) => void]>([
  ["can be written by others", (trust) => fs.chmodSync(trust, 0o777)],
  ["is a link", (trust) => (fs.renameSync(trust, `${trust}.real`), fs.symlinkSync(`${trust}.real`, trust))],
])("a folder that %s is neither read nor written", async (_, spoil) => {
  using folder = temporaryFolder();
  await open(folder.path).grant(GRANTED);
  spoil(join(folder.path, "trust"));
  const { granted, grant, revoke, told } = open(folder.path);
  expect([await granted(), told.length]).toEqual([undefined, 1]);
  expect((await refusal(grant(GRANTED))).code).toBe("trust.place");
  expect((await refusal(revoke())).code).toBe("trust.place");
});

test.each<[string, (root: string) => string]>([
  ["the repository", (root) => root],
  ["a folder of it", (root) => join(root, "home/data")],
  ["git's folder", (root) => join(root, ".git/data")],
  ["a link into it", (root) => (fs.symlinkSync(root, `${root}-link`), `${root}-link/data`)],
])("rejects a data folder that is %s", async (_, name) => {
  using folder = temporaryFolder();
  const root = join(folder.path, "repo");
  fs.mkdirSync(join(root, ".git"), { recursive: true });
  const { granted, grant, told } = open(name(root), { root, main: root, repository: join(root, ".git") });
  expect([await granted(), told]).toEqual([undefined, [expect.stringContaining("is inside the repository")]]);
  expect((await refusal(grant(GRANTED))).code).toBe("trust.place");
  expect(fs.readdirSync(root, { recursive: true })).toEqual([".git"]);
});

test("rejects a data folder in the main checkout from its worktree", async () => {
  using folder = temporaryFolder();
  const place = {
    root: join(folder.path, "one"),
    main: join(folder.path, "repo"),
    repository: join(folder.path, "repo/.git"),
  };
  expect((await refusal(open(join(folder.path, "repo/data"), place).grant(GRANTED))).code).toBe("trust.place");
  await open(join(folder.path, "repo-data"), place).grant(GRANTED);
});

const WORKER = `
  import { createTrustStore } from "./src/checking/adapters/trust/trust-store.ts";
  const [dataFolder, name] = process.argv.slice(1);
  const place = { root: "/repo", main: "/repo", repository: "/repo/.git" };
  const trust = createTrustStore({ dataFolder, place, newId: () => crypto.randomUUID(), notice: (text) => { throw new Error(text); } });
  const surface = { hash: "a".repeat(64), commands: Array(2000).fill(name), settings: [], files: [] };
  for (let i = 0; i < 40; i++) {
    await trust.grant({ surface, at: name, passes: [] });
    const read = await trust.granted();
    if (read?.surface.commands.some((line) => line !== read.at)) throw new Error("half");
  }
`;

test("each read is complete during writes", async () => {
  using folder = temporaryFolder();
  const run = (name: string): Promise<number | null> =>
    new Promise((resolve) => {
      const words = ["--conditions=tenon-source", "--input-type=module", "--eval", WORKER, folder.path, name];
      spawn(process.execPath, words, { stdio: "inherit" }).once("close", resolve);
    });
  expect(await Promise.all(["one", "two", "three"].map(run))).toEqual([0, 0, 0]);
  expect(fs.readdirSync(join(folder.path, "trust")).length).toBe(1);
});
