import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";

const START = ["change", "start", "Fix it", "--type", "fix", "--size", "small"];
const ADR = ["--context", "c", "--decision", "d", "--rationale", "r"];

/** A write that somebody recorded and did not live to carry out. */
function leave(root: string, path: string): void {
  const intent = {
    id: "left",
    at: "2026-01-31T12:00:00Z",
    steps: [{ kind: "put", path, base: null, text: "# ADR-0001: Left\n\n- Status: accepted\n" }],
    occurrences: [{ kind: "adr.recorded", subject: "ADR-0001" }],
  };
  using db = new DatabaseSync(join(root, ".git/tenon/ledger.db"));
  db.prepare("INSERT INTO intents (id, checkout, at, body) VALUES (?, ?, ?, ?)").run(
    intent.id,
    "main",
    intent.at,
    JSON.stringify(intent),
  );
}

/** The fault that a command with `--json` told. */
const codeOf = ({ err }: { err: string }): string => (JSON.parse(err) as { error: { code: string } }).error.code;

const exported = (root: string): string | undefined =>
  /seq=(\d+)/.exec(fs.readFileSync(join(root, ".sdd/state.yaml"), "utf8"))?.[1];

test("leaves foreign files among the tickets alone", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  const turns = join(repository.path, ".git/tenon/turns");
  fs.mkdirSync(join(turns, ".ssh"), { recursive: true });
  fs.writeFileSync(join(turns, ".ssh/key"), "secret");
  fs.writeFileSync(join(turns, "0-note"), "mine");
  expect((await house.run(...START)).code).toBe(0);
  expect(fs.readdirSync(turns)).toEqual([".ssh", "0-note"]);
});

test("does not write outside for a crafted ledger", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  leave(repository.path, "../outside.txt");
  expect(codeOf(await house.run("doctor", "--repair", "--json"))).toBe("files.escape");
  expect(fs.existsSync(join(repository.path, "../outside.txt"))).toBe(false);
});

test("does not write through a link into .git", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  const config = fs.readFileSync(join(repository.path, ".git/config"), "utf8");
  const artifact = join(repository.path, "sdd/changes/fix-it/describe.md");
  fs.rmSync(artifact);
  fs.symlinkSync("../../../.git/config", artifact);
  expect(codeOf(await house.run("change", "advance", "--content", "x", "--json"))).toBe("files.escape");
  expect(fs.readFileSync(join(repository.path, ".git/config"), "utf8")).toBe(config);
});

test("does not overwrite what a person saves during a decision", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  const { store } = await house.house.open({});
  const path = "sdd/note.md" as WorkspacePath;
  const place = join(repository.path, path);
  fs.mkdirSync(join(repository.path, "sdd"));
  let saves = 0;
  const write = store.write((tree) => {
    const before = tree.text(path) ?? "";
    fs.writeFileSync(place, `saved ${++saves}`);
    const occurrences = [{ kind: "note.written", subject: path }];
    return { steps: [{ kind: "document", path, text: `${before}ours` }], occurrences, result: undefined };
  });
  await expect(write).rejects.toMatchObject({ code: "store.conflict" });
  expect(fs.readFileSync(place, "utf8")).toBe(`saved ${saves}`);
});

test.each([
  ["repaired", ["doctor", "--repair"]],
  ["found by a command that then fails", ["change", "archive", "fix-it"]],
])("finishes an interrupted write that is %s, and informs every observer", async (_, words) => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  leave(repository.path, "sdd/adrs/ADR-0001-left.md");
  await house.run(...words);
  const { store } = await house.house.open({});
  expect((await store.events(1)).map((event) => event.kind)).toEqual(["adr.recorded"]);
  expect(await store.pending()).toEqual([]);
  await house.run("change", "advance", "--content", "It breaks.");
  expect(exported(repository.path)).toBe(String(await store.position()));
});

test("updates the export during a repair", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  leave(repository.path, "sdd/adrs/ADR-0001-left.md");
  await house.run("doctor", "--repair");
  expect(exported(repository.path)).toBe("2");
});

test("gives up a ledger that was moved away, with its lock", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  fs.renameSync(join(repository.path, ".git/tenon"), join(repository.path, ".git/tenon.damaged"));
  expect((await house.run("change", "advance", "--content", "It breaks.")).code).toBe(0);
  const { store } = await house.house.open({});
  expect((await store.events(0)).map((event) => event.kind)).toEqual(["change.stage-completed", "change.stage-opened"]);
});

