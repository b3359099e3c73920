import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";

const show = (out: string, root: string): string => `\n${out.replaceAll(root, "<root>")}`;

test("points to init in a repository without Tenon, and writes nothing", async () => {
  using repository = temporaryRepository();
  const { code, out } = tenon([], { cwd: repository.path, env: { COLUMNS: "" } });
  expect([code, tenon(["status", "--json"], { cwd: repository.path }).code]).toEqual([0, 0]);
  expect(show(out, repository.path)).toMatchInlineSnapshot(`
    "
    Tenon 0.1.0 in <root>
    Tenon is not set up here yet.

    Next:
      tenon init  Set up Tenon in this repository
      tenon demo  Watch a scripted day with Tenon; takes a minute
      tenon help  List the commands by job
    "
  `);
});

test("suggests the next commands of the work in progress", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path, {}, { width: 80 });
  await house.run("init");
  const listCommands = async (): Promise<string[]> =>
    [...(await house.run()).out.matchAll(/^  (.+?)(?:  .*)?$/gm)].map(([, command = ""]) => command);
  const begin = ['tenon change start "…"', 'tenon project init "…" --description "…"'];
  expect(await listCommands()).toEqual([...begin, "tenon help"]);
  await house.run("change", "start", "Fix login", "--type", "fix", "--size", "small");
  expect(await listCommands()).toEqual(["tenon change status fix-login", "tenon help"]);
  expect((await house.run()).out).toMatch(/^Tenon 0\.0\.0 in .+\n1 change is active\.\n\nNext:\n/);
});

test("does not fail outside a repository", () => {
  using folder = temporaryFolder();
  const { code, out, err } = tenon([], { cwd: folder.path, env: { COLUMNS: "" } });
  expect([code, err]).toEqual([0, ""]);
  expect(show(out, folder.path)).toMatchInlineSnapshot(`
    "
    Tenon 0.1.0
    This folder is not in a git repository.

    Next:
      git init && tenon init  Start a repository with Tenon in this folder
      tenon demo              Watch a scripted day with Tenon; takes a minute
      tenon help              List the commands by job
    "
  `);
});
