import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { StoreOccurrence } from "../operations/ports/store.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import { LONGEST_LOG, createLogObserver } from "./event-logs.ts";
import { Ledger } from "./sqlite-ledger.ts";
import { WorkspaceStore } from "./workspace-store.ts";

const killed = new Error("killed");

/** Dies each time before the ledger has taken note. */
class DyingLedger extends Ledger {
  override alone<T>(work: () => T): Promise<T> {
    return super.alone((): T => {
      work();
      throw killed;
    });
  }
}

interface Place extends Disposable {
  readonly root: string;
  readonly notices: string[];
  /** Lets things happen, of which nobody tells yet. */
  happen(...occurrences: StoreOccurrence[]): Promise<void>;
  catchUp(): Promise<void>;
  /** As `catchUp`, by somebody who is killed between the append and the note of it. */
  die(): Promise<void>;
  problem(): Promise<unknown>;
  /** Another checkout with the same ledger. */
  beside(root: string): Place;
}

function makePlace(ledgerFile?: string, given?: string): Place {
  const folder = given === undefined ? temporaryFolder() : { path: given, [Symbol.dispose]: () => undefined };
  const root = folder.path;
  const file = ledgerFile ?? join(root, ".sdd/ledger.db");
  const [ledger, dying] = [new Ledger(file), new DyingLedger(file)];
  const notices: string[] = [];
  const newId = () => crypto.randomUUID();
  let seconds = 0;
  const store = new WorkspaceStore({
    root,
    checkout: root,
    checkoutIn: () => undefined,
    ledger,
    clock: { now: () => `2026-01-31T12:00:${String(seconds++).padStart(2, "0")}Z` },
    steadyClock: { boot: "test boot", nowMs: () => 0 },
    newId,
    notice: () => undefined,
  });
  const observe = (by: Ledger) =>
    createLogObserver({ root, checkout: root, ledger: by, newId, notice: (text) => void notices.push(text) });
  return {
    root,
    notices,
    happen: (...occurrences) => store.write(() => ({ steps: [], occurrences, result: undefined })),
    catchUp: () => observe(ledger).catchUp(),
    die: () => expect(observe(dying).catchUp()).rejects.toBe(killed),
    problem: async () => observe(ledger).problem?.(),
    beside: (other) => makePlace(file, other),
    [Symbol.dispose]() {
      for (const each of [ledger, dying]) each.close();
      folder[Symbol.dispose]();
    },
  };
}

const fileIn = (root: string, log = "workflows"): string => join(root, `.sdd/logs/${log}.log`);
const textIn = (root: string, log?: string): string => fs.readFileSync(fileIn(root, log), "utf8");
const namesIn = (root: string): string[] => fs.readdirSync(join(root, ".sdd/logs")).toSorted();
const claimed = (...paths: string[]): StoreOccurrence => ({
  kind: "lock.claimed",
  subject: "AUTH-001",
  data: { paths },
});
const claims = (log: string): string[] => [...log.matchAll(/Paths: (.*)$/gm)].map(([, path = ""]) => path);
const checked = (passed: boolean): StoreOccurrence => ({
  kind: "gate.checked",
  subject: "AUTH-001",
  data: { gate: "gate-3-implement", passed, failed: passed ? [] : ["tests"] },
});

test("writes each event to its own log, readable by the owner alone", async () => {
  using place = makePlace();
  await place.happen(
    { kind: "workflow.started", subject: "BUG-042", data: { kind: "bugfix", title: "It fails", priority: 0 } },
    { kind: "adr.recorded", subject: "ADR-0001" },
  );
  await place.catchUp();
  await place.happen(
    checked(false),
    { kind: "gate.retried", subject: "AUTH-001", data: { gate: "gate-3-implement", attempt: 1, of: 3, success: true } },
    { kind: "workflow.stage-completed", subject: "BUG-042", data: { stage: "fix" } },
  );
  await place.catchUp();
  await place.catchUp();
  expect(namesIn(place.root).map((name) => textIn(place.root, name.replace(".log", "")))).toEqual([
    "[2026-01-31T12:00:01Z] [WARN] [gate-3-implement] Spec: AUTH-001, Gate failed: tests\n",
    "[2026-01-31T12:00:01Z] [SUCCESS] [retry-gate] Spec: AUTH-001, Gate: gate-3-implement, Auto-retry attempt 1/3, Commands passed on attempt 2\n",
    '[2026-01-31T12:00:00Z] [INFO] [bugfix] Spec: BUG-042, Action: Started, Priority: 0, Title: "It fails"\n' +
      "[2026-01-31T12:00:01Z] [SUCCESS] [bugfix] Stage: fix, Spec: BUG-042, Action: Stage completed\n",
  ]);
  const modes = [dirname(fileIn(place.root)), fileIn(place.root)].map((path) => fs.statSync(path).mode & 0o777);
  expect([modes, fs.readFileSync(join(place.root, ".sdd/.gitignore"), "utf8")]).toEqual([[0o700, 0o600], "*\n"]);
});

