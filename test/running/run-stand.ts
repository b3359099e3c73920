import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import type { ProcessContext } from "#app/application-host.ts";
import type { AgentProcesses } from "#kernel/operations/ports/agent-processes.ts";
import { KNOWN_AGENTS } from "#running/model/agent-catalog.ts";
import type { RunNotice, StartRunOutput } from "#running/operations/run-context.ts";
import { startRun } from "#running/operations/start-run.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { code } from "../roadmap/feature-documents.ts";
import { roadmapStand, type RoadmapStand } from "../roadmap/stand.ts";

const SCRIPT = join(process.cwd(), "test/running/scripted-agent.ts");

export interface RunPlan {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  readonly delay?: number;
  readonly acts?: readonly Readonly<Record<string, unknown>>[];
  readonly work?: readonly Readonly<Record<string, string>>[];
  readonly keepBriefs?: boolean;
  readonly cost?: number;
}

const replaceMethods = <Port extends object>(port: Port, own: Partial<Port>): Port =>
  new Proxy(port, { get: (target, name) => Reflect.get(name in own ? own : target, name) as unknown });

export const listProblems = (notices: readonly RunNotice[]): string[] =>
  notices.flatMap((notice) => (notice.event === "rejected" || notice.event === "cut-off" ? notice.problems : []));

/** Processes in a folder, with all that they started. */
export function listProcessesBelow(root: string): string[] {
  return fs
    .readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const place = fs.readlinkSync(`/proc/${pid}/cwd`);
        return place.startsWith(root) ? [`${pid} ${fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")}`] : [];
      } catch {
        return [];
      }
    });
}

/** `width` features in each of `waves` waves. Each depends on one of the wave before. */
export function createWavePlan(waves: number, width: number): RunPlan {
  const all = Array.from({ length: waves * width }, (_, i) => [Math.floor(i / width) + 1, (i % width) + 1] as const);
  const on = all.flatMap(([wave, i]) => (wave === 1 ? [] : [[`w${wave}-${i}`, [`w${wave - 1}-${i}`]] as const]));
  return {
    groups: Object.fromEntries(all.map(([wave, i]) => [`w${wave}-${i}`, ["A"]])),
    dependencies: Object.fromEntries(on),
  };
}

/** What of a plan did not land exactly once and whole, and what a run left behind. */
export function listLandingProblems(stand: RunStand, { groups }: RunPlan): string[] {
  const subjects = stand.git("log", "--format=%s").trim().split("\n");
  const pieces = Object.entries(groups).flatMap(([feature, names]) => names.map((group) => [feature, group] as const));
  const wrong = pieces.flatMap(([feature, group]) => {
    const commits = subjects.filter((each) => each === `Build group ${group}: ${feature}`).length;
    const isWhole = stand.read(`src/${feature}-${group}.mjs`) === code({ feature, groups: [] }, group);
    return commits === 1 && isWhole
      ? []
      : [`${feature} ${group}: ${commits} commits, ${isWhole ? "whole" : "changed"}`];
  });
  const left = listProcessesBelow(stand.root).map((line) => `still running: ${line}`);
  const open = stand.git("status", "--porcelain").split("\n").filter(Boolean);
  const worktrees = stand.git("worktree", "list").trim().split("\n").slice(1);
  const references = stand.git("for-each-ref", "refs/tenon/run").split("\n").filter(Boolean);
  return [...wrong, ...left, ...open, ...worktrees, ...references];
}

/** A roadmap and scripted agents under the names of the known clients. */
export interface RunStand extends RoadmapStand {
  readonly home: string;
  readonly bin: string;
  /** Where the user's trust is kept. */
  readonly dataFolder: string;
  plan(change: Partial<RunPlan>): void;
  start(
    input?: Readonly<Record<string, unknown>>,
    world?: {
      readonly first?: string;
      readonly silence_s?: number;
      readonly timeout_s?: number;
      readonly freeBytes?: number;
      /** No transcript finds room. */
      readonly isFull?: boolean;
    },
  ): Promise<StartRunOutput & { readonly notices: readonly RunNotice[] }>;
  starts(): string[];
  /** How often an agent with one piece of work was started. */
  countStarts(): number;
  git(...words: string[]): string;
  /** The tests of the branch, in a checkout of its own: a landing may be in progress in the main one. */
  assertTestsPass(): void;
}

