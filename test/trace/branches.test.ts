import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { edit } from "./refactorings.ts";
import { FILES } from "./repository.ts";
import { filesOf, traceStand, type TraceStand } from "./stand.ts";

/** A repository whose clone merges by the program itself, with something accepted on each of two branches. */
async function branched(
  mine: (it: TraceStand) => Promise<unknown>,
  theirs: (it: TraceStand) => Promise<unknown>,
  before: (it: TraceStand) => Promise<unknown> = async () => undefined,
): Promise<TraceStand & { merge(): { code: number | null; said: string } }> {
  const it = await traceStand(FILES);
  expect(tenon(["init", "--merge-drivers"], { cwd: it.root })).toMatchObject({ code: 0 });
  await before(it);
  it.commit("Base");
  git(it.root, "checkout", "-q", "-b", "theirs");
  await theirs(it);
  it.commit("Theirs");
  git(it.root, "checkout", "-q", "main");
  await mine(it);
  it.commit("Mine");
  return {
    ...it,
    merge() {
      const { status, stdout, stderr } = spawnSync("git", ["merge", "--no-edit", "theirs"], {
        cwd: it.root,
        encoding: "utf8",
      });
      return { code: status, said: `${stdout}${stderr}` };
    },
    [Symbol.dispose]: () => it[Symbol.dispose](),
  };
}

const count = (it: TraceStand, tries: string): void =>
  edit(filesOf(it), "src/login.ts", "tries < 1", `tries < ${tries}`);

test("two branches that accept different criteria keep both", async () => {
  using it = await branched(
    (at) => at.accept("AUTH-001.AC-1"),
    (at) => at.accept("AUTH-001.AC-2"),
  );
  expect(it.merge()).toMatchObject({ code: 0 });
  expect(await it.drift()).toMatchObject({ passed: true, requirements: 2 });
});

test("keeps the later of two equal acceptances", async () => {
  using it = await branched(
    (at) => at.accept("AUTH-001"),
    (at) => at.accept("AUTH-001"),
  );
  expect(it.merge()).toMatchObject({ code: 0 });
  expect(await it.drift()).toMatchObject({ passed: true, requirements: 3 });
  expect(JSON.parse(it.read("sdd/trace/AUTH-001.json"))).toMatchObject({ rev: 2 });
});

test("prefers a new acceptance to an unchanged one", async () => {
  using it = await branched(
    async (at) => at.write("notes.txt", "Nothing to do with it.\n"),
    async (at) => {
      count(at, "2");
      await at.accept("AUTH-001");
    },
    (at) => at.accept("AUTH-001"),
  );
  expect(it.merge()).toMatchObject({ code: 0 });
  expect(await it.drift()).toMatchObject({ passed: true, requirements: 3 });
});

test("asks which of two acceptances holds", async () => {
  using it = await branched(
    async (at) => {
      count(at, "2");
      await at.accept("AUTH-001");
    },
    async (at) => {
      edit(filesOf(at), "src/login.ts", '"000 000"', '"111 111"');
      await at.accept("AUTH-001");
    },
  );
  const { code, said } = it.merge();
  expect([code, /each side accepted different code for AUTH-001/.test(said)]).toEqual([1, true]);
  git(it.root, "checkout", "-q", "--ours", "--", "sdd/trace/AUTH-001.json");
  git(it.root, "checkout", "-q", "--theirs", "--", "src/login.ts");
  expect(await it.spoken()).toEqual(["high changed AUTH-001 src/login.ts#login"]);
});
