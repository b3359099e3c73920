import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { git } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { createWavePlan, listLandingProblems } from "./run-stand.ts";
import { teamStand } from "./team-stand.ts";

describe.skipIf(postgresProblem)(`a run of a team${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test("a worker in another clone takes actions, and the lead lands and pushes its work", async () => {
    const plan = createWavePlan(1, 2);
    using team = await teamStand(server, plan);
    const worker = await team.clone("ada");
    const [led, worked] = await Promise.all([team.lead.run(), worker.work({ once: true })]);
    expect(led).toMatchObject({ complete: true, waiting: [], failed: [] });
    expect(worked).toMatchObject({ waiting: [], failed: [] });
    expect(worked.landed).toBeGreaterThan(0);
    expect(listLandingProblems(team.stand, plan)).toEqual([]);
    const tips = [team.stand.root, team.origin].map((place) => git(place, "rev-parse", "main").trim());
    expect(new Set(tips).size).toBe(1);
    expect(git(team.origin, "for-each-ref", "--format=%(refname)").trim()).toBe("refs/heads/main");
    expect(git(worker.root, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(worker.root, "status", "--porcelain")).toBe("");
  });
});
