import { isChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { type AtWork, foldLines, type Folded } from "#domain/workflow/fold.ts";
import { lockKey } from "#domain/workflow/locks.ts";
import { leaseName, SESSION_TTL_MS } from "#domain/workflow/sessions.ts";
import { changeRecord, CHANGES } from "#domain/workspace/path.ts";
import { createChangeShape } from "../change/census.ts";
import type { Engine } from "../engine.ts";
import { begunSteps } from "../handover/beginning.ts";
import { commitBeside } from "../handover/drafting.ts";
import type { JournalPart, JournalPlace, WrittenLine } from "../ports/journal.ts";
import type { Keeping, Occurrence, Plan, Space, Tree } from "../ports/store.ts";
import { releasedWhereEnded, type Runtime, runtimeIn } from "./running/runtime.ts";
import { JOURNAL, LOCKS, SESSIONS, WORKFLOWS } from "./spaces.ts";

type Folder = Pick<Engine, "store" | "observers" | "notice" | "journal" | "clock">;

/**
 * Applies new journal lines to the ledger. The same write stores the read position, so each line counts once. Without
 * new lines nothing is written.
 */
export async function foldJournal(engine: Folder): Promise<void> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => placesOf(tree, journal.checkout)));
  if (parts.some(hasNews)) {
    const now = clock.now();
    await commitBeside(
      engine,
      (tree) => planOf(parts, tree, journal.checkout, now),
      (tree, { occurrences }) => begunSteps(tree, startedIn(occurrences), now),
    );
  }
  // Uses only positions that the ledger has stored.
  const places = parts.some(({ isSpent }) => isSpent)
    ? await store.read((tree) => placesOf(tree, journal.checkout))
    : new Map<string, JournalPlace>();
  for (const part of parts) {
    if (part.isSpent && (part.end === 0 || placeIn(part, places) >= part.end)) await journal.remove(part.file);
  }
}

const startedIn = (happened: readonly Occurrence[]): string[] =>
  happened.flatMap(({ kind, subject }) => (kind === "session.started" ? [subject] : []));

export async function foldedRuntime(engine: Pick<Engine, "store" | "journal" | "clock">): Promise<Runtime> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => placesOf(tree, journal.checkout)));
  return store.read((tree) => {
    const lines = newLines(parts, placesOf(tree, journal.checkout));
    const runtime = runtimeIn(tree);
    if (lines.length === 0) return runtime;
    const { after } = foldLines(lines, atWorkIn(tree), journal.checkout, clock.now());
    return {
      ...runtime,
      workflows: after.workflows,
      sessions: after.sessions,
      locks: releasedWhereEnded([...after.locks.values()], runtime),
      lease: (id) => {
        const lease = after.lease(id);
        return lease && { name: leaseName(id), ...lease };
      },
    };
  });
}

const newLines = (parts: readonly JournalPart[], places: ReadonlyMap<string, JournalPlace>): WrittenLine[] =>
  parts.flatMap((part) => part.lines.filter(({ end }) => end > placeIn(part, places)));

const hasNews = ({ lines, garbage }: JournalPart): boolean => lines.length + garbage.length > 0;

const FILE_LENGTH = "2026-01-31.jsonl".length;

function placesOf(tree: Tree, checkout: string): ReadonlyMap<string, JournalPlace> {
  const own = [...tree.kept(JOURNAL)].filter(([key]) => key.slice(0, -FILE_LENGTH) === `${checkout} `);
  return new Map(own.map(([key, place]) => [key.slice(-FILE_LENGTH), place]));
}

/** Decides under the store lock and skips lines that another process has folded meanwhile. */
function planOf(parts: readonly JournalPart[], tree: Tree, checkout: string, now: string): Plan<void> {
  const places = placesOf(tree, checkout);
  const fresh = parts.filter((part) => hasNews(part) && placeIn(part, places) < part.end);
  const lines = newLines(fresh, places);
  const garbage = fresh.flatMap((part) => part.garbage.filter((end) => end > placeIn(part, places)));
  if (fresh.length === 0) return { steps: [], occurrences: [], result: undefined };
  const folded = foldLines(lines, atWorkIn(tree), checkout, now);
  const there = new Set(parts.map(({ file }) => file));
  return {
    steps: [],
    keeps: [
      ...keepsOf(folded),
      ...fresh.map(({ file, first, end }) => keeping(JOURNAL, `${checkout} ${file}`, { offset: end, first })),
      ...[...places.keys()].filter((file) => !there.has(file)).map((file) => keeping(JOURNAL, `${checkout} ${file}`)),
    ],
    grants: folded.grants.map(({ workflow, holder, ttlMs }) => ({
      name: leaseName(workflow),
      holder,
      ttlMs: Math.min(SESSION_TTL_MS, Math.ceil(ttlMs)),
    })),
    releases: folded.releases.map(leaseName),
    occurrences: [
      {
        kind: "journal.folded",
        subject: checkout,
        data: {
          lines: lines.length,
          hook_ms: lines.reduce((sum, { ms }) => sum + ms, 0),
          hooks: lines.filter(({ ms }) => ms > 0).length,
          ...(garbage.length > 0 ? { garbage: garbage.length } : {}),
        },
      } satisfies Occurrence,
      ...folded.happened,
    ],
    result: undefined,
  };
}

/** The stored position. A file with a different beginning is a new file. */
function placeIn({ file, first }: JournalPart, places: ReadonlyMap<string, JournalPlace>): number {
  const place = places.get(file);
  return place?.first === first ? place.offset : 0;
}

function atWorkIn(tree: Tree): AtWork {
  return {
    sessions: tree.kept(SESSIONS),
    locks: tree.kept(LOCKS),
    workflows: tree.kept(WORKFLOWS),
    isOpenChange: (id) => isOpenChange(tree, id),
    lease: (workflow) => tree.lease(leaseName(workflow)),
  };
}

/** An unreadable record must not stop the journal. Operations on the change report it. */
function isOpenChange(tree: Tree, id: string): boolean {
  if (!isChangeId(id)) return false;
  try {
    const record = tree.record(changeRecord(CHANGES, id), createChangeShape(id));
    return record?.status === "active";
  } catch (error) {
    if (error instanceof Fault) return true;
    throw error;
  }
}

const keeping = <T>({ name }: Space<T>, key: string, value?: T): Keeping => ({ space: name, key, value });

const keepsOf = ({ sessions, forgotten, locks, workflows }: Folded): Keeping[] => [
  ...sessions.map((session) => keeping(SESSIONS, session.id, session)),
  ...forgotten.map((id) => keeping(SESSIONS, id)),
  ...locks.map((lock) => keeping(LOCKS, lockKey(lock), lock)),
  ...workflows.map((record) => keeping(WORKFLOWS, record.id, record)),
];
