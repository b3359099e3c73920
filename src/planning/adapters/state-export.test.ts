import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterEach, expect, test } from "vitest";
import { abandonChangeOperation } from "../operations/change/revise-change.ts";
import { startChangeOperation } from "../operations/change/start-change.ts";
import type { PlanningEngine } from "../operations/engine.ts";
import type { Store } from "#store/operations/ports/store.ts";
import { temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { type TestHouse, testHouse } from "../../../test/kit/house.ts";
import { createStateExport } from "./state-export.ts";

const houses: TestHouse[] = [];
afterEach(() => houses.splice(0).forEach(({ house }) => house.close()));

function open(root: string): Promise<PlanningEngine> {
  const opened = testHouse(root, { newId: () => crypto.randomUUID() });
  houses.push(opened);
  return opened.house.open({ argument: root });
}

const begin = (engine: PlanningEngine, description: string) =>
  startChangeOperation.run(engine, { type: "fix", size: "small", description, concurrent: true });
const textIn = (root: string): string => fs.readFileSync(join(root, ".sdd/state.yaml"), "utf8");
/** But for the logs, and for the data of the user, which the house of the tests keeps there. */
const namesIn = (root: string): string[] =>
  fs
    .readdirSync(join(root, ".sdd"))
    .filter((name) => name !== "data" && name !== "logs")
    .toSorted();

interface State {
  readonly workflows: Readonly<Record<string, unknown>>;
}

/** The export as a reader takes it: its state, and whether its last line vouches for it. */
function read(root: string): { state: State; seq: number; isWhole: boolean } {
  const text = textIn(root);
  const [, body = "", seq, hash] = /^([\s\S]*\n)# tenon:end seq=(\d+) sha256=(\w+)\n$/.exec(text) ?? [];
  const isWhole = createHash("sha256").update(body).digest("hex") === hash;
  return { state: load(text) as State, seq: Number(seq), isWhole };
}

test("writes the export in the v2 shape", async () => {
  using repository = temporaryRepository();
  const engine = await open(repository.path);
  await begin(engine, 'Fix "it": the # sign');
  await begin(engine, "Add more");
  await abandonChangeOperation.run(engine, { change_id: "add-more", reason: "No." });
  expect(read(repository.path)).toEqual({
    isWhole: true,
    seq: 3,
    state: {
      version: "2.0",
      current_workflow: "change",
      current_spec: "fix-it-the-sign",
      current_stage: "describe",
      can_advance: true,
      dirty: false,
      workflows: {
        "fix-it-the-sign": {
          workflow: "change",
          type: "fix",
          size: "small",
          status: "in_progress",
          stage: "describe",
          priority: 7,
          started: expect.stringMatching(/^2026-01-31T12:\d\d:\d\dZ$/) as unknown,
          last_activity: expect.stringMatching(/^2026-01-31T12:\d\d:\d\dZ$/) as unknown,
          files_locked: [],
          snapshots: [],
          retry_history: [],
          interrupted: false,
        },
      },
      history: [
        {
          spec_id: "add-more",
          workflow: "change",
          status: "abandoned",
          completed: expect.stringMatching(/^2026-01-31T12:\d\d:\d\dZ$/) as unknown,
        },
      ],
    },
  });
});

test("keeps its folder out of git, also with a ledger in it", async () => {
  using repository = temporaryRepository();
  using folder = temporaryFolder();
  await begin(await open(repository.path), "One");
  await begin(await open(folder.path), "One");
  const ignored = [repository.path, folder.path].map((root) => fs.readFileSync(join(root, ".sdd/.gitignore"), "utf8"));
  expect([namesIn(repository.path), ignored]).toEqual([
    [".gitignore", "state.yaml"],
    ["*\n", "*\n"],
  ]);
});

test("shows the newest state after many concurrent writers", async () => {
  using repository = temporaryRepository();
  const engines = await Promise.all(Array.from({ length: 8 }, () => open(repository.path)));
  await Promise.all(engines.map((engine, i) => begin(engine, `Change ${i}`)));
  await Promise.all(
    engines
      .slice(2)
      .map((engine, i) => abandonChangeOperation.run(engine, { change_id: `change-${i}`, reason: "No." })),
  );
  const { state, seq, isWhole } = read(repository.path);
  expect([Object.keys(state.workflows).toSorted(), seq, isWhole]).toEqual([["change-6", "change-7"], 14, true]);
  expect(namesIn(repository.path)).toEqual([".gitignore", "state.yaml"]);
});

/** An export that is slow: others act after it has looked and before it writes. */
function slowExport(engine: PlanningEngine, meanwhile: () => Promise<void>): PlanningEngine {
  const { root, clock } = engine;
  const store: Pick<Store, "position" | "read"> = {
    position: () => engine.store.position(),
    async read(look) {
      const seen = await engine.store.read(look);
      await meanwhile();
      return seen;
    },
  };
  const parts = { root, clock, notice: () => undefined, newId: () => crypto.randomUUID(), store: store as Store };
  return { ...engine, observers: [createStateExport(parts)] };
}

test("does not replace a newer state with an older one", async () => {
  using repository = temporaryRepository();
  const quick = await open(repository.path);
  const others = ["Two", "Three"];
  const slow = slowExport(await open(repository.path), async () => {
    const description = others.shift();
    if (description !== undefined) await begin(quick, description);
  });
  await begin(slow, "One");
  const { state, seq } = read(repository.path);
  expect([Object.keys(state.workflows).toSorted(), seq]).toEqual([["one", "three", "two"], 3]);
});

test.each<[string, (text: string) => string]>([
  ["torn", (text) => text.slice(0, text.length / 2)],
  ["empty", () => ""],
  ["edited", (text) => text.replace("describe", "verify")],
  ["without its last line", (text) => text.replace(/# tenon:end.*\n$/, "")],
  ["another's", () => "version: '1.0'\n"],
])("moves a damaged export aside, writes it again and reports it: %s", async (_, damage) => {
  using repository = temporaryRepository();
  const notices: string[] = [];
  const engine = await open(repository.path);
  await begin(engine, "One");
  const damaged = damage(textIn(repository.path));
  fs.writeFileSync(join(repository.path, ".sdd/state.yaml"), damaged);
  const observer = createStateExport({
    root: engine.root,
    store: engine.store,
    clock: { now: () => "2026-01-31T13:00:00Z" },
    newId: () => crypto.randomUUID(),
    notice: (text) => void notices.push(text),
  });
  await begin({ ...engine, observers: [observer] }, "Two");
  const aside = join(repository.path, ".sdd/state.yaml.corrupt-2026-01-31T13-00-00Z");
  expect([Object.keys(read(repository.path).state.workflows), fs.readFileSync(aside, "utf8"), notices]).toEqual([
    ["one", "two"],
    damaged,
    [`.sdd/state.yaml was damaged. Tenon kept it as ${aside} and wrote it again.`],
  ]);
});

test("keeps the write and reports a state that cannot be exported", async () => {
  using repository = temporaryRepository();
  fs.mkdirSync(join(repository.path, ".sdd/state.yaml"), { recursive: true });
  using it = testHouse(repository.path);
  const { code, err } = await it.run("change", "start", "One", "--type", "fix", "--size", "small");
  expect([code, err]).toEqual([
    0,
    "note: The write is kept, but the export to .sdd/state.yaml failed: .sdd/state.yaml cannot be used. It is not a regular file.\n",
  ]);
  expect(fs.existsSync(join(repository.path, "sdd/changes/one/change.json"))).toBe(true);
});

test("removes the leftovers of a dead exporter with the next export", async () => {
  using repository = temporaryRepository();
  const engine = await open(repository.path);
  await begin(engine, "One");
  fs.writeFileSync(join(repository.path, ".sdd/state.yaml.1-dead.tmp"), "half");
  await begin(engine, "Two");
  expect(namesIn(repository.path)).toEqual([".gitignore", "state.yaml"]);
});
