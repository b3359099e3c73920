import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { KNOWN_AGENTS } from "#running/model/agent-catalog.ts";
import type { RunNotice, StartRunOutput } from "#running/operations/run-context.ts";
import { startRun } from "#running/operations/start-run.ts";
import { temporaryFolder } from "../kit/folder.ts";
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

/** A roadmap and scripted agents under the names of the known clients. */
export interface RunStand extends RoadmapStand {
  readonly home: string;
  readonly bin: string;
  /** Where the user's trust is kept. */
  readonly dataFolder: string;
  plan(change: Partial<RunPlan>): void;
  start(
    input?: Readonly<Record<string, unknown>>,
  ): Promise<StartRunOutput & { readonly notices: readonly RunNotice[] }>;
  starts(): string[];
  /** How often an agent with one piece of work was started. */
  countStarts(): number;
  git(...words: string[]): string;
}

export async function runStand(plan: RunPlan, files: Readonly<Record<string, string>> = {}): Promise<RunStand> {
  const folder = temporaryFolder();
  const [home, bin] = [join(folder.path, "agents"), join(folder.path, "bin")];
  const dataFolder = join(folder.path, "data");
  for (const place of [home, bin]) fs.mkdirSync(place);
  for (const name of [...Object.keys(KNOWN_AGENTS), "mine"]) {
    const line = `exec '${process.execPath}' '${SCRIPT}' '${home}' ${name} "$@"`;
    fs.writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const { PATH = "", HOME = "" } = process.env;
  const environment = { PATH: `${bin}:${PATH}`, HOME };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
  const made = await roadmapStand(files, { environment, wait, dataFolder });
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
    plan(change) {
      current = { ...current, ...change };
      save();
    },
    async start(input = {}) {
      const notices: RunNotice[] = [];
      const progress = {
        ...made.engine.progress,
        cancelled: new AbortController().signal,
        tell: () => undefined,
        notice: (notice: { event: string }) => void notices.push(notice as RunNotice),
      };
      const output = await startRun.run({ ...made.engine, progress }, { agent: "claude=4", ...input });
      return { ...output, notices };
    },
    countStarts: () => fs.statSync(join(home, "count-work"), { throwIfNoEntry: false })?.size ?? 0,
    starts: () => fs.readFileSync(join(home, "starts.log"), "utf8").trim().split("\n"),
    [Symbol.dispose]: () => {
      made[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}
