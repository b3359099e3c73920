import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, connect } from "../kit/client.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import { type FileSystem, openLoopDisk } from "./loop-disk.ts";

export interface StrikeFigures {
  readonly strikes: number;
  readonly acknowledged: number;
  /** Acknowledged writes and snapshots that are missing afterwards, and other damage. */
  readonly lost: readonly string[];
}

/** The kinds of write that are under way at the strike. */
const WRITERS = ["decision", "snapshot", "observation"] as const;
const WORKFLOW = "AUTH-001";
/** The first one, from before the work, always stays. */
const SNAPSHOTS_KEPT = 5;
/** Each server of a run makes numbers of its own. */
const WRITES_PER_STRIKE = 100_000;
/** A new disk or folder after so many strikes. */
const STRIKES_PER_HOME = 10;
const [SHORTEST_RUN_MS, LONGEST_START_MS] = [50, 20_000];
const [LONGEST_RUN_MS, LONGEST_POWERED_MS] = [1000, 3000];

/** Cuts the power at random moments while a server writes, and compares what it acknowledged with what is there. */
export async function measurePowerCuts(system: FileSystem, cuts: number): Promise<StrikeFigures> {
  return measureStrikes(cuts, async (most) => {
    using disk = openLoopDisk(system);
    const strike = (): void => disk.cutPower();
    return await strikeOften(disk.path, { most, longestMs: LONGEST_POWERED_MS, strike, recover: () => disk.restart() });
  });
}

/** Kills a server at random moments while it writes. */
export async function measureKills(kills: number): Promise<StrikeFigures> {
  return measureStrikes(kills, async (most) => {
    using folder = temporaryFolder();
    const nothing = (): void => undefined;
    return await strikeOften(folder.path, { most, longestMs: LONGEST_RUN_MS, strike: nothing, recover: nothing });
  });
}

async function measureStrikes(wanted: number, measure: (most: number) => Promise<StrikeFigures>) {
  let sum: StrikeFigures = { strikes: 0, acknowledged: 0, lost: [] };
  while (sum.strikes < wanted) {
    const { strikes, acknowledged, lost } = await measure(Math.min(STRIKES_PER_HOME, wanted - sum.strikes));
    sum = {
      strikes: sum.strikes + strikes,
      acknowledged: sum.acknowledged + acknowledged,
      lost: [...sum.lost, ...lost],
    };
  }
  return sum;
}

interface StrikePlan {
  readonly most: number;
  readonly longestMs: number;
  readonly strike: () => void;
  readonly recover: () => void;
}

async function strikeOften(path: string, { most, longestMs, strike, recover }: StrikePlan): Promise<StrikeFigures> {
  const [root, home] = [join(path, "work"), join(path, "home")];
  prepareRepository(root, home);
  runQuietly("sync", "--file-system", path);
  const lost: string[] = [];
  let acknowledged = 0;
  for (let n = 0; n < most; n++) {
    const promised = await writeUntilStrike({ root, home, start: n * WRITES_PER_STRIKE, longestMs, strike });
    recover();
    acknowledged += promised.length;
    lost.push(...promised.flatMap((each) => each.problem() ?? []), ...findDamage(root, home));
  }
  return { strikes: most, acknowledged, lost };
}

function prepareRepository(root: string, home: string): void {
  for (const folder of [root, home]) fs.mkdirSync(folder, { recursive: true });
  runGit(root, "init", "--quiet");
  fs.mkdirSync(join(root, "src"));
  fs.writeFileSync(join(root, "src/login.ts"), "export const login = 0;\n");
  runGit(root, "add", "-A");
  runGit(root, "commit", "--quiet", "-m", "Begin");
  const started = tenon(["feature", "Log in", "--id", WORKFLOW, "--files", "src/login.ts"], {
    cwd: root,
    env: { TENON_HOME: home },
  });
  if (started.code !== 0) throw new Error(started.err);
}

/** What the server acknowledged, and how to find it after the restart. */
interface Promised {
  problem(): string | undefined;
}

interface StruckRun {
  readonly root: string;
  readonly home: string;
  readonly start: number;
  readonly longestMs: number;
  readonly strike: () => void;
}