test("creates no log without events", async () => {
  using place = makePlace();
  await place.catchUp();
  await place.happen({ kind: "adr.recorded", subject: "ADR-0001" });
  await place.catchUp();
  expect([fs.existsSync(dirname(fileIn(place.root))), await place.problem()]).toEqual([false, undefined]);
});

test("logs more than one batch completely, even much later", async () => {
  using place = makePlace();
  const names = Array.from({ length: 1203 }, (_, i) => `src/${i}.ts`);
  await place.happen(...names.map((name) => claimed(name)));
  await place.catchUp();
  await place.happen(checked(true));
  await place.catchUp();
  expect([claims(textIn(place.root)), textIn(place.root, "gates").split("\n").length]).toEqual([names, 2]);
});

test("logs the events of its own checkout, and knows the type of a workflow of another checkout", async () => {
  using elsewhere = temporaryFolder();
  using place = makePlace();
  using other = place.beside(elsewhere.path);
  await place.happen({ kind: "workflow.started", subject: "RES-001", data: { kind: "research" } });
  await other.happen({ kind: "workflow.completed", subject: "RES-001" });
  await place.catchUp();
  await other.catchUp();
  expect([place, other].map(({ root }) => textIn(root))).toEqual([
    "[2026-01-31T12:00:00Z] [INFO] [research] Spec: RES-001, Action: Started\n",
    "[2026-01-31T12:00:00Z] [SUCCESS] [research] Spec: RES-001, Action: Completed\n",
  ]);
});

test("logs no event twice after a kill before its position was saved", async () => {
  using place = makePlace();
  await place.happen(claimed("src/before.ts"));
  await place.catchUp();
  const known = textIn(place.root).length;
  await place.happen(claimed("src/a.ts"), claimed("src/b.ts"));
  await place.die();
  const left = textIn(place.root);
  await place.happen(claimed("src/c.ts"));
  const found: string[][] = [];
  for (let size = known; size <= left.length; size++) {
    fs.writeFileSync(fileIn(place.root), left.slice(0, size));
    // Each time from the same place: the ledger takes no note.
    await place.die();
    found.push(claims(textIn(place.root)));
  }
  expect([...new Set(found.map(String))]).toEqual(["src/before.ts,src/a.ts,src/b.ts,src/c.ts"]);
  await place.catchUp();
  await place.catchUp();
  expect(claims(textIn(place.root))).toEqual(["src/before.ts", "src/a.ts", "src/b.ts", "src/c.ts"]);
});

test.each<[string, (file: string) => void, string[]]>([
  ["deleted", (file) => fs.rmSync(file), ["src/b.ts"]],
  ["moved away", (file) => fs.renameSync(file, `${file}.old`), ["src/b.ts"]],
  ["emptied", (file) => fs.truncateSync(file), ["src/b.ts"]],
  ["shortened", (file) => fs.truncateSync(file, 3), ["src/b.ts"]],
  ["lengthened", (file) => fs.appendFileSync(file, "noted by hand"), ["src/a.ts", "src/b.ts"]],
  ["deleted with its folder", (file) => fs.rmSync(dirname(file), { recursive: true }), ["src/b.ts"]],
])("continues a log that was %s by a person", async (_, act, told) => {
  using place = makePlace();
  await place.happen(claimed("src/a.ts"));
  await place.catchUp();
  act(fileIn(place.root));
  await place.happen(claimed("src/b.ts"));
  await place.catchUp();
  expect([claims(textIn(place.root)), place.notices]).toEqual([told, []]);
});

const filled = (size: number): string => "x".repeat(size - 1).concat("\n");

