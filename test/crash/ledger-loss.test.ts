import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { WORK_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { look } from "../hook/hook-calls.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { tenonAsync } from "../kit/process.ts";
import { stand, type Stand } from "../workflow/stand.ts";
import { hook } from "./hook.ts";
import { houseIn } from "./scenario.ts";
import { canMount, smallDisk } from "./small-disk.ts";
import { sample, seed } from "./tier.ts";

const LEDGER = ".git/tenon/ledger.db";
const COPIES = ".git/tenon-copies";

/** AUTH-001 is at its second stage and holds a file; BUG-042 has just begun. */
async function atWork(): Promise<Stand> {
  const at = await stand();
  await at.run("workflow.feature", { description: "Log in with a passkey", id: "AUTH-001", files: ["src/login.ts"] });
  at.fill("AUTH-001");
  await at.advance("AUTH-001");
  await at.run("workflow.bugfix", { description: "Login fails on an empty name", id: "BUG-042" });
  at.tenon[Symbol.dispose]();
  return at;
}

const stages = async (root: string): Promise<Record<string, string>> => {
  using house = houseIn(root);
  const { out } = await house.run("workflow", "status", "--json");
  const { queue } = JSON.parse(out) as { queue: { id: string; stage: string }[] };
  return Object.fromEntries(queue.map(({ id, stage }) => [id, stage]));
};

const BOTH = { "AUTH-001": "specify", "BUG-042": "investigate" };

async function run(root: string, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  using house = houseIn(root);
  return house.run(...words);
}

/** No process holds the ledger, so its log is in the file. */
function damage(root: string, how: (bytes: Buffer) => Buffer): Buffer {
  const bytes = how(fs.readFileSync(join(root, LEDGER)));
  for (const end of ["-wal", "-shm"]) fs.rmSync(join(root, `${LEDGER}${end}`), { force: true });
  fs.writeFileSync(join(root, LEDGER), bytes);
  return bytes;
}

const asides = (root: string): string[] =>
  fs.readdirSync(join(root, ".git/tenon")).filter((name) => /^ledger\.db\.damaged-.*Z$/.test(name));

const DAMAGES: readonly [string, (bytes: Buffer) => Buffer][] = [
  ["is cut in the middle", (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ["has garbage in its header", (bytes) => Buffer.concat([Buffer.alloc(100, 0xa5), bytes.subarray(100)])],
  [
    "has garbage in the middle",
    (bytes) => {
      const half = Math.floor(bytes.length / 8192) * 4096;
      return Buffer.concat([bytes.subarray(0, half), Buffer.alloc(4096, 0xa5), bytes.subarray(half + 4096)]);
    },
  ],
  [
    "has garbage in a value",
    (bytes) => {
      const copy = Buffer.from(bytes);
      for (let at = copy.indexOf('{"id":"AUTH-001"'); at >= 0; at = copy.indexOf('{"id":"AUTH-001"', at + 1))
        copy.fill("#", at, at + 6);
      return copy;
    },
  ],
];

describe("a damaged ledger", () => {
  test.for(DAMAGES)("that %s is described, restored from its copy and kept aside", async ([, how]) => {
    using at = await atWork();
    const damaged = damage(at.root, how);
    const before = await run(at.root, "doctor");
    expect(before).toMatchObject({ code: 3, err: "" });
    expect(before.out).toMatch(/^1 problem found\./);
    expect(before.out).toContain("tenon doctor --restore");
    expect(before.out).toMatch(/^git\s+ok/m);
    const restored = await run(at.root, "doctor", "--restore");
    expect(restored).toMatchObject({ code: 0, err: "" });
    expect(restored.out).toMatch(/^The ledger is restored as of \S+\. Everything is in order\./);
    expect(await stages(at.root)).toEqual(BOTH);
    expect(asides(at.root).map((name) => fs.readFileSync(join(at.root, ".git/tenon", name)).equals(damaged))).toEqual([
      true,
    ]);
    const next = await run(at.root, "workflow", "prioritize", "AUTH-001", "1");
    expect(next).toMatchObject({ code: 0, err: "" });
    expect(at.read(".sdd/state.yaml")).toContain("priority: 1\n");
  });

  test("names the command in the fault of every other command", async () => {
    using at = await atWork();
    damage(at.root, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
    const { code, err } = await run(at.root, "workflow", "prioritize", "AUTH-001", "1");
    expect({ code, isNamed: err.includes("tenon doctor --restore") }).toEqual({ code: 1, isNamed: true });
  });

  test("whose copies are damaged too is rebuilt from the export, the snapshots and the specs", async () => {
    using at = await atWork();
    damage(at.root, (bytes) => bytes.subarray(0, 6000));
    for (const name of fs.readdirSync(join(at.root, COPIES))) fs.truncateSync(join(at.root, COPIES, name), 5000);
    const { code, out } = await run(at.root, "doctor", "--restore");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("2 workflows recovered.") as string });
    expect(out).toMatch(/Recovered AUTH-001 at stage specify, from \.sdd\/state\.yaml, 3 snapshot refs, its spec\./);
    expect(out).toContain("Not recovered: AUTH-001: approvals, gate results and time spent.");
    expect(out).toMatch(/Damaged file, moved to: .*000\d+\.db\.damaged/);
    expect(await stages(at.root)).toEqual(BOTH);
    const lock = await run(at.root, "lock", "list");
    expect(lock.out).toContain("src/login.ts");
    const plan = await run(at.root, "workflow", "rollback", "AUTH-001", "discover", "--json");
    expect(JSON.parse(plan.out)).toMatchObject({ done: false, to: { snapshot: 2, stage: "discover" } });
    // Its work is still judged from the files that it began with.
    expect(await look(at.root, (tree) => tree.kept(WORK_SPACE).get("AUTH-001"))).toMatchObject({
      commit: git(at.root, "rev-parse", "refs/tenon/AUTH-001/0").trim(),
      head: git(at.root, "rev-parse", "HEAD").trim(),
      branches: ["main"],
    });
    const later = await run(at.root, "bugfix", "Logout fails");
    expect(later.out).toContain("BUG-043 started");
  });

  test("without copies and without an export is rebuilt from the snapshots and the specs", async () => {
    using at = await atWork();
    fs.rmSync(join(at.root, ".git/tenon"), { recursive: true });
    fs.rmSync(join(at.root, COPIES), { recursive: true });
    fs.rmSync(join(at.root, ".sdd"), { recursive: true });
    expect((await run(at.root, "doctor")).out).toContain("the ledger lacks AUTH-001, BUG-042");
    await run(at.root, "doctor", "--restore");
    expect(await stages(at.root)).toEqual(BOTH);
  });
});

describe("a ledger that was moved away", () => {
  test("is reported, and the next write keeps the export that names its workflows", async () => {
    using at = await atWork();
    const exported = at.read(".sdd/state.yaml");
    fs.renameSync(join(at.root, ".git/tenon"), join(at.root, ".git/tenon.damaged"));
    const doctor = await run(at.root, "doctor");
    expect(doctor).toMatchObject({ code: 3, out: expect.stringMatching(/^1 problem found\./) as string });
    expect(doctor.out).toContain("the ledger lacks AUTH-001, BUG-042");
    const write = await run(at.root, "change", "start", "Fix it", "--type", "fix", "--size", "small");
    expect(write.code).toBe(0);
    const aside = /kept as (\S+)\. To restore: tenon doctor --restore/.exec(write.err)?.[1] ?? "";
    expect(at.read(aside)).toBe(exported);
    // The new ledger makes copies of its own, which do not push out those of the lost one.
    await run(at.root, "feature", "Sign up", "--id", "SIGN-001");
    const { code, out } = await run(at.root, "doctor", "--restore");
    expect(out).toContain("2 workflows recovered.");
    expect({ code, stages: await stages(at.root) }).toEqual({
      code: 0,
      stages: { ...BOTH, "SIGN-001": "discover", "fix-it": "describe" },
    });
    expect((await run(at.root, "doctor", "--restore")).out).toContain("Nothing to restore.");
  });

  test("with its log left behind is restored", async () => {
    using at = await atWork();
    using db = new DatabaseSync(join(at.root, LEDGER));
    db.exec("UPDATE counters SET value = value + 1");
    const log = fs.readFileSync(join(at.root, `${LEDGER}-wal`));
    db.close();
    fs.rmSync(join(at.root, LEDGER));
    fs.writeFileSync(join(at.root, `${LEDGER}-wal`), log);
    await run(at.root, "doctor", "--restore");
    expect(await stages(at.root)).toEqual(BOTH);
    expect((await run(at.root, "doctor")).code).toBe(0);
  });
});

describe("copies of the ledger", () => {
  test("are at most ten, and each is sound", async () => {
    using at = await atWork();
    using house = houseIn(at.root);
    for (let n = 1; n <= 14; n++) {
      await house.run("feature", "More", "--id", `MORE-${String(n).padStart(3, "0")}`);
      await house.run("workflow", "abandon", `MORE-${String(n).padStart(3, "0")}`, "--reason", "No need");
    }
    const names = fs.readdirSync(join(at.root, COPIES));
    expect(names.length).toBe(10);
    for (const name of names) {
      using db = new DatabaseSync(join(at.root, COPIES, name), { readOnly: true });
      expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    }
  });

  test("are made at stage boundaries, and after fifty events without one", async () => {
    using at = await atWork();
    using house = houseIn(at.root);
    const count = (): number => fs.readdirSync(join(at.root, COPIES)).length;
    const before = count();
    for (let n = 0; n < 20; n++) await house.run("workflow", "prioritize", "AUTH-001", String(n % 5));
    expect(count()).toBe(before);
    for (let n = 0; n < 40; n++) await house.run("workflow", "prioritize", "AUTH-001", String(n % 5));
    expect(count()).toBe(before + 1);
  });
});

test(`kill -9 in the middle of a restore loses nothing (TENON_SEED=${seed})`, { timeout: 600_000 }, async () => {
  using at = await atWork();
  damage(at.root, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
  const wrong = await killEverywhere(at.root, ["doctor", "--restore"], async (root) => {
    await run(root, "doctor", "--restore");
    return { stages: await stages(root), doctor: (await run(root, "doctor")).code, left: [] };
  });
  expect(wrong).toEqual([]);
});

test(`kill -9 in the middle of a copy leaves good copies (TENON_SEED=${seed})`, { timeout: 600_000 }, async () => {
  using at = await atWork();
  const wrong = await killEverywhere(
    at.root,
    ["workflow", "abandon", "BUG-042", "--reason", "No need"],
    async (root) => {
      damage(root, () => Buffer.alloc(8192, 1));
      await run(root, "doctor", "--restore");
      const doctor = (await run(root, "doctor")).code;
      await run(root, "workflow", "abandon", "BUG-042", "--reason", "No need");
      await run(root, "workflow", "prioritize", "AUTH-001", "3");
      const left = fs.readdirSync(join(root, COPIES)).filter((name) => name.endsWith(".tmp"));
      return { stages: { ...(await stages(root)), "BUG-042": "investigate" }, doctor, left };
    },
  );
  expect(wrong).toEqual([]);
});

interface Judged {
  readonly stages: Record<string, string>;
  readonly doctor: number;
  readonly left: readonly string[];
}

/** Gives each call after whose kill something is wrong. */
async function killEverywhere(
  prepared: string,
  words: readonly string[],
  judge: (root: string) => Promise<Judged>,
): Promise<unknown[]> {
  using folder = temporaryFolder();
  const home = join(folder.path, "home");
  fs.mkdirSync(home);
  let copies = 0;
  const copy = (): string => {
    const root = join(folder.path, `copy-${++copies}`);
    fs.cpSync(prepared, root, { recursive: true });
    return root;
  };
  // The first run fills the compile cache, so only the later ones make the same calls.
  await hook.points({ words, root: copy(), home });
  const points = await hook.points({ words, root: copy(), home });
  const aimed = points.filter(({ label }) => /tenon/.test(label) || /^(?:exec|run|close)/.test(label));
  if (aimed.length < 10) return ["Too few calls were found."];
  const wrong: unknown[] = [];
  for (const point of sample(aimed, 12)) {
    const root = copy();
    const { signal } = await hook.strike({ words, root, home }, point, "SIGKILL");
    const found = { signal, ...(await judge(root)) };
    const expected = { signal: "SIGKILL", stages: BOTH, doctor: 0, left: [] };
    if (!isDeepStrictEqual(found, expected)) wrong.push({ point: point.label, ...found });
    fs.rmSync(root, { recursive: true });
  }
  return wrong;
}

test("two processes that restore at once end with one restored ledger", async () => {
  using at = await atWork();
  damage(at.root, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
  const both = await Promise.all([1, 2].map(() => tenonAsync(["doctor", "--restore"], { cwd: at.root })));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.map(({ out }) => out.split(" ").slice(0, 3).join(" ")).toSorted()).toEqual([
    "Nothing to restore.",
    "The ledger is",
  ]);
  expect({ stages: await stages(at.root), asides: asides(at.root).length }).toEqual({ stages: BOTH, asides: 1 });
});

describe.skipIf(!canMount())("a full disk", () => {
  test("fails the restore and changes nothing; with space it succeeds", async () => {
    using at = await atWork();
    using disk = smallDisk();
    damage(at.root, (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)));
    const root = join(disk.path, "work");
    fs.cpSync(at.root, root, { recursive: true });
    disk.fill(0);
    const { code, err } = await tenonAsync(["doctor", "--restore"], { cwd: root });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/full|No space|ENOSPC/) as string });
    expect((await tenonAsync(["doctor"], { cwd: root })).out).toContain("tenon doctor --restore");
    disk.free();
    await tenonAsync(["doctor", "--restore"], { cwd: root });
    expect((await tenonAsync(["workflow", "status"], { cwd: root })).out).toContain("BUG-042");
  });

  test("lets a write succeed without its copy, and reports it", async () => {
    using at = await atWork();
    using disk = smallDisk();
    const root = join(disk.path, "work");
    fs.cpSync(at.root, root, { recursive: true });
    const copies = fs.readdirSync(join(root, COPIES));
    // Enough for the write and its log, too little for a copy.
    disk.fill(fs.statSync(join(root, LEDGER)).size + 40_960);
    const abandon = ["workflow", "abandon", "BUG-042", "--reason", "No need"];
    const { code, err } = await tenonAsync(abandon, { cwd: root });
    expect({ code, isNamed: err.includes("The write is kept, but the copy of the ledger failed") }).toEqual({
      code: 0,
      isNamed: true,
    });
    expect(fs.readdirSync(join(root, COPIES))).toEqual(copies);
  });
});
