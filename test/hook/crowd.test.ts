import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import { readBootId } from "#kernel/adapters/machine-environment.ts";
import { JOURNAL_SPACE, LOCK_SPACE, SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { chance, isFull, seed } from "../kit/chance.ts";
import { session, workflow } from "../kit/at-work.ts";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { startWorker, type Worker } from "../kit/worker.ts";
import { tenonAsync } from "../kit/process.ts";
import { events, fold, look, loadRecordedPayload, SILENT, stageWorkspace } from "./hook-calls.ts";

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const AT_WORK = {
  workflows: [workflow("AUTH-001", "feature")],
  sessions: [session("default", { current: "AUTH-001" })],
};

async function start(count: number, begin: () => Worker<unknown>): Promise<Worker<unknown>[]> {
  const workers = upTo(count).map(begin);
  await Promise.all(workers.map((worker) => worker.hear(1)));
  return workers;
}

/** How often each line was counted, and what came of them. */
async function counted(root: string): Promise<{ lines: number; taken: string[]; locks: string[]; sessions: number }> {
  const all = await events(root);
  const data = (kind: string): Record<string, unknown>[] =>
    all.filter((event) => event.kind === kind).map((event) => ({ ...event.data }));
  return {
    lines: data("journal.folded").reduce((sum, { lines }) => sum + Number(lines), 0),
    taken: data("lock.taken")
      .flatMap(({ paths }) => paths as string[])
      .toSorted(),
    locks: await look(root, (tree) => [...tree.kept(LOCK_SPACE).values()].map(({ path }) => path).toSorted()),
    sessions: await look(root, (tree) => tree.kept(SESSION_SPACE).size),
  };
}

const expected = (writers: number, lines: number) => {
  const paths = upTo(writers)
    .flatMap((n) => upTo(lines).map((i) => `src/w${n}/${i}.ts`))
    .toSorted();
  // The project's own session is one more.
  return { lines: writers * lines, taken: paths, locks: paths, sessions: writers + 1 };
};

test("folds a thousand events of many processes once each, while two processes fold", async () => {
  const [writers, lines] = [8, 125];
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, { ...AT_WORK, leases: [] });
  let n = 0;
  const noting = await start(writers, () => startWorker("note", [root, `w${n++}`, String(lines)]));
  const folding = await start(2, () => startWorker("fold", [root]));
  for (const worker of [...folding, ...noting]) worker.tell("go");
  const noted = await Promise.all(noting.map((worker) => worker.ended));
  for (const worker of folding) worker.tell("stop");
  const folded = await Promise.all(folding.map((worker) => worker.ended));
  expect([...noted, ...folded].map(({ code, err }) => ({ code, err }))).toEqual(
    upTo(writers + 2).map(() => ({ code: 0, err: "" })),
  );
  const found = await counted(root);
  // Only the first to edit has the project's work in hand; the others' edits are theirs alone.
  expect({ lines: found.lines, sessions: found.sessions }).toEqual({ lines: writers * lines, sessions: writers + 1 });
  expect(found.taken).toEqual(found.locks);
});

test("loses nothing when hooks run at once", async () => {
  using repository = temporaryRepository();
  const root = repository.path;
  await stageWorkspace(root, AT_WORK);
  const said = await Promise.all(
    upTo(40).map((i) => {
      const payload = loadRecordedPayload("post-tool-use-edit", root, {
        tool_input: { file_path: `${root}/src/${i}.ts` },
      });
      return tenonAsync(["hook", "post-tool-use"], { cwd: root, input: JSON.stringify(payload) });
    }),
  );
  await fold(root);
  const found = await counted(root);
  expect(said).toEqual(upTo(40).map(() => SILENT));
  expect([found.lines, found.locks]).toEqual([
    40,
    upTo(40)
      .map((i) => `src/${i}.ts`)
      .toSorted(),
  ]);
});

test.each(upTo(isFull ? 10 : 1))(
  "loses and repeats nothing when a folding process is killed: round %i",
  async (round) => {
    const [writers, lines, victims] = [4, 100, 6];
    process.stdout.write(`killing at random: TENON_SEED=${seed}, round ${round}\n`);
    const next = chance(seed + round);
    using repository = temporaryRepository();
    const root = repository.path;
    // Each has work of its own, so that every edit locks.
    await stageWorkspace(root, {
      workflows: upTo(writers).map((n) => workflow(`W-00${n}`, "feature")),
      sessions: [session("default"), ...upTo(writers).map((n) => session(`w${n}`, { current: `W-00${n}` }))],
    });
    let n = 0;
    const noting = await start(writers, () => startWorker("note", [root, `w${n++}`, String(lines)]));
    for (const worker of noting) worker.tell("go");
    for (const _ of upTo(victims)) {
      const [folding] = await start(1, () => startWorker("fold", [root]));
      folding?.tell("go");
      await folding?.hear(1 + next(4));
      folding?.process.kill("SIGKILL");
      await folding?.ended;
    }
    await Promise.all(noting.map((worker) => worker.ended));
    await fold(root);
    expect(await counted(root)).toEqual(expected(writers, lines));
    const places = await look(root, (tree) => [...tree.kept(JOURNAL_SPACE).keys()]);
    expect(places).toEqual(fs.readdirSync(`${root}/.sdd/journal`).map((file) => `main ${file}`));
  },
);

const HOOK = new URL("../kit/fault-hook.ts", import.meta.url).href;
const PROGRAM = fileURLToPath(new URL("../kit/fold-once.ts", import.meta.url));

/** Folds in a process of its own, which dies before its `k`th write; tells how many there were. */
function foldUntil(root: string, k: number, log: string): { signal: string | null; calls: number } {
  fs.rmSync(log, { force: true });
  const words = ["--conditions=tenon-source", "--import", HOOK, PROGRAM, root];
  const env = { ...process.env, TENON_FAULT: `SIGKILL:${k}`, TENON_FAULT_LOG: log };
  const { signal } = spawnSync(process.execPath, words, { env });
  return { signal, calls: fs.readFileSync(log, "utf8").split("\n").length - 1 };
}

test("folds completely or not at all when killed before any write", async () => {
  using folder = temporaryFolder();
  const log = join(folder.path, "calls");
  const outcomes: string[] = [];
  for (let k = 1, isOver = false; !isOver; k += isFull ? 1 : 11) {
    using repository = temporaryRepository();
    const root = repository.path;
    await stageWorkspace(root, AT_WORK);
    for (const i of upTo(3)) noteEdit(root, i);
    const { signal } = foldUntil(root, k, log);
    isOver = signal === null;
    const before = await counted(root);
    await fold(root);
    const after = await counted(root);
    outcomes.push(`${before.lines} ${after.lines} ${after.locks.length} ${after.taken.length}`);
  }
  expect(new Set(outcomes)).toEqual(new Set(["0 3 3 3", "3 3 3 3"]));
}, 120_000);

const noteEdit = (root: string, i: number): void => {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const paths = [`src/${i}.ts`];
  appendJournalLines(root, {
    id: String(i),
    event: "PostToolUse",
    session: "a",
    at,
    steady: 1,
    boot: readBootId(),
    paths,
    ms: 1,
  });
};
