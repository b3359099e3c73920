import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { canMount, smallDisk } from "../crash/small-disk.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { ESCAPES, type Hostile, TALKERS } from "./commands.ts";
import type { Order, Report } from "./engine.ts";

/** Megabytes. */
const MOST_MEMORY = 200;
const WAYS = ["cell", "group"] as const;
type Way = (typeof WAYS)[number];

/** Processes that live and bear the mark. */
const left = (mark: string): string[] =>
  execFileSync("ps", ["-axww", "-o", "stat=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(mark) && !line.startsWith("Z"));

const newMark = (): string => String(randomInt(1e11, 1e12));

async function until(isSo: () => boolean): Promise<void> {
  const last = performance.now() + 20_000;
  while (!isSo()) {
    if (performance.now() > last) throw new Error("It did not come to that.");
    await new Promise((resolve) => void setTimeout(resolve, 20));
  }
}

function startEngine(temporary: string): ChildProcess {
  return fork(fileURLToPath(new URL("engine.ts", import.meta.url)), [], {
    execArgv: ["--conditions=tenon-source"],
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

const order = (engine: ChildProcess, told: Order): Promise<Report> =>
  new Promise((resolve, reject) => {
    const fail = (code: number | null, signal: string | null): void =>
      reject(new Error(`The engine ended: ${code ?? signal}`));
    engine.once("exit", fail);
    engine.once("message", (report: Report) => {
      engine.off("exit", fail);
      resolve(report);
    });
    engine.send(told);
  });

const running = (line: string, folder: string, { timeout_s = 60, silence_s = 60 } = {}): Order["running"] => ({
  run: { shell: line },
  folder,
  timeout_s,
  silence_s,
});

const temporary = temporaryFolder();
const engines = new Map(WAYS.map((way) => [way, startEngine(temporary.path)]));
afterAll(() => {
  for (const engine of engines.values()) engine.kill();
  temporary[Symbol.dispose]();
});

async function meet(way: Way, hostile: Hostile): Promise<Report & { left: readonly string[] }> {
  using folder = temporaryFolder();
  const mark = newMark();
  const engine = engines.get(way);
  if (!engine) throw new Error(way);
  const report = await order(engine, { way, running: running(hostile.line(mark), folder.path, hostile) });
  return { ...report, left: left(mark) };
}

describe.each(WAYS)("in a %s", (way) => {
  test.each(Object.entries(ESCAPES))(
    "leaves no process of a check that %s",
    { timeout: 600_000 },
    async (_, hostile) => {
      const met = await meet(way, hostile);
      expect(met).toMatchObject({ ...hostile.ends, left: [] });
      expect(met.megabytes).toBeLessThan(MOST_MEMORY);
    },
  );

  test("ends the processes of an engine that dies", async () => {
    using folder = temporaryFolder();
    const mark = newMark();
    const engine = startEngine(folder.path);
    // Whoever may be listening for the engine is stopped first.
    const stop = way === "cell" && process.platform === "linux" ? '[ "$PPID" -ne 0 ] || kill -STOP 2;' : "";
    const line = `${stop} setsid sleep 9999.${mark} & env -i sleep 9999.${mark} & sleep 9999.${mark}`;
    const report = order(engine, { way, running: running(line, folder.path) });
    await until(() => left(`sleep 9999.${mark}`).length >= 3);
    engine.kill("SIGKILL");
    await expect(report).rejects.toThrow("The engine ended: SIGKILL");
    await until(() => left(mark).length === 0);
  });
});

test.each(Object.entries(TALKERS))("contains a check that %s", { timeout: 900_000 }, async (_, hostile) => {
  const met = await meet("cell", hostile);
  expect(met).toMatchObject({ ...hostile.ends, left: [] });
  expect(met.megabytes).toBeLessThan(MOST_MEMORY);
});

test("hides the engine from checks, so that none can end it", async () => {
  using folder = temporaryFolder();
  const engine = startEngine(folder.path);
  try {
    // Where no cell can be made, a check could.
    const line = `[ "$PPID" -ne 0 ] || kill -9 ${engine.pid} 2>/dev/null; echo unharmed`;
    const report = await order(engine, { way: "cell", running: running(line, folder.path) });
    expect(report).toMatchObject({ how: "exited", code: 0, tail: "unharmed\n" });
  } finally {
    engine.kill();
  }
});

test("ends a check that kills the engine from its group", async () => {
  using folder = temporaryFolder();
  const mark = newMark();
  const engine = startEngine(folder.path);
  const line = `trap '' TERM; setsid sleep 9999.${mark} & kill -9 ${engine.pid}; sleep 9999.${mark}`;
  await expect(order(engine, { way: "group", running: running(line, folder.path) })).rejects.toThrow("SIGKILL");
  await until(() => left(mark).length === 0);
});

test.skipIf(!canMount())("keeps only a part of the output on a full disk, and reports that", async () => {
  using disk = smallDisk();
  using folder = temporaryFolder();
  const engine = startEngine(disk.path);
  try {
    const flood = running("head -c 9000000 /dev/zero; echo end", folder.path);
    const report = await order(engine, { way: "cell", running: flood });
    expect(report).toMatchObject({ how: "exited", code: 0, bytes: 9_000_004, isCut: true });
    const filler = running(`cat /dev/zero > '${join(disk.path, "filler")}'; echo full`, folder.path);
    expect(await order(engine, { way: "cell", running: filler })).toMatchObject({ how: "exited", isCut: true });
    expect(fs.readdirSync(disk.path)).toEqual(["filler"]);
  } finally {
    engine.kill();
    await new Promise((resolve) => void engine.once("exit", resolve));
  }
});
