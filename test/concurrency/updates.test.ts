import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chance, isFull, seed } from "../kit/chance.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { tenon } from "../kit/process.ts";
import type { ReaderReport } from "../kit/reader-worker.ts";
import type { Kept } from "../kit/update-worker.ts";
import { startWorker, type Worker } from "../kit/worker.ts";
import { readUpdateTally } from "./tally.ts";

const IN_TURN = "in turn";
/** Where nobody can draw a ticket, the lock alone has to keep writers apart. */
const UNORDERED = "without tickets";
const SIZES: readonly (readonly [number, number, string])[] = [
  [16, isFull ? 200 : 12, IN_TURN],
  [8, isFull ? 40 : 12, UNORDERED],
  ...(isFull
    ? ([
        [64, 50, IN_TURN],
        [16, 1000, IN_TURN],
        [16, 200, UNORDERED],
      ] as const)
    : []),
];

type Writer = Worker<Kept | "ready">;

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const listSaved = (writer: Writer): Kept[] => writer.said.filter((said) => said !== "ready");
const byName = (names: Iterable<string>): string[] => [...names].toSorted();

/** A workspace with the change `shared`, and processes that are ready to write to it. */
async function prepare(root: string, processes: number, updates: number): Promise<Writer[]> {
  tenon(["change", "start", "shared", "--type", "fix", "--size", "small"], { cwd: root });
  const writers = upTo(processes).map((n) => startWorker<Kept | "ready">("update", [root, `by ${n}`, String(updates)]));
  await Promise.all(writers.map((writer) => writer.hear(1)));
  return writers;
}

function forbidTickets(root: string): void {
  const turns = join(root, ".git/tenon/turns");
  fs.rmSync(turns, { recursive: true, force: true });
  fs.writeFileSync(turns, "");
}

/** Printed, not judged: it depends on how busy the machine is. */
function tellSpeed(what: string, kept: readonly Kept[], begun: number): void {
  const seconds = (performance.now() - begun) / 1000;
  const waits = kept.map(({ waitMs }) => waitMs).toSorted((a, b) => a - b);
  const at = (share: number): string => (waits[Math.ceil(waits.length * share) - 1] ?? 0).toFixed(0);
  process.stdout.write(
    `${what}: ${seconds.toFixed(1)} s, ${(kept.length / seconds).toFixed(0)} updates/s, ` +
      `wait p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms\n`,
  );
}

test.each(SIZES)(
  "%i processes make %i updates each %s: keeps each once, and readers see complete updates",
  async (processes, updates, order) => {
    using repository = temporaryRepository();
    const writers = await prepare(repository.path, processes, updates);
    if (order === UNORDERED) forbidTickets(repository.path);
    const reader = startWorker<ReaderReport | "ready">("reader", [repository.path]);
    await reader.hear(1);
    const begun = performance.now();
    for (const worker of [reader, ...writers]) worker.tell("go");
    const endings = await Promise.all(writers.map((writer) => writer.ended));
    const kept = writers.flatMap(listSaved);
    tellSpeed(`${processes} × ${updates} ${order}`, kept, begun);
    reader.tell("stop");
    const [, report] = await reader.hear(2);

    const half = (processes * updates) / 2;
    const titles = upTo(processes).flatMap((n) => upTo(updates).map((i) => `by ${n} ${i - 1}`));
    const {
      titles: found,
      numbers,
      listed,
      rev,
      events,
      pending,
      isExportNew,
      litter,
    } = await readUpdateTally(repository.path);
    expect(endings).toEqual(writers.map(() => ({ code: 0, signal: null, err: "" })));
    expect(byName(kept.map(({ title }) => title))).toEqual(byName(titles));
    expect(byName(kept.map(({ ref, title }) => `${ref} ${title}`))).toEqual(
      byName([...found].map(([ref, title]) => `${ref} ${title}`)),
    );
    expect(numbers).toEqual({ shared: upTo(half), alone: upTo(half) });
    expect([rev, listed]).toEqual([half + 1, upTo(half).map((n) => `shared/ADR-${String(n).padStart(3, "0")}`)]);
    expect(events[0]).toEqual({ kind: "change.started", subject: "shared" });
    expect(byName(events.slice(1).map(({ kind, subject }) => `${kind} ${subject}`))).toEqual(
      byName([...found.keys()].map((ref) => `adr.recorded ${ref}`)),
    );
    expect({ pending, isExportNew, litter }).toEqual({ pending: 0, isExportNew: true, litter: [] });
    expect(report).toEqual({ reads: expect.any(Number) as unknown, problems: [] });
  },
  600_000,
);

/** After how many updates, kept by all together, one is killed; the survivors alone make that many. */
function moments(round: number, count: number, below: number): Set<number> {
  const next = chance(seed + round);
  const found = new Set<number>();
  while (found.size < count) found.add(1 + next(below));
  return found;
}

/** Kills at these moments whoever was not heard for longest, for that one is most likely writing just now. */
function killAt(writers: readonly Writer[], times: ReadonlySet<number>): void {
  const waiting = [...writers];
  let kept = 0;
  for (const writer of writers) {
    writer.process.on("message", () => {
      const place = waiting.indexOf(writer);
      if (place >= 0) waiting.push(...waiting.splice(place, 1));
      if (times.has(++kept)) waiting.shift()?.process.kill("SIGKILL");
    });
  }
}

test.each(upTo(isFull ? 20 : 1))(
  "keeps all acknowledged updates of killed processes, and little else: round %i",
  async (round) => {
    const [processes, updates, victims] = [8, 40, 6];
    process.stdout.write(`killing at random: TENON_SEED=${seed}, round ${round}\n`);
    using repository = temporaryRepository();
    const writers = await prepare(repository.path, processes, updates);
    killAt(writers, moments(round, victims, (processes - victims) * updates));
    for (const writer of writers) writer.tell("go");
    const endings = await Promise.all(writers.map((writer) => writer.ended));
    const { code } = tenon(["doctor", "--repair"], { cwd: repository.path });

    const acknowledged = writers.flatMap(listSaved);
    const { titles, numbers, listed, rev, events, pending, litter } = await readUpdateTally(repository.path);
    const killed = writers.filter((_, i) => endings[i]?.signal === "SIGKILL");
    expect([code, killed.length]).toEqual([0, victims]);
    expect(acknowledged.filter(({ ref, title }) => titles.get(ref) !== title)).toEqual([]);
    expect(new Set(titles.values()).size).toBe(titles.size);
    const heard = new Set(acknowledged.map(({ title }) => title));
    const inFlight = new Set(killed.map((writer) => `by ${writers.indexOf(writer) + 1} ${listSaved(writer).length}`));
    expect([...titles.values()].filter((title) => !heard.has(title) && !inFlight.has(title))).toEqual([]);
    expect(listed).toEqual(numbers.shared.map((n) => `shared/ADR-${String(n).padStart(3, "0")}`));
    expect([rev, numbers.alone.length]).toEqual([numbers.shared.length + 1, titles.size - numbers.shared.length]);
    expect(byName(events.slice(1).map(({ subject }) => subject))).toEqual(byName(titles.keys()));
    expect({ pending, litter }).toEqual({ pending: 0, litter: [] });
  },
);
