import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import { SqliteMemory } from "#memory/adapters/sqlite-memory.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import type { Remembered } from "../kit/memory-worker.ts";
import { tenon } from "../kit/process.ts";
import { startWorker, type Worker } from "../kit/worker.ts";
import { type Injector, isDecisive, type Point, type Run, samePoint } from "./injector.ts";
import { INJECTORS } from "./injectors.ts";
import { isFull, sample, seed } from "./tier.ts";

const SHOP = { name: "shop", places: [] };
const TRIES = 5;
const STRIDE = 12;

const draft = (content: string) => ({
  project: SHOP,
  session: "s",
  type: "manual",
  title: content,
  content,
  scope: "project" as const,
  namespace: "",
});

/** What is wrong with a memory that must be in one of these states: of each row all that it ever said. */
async function judge(file: string, possible: readonly (readonly string[])[]): Promise<string[]> {
  using memory = new SqliteMemory(file, join(file, ".."));
  const before = await memory.health();
  const rows = (await memory.recent({}, 9999)).toSorted((one, other) => one.id - other.id);
  const state = await Promise.all(
    rows.map(async ({ id, content }) => [...(await memory.revisions(id)), { content }].map((each) => each.content)),
  );
  const shown = state.map((texts) => texts.join(", then "));
  const { observations } = await memory.candidates(parseSearchQuestion("apples", ""), {}, 9999);
  const [next] = await memory.save([draft("The next apples")], "2026-01-31T12:00:00Z");
  const after = await memory.health();
  return [
    ...[before, after].flatMap(({ problem }) => problem ?? []),
    ...(possible.some((each) => isDeepStrictEqual(each, shown)) ? [] : [`it holds ${shown.join("; ") || "nothing"}`]),
    ...(observations.length === rows.length ? [] : [`${observations.length} of ${rows.length} are found`]),
    ...(next?.action === "created" && after.observations === rows.length + 1 ? [] : ["the next save is not kept"]),
  ];
}

