import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";

const CONTEXT = "## Findings\n\nNone.\n\n## Impact\n\nPatch.";
const TASKS = "- [ ] TASK-001: Do it";
const EVIDENCE = "## Evidence\n\nTASK-001: npm test.";

function put(root: string, path: string, text: string | Buffer): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

function commitAll(root: string): string {
  git(root, "add", "--all");
  git(root, "commit", "-qm", "work");
  return git(root, "rev-parse", "HEAD").trim();
}

interface Answer {
  readonly code: number;
  readonly passed?: boolean;
  readonly problems?: { problem: string }[];
  readonly outgrown?: { files: number; lines: number; requirements: number };
  readonly notes?: string[];
  readonly change?: { size: string; current_stage: string; stages: { name: string; status: string }[] };
}

async function call(tenon: TestHouse, ...words: string[]): Promise<Answer> {
  const { code, out, err } = await tenon.run("change", ...words, "--json");
  return { code, ...(JSON.parse(out || err) as object) };
}

async function advance(tenon: TestHouse, content: string): Promise<Answer> {
  if (content === CONTEXT) await tenon.run("context", "check");
  return call(tenon, "advance", "--content", content);
}
const start = (tenon: TestHouse, size: string, type = "fix"): Promise<Answer> =>
  call(tenon, "start", "Do it", "--type", type, "--size", size);
const record = (root: string): Record<string, unknown> =>
  JSON.parse(fs.readFileSync(join(root, "sdd/changes/do-it/change.json"), "utf8")) as Record<string, unknown>;

/** A small fix at its last stage, in a repository with one commit. */
async function atVerify(root: string): Promise<TestHouse> {
  put(root, "README.md", "Mine.\n");
  commitAll(root);
  const tenon = testHouse(root);
  await start(tenon, "small");
  for (const text of ["It fails.", CONTEXT, TASKS]) expect((await advance(tenon, text)).passed).toBe(true);
  return tenon;
}

const grow = (root: string, from: number, to: number): void => {
  for (let i = from; i <= to; i++) put(root, `src/f${i}.ts`, `export const f${i} = ${i};\n`);
};

test("stores the commit at which a change starts", async () => {
  using repository = temporaryRepository();
  put(repository.path, "README.md", "Mine.\n");
  const head = commitAll(repository.path);
  using tenon = testHouse(repository.path);
  await start(tenon, "small");
  expect(record(repository.path)["base_commit"]).toBe(head);
});

test("asks about a small change of six files, committed or not", async () => {
  using repository = temporaryRepository();
  using tenon = await atVerify(repository.path);
  grow(repository.path, 1, 3);
  commitAll(repository.path);
  grow(repository.path, 4, 6);
  const before = record(repository.path);
  const refused = await advance(tenon, EVIDENCE);
  expect(refused).toMatchObject({ code: 3, passed: false, outgrown: { files: 6, lines: 6, requirements: 0 } });
  expect(refused.problems).toEqual([
    {
      problem: `It has outgrown small since it started: 6 files (a small change has at most 5). Make it larger, or keep its size with a reason.`,
    },
  ]);
  expect(record(repository.path)).toEqual(before);
});

test("counts added and removed lines, but not lock files", async () => {
  using repository = temporaryRepository();
  put(repository.path, "old.ts", "x\n".repeat(150));
  using tenon = await atVerify(repository.path);
  put(repository.path, "package-lock.json", "{}\n".repeat(9_000));
  put(repository.path, "new.ts", "y\n".repeat(50));
  expect((await advance(tenon, "none")).outgrown).toBe(undefined);
  fs.rmSync(join(repository.path, "old.ts"));
  put(repository.path, "new.ts", "y\n".repeat(51));
  expect(await advance(tenon, EVIDENCE)).toMatchObject({ outgrown: { files: 2, lines: 201 } });
});