test("rotates a log before it exceeds its limit, and removes the previous one", async () => {
  using place = makePlace();
  for (const path of ["src/a.ts", "src/b.ts"]) {
    fs.mkdirSync(dirname(fileIn(place.root)), { recursive: true });
    fs.writeFileSync(fileIn(place.root), path.concat(filled(LONGEST_LOG - path.length)));
    await place.happen(claimed(path));
    await place.catchUp();
  }
  const aside = fs.readFileSync(`${fileIn(place.root)}.1`, "utf8");
  expect([namesIn(place.root), claims(textIn(place.root)), aside.slice(0, 8), aside.length]).toEqual([
    ["workflows.log", "workflows.log.1"],
    ["src/b.ts"],
    "src/b.ts",
    LONGEST_LOG,
  ]);
});

test("does not rotate again after a kill behind a rotation", async () => {
  using place = makePlace();
  fs.mkdirSync(dirname(fileIn(place.root)), { recursive: true });
  fs.writeFileSync(fileIn(place.root), filled(LONGEST_LOG - 100));
  await place.happen(claimed("src/a.ts"));
  await place.catchUp();
  await place.happen(claimed("src/b.ts"));
  await place.die();
  await place.happen(claimed("src/c.ts"));
  await place.catchUp();
  const aside = fs.readFileSync(`${fileIn(place.root)}.1`, "utf8");
  expect([claims(textIn(place.root)), claims(aside)]).toEqual([["src/b.ts", "src/c.ts"], ["src/a.ts"]]);
});

const OBSTACLES: readonly (readonly [string, (file: string, elsewhere: string) => void, string])[] = [
  [
    "a link",
    (file, elsewhere) => fs.symlinkSync(join(elsewhere, "bait"), file),
    ".sdd/logs/workflows.log is a symbolic link.",
  ],
  [
    "a link to nothing",
    (file, elsewhere) => fs.symlinkSync(join(elsewhere, "nothing"), file),
    ".sdd/logs/workflows.log is a symbolic link.",
  ],
  ["a folder", (file) => fs.mkdirSync(file), ".sdd/logs/workflows.log is not a file."],
  ["a pipe", (file) => void execFileSync("mkfifo", [file]), ".sdd/logs/workflows.log is not a file."],
];

test.each(OBSTACLES)("reports %s once, and logs the waiting events after it is removed", async (_, act, why) => {
  using elsewhere = temporaryFolder();
  using place = makePlace();
  fs.writeFileSync(join(elsewhere.path, "bait"), "untouched");
  fs.mkdirSync(dirname(fileIn(place.root)), { recursive: true });
  act(fileIn(place.root), elsewhere.path);
  for (const path of ["src/a.ts", "src/b.ts"]) {
    await place.happen(claimed(path), checked(true));
    await place.catchUp();
  }
  expect([place.notices, await place.problem(), textIn(place.root, "gates").split("\n").length - 1]).toEqual([
    [
      `.sdd/logs/workflows.log cannot be written. ${why} Your work is safe. Tenon adds the missing entries after you fix it.`,
    ],
    { found: why, fix: "Make them writable, or move them away (remove links): ls -la .sdd/logs" },
    2,
  ]);
  fs.rmSync(fileIn(place.root), { recursive: true });
  await place.catchUp();
  expect([claims(textIn(place.root)), place.notices.length, await place.problem()]).toEqual([
    ["src/a.ts", "src/b.ts"],
    1,
    undefined,
  ]);
  expect([fs.readdirSync(elsewhere.path), fs.readFileSync(join(elsewhere.path, "bait"), "utf8")]).toEqual([
    ["bait"],
    "untouched",
  ]);
});

test("does not follow a link in place of the folder of logs", async () => {
  using elsewhere = temporaryFolder();
  using place = makePlace();
  await place.happen(claimed("src/a.ts"));
  fs.symlinkSync(elsewhere.path, join(place.root, ".sdd/logs"));
  await place.catchUp();
  expect([fs.readdirSync(elsewhere.path), place.notices.length]).toEqual([[], 1]);
});

test("moves its position past many events that no log shows, and logs the next one once", async () => {
  using place = makePlace();
  const decided = Array.from({ length: 60 }, (_, i): StoreOccurrence => ({
    kind: "adr.recorded",
    subject: `ADR-${i}`,
  }));
  await place.happen(...decided);
  await place.catchUp();
  using ledger = new DatabaseSync(join(place.root, ".sdd/ledger.db"), { readOnly: true });
  const [row] = ledger.prepare("SELECT body FROM kept WHERE space = 'log'").all();
  expect(JSON.parse(String(row?.["body"]))).toMatchObject({ workflows: { seq: 60, size: 0 } });
  await place.happen(claimed("a.ts"));
  await place.catchUp();
  await place.catchUp();
  expect(claims(textIn(place.root))).toEqual(["a.ts"]);
});