interface Scenario {
  readonly name: string;
  /** What is there, each under its own topic, and what is there once the command has happened. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const SAYS = ["memory", "save", "Green apples", "--content", "Green apples", "--topic-key", "t1", "--project", "shop"];

const SCENARIOS: readonly Scenario[] = [
  { name: "the first save", before: [], after: ["Green apples"] },
  { name: "a save among others", before: ["Red apples"], after: ["Red apples", "Green apples"] },
  {
    name: "an update of a topic",
    before: ["Red apples", "Blue apples"],
    after: ["Red apples", "Blue apples, then Green apples"],
  },
];

/** A workspace that holds the user's own data too, so that the calls on both are counted. */
async function prepare({ before }: Scenario, root: string): Promise<void> {
  fs.mkdirSync(join(root, "home"), { recursive: true });
  fs.mkdirSync(join(root, "sdd"));
  if (before.length === 0) return;
  using memory = new SqliteMemory(getFile(root), root);
  const drafts = before.map((text, i) => ({ ...draft(text), topic_key: `t${i}` }));
  await memory.save(drafts, "2026-01-31T11:00:00Z");
}

const getFile = (root: string): string => join(root, "home", "memory.db");
const runIn = (root: string): Run => ({ words: [...SAYS, "--json"], root, home: join(root, "home") });

/** Strikes a copy of the prepared workspace, and gives what is wrong with it then. */
async function strike(
  prepared: string,
  { before, after }: Scenario,
  injector: Injector,
  point: Point,
  points: readonly Point[],
): Promise<string[]> {
  let aim = point;
  for (let tries = 1; tries <= TRIES; tries++) {
    const root = `${prepared}-struck`;
    fs.cpSync(prepared, root, { recursive: true });
    const struck = await injector.strike(runIn(root), aim, "SIGKILL");
    const isTold = struck.out.endsWith("}\n");
    const wrong = await judge(getFile(root), isTold ? [after] : [before, after]);
    fs.rmSync(root, { recursive: true });
    if (struck.hit === point.label) return wrong.map((text) => `at ${point.call} ${point.k} (${point.label}): ${text}`);
    aim = samePoint(point, points, await counted(prepared, injector)) ?? aim;
  }
  throw new Error(`No strike hit ${point.label}.`);
}

/** The prepared workspace with a warm cache, and the calls that a save makes there. */
async function rehearse(scenario: Scenario, prepared: string, injector: Injector): Promise<readonly Point[]> {
  await prepare(scenario, prepared);
  const warm = `${prepared}-warm`;
  fs.cpSync(prepared, warm, { recursive: true });
  await injector.points(runIn(warm));
  fs.cpSync(join(warm, "home", "tenon"), join(prepared, "home", "tenon"), { recursive: true });
  return counted(prepared, injector);
}

async function counted(prepared: string, injector: Injector): Promise<readonly Point[]> {
  const root = `${prepared}-counted`;
  fs.cpSync(prepared, root, { recursive: true });
  const points = await injector.points(runIn(root));
  fs.rmSync(root, { recursive: true });
  return points;
}

function chosen(points: readonly Point[]): Point[] {
  const touching = points.filter(({ label, isWrite }) => isWrite && /memory\.db|stdout|exit/.test(label));
  if (isFull) return touching;
  const rest = touching.filter((point) => !isDecisive(point));
  return [...touching.filter(isDecisive), ...sample(rest, STRIDE)];
}

describe.for(INJECTORS.slice(0, 1))(`kill -9 by $name (TENON_SEED=${seed})`, (injector) => {
  test.for(SCENARIOS)(
    "$name is kept completely or not at all, and nothing else changes",
    { timeout: 600_000 },
    async (scenario) => {
      using folder = temporaryFolder();
      const prepared = join(folder.path, "prepared");
      const all = await rehearse(scenario, prepared, injector);
      const points = chosen(all);
      process.stdout.write(`${scenario.name}: ${points.length} points\n`);
      const wrong: string[] = [];
      for (const point of points) wrong.push(...(await strike(prepared, scenario, injector, point, all)));
      expect([points.length > 5, wrong]).toEqual([true, []]);
    },
  );
});

describe("D a killed process that saves repeatedly", () => {
  const moments = isFull ? Array.from({ length: 40 }, (_, i) => 1 + i) : [1, 7, 19];

  test.each(moments)("keeps all %i acknowledged saves, and at most one more", async (moment) => {
    using folder = temporaryFolder();
    const file = join(folder.path, "memory.db");
    const writer: Worker<Remembered | "ready"> = startWorker("memory", ["own", "apples", "100000", file]);
    await writer.hear(1);
    writer.tell("go");
    await writer.hear(1 + moment);
    writer.process.kill("SIGKILL");
    const { signal } = await writer.ended;
    const heard = writer.said.length - 1;
    const texts = Array.from({ length: heard + 1 }, (_, i) => `by apples number ${i}`);
    expect([signal, heard >= moment, await judge(file, [texts.slice(0, heard), texts])]).toEqual(["SIGKILL", true, []]);
  });
});

describe("D an unusable memory", () => {
  const START = ["change", "start", "Fix it", "--type", "fix", "--size", "small"];
  const ADVANCE = ["change", "advance", "--change-id", "fix-it", "--content", "Searching for nothing crashes."];
  const note = (why: string): string => `note: The write is kept, but memory failed: ${why}\n`;

  test.each<[string, (file: string) => void, (file: string) => string]>([
    [
      "because it is a folder",
      (file) => fs.mkdirSync(file, { recursive: true }),
      (file) => `${file} could not be written. The system reported EISDIR.`,
    ],
    [
      "because it is garbage",
      (file) => fs.writeFileSync(file, "garbage ".repeat(500)),
      (file) => `The memory ${file} could not be used. It is damaged: file is not a database.`,
    ],
    [
      "because a newer Tenon wrote it",
      (file) => {
        using db = new DatabaseSync(file);
        db.exec("PRAGMA user_version = 99");
      },
      (file) => `The memory ${file} cannot be written. It has schema 99, and this version of Tenon knows 1.`,
    ],
  ])("%s blocks no change, and each command reports it", (_, spoil, why) => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const file = join(home.path, "memory.db");
    spoil(file);
    const run = (words: readonly string[]) => tenon(words, { cwd: repository.path, env: { TENON_HOME: home.path } });
    const told = [START, ADVANCE].map((words) => {
      const { code, signal, err } = run(words);
      return { code, signal, err };
    });
    const once = { code: 0, signal: null, err: note(why(file)) };
    expect(told).toEqual([once, once]);
    const { change } = JSON.parse(run(["change", "status", "fix-it", "--json"]).out) as {
      change: { current_stage: string };
    };
    expect(change.current_stage).toBe("context-check");
  });

  test("receives the missed observations once it is usable again", async () => {
    using repository = temporaryRepository();
    using home = temporaryFolder();
    const file = join(home.path, "memory.db");
    fs.mkdirSync(file);
    const run = (words: readonly string[]) => tenon(words, { cwd: repository.path, env: { TENON_HOME: home.path } });
    run(START);
    run(ADVANCE);
    fs.rmdirSync(file);
    const decision = ["--context", "c", "--decision", "d", "--rationale", "r"];
    const { code, err } = run(["adr", "record", "Answer with nothing", "--standalone", ...decision]);
    using memory = new SqliteMemory(file, home.path);
    const kept = (await memory.recent({}, 9)).map(({ type, title }) => `${type} ${title}`).toSorted();
    expect([code, err, kept]).toEqual([0, "", ["adr Answer with nothing", "change describe: Fix it"]]);
  });
});