/** The time of day. The clock of other stands moves a second at each look, which is hours in a long run. */
export const REAL_CLOCK = { now: (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z") };

export async function runStand(
  plan: RunPlan,
  files: Readonly<Record<string, string>> = {},
  world: Partial<ProcessContext> = {},
): Promise<RunStand> {
  const folder = temporaryFolder();
  const [home, bin] = [join(folder.path, "agents"), join(folder.path, "bin")];
  const dataFolder = join(folder.path, "data");
  for (const place of [home, bin]) fs.mkdirSync(place);
  for (const name of [...Object.keys(KNOWN_AGENTS), "mine", "acp"]) {
    const line = `exec '${process.execPath}' '${SCRIPT}' '${home}' ${name} "$@"`;
    fs.writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const { PATH = "", HOME = "" } = process.env;
  const environment = { PATH: `${bin}:${PATH}`, HOME };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
  const made = await roadmapStand(files, { environment, wait, dataFolder, ...world });
  let current = plan;
  const save = (): void => fs.writeFileSync(join(home, "plan.json"), JSON.stringify(current));
  save();
  const { groups, dependencies = {} } = plan;
  const features = Object.keys(groups).map((name) => ({ name, dependencies: dependencies[name] ?? [] }));
  if (features.length > 0) {
    await made.roadmap(features);
    made.commit("Plan");
  }
  const git = (...words: string[]): string => {
    const done = spawnSync("git", words, { cwd: made.root, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`);
    return done.stdout;
  };
  return {
    ...made,
    home,
    bin,
    dataFolder,
    git,
    assertTestsPass() {
      const place = join(folder.path, "checkout");
      git("worktree", "add", "--quiet", "--detach", "--force", place, "HEAD");
      const words = ["tools/test.mjs", join(folder.path, "tests.json")];
      const done = spawnSync(process.execPath, words, { cwd: place, encoding: "utf8" });
      git("worktree", "remove", "--force", place);
      if (done.status !== 0) throw new Error(`The tests of the branch fail: ${done.stdout}${done.stderr}`);
    },
    plan(change) {
      current = { ...current, ...change };
      save();
    },
    async start(input = {}, { freeBytes, first, isFull, ...limits } = {}) {
      const notices: RunNotice[] = [];
      const progress = {
        ...made.engine.progress,
        cancelled: new AbortController().signal,
        tell: () => undefined,
        notice: (notice: { event: string }) => void notices.push(notice as RunNotice),
      };
      // Settings count in minutes, which no test waits for. Other agents may be slow on a busy machine.
      const watch: AgentProcesses["watch"] = (request) =>
        made.engine.agents.watch({ ...request, ...(request.tag.endsWith(`/${first}/1`) ? limits : {}) });
      const keep = async (): Promise<void> => fs.writeFileSync("/dev/full", "transcript");
      const agents = replaceMethods(made.engine.agents, { watch, ...(isFull ? { keep } : {}) });
      const landings = replaceMethods(
        made.engine.landings,
        freeBytes === undefined ? {} : { freeBytes: async () => freeBytes },
      );
      const output = await startRun.run(
        { ...made.engine, agents, landings, progress },
        { agent: "claude=4", ...input },
      );
      return { ...output, notices };
    },
    countStarts: () => fs.statSync(join(home, "count-work"), { throwIfNoEntry: false })?.size ?? 0,
    starts: () => fs.readFileSync(join(home, "starts.log"), "utf8").trim().split("\n"),
    [Symbol.dispose]: () => {
      // A test that failed leaves its agents.
      for (const line of listProcessesBelow(made.root)) process.kill(Number.parseInt(line, 10), "SIGKILL");
      made[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}