test("keeps every superseded text under its own name", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  for (const n of [1, 2, 3, 4]) {
    await house.run("change", "advance", "--content", `Text ${n}.`);
    await house.run("change", "reopen", "--stage", "describe", "--reason", "Again");
    if (n === 3) fs.rmSync(join(repository.path, "sdd/changes/fix-it/superseded/describe-1.md"));
  }
  const folder = join(repository.path, "sdd/changes/fix-it/superseded");
  const texts = fs.readdirSync(folder).map((name) => [name, fs.readFileSync(join(folder, name), "utf8")]);
  expect(texts).toEqual([
    ["describe-2.md", "Text 2.\n"],
    ["describe-3.md", "Text 3.\n"],
  ]);
});

test("rejects a decision number that it could not read again", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  fs.mkdirSync(join(repository.path, "sdd/adrs"), { recursive: true });
  fs.writeFileSync(join(repository.path, "sdd/adrs/ADR-99999-last.md"), "# ADR-99999: Last\n\n- Status: accepted\n");
  expect(codeOf(await house.run("adr", "record", "One more", ...ADR, "--json"))).toBe("adr.too-many");
});

test("reports an active change among archived ones", async () => {
  using repository = temporaryRepository();
  using house = testHouse(repository.path);
  await house.run(...START);
  fs.mkdirSync(join(repository.path, "sdd/history"));
  fs.renameSync(join(repository.path, "sdd/changes/fix-it"), join(repository.path, "sdd/history/fix-it"));
  const words = ["change", "advance", "--change-id", "fix-it", "--content", "x", "--json"];
  expect(codeOf(await house.run(...words))).toBe("record.unsound");
});

test("outside git, does not follow a link from the repository to the ledger", async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  fs.mkdirSync(join(folder.path, ".sdd"));
  fs.symlinkSync(elsewhere.path, join(folder.path, ".sdd/turns"));
  using house = testHouse(folder.path);
  expect(codeOf(await house.run(...START, "--json"))).toBe("files.escape");
  expect(fs.readdirSync(elsewhere.path)).toEqual([]);
});

test("reads a workspace with a damaged ledger", async () => {
  using repository = temporaryRepository();
  git(repository.path, "commit", "--allow-empty", "--quiet", "-m", "begin");
  fs.mkdirSync(join(repository.path, ".git/tenon"));
  fs.writeFileSync(
    join(repository.path, ".git/tenon/ledger.db"),
    "not a database, but long enough to be asked about".repeat(20),
  );
  using house = testHouse(repository.path);
  const { code, out } = await house.run("status", "--json");
  expect([code, (JSON.parse(out) as { damaged: { path: string }[] }).damaged[0]?.path]).toEqual([0, "the ledger"]);
});

test("keeps leftovers in a repository that moved", async () => {
  using parent = temporaryFolder();
  const [before, after] = [join(parent.path, "before"), join(parent.path, "after")];
  fs.mkdirSync(before);
  git(before, "init", "--quiet");
  {
    using house = testHouse(before);
    await house.run(...START);
    leave(before, "sdd/adrs/ADR-0001-left.md");
  }
  fs.renameSync(before, after);
  using house = testHouse(after);
  expect((await house.run("doctor", "--repair")).code).toBe(0);
  expect(fs.existsSync(join(after, "sdd/adrs/ADR-0001-left.md"))).toBe(true);
});

test("does not pass leftovers on to a new worktree", async () => {
  using repository = temporaryRepository();
  git(repository.path, "commit", "--allow-empty", "--quiet", "-m", "begin");
  const add = (): void => void git(repository.path, "worktree", "add", "--quiet", "--detach", "wt");
  const path = join(repository.path, "wt");
  const leftIn = async (): Promise<number> => {
    using house = testHouse(path);
    const { store } = await house.house.open({});
    return (await store.pending()).length;
  };
  add();
  {
    using house = testHouse(path);
    await house.run(...START);
    leave(repository.path, "sdd/adrs/ADR-0001-left.md");
    using db = new DatabaseSync(join(repository.path, ".git/tenon/ledger.db"));
    db.exec("UPDATE intents SET checkout = (SELECT checkout FROM events LIMIT 1)");
  }
  expect(await leftIn()).toBe(1);
  git(repository.path, "worktree", "remove", "--force", "wt");
  add();
  expect(await leftIn()).toBe(0);
});
