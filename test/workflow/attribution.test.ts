import { expect, test } from "vitest";
import { lock, stage } from "../kit/at-work.ts";
import { refusal } from "../kit/fault.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { type Stand, stand } from "./stand.ts";

type Input = Readonly<Record<string, unknown>>;

interface Work {
  readonly files: readonly { readonly path: string; readonly why: string; readonly status: string }[];
  readonly excluded: readonly { readonly path: string; readonly reason: string }[];
  readonly others: readonly { readonly path: string; readonly holder: string }[];
  readonly unattributed: readonly string[];
}

const work = async (it: Stand, action = "show", more: Input = {}): Promise<Work> =>
  (await it.run("workflow.work", { action, id: "AUTH-001", ...more })) as unknown as Work;

const pick = ({ files, excluded, unattributed }: Work) => ({
  files: files.map(({ path, why }) => `${path} ${why}`),
  excluded: excluded.map(({ path }) => path),
  unattributed,
});

async function begun(): Promise<Stand> {
  const it = await stand();
  it.write("notes.md", "Mine, from before.\n");
  await it.run("workflow.feature", { description: "Log in", id: "AUTH-001", session: "one" });
  return it;
}

test("lists each changed file with the reason why it counts", async () => {
  using it = await begun();
  await stage(it.engine, { locks: [lock("AUTH-001", "src/edited.ts", { how: "edit" })] });
  it.write("src/edited.ts", "1\n");
  it.write("src/presumed.ts", "1\n");
  expect(await work(it)).toEqual({
    id: "AUTH-001",
    action: "show",
    changed: [],
    files: [
      { path: "src/edited.ts", why: "edit", status: "added" },
      { path: "src/presumed.ts", why: "presumed", status: "added" },
    ],
    excluded: [],
    others: [],
    unattributed: [],
  });
});

test("presumes nothing with two active sessions, and counts a claim until it is undone", async () => {
  using it = await begun();
  await it.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  it.write("src/whose.ts", "1\n");
  it.write("src/tagged.ts", "// @spec AUTH-001\n");
  const before = { files: ["src/tagged.ts tag"], excluded: [], unattributed: ["src/whose.ts"] };
  expect(pick(await work(it))).toEqual(before);
  const claimed = await work(it, "claim", { paths: ["src/whose.ts", "notes.md"], session: "one" });
  // A claim takes all differences from the commit, even from before the work began.
  expect(pick(claimed)).toEqual({
    files: ["notes.md claim", "src/tagged.ts tag", "src/whose.ts claim"],
    excluded: [],
    unattributed: [],
  });
  const refused = await refusal(it.run("workflow.work", { action: "claim", id: "TWO-001", paths: ["src/whose.ts"] }));
  expect(refused.code).toBe("lock.held");
  await work(it, "unclaim", { paths: ["src/whose.ts", "notes.md"], session: "one" });
  expect(pick(await work(it))).toEqual(before);
});

test("excludes a presumed file with a reason, frees it, and includes it again", async () => {
  using it = await begun();
  it.write("src/mine.ts", "1\n");
  it.write("src/more/mine.ts", "1\n");
  await it.run("workflow.snapshot", { session: "one" });
  expect((await refusal(work(it, "exclude", { paths: ["src/mine.ts"], session: "one" }))).code).toBe("input.missing");
  const excluded = await work(it, "exclude", { paths: ["src/"], reason: "The user's", session: "one" });
  expect(pick(excluded)).toEqual({ files: [], excluded: ["src/mine.ts", "src/more/mine.ts"], unattributed: [] });
  await it.run("workflow.snapshot", { session: "one" });
  expect((await it.run("workflow.lock", { action: "list" }))["locks"]).toEqual([]);
  await work(it, "include", { paths: ["src/mine.ts"], session: "one" });
  expect(pick(await work(it))).toEqual({
    files: ["src/mine.ts presumed"],
    excluded: ["src/more/mine.ts"],
    unattributed: [],
  });
});

test("a page that Tenon fills in belongs to no work until somebody writes on it", async () => {
  using it = await begun();
  const page =
    "<!-- AUTO:BEGIN:feature:TWO-001 -->\n# TWO-001\n<!-- AUTO:END:feature:TWO-001 -->\n\n<!-- Add below. -->\n";
  it.write("docs/60-features/TWO-001.md", page);
  await it.run("workflow.snapshot", { session: "one" });
  expect((await it.run("workflow.lock", { action: "list" }))["locks"]).toEqual([]);
  expect(pick(await work(it))).toEqual({ files: [], excluded: [], unattributed: [] });
  it.write("docs/60-features/TWO-001.md", `${page}\nIt is for members.\n`);
  expect(pick(await work(it)).files).toEqual(["docs/60-features/TWO-001.md presumed"]);
});

test("corrects the current work when a path is given as the id", async () => {
  using it = await begun();
  it.write("src/mine.ts", "1\n");
  it.write("src/more.ts", "1\n");
  const session = "one";
  await work(it, "exclude", { id: "src/mine.ts", paths: ["src/more.ts"], reason: "The user's", session });
  expect(pick(await work(it))).toEqual({ files: [], excluded: ["src/mine.ts", "src/more.ts"], unattributed: [] });
  await work(it, "claim", { id: "notes.md", session });
  expect(pick(await work(it)).files).toEqual(["notes.md claim"]);
  expect((await refusal(work(it, "show", { id: "NONE-001", session }))).code).toBe("workflow.unknown");
});

test("does not exclude a reported edit or a file outside the work", async () => {
  using it = await begun();
  await stage(it.engine, { locks: [lock("AUTH-001", "src/edited.ts", { how: "edit" })] });
  it.write("src/edited.ts", "1\n");
  const exclude = (path: string) =>
    refusal(work(it, "exclude", { paths: [path], reason: "Not for the gate", session: "one" }));
  expect((await exclude("src/edited.ts")).code).toBe("work.edited");
  expect((await exclude("notes.md")).code).toBe("work.not-own");
});

test("reports that there is no work to show outside git", async () => {
  using folder = temporaryFolder();
  using it = await stand(folder, false);
  await it.run("workflow.feature", { description: "Log in", id: "AUTH-001" });
  expect((await refusal(work(it))).code).toBe("work.no-baseline");
});

test("prints a table with the command that claims the rest", async () => {
  using it = await begun();
  await it.run("workflow.feature", { description: "Two", id: "TWO-001", session: "two" });
  it.write("src/whose.ts", "1\n");
  const { code, out } = await it.tenon.run("work", "show", "AUTH-001");
  expect(code).toBe(0);
  expect(out).toBe(`The work of AUTH-001: 0 files.

file	counts	why
src/whose.ts	no	no session of this work changed it

next: If AUTH-001 made the unattributed changes:
next: tenon work claim AUTH-001 src/whose.ts
`);
});