async function writeUntilStrike({ root, home, start, longestMs, strike }: StruckRun): Promise<Promised[]> {
  const server = await connect("2025-11-25", {
    cwd: root,
    words: ["--toolsets", "all"],
    env: { TENON_HOME: home, HOME: home },
  });
  const promised: Promised[] = [];
  let isStruck = false;
  const begun = Promise.withResolvers<void>();
  const write = async (kind: (typeof WRITERS)[number]): Promise<void> => {
    for (let n = start + 1; !isStruck; n++) {
      const each = await writeOnce(server, { root, home, kind, n });
      // An answer read after the strike had begun proves nothing.
      if (each && !isStruck) promised.push(each);
      begun.resolve();
    }
  };
  const writers = WRITERS.map((kind) => write(kind).catch(() => undefined));
  await Promise.race([begun.promise, sleep(LONGEST_START_MS, undefined, { ref: false })]);
  await sleep(SHORTEST_RUN_MS + Math.random() * (longestMs - SHORTEST_RUN_MS));
  isStruck = true;
  strike();
  const pid = server.pid;
  if (pid !== undefined) process.kill(pid, "SIGKILL");
  await server.closed;
  await Promise.all(writers);
  return promised;
}

interface Write {
  readonly root: string;
  readonly home: string;
  readonly kind: (typeof WRITERS)[number];
  readonly n: number;
}

async function writeOnce(server: Connection, { root, home, kind, n }: Write): Promise<Promised | undefined> {
  const ask = async (tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { isError, structuredContent, content } = await server.call(tool, input);
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent as Record<string, unknown>;
  };
  if (kind === "decision") {
    const text = { context: "c", decision: "d", rationale: "r" };
    const { adr } = await ask("sdd_adr", { title: `Decision ${n}`, standalone: true, ...text });
    const path = join(root, (adr as { path: string }).path);
    return { problem: () => (fs.existsSync(path) && fs.statSync(path).size > 0 ? undefined : `${path} is missing`) };
  }
  if (kind === "snapshot") {
    fs.writeFileSync(join(root, "src/login.ts"), `export const login = ${n};\n`);
    const { snapshot } = await ask("sdd_workflow_snapshot", { id: WORKFLOW });
    return { problem: () => findSnapshotProblem(root, Number(snapshot), n) };
  }
  const title = `Observation ${n}`;
  await ask("mem_save", { type: "discovery", title, content: `Learned ${n}.` });
  return { problem: () => (findObservation(home, title) ? undefined : `${title} is missing`) };
}

/** Only the newest snapshots are kept, so an older one may be gone, but not unreadable. */
function findSnapshotProblem(root: string, snapshot: number, n: number): string | undefined {
  const folder = join(root, ".git/refs/tenon", WORKFLOW);
  const ref = join(folder, String(snapshot));
  const newer = fs.readdirSync(folder).filter((name) => Number(name) > snapshot);
  if (!fs.existsSync(ref)) return newer.length < SNAPSHOTS_KEPT - 1 ? `snapshot ${snapshot} is missing` : undefined;
  try {
    const text = runGit(root, "show", `refs/tenon/${WORKFLOW}/${snapshot}:src/login.ts`);
    return text === `export const login = ${n};\n` ? undefined : `snapshot ${snapshot} has ${text}`;
  } catch (error) {
    return `snapshot ${snapshot} (${fs.statSync(ref).size} bytes): ${String(error).split("\n").slice(0, 3).join(" ")}`;
  }
}

function findObservation(home: string, title: string): boolean {
  using memory = new DatabaseSync(join(home, "memory.db"), { readOnly: true });
  return memory.prepare("SELECT 1 FROM observations WHERE title = ?").get(title) !== undefined;
}

/** Damage that git or `doctor` reports after the restart. */
function findDamage(root: string, home: string): string[] {
  // A write that was recorded but not finished is finished, as the next command of a user would.
  const doctor = tenon(["doctor", "--repair"], { cwd: root, env: { TENON_HOME: home } });
  const refs = fs
    .readdirSync(join(root, ".git/refs"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && fs.statSync(join(entry.parentPath, entry.name)).size === 0)
    .map(({ parentPath, name }) => `${join(parentPath, name)} is empty`);
  const said = doctor.code === 0 ? [] : [`doctor: ${doctor.out}${doctor.err}`];
  try {
    runGit(root, "fsck", "--no-dangling");
    return [...refs, ...said];
  } catch (error) {
    return [...refs, ...said, `git fsck: ${String(error)}`];
  }
}

const runGit = (root: string, ...words: string[]): string =>
  execFileSync(
    "git",
    // The user's own commits are not what is measured here.
    ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "core.fsync=all", ...words],
    { cwd: root, encoding: "utf8", stdio: "pipe" },
  );

const runQuietly = (program: string, ...words: string[]): void => void execFileSync(program, words, { stdio: "pipe" });
