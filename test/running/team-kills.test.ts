import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chance, isFull, seed } from "../kit/chance.ts";
import { git } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { finished } from "../kit/process.ts";
import { code } from "../roadmap/feature-documents.ts";
import { createWavePlan, type RunPlan } from "./run-stand.ts";
import { type TeamStand, teamStand } from "./team-stand.ts";

const CLONE = fileURLToPath(new URL("./team-clone.ts", import.meta.url));
const LIMIT = { timeout: isFull ? 7_200_000 : 900_000 };
const KILL_EVERY_MS = 5000;

/** What of a plan is not in the shared repository exactly once and whole, and what a run left there. */
function listTeamProblems({ origin, stand }: TeamStand, { groups }: RunPlan): string[] {
  const place = join(stand.home, "check");
  git(stand.home, "clone", "--quiet", origin, place);
  const subjects = git(place, "log", "--format=%s").trim().split("\n");
  const wrong = Object.entries(groups).flatMap(([feature, names]) =>
    names.flatMap((group) => {
      const commits = subjects.filter((each) => each === `Build group ${group}: ${feature}`).length;
      const file = join(place, `src/${feature}-${group}.mjs`);
      const isWhole = fs.existsSync(file) && fs.readFileSync(file, "utf8") === code({ feature, groups: [] }, group);
      return commits === 1 && isWhole ? [] : [`${feature} ${group}: ${commits} commits, whole: ${isWhole}`];
    }),
  );
  const refs = git(origin, "for-each-ref", "--format=%(refname)").trim().split("\n");
  return [...wrong, ...refs.filter((ref) => ref !== "refs/heads/main")];
}

// Seen to hang once with a random seed, so it runs in the full tier only.
describe.runIf(isFull && !postgresProblem)(
  `a team that is killed${postgresProblem ? ` (${postgresProblem})` : ""}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
    });

    const start = ({ url, stand }: TeamStand, mode: "run" | "work", root: string): ChildProcess => {
      const words = ["--conditions=tenon-source", CLONE, mode, root, stand.bin, stand.dataFolder, url];
      return spawn(process.execPath, words, { stdio: "pipe" });
    };

    test("lands each feature once while two workers are killed every five seconds", LIMIT, async () => {
      const plan = createWavePlan(isFull ? 5 : 1, isFull ? 4 : 2);
      using team = await teamStand(server, plan);
      const roots: string[] = [];
      for (let n = 1; n <= (isFull ? 8 : 2); n++) roots.push((await team.clone(`worker-${n}`)).root);
      const random = chance(seed);
      let isOver = false;
      let kills = 0;
      const failed: string[] = [];
      const current = new Map<string, ChildProcess>();
      const keepWorking = async (root: string): Promise<void> => {
        for (;;) {
          const child = start(team, "work", root);
          current.set(root, child);
          const { signal, code: exit, err } = await finished(child);
          if (signal === "SIGKILL") continue;
          if (exit !== 0) failed.push(err);
          return;
        }
      };
      const working = Promise.all(roots.map(keepWorking));
      const timer = setInterval(() => {
        if (isOver) return;
        const [first, second] = [random(roots.length), random(roots.length - 1)];
        for (const n of new Set([first, second < first ? second : second + 1]))
          if (current.get(roots[n] ?? "")?.kill("SIGKILL")) kills++;
      }, KILL_EVERY_MS);
      const { code: exit, out, err } = await finished(start(team, "run", team.lead.root));
      isOver = true;
      clearInterval(timer);
      await working;
      expect([exit, err, failed]).toEqual([0, "", []]);
      expect(JSON.parse(out)).toMatchObject({ complete: true, waiting: [], failed: [] });
      expect(kills).toBeGreaterThan(isFull ? 50 : 1);
      expect(listTeamProblems(team, plan)).toEqual([]);
      for (const root of [team.lead.root, ...roots]) {
        expect(git(root, "worktree", "list").trim().split("\n")).toHaveLength(1);
        expect(git(root, "status", "--porcelain")).toBe("");
      }
      const taken = `SELECT count(*) > 0 FROM tenon.events WHERE kind = 'run.assigned' AND data LIKE '%~%'`;
      expect(server.sql(taken, team.database)).toBe("t");
    });

    test("leads the run in another clone when the lead's machine is gone", LIMIT, async () => {
      const plan = createWavePlan(1, 1);
      using team = await teamStand(server, plan);
      const other = await team.clone("other");
      const first = start(team, "run", team.lead.root);
      const ended = finished(first);
      const countLanded = (): number =>
        Number(server.sql("SELECT count(*) FROM tenon.events WHERE kind = 'run.landed'", team.database));
      await expect.poll(countLanded, { timeout: 300_000 }).toBeGreaterThan(1);
      const second = start(team, "run", other.root);
      first.kill("SIGKILL");
      await ended;
      server.sql("UPDATE tenon.leases SET expires = clock_timestamp()", team.database);
      const { code: exit, out, err } = await finished(second);
      expect([exit, err]).toEqual([0, ""]);
      expect(JSON.parse(out)).toMatchObject({ complete: true, waiting: [], failed: [] });
      expect(listTeamProblems(team, plan)).toEqual([]);
    });
  },
);