test("counts a renamed, a deleted and a binary file as one file each", async () => {
  using repository = temporaryRepository();
  const { path } = repository;
  put(path, "moved.ts", "alpha\nbeta\ngamma\n");
  put(path, "gone.ts", "x\n");
  put(path, "image.png", Buffer.from([0x89, 0x50, 0x00, 0xff]));
  using tenon = await atVerify(path);
  git(path, "mv", "moved.ts", "there.ts");
  git(path, "rm", "-q", "gone.ts");
  put(path, "image.png", Buffer.from([0x89, 0x50, 0x00, 0xfe]));
  grow(path, 1, 3);
  expect((await advance(tenon, EVIDENCE)).outgrown).toEqual({ files: 6, lines: 4, requirements: 0 });
});

test("asks again about a kept size only after the change has doubled", async () => {
  using repository = temporaryRepository();
  using tenon = await atVerify(repository.path);
  grow(repository.path, 1, 6);
  expect((await advance(tenon, EVIDENCE)).passed).toBe(false);
  const kept = await call(tenon, "resize", "--size", "small", "--reason", "One line each");
  expect(kept).toMatchObject({ code: 0, from: "small", growth: { files: 6, lines: 6, requirements: 0 } });
  grow(repository.path, 7, 12);
  expect((await advance(tenon, EVIDENCE)).outgrown).toEqual({ files: 12, lines: 12, requirements: 0 });
  fs.rmSync(join(repository.path, "src/f12.ts"));
  expect(await advance(tenon, EVIDENCE)).toMatchObject({ code: 0, passed: true });
  expect(record(repository.path)["sizings"]).toEqual([
    expect.objectContaining({
      from: "small",
      to: "small",
      reason: "One line each",
      files: 6,
      lines: 6,
      requirements: 0,
    }),
  ]);
});

test("adds the missing stages to a change that becomes larger", async () => {
  using repository = temporaryRepository();
  using tenon = await atVerify(repository.path);
  grow(repository.path, 1, 21);
  expect((await advance(tenon, EVIDENCE)).passed).toBe(false);
  const medium = await call(tenon, "resize", "--size", "medium", "--reason", "It grew");
  expect(medium.change?.stages.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "describe completed",
    "context-check completed",
    "spec in_progress",
    "tasks stale",
    "verify pending",
  ]);
  const spec = "## Requirements\n\n- FR-001: It works.\n\n## Acceptance criteria\n\n- FR-001: it does.";
  expect((await advance(tenon, spec)).outgrown).toEqual({ files: 21, lines: 21, requirements: 1 });
  await call(tenon, "resize", "--size", "large", "--reason", "It grew more");
  for (const text of [spec, "## Approach\n\nSo.\n\n## Components\n\n- One: FR-001", TASKS, EVIDENCE])
    expect(await advance(tenon, text)).toMatchObject({ passed: true });
  expect(record(repository.path)).toMatchObject({ size: "large", status: "completed" });
  const engine = await tenon.house.open({});
  const kinds = (await engine.store.events(0)).map(({ kind, data }) => [kind, data?.["to"]]);
  expect(kinds.filter(([kind]) => kind === "change.resized")).toEqual([
    ["change.resized", "medium"],
    ["change.resized", "large"],
  ]);
  expect((await tenon.run("validate")).code).toBe(0);
});

test("reseals the record of a resized change", async () => {
  using repository = temporaryRepository();
  put(repository.path, "README.md", "Mine.\n");
  commitAll(repository.path);
  using tenon = testHouse(repository.path);
  await start(tenon, "small", "feature");
  await advance(tenon, "It is wanted.");
  await call(tenon, "resize", "--size", "large", "--reason", "It grew");
  const file = "sdd/changes/do-it/change.json";
  put(repository.path, file, fs.readFileSync(join(repository.path, file), "utf8").replace('"Do it"', '"Do that"'));
  expect((await tenon.run("doctor", "--reseal", file)).code).toBe(0);
});

test("counts requirements in the spec, the design, the tasks and the submitted artifact", async () => {
  using repository = temporaryRepository();
  using tenon = await atVerify(repository.path);
  await call(tenon, "reopen", "--stage", "tasks", "--reason", "More");
  put(repository.path, "sdd/requirements.md", "- FR-001: a\n- FR-002: b\n- FR-003: c\n");
  const refused = await advance(tenon, "- [ ] TASK-001: For FR-001, FR-002, FR-003 and FR-001");
  expect(refused.outgrown).toEqual({ files: 0, lines: 0, requirements: 3 });
  expect(await advance(tenon, "- [ ] TASK-001: For FR-001 and FR-002")).toMatchObject({ passed: true });
});

