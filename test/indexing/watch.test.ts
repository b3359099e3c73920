import type { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { watchSourceFiles } from "#git/adapters/file-watch.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { startTenon, tenon } from "../kit/process.ts";

/** What a process prints, line by line, as it comes. */
function listLines({ stdout }: ChildProcess) {
  if (stdout === null) throw new Error("Nobody listens to what it prints.");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    /** Waits for a line that fits. */
    async next(fits: RegExp): Promise<void> {
      for (;;) {
        const { value, done } = (await lines.next()) as { value?: string; done?: boolean };
        if (done === true || value === undefined) throw new Error(`It ended before a line like ${fits}.`);
        if (fits.test(value)) return;
      }
    },
  };
}

/** Puts a file, or a folder with files, in its place at once: one that grows there may be read more than once. */
function bring(root: string, path: string, what: string | Readonly<Record<string, string>>): void {
  using aside = temporaryFolder();
  const files = typeof what === "string" ? { "": what } : what;
  for (const [name, text] of Object.entries(files)) put(aside.path, join("brought", name), text);
  fs.renameSync(join(aside.path, "brought"), join(root, path));
}

test("index --watch keeps the index up to date until it is interrupted", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  put(root, "src/one.ts", "export const one = 1;\n");
  put(root, ".gitignore", "ignored/\n");
  fs.mkdirSync(join(root, "sdd"));
  const child = startTenon(["index", "--watch"], { cwd: root });
  using _ = { [Symbol.dispose]: () => child.kill("SIGKILL") };
  const ended = new Promise((resolve) => void child.once("close", (code, signal) => resolve({ code, signal })));
  const lines = listLines(child);
  await lines.next(/^Watching/);
  bring(root, "src/one.ts", "export const one = 2;\n");
  await lines.next(/Z 1 read, 0 gone$/);
  // In a folder that was not there, below another that was not there.
  bring(root, "new", { "deep/two.ts": "export const two = 2;\n" });
  await lines.next(/Z 1 read, 0 gone$/);
  put(root, "ignored/three.ts", "export const three = 3;\n");
  fs.rmSync(join(root, "src/one.ts"));
  await lines.next(/Z 0 read, 1 gone$/);
  bring(root, "sdd/specs", { "AUTH-001.yaml": "id: AUTH-001\ntitle: Log in\n" });
  await lines.next(/Z 1 read, 0 gone$/);
  child.kill("SIGINT");
  expect(await ended).toEqual({ code: 0, signal: null });
  const { out } = tenon(["index", "--json"], { cwd: root });
  expect(JSON.parse(out)).toMatchObject({ files: 1, read: 0, gone: 0, kept: true });
});

test("watches a folder that is still empty", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  fs.mkdirSync(join(root, "src"));
  put(root, "src/a.ts", "");
  const told = heard();
  using _ = await watchSourceFiles({ root, list: async () => [{ path: "src/a.ts", stamp: "" }], tell: told.tell });
  fs.mkdirSync(join(root, "src/later"));
  await told.next();
  put(root, "src/later/b.ts", "");
  expect(await told.next()).toBe("told");
});

test("stops watching at its end, even while it waits for a list", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const watchers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "FSEventWrap").length;
  const [told, asked] = [heard(), heard()];
  let answer: (files: readonly { path: string; stamp: string }[]) => void = () => undefined;
  let times = 0;
  const list = () => {
    if (times++ === 0) return Promise.resolve([]);
    asked.tell();
    return new Promise<readonly { path: string; stamp: string }[]>((resolve) => (answer = resolve));
  };
  const watching = await watchSourceFiles({ root, list, tell: told.tell });
  put(root, "a.ts", "");
  await asked.next();
  watching[Symbol.dispose]();
  while (watchers() > 0) await new Promise((resolve) => setImmediate(resolve));
  answer([{ path: "a.ts", stamp: "" }]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(watchers()).toBe(0);
});

test("looks for changes in intervals where it cannot watch folders", async () => {
  using folder = temporaryFolder();
  let stamp = 0;
  const told = heard();
  // The first list fails, as watching does where there can be no more watchers.
  let asked = 0;
  const list = async () => {
    if (asked++ === 0) throw new Error("no more watchers");
    return [{ path: "a.ts", stamp: String(stamp) }];
  };
  using _ = await watchSourceFiles({ root: folder.path, list, tell: told.tell });
  await told.next();
  stamp++;
  expect(await told.next()).toBe("told");
});

function heard() {
  let [times, wake] = [0, (): void => undefined];
  return {
    tell: () => {
      times++;
      wake();
    },
    /** Waits until it is told something. */
    async next(): Promise<string> {
      while (times === 0) await new Promise<void>((resolve) => (wake = resolve));
      times = 0;
      return "told";
    },
  };
}
