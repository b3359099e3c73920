import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { createTrustedSurface } from "#checking/model/stack/trusted-surface.ts";
import type { Engine } from "#doors/engine.ts";
import { initTeam } from "#onboarding/operations/team/init-team.ts";
import type { RunNotice, StartRunOutput } from "#running/operations/run-context.ts";
import { startRun } from "#running/operations/start-run.ts";
import { startWorker } from "#running/operations/start-worker.ts";
import { git } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import type { PostgresServer } from "../kit/postgres-server.ts";
import { REAL_CLOCK, type RunPlan, type RunStand, runStand } from "./run-stand.ts";

interface TeamClone {
  readonly root: string;
  readonly engine: Engine;
  /** Leads the run, or joins it. */
  run(input?: Readonly<Record<string, unknown>>): Promise<TeamOutput>;
  /** `tenon worker`. */
  work(input?: Readonly<Record<string, unknown>>, until?: AbortSignal): Promise<TeamOutput>;
  close(): void;
}

type TeamOutput = StartRunOutput & { readonly notices: readonly RunNotice[] };

/** A roadmap in a clone, others that share only a bare repository and the database, and scripted agents. */
export interface TeamStand extends Disposable {
  readonly lead: TeamClone;
  readonly stand: RunStand;
  readonly origin: string;
  readonly url: string;
  readonly database: string;
  clone(name: string, url?: string): Promise<TeamClone>;
}

/** The house of one clone, with real clocks. */
export async function openTeamClone(
  root: string,
  { bin, dataFolder, url }: { readonly bin: string; readonly dataFolder: string; readonly url: string },
): Promise<TeamClone> {
  const { PATH = "", HOME = "" } = process.env;
  const wait = (ms: number, until?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      until?.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  const { house } = testHouse(root, {
    environment: { PATH: `${bin}:${PATH}`, HOME, TENON_DATABASE_URL: url },
    wait,
    clock: REAL_CLOCK,
    steadyClock: { boot: "test boot", nowMs: () => Number(process.hrtime.bigint() / 1_000_000n) },
    newId: randomUUID,
    dataFolder,
  });
  const engine = await house.open({});
  // The lead runs the tests of the repository, and any clone may lead.
  const definitions = await engine.stacks.definitions();
  if (definitions) {
    const surface = createTrustedSurface(definitions, (text) => engine.digest(text));
    await engine.trust.grant({ surface, at: engine.clock.now(), passes: [] });
  }
  const follow = async (
    start: (engine: Engine) => Promise<StartRunOutput>,
    cancelled = new AbortController().signal,
  ): Promise<TeamOutput> => {
    const notices: RunNotice[] = [];
    const notice = (each: { event: string }): void => void notices.push(each as RunNotice);
    const progress = { ...engine.progress, cancelled, tell: () => undefined, notice };
    return { ...(await start({ ...engine, progress })), notices };
  };
  return {
    root,
    engine,
    run: (input = {}) => follow((held) => startRun.run(held, { agent: "claude=1", ...input })),
    work: (input = {}, until) => follow((held) => startWorker.run(held, { agent: "claude=1", ...input }), until),
    close: () => house.close(),
  };
}

export async function teamStand(server: PostgresServer, plan: RunPlan): Promise<TeamStand> {
  const stand = await runStand(plan, {}, { clock: REAL_CLOCK });
  const origin = join(stand.home, "origin.git");
  stand.git("init", "--quiet", "--bare", "--initial-branch=main", origin);
  stand.git("remote", "add", "origin", origin);
  stand.git("push", "--quiet", "origin", "HEAD:main");
  const url = server.createDatabase();
  const { bin, dataFolder } = stand;
  const clones: TeamClone[] = [];
  const open = async (root: string, address: string): Promise<TeamClone> => {
    const made = await openTeamClone(root, { bin, dataFolder, url: address });
    clones.push(made);
    return made;
  };
  const lead = await open(stand.root, url);
  await initTeam.run(lead.engine, { move: true });
  return {
    stand,
    lead,
    origin,
    url,
    database: new URL(url).pathname.slice(1),
    clone(name, address = url) {
      const root = join(stand.home, name);
      git(stand.home, "clone", "--quiet", origin, root);
      git(root, "config", "user.name", name);
      git(root, "config", "user.email", `${name}@example.com`);
      fs.mkdirSync(join(root, ".sdd"), { recursive: true });
      return open(root, address);
    },
    [Symbol.dispose]() {
      for (const each of clones) each.close();
      stand[Symbol.dispose]();
    },
  };
}