test("reports lost starting files and rejects nothing", async () => {
  using repository = temporaryRepository();
  using tenon = await atVerify(repository.path);
  grow(repository.path, 1, 9);
  const base = git(repository.path, "for-each-ref", "--format=%(objectname)", "refs/tenon").trim();
  fs.rmSync(join(repository.path, ".git/objects", base.slice(0, 2), base.slice(2)), { force: true });
  expect(await advance(tenon, EVIDENCE)).toMatchObject({
    passed: true,
    notes: ["Tenon could not measure whether it outgrew its size: git no longer has the files that it started with."],
  });
});

test("measures a change from before the first commit", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  fs.mkdirSync(join(root, "sdd"));
  grow(root, 1, 4);
  using tenon = testHouse(root);
  await start(tenon, "small");
  for (const text of ["It fails.", CONTEXT, TASKS]) await advance(tenon, text);
  grow(root, 5, 10);
  expect((await advance(tenon, EVIDENCE)).outgrown).toEqual({ files: 6, lines: 6, requirements: 0 });
});

test("does not count the user's open files and a teammate's pulled commit", async () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  const root = repository.path;
  put(root, "README.md", "Mine.\n");
  commitAll(root);
  const mate = join(folder.path, "mate");
  git(folder.path, "clone", "-q", root, mate);
  git(mate, "config", "user.email", "mate@example.com");
  git(mate, "config", "user.name", "Mate");
  grow(root, 1, 6);
  using tenon = testHouse(root);
  await start(tenon, "small");
  for (const text of ["It fails.", CONTEXT, TASKS]) await advance(tenon, text);
  grow(mate, 11, 16);
  commitAll(mate);
  git(root, "pull", "-q", "--no-rebase", "--no-edit", mate, "HEAD");
  grow(root, 21, 22);
  const kept = await call(tenon, "resize", "--size", "small", "--reason", "As it is");
  expect(kept).toMatchObject({ growth: { files: 2, lines: 2 } });
  expect(await advance(tenon, EVIDENCE)).toMatchObject({ passed: true });
});

test("does not reject a change outside git for its size, and can resize it", async () => {
  using place = temporaryFolder();
  const root = place.path;
  fs.mkdirSync(join(root, "sdd"));
  using tenon = testHouse(root, { environment: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) } });
  await start(tenon, "small");
  expect(record(root)["base_commit"]).toBe(undefined);
  grow(root, 1, 9);
  for (const text of ["It fails.", CONTEXT, TASKS]) await advance(tenon, text);
  const kept = await call(tenon, "resize", "--size", "small", "--reason", "As it is");
  expect(kept).not.toHaveProperty("growth");
  expect(await advance(tenon, EVIDENCE)).toMatchObject({
    passed: true,
    notes: ["Tenon could not measure whether it outgrew its size: there is no git repository here."],
  });
});

const requirementLines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `- FR-${String(i + 1).padStart(3, "0")}: It shall do ${i}.`).join("\n");
const getSpec = (count: number): string =>
  `## Requirements\n\n### ADDED\n\n${requirementLines(count)}\n\n## Acceptance criteria\n\n- It works.`;

test("counts the requirements of the submitted document towards a kept size", async () => {
  using repository = temporaryRepository();
  put(repository.path, "README.md", "Mine.\n");
  commitAll(repository.path);
  using tenon = testHouse(repository.path);
  await start(tenon, "medium");
  for (const text of ["It fails.", CONTEXT]) expect((await advance(tenon, text)).passed).toBe(true);
  const refused = await advance(tenon, getSpec(25));
  expect(refused.outgrown).toMatchObject({ requirements: 25 });
  await call(tenon, "resize", "--size", "medium", "--reason", "They are one list");
  expect((await advance(tenon, getSpec(25))).problems).toEqual([]);
  expect(record(repository.path)["sizings"]).toMatchObject([{ from: "medium", to: "medium", requirements: 25 }]);
  // What was kept is kept for that many, not for any number.
  const more = `- TASK-001: Do it\n\n${requirementLines(25)}`;
  expect((await advance(tenon, more)).problems).toEqual([]);
});
