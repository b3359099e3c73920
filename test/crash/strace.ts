import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { type Injector, type Point, requireSuccess, type Run, normalizeCallLabel } from "./injector.ts";
import { BIN, spawnIn } from "./spawn.ts";

const WRITES = (
  "write writev pwrite64 pwritev pwritev2 copy_file_range fallocate ftruncate truncate fsync fdatasync sync_file_range " +
  "rename renameat renameat2 mkdir mkdirat rmdir unlink unlinkat link linkat symlink symlinkat chmod fchmod fchmodat"
).split(" ");
const CALLS = [...WRITES, "openat", "close", "exit_group"];

export const hasStrace = (): boolean => spawnSync("strace", ["-V"]).status === 0;

export const strace: Injector = {
  name: "strace",

  async points(run, only) {
    const log = join(run.home, `trace-${process.hrtime.bigint()}`);
    requireSuccess(await traced(run, log, ["--seccomp-bpf", "-e", `trace=${only ?? CALLS.join(",")}`]), run);
    return listPoints(fs.readFileSync(log, "utf8"), run.root);
  },

  async strike(run, point, blow) {
    const log = join(run.home, `strike-${process.hrtime.bigint()}`);
    const { call } = point;
    const file = blow.endsWith("+") ? undefined : getOwnFile(point);
    const k = file === undefined ? point.k : (point.nth ?? point.k);
    // The fast mode of strace does not deliver signals.
    const mode = blow === "SIGKILL" ? [] : ["--seccomp-bpf"];
    const effect = blow === "SIGKILL" ? "signal=SIGKILL" : `error=${blow.replace("+", "")}`;
    const when = blow.endsWith("+") ? `${k}+` : k;
    const only = file === undefined ? [] : ["-P", join(run.root, file)];
    const inject = `inject=${call}:${effect}:when=${when}`;
    const struck = await traced(run, log, [...mode, ...only, "-e", `trace=${call}`, "-e", inject]);
    const hit = findStruckCall(fs.readFileSync(log, "utf8"), run.root);
    fs.rmSync(log);
    return { ...struck, hit };
  },
};

/** The event loop wakes itself by writes, a different number of them in each run: only those to one file are counted. */
const getOwnFile = ({ call, label }: Point): string | undefined =>
  call === "write" ? /^write ([^ *]*[./][^ *]*)$/.exec(label)?.[1] : undefined;

function traced(run: Run, log: string, flags: readonly string[]): ReturnType<typeof spawnIn> {
  // V8's helpers ask the system about its processors at no fixed moment, which would shift the count.
  const program = [process.execPath, "--single-threaded", BIN, ...run.words];
  return spawnIn(run, ["strace", "-f", "-y", "-qq", "-s", "0", "-o", log, ...flags, ...program]);
}

function listPoints(log: string, root: string): Point[] {
  const counts = new Map<string, number>();
  const labels = new Map<string, number>();
  return listCalls(log).flatMap(({ call, rest }): Point[] => {
    const k = (counts.get(call) ?? 0) + 1;
    counts.set(call, k);
    const label = getLabel(call, rest, root);
    if (label === undefined) return [];
    const nth = (labels.get(label) ?? 0) + 1;
    labels.set(label, nth);
    return [
      { call, k, nth, label, isWrite: WRITES.includes(call) || rest.includes("O_CREAT") || call === "exit_group" },
    ];
  });
}

/** A call that was made to fail is marked; one that its process was killed in never came back. */
function findStruckCall(log: string, root: string): string | undefined {
  const calls = listCalls(log);
  const hit =
    calls.find(({ rest }) => rest.endsWith("(INJECTED)")) ??
    calls.findLast(({ rest }) => rest.endsWith(" = ?") || rest.endsWith("<unfinished ...>"));
  return hit && getLabel(hit.call, hit.rest, root);
}

/** The calls of the first thread: strace counts each thread by itself, and the program does its own work there. */
function listCalls(log: string): { call: string; rest: string }[] {
  const lines = log.split("\n").map((line) => /^(\d+)\s+(\w+)\((.*)$/.exec(line));
  const main = lines.find((match) => match !== null)?.[1];
  return lines.flatMap((match) => (match?.[1] === main ? [{ call: match?.[2] ?? "", rest: match?.[3] ?? "" }] : []));
}

/** What a call touches, without what differs from run to run; nothing if that is not of the workspace. */
function getLabel(call: string, rest: string, root: string): string | undefined {
  if (call === "exit_group") return call;
  if (call === "write" && /^[12]</.test(rest)) return `write ${rest.startsWith("1") ? "stdout" : "stderr"}`;
  const places = [...rest.replace(/AT_FDCWD<[^>]*>/g, "").matchAll(/[<"](\/[^>"]*)[>"]/g)]
    .map(([, place = ""]) => place)
    .filter((place) => place === root || place.startsWith(`${root}/`))
    .map((place) => normalizeCallLabel(place.slice(root.length + 1) || "."));
  return places.length === 0 ? undefined : [call, ...new Set(places)].join(" ");
}
