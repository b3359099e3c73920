import { openGitSession } from "#git/adapters/git-repository.ts";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createGitSnapshots } from "#git/adapters/git-snapshots.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { type Likeness, takeLikeness, selectPart, put } from "../kit/repository.ts";
import { OWN, SITUATIONS, work } from "../kit/situations.ts";
import { sample, seed } from "./tier.ts";

const WORKER = fileURLToPath(new URL("../kit/restore-worker.ts", import.meta.url));
const HOOK = new URL("../kit/fault-hook.ts", import.meta.url).href;
const STRIDE = 32;
/** They differ in what the index holds; where the files are matters less here. */
const STRUCK = SITUATIONS.filter(({ name }) => ["staged", "marked entries", "no commit yet"].includes(name));

interface Request {
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
}

/** Runs a restore that is killed before its k-th call; gives the calls that it made. */
function strike(root: string, { from, to, paths }: Request, k: number): { signal: string | null; calls: string[] } {
  const log = `${root}.log`;
  fs.rmSync(log, { force: true });
  const { signal, stderr } = spawnSync(
    process.execPath,
    ["--conditions=tenon-source", "--import", HOOK, WORKER, root, from, to, ...paths],
    {
      env: { ...process.env, TENON_FAULT: `SIGKILL:${k}`, TENON_FAULT_LOG: log, TENON_FAULT_WIDE: "1" },
      encoding: "utf8",
    },
  );
  const calls = fs.readFileSync(log, "utf8").split("\n").slice(0, -1);
  if (signal === null && stderr !== "") throw new Error(stderr);
  return { signal, calls };
}

/** What nobody may touch, ever; folders come and go with own files, and so do temporaries. */
function others(likeness: Likeness): Likeness {
  const rest = Object.entries(selectPart(likeness, OWN, false));
  return Object.fromEntries(rest.filter(([name]) => !/^folder |\/\.tenon-[0-9a-f]{24}$/.test(name)));
}

describe.for(STRUCK)(`kill -9 while restoring, with $name (TENON_SEED=${seed})`, ({ prepare }) => {
  test("the next call finishes, and changes nothing else", { timeout: 600_000 }, async () => {
    using folder = temporaryFolder();
    const prepared = join(folder.path, "prepared");
    fs.mkdirSync(prepared);
    prepare(prepared);
    const snapshots = createGitSnapshots(openGitSession(prepared, process.env));
    const to = await snapshots.take("AUTH-001", 1, "before");
    work(prepared);
    const from = await snapshots.take("AUTH-001", 2, "safety");
    const request = { from: from.commit, to: to.commit, paths: OWN };
    const copy = (name: string): string => {
      const root = join(folder.path, name);
      fs.cpSync(prepared, root, { recursive: true, verbatimSymlinks: true });
      return root;
    };
    const whole = copy("whole");
    const { calls } = strike(whole, request, -1);
    const expected = takeLikeness(whole);
    const untouched = others(takeLikeness(prepared));
    const points = Array.from(calls, (_, i) => i + 1);
    const wrong: string[] = [];
    let killed = 0;
    const isDecisive = (k: number): boolean => /^(?:rename|rmdir|symlink)/.test(calls[k - 1] ?? "");
    const rest = points.filter((k) => !isDecisive(k));
    for (const k of [...points.filter(isDecisive), ...sample(rest, STRIDE)]) {
      const root = copy(`struck-${k}`);
      if (strike(root, request, k).signal === "SIGKILL") killed++;
      const isUntouched = JSON.stringify(others(takeLikeness(root))) === JSON.stringify(untouched);
      const { foreign } = await createGitSnapshots(openGitSession(root, process.env)).restore(request);
      const isFinished = JSON.stringify(takeLikeness(root)) === JSON.stringify(expected);
      if (!isUntouched || !isFinished || foreign.length > 0)
        wrong.push(`${k}: ${calls[k - 1]} ${isUntouched} ${isFinished}`);
      fs.rmSync(root, { recursive: true });
    }
    process.stdout.write(`${killed} of ${points.length} points\n`);
    expect([wrong, killed > 5]).toEqual([[], true]);
  });
});

/** Git lives on when we are killed, and takes the end of what we could still hand over for the end of all. */
test("leaves a complete ref when git outlives its killed caller", async () => {
  using folder = temporaryFolder();
  const [root, bin, marker] = ["work", "bin", "over"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const place of [root, bin]) fs.mkdirSync(place);
  git(root, "init", "--quiet");
  // More than the system keeps for a reader that has not begun to read.
  const names = Array.from({ length: 3000 }, (_, i) => `own/${"long".repeat(25)}-${i}`);
  for (const name of names) put(root, name, "");
  git(root, "add", "-A");
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const to = await snapshots.take("AUTH-001", 1, "before");
  git(root, "rm", "--quiet", "-r", "--cached", "own");
  const from = await snapshots.take("AUTH-001", 2, "safety");
  const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
  const shim = `case "$*" in *--index-info*) kill -9 $PPID; ${real} "$@"; touch ${marker};; *) exec ${real} "$@";; esac`;
  put(bin, "git", `#!/bin/sh\n${shim}\n`);
  fs.chmodSync(join(bin, "git"), 0o755);
  const { signal } = spawnSync(
    process.execPath,
    ["--conditions=tenon-source", WORKER, root, from.commit, to.commit, ...names],
    { env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` } },
  );
  expect(signal).toBe("SIGKILL");
  await expect.poll(() => fs.existsSync(marker), { timeout: 20_000 }).toBe(true);
  const known = new Set(names);
  const found = git(root, "ls-files").split("\n").slice(0, -1);
  expect(found.filter((name) => !known.has(name))).toEqual([]);
  await snapshots.restore({ from: from.commit, to: to.commit, paths: names });
  expect(git(root, "ls-files").split("\n").slice(0, -1)).toEqual(names.toSorted());
});
