import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { postgresProblem, type PostgresServer, startPostgres } from "../kit/postgres-server.ts";
import { tenon } from "../kit/process.ts";

describe.skipIf(postgresProblem)(`commands with team scope${postgresProblem ? ` (${postgresProblem})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test("saves in one clone, finds in another, and goes on without the database", async () => {
    using repository = temporaryRepository();
    using others = temporaryFolder();
    git(repository.path, "commit", "--quiet", "--allow-empty", "-m", "Begin");
    git(repository.path, "remote", "add", "origin", "https://git.example.org/acme/shop.git");
    git(others.path, "clone", "--quiet", repository.path, "shop");
    const clone = `${others.path}/shop`;
    git(clone, "remote", "set-url", "origin", "git@git.example.org:acme/shop.git");
    const url = server.createDatabase();
    const run = (cwd: string, ...words: string[]) =>
      tenon(words, { cwd, env: { TENON_DATABASE_URL: url, TENON_HOME: `${others.path}/home-${cwd === clone}` } });
    const save = ["memory", "save", "Codes expire after ten minutes.", "--scope", "team"];

    const early = run(repository.path, ...save);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("tenon team init")]);
    run(repository.path, "team", "init");
    expect(run(repository.path, ...save).out).toContain("#10000001");
    run(clone, "memory", "save", "Codes are personal.", "--scope", "personal");
    expect(run(clone, "memory", "search", "when do codes expire").out).toMatch(/#10000001 .*; team\]/);
    expect(run(clone, "memory", "get", "10000001").out).toContain("ten minutes");
    expect(run(repository.path, "memory", "search", "personal codes").out).not.toContain("are personal");

    run(clone, "change", "start", "Expire sooner", "--type", "fix", "--size", "small");
    await server.stop("SIGKILL");
    const found = run(clone, "memory", "search", "codes");
    expect([found.code, found.out]).toEqual([0, expect.stringContaining("Only your own memory was read.")]);
    expect(found.out).toContain("Codes are personal.");
    const failed = run(clone, ...save);
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/--scope project/)]);
  });
});
