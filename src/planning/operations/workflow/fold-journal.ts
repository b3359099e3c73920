import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { Fault } from "#kernel/model/fault.ts";
import { type ActiveWork, foldJournalLines, type JournalFoldResult } from "../../model/workflow/journal-fold.ts";
import { formatLockKey } from "../../model/workflow/file-locks.ts";
import { formatLeaseName, SESSION_TTL_MS } from "../../model/workflow/work-sessions.ts";
import { getChangeRecordPath, CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { createChangeShape } from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { commitWithExtras } from "#store/operations/engine.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { JournalPart, StoredJournalLine } from "../ports/journal.ts";
import type { LedgerEntry, StorePlan, LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { releaseEndedLocks, type WorkRuntime, loadWorkRuntime } from "./workflow-runtime.ts";
import { JOURNAL_SPACE, LOCK_SPACE, SESSION_SPACE, WORKFLOW_SPACE } from "./ledger-spaces.ts";

type JournalFoldEngine = Pick<PlanningEngine, "store" | "observers" | "notice" | "journal" | "clock" | "sessionStart">;

/**
 * Applies new journal lines to the ledger. The same write stores the read position, so each line counts once. Without
 * new lines nothing is written.
 */
export async function foldJournalIntoLedger(engine: JournalFoldEngine): Promise<void> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => readJournalPositions(tree, journal.checkout)));
  if (parts.some(hasNewContent)) {
    const now = clock.now();
    const planSessionStart = await engine.sessionStart();
    await commitWithExtras(
      engine,
      (tree) => planJournalFold(parts, tree, journal.checkout, now),
      (tree, { occurrences }) => {
        const started = occurrences.flatMap(({ kind, subject }) => (kind === "session.started" ? [subject] : []));
        return planSessionStart(tree, started, now);
      },
    );
  }
  // Uses only positions that the ledger has stored.
  const places = parts.some(({ isSpent }) => isSpent)
    ? await store.read((tree) => readJournalPositions(tree, journal.checkout))
    : new Map<string, JournalPosition>();
  for (const part of parts) {
    if (part.isSpent && (part.end === 0 || findReadOffset(part, places) >= part.end)) await journal.remove(part.file);
  }
}

export async function loadFoldedRuntime(
  engine: Pick<PlanningEngine, "store" | "journal" | "clock">,
): Promise<WorkRuntime> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => readJournalPositions(tree, journal.checkout)));
  return store.read((tree) => {
    const lines = selectNewLines(parts, readJournalPositions(tree, journal.checkout));
    const runtime = loadWorkRuntime(tree);
    if (lines.length === 0) return runtime;
    const { after } = foldJournalLines(lines, loadActiveWork(tree), journal.checkout, clock.now());
    return {
      ...runtime,
      workflows: after.workflows,
      sessions: after.sessions,
      locks: releaseEndedLocks([...after.locks.values()], runtime),
      lease: (id) => {
        const lease = after.lease(id);
        return lease && { name: formatLeaseName(id), ...lease };
      },
    };
  });
}

const selectNewLines = (
  parts: readonly JournalPart[],
  places: ReadonlyMap<string, JournalPosition>,
): StoredJournalLine[] => parts.flatMap((part) => part.lines.filter(({ end }) => end > findReadOffset(part, places)));

const hasNewContent = ({ lines, garbage }: JournalPart): boolean => lines.length + garbage.length > 0;

const JOURNAL_NAME_LENGTH = "2026-01-31.jsonl".length;

function readJournalPositions(tree: StoreTree, checkout: string): ReadonlyMap<string, JournalPosition> {
  const own = [...tree.kept(JOURNAL_SPACE)].filter(([key]) => key.slice(0, -JOURNAL_NAME_LENGTH) === `${checkout} `);
  return new Map(own.map(([key, place]) => [key.slice(-JOURNAL_NAME_LENGTH), place]));
}

/** Decides under the store lock and skips lines that another process has folded meanwhile. */
function planJournalFold(
  parts: readonly JournalPart[],
  tree: StoreTree,
  checkout: string,
  now: string,
): StorePlan<void> {
  const places = readJournalPositions(tree, checkout);
  const fresh = parts.filter((part) => hasNewContent(part) && findReadOffset(part, places) < part.end);
  const lines = selectNewLines(fresh, places);
  const garbage = fresh.flatMap((part) => part.garbage.filter((end) => end > findReadOffset(part, places)));
  if (fresh.length === 0) return { steps: [], occurrences: [], result: undefined };
  const folded = foldJournalLines(lines, loadActiveWork(tree), checkout, now);
  const there = new Set(parts.map(({ file }) => file));
  return {
    steps: [],
    keeps: [
      ...listFoldedEntries(folded),
      ...fresh.map(({ file, first, end }) =>
        createLedgerEntry(JOURNAL_SPACE, `${checkout} ${file}`, { offset: end, first }),
      ),
      ...[...places.keys()]
        .filter((file) => !there.has(file))
        .map((file) => createLedgerEntry(JOURNAL_SPACE, `${checkout} ${file}`)),
    ],
    grants: folded.grants.map(({ workflow, holder, ttlMs }) => ({
      name: formatLeaseName(workflow),
      holder,
      ttlMs: Math.min(SESSION_TTL_MS, Math.ceil(ttlMs)),
    })),
    releases: folded.releases.map(formatLeaseName),
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
      },
      ...folded.happened,
    ],
    result: undefined,
  };
}

/** The stored position. A file with a different beginning is a new file. */
function findReadOffset({ file, first }: JournalPart, places: ReadonlyMap<string, JournalPosition>): number {
  const place = places.get(file);
  return place?.first === first ? place.offset : 0;
}

function loadActiveWork(tree: StoreTree): ActiveWork {
  return {
    sessions: tree.kept(SESSION_SPACE),
    locks: tree.kept(LOCK_SPACE),
    workflows: tree.kept(WORKFLOW_SPACE),
    isOpenChange: (id) => isChangeOpen(tree, id),
    lease: (workflow) => tree.lease(formatLeaseName(workflow)),
  };
}

/** An unreadable record must not stop the journal. Operations on the change report it. */
function isChangeOpen(tree: StoreTree, id: string): boolean {
  if (!isChangeId(id)) return false;
  try {
    const record = tree.record(getChangeRecordPath(CHANGES_FOLDER, id), createChangeShape(id));
    return record?.status === "active";
  } catch (error) {
    if (error instanceof Fault) return true;
    throw error;
  }
}

const createLedgerEntry = <T>(space: LedgerSpace<T>, key: string, value?: T): LedgerEntry => ({
  space: space.name,
  key,
  value,
});

const listFoldedEntries = ({ sessions, forgotten, locks, workflows }: JournalFoldResult): LedgerEntry[] => [
  ...sessions.map((session) => createLedgerEntry(SESSION_SPACE, session.id, session)),
  ...forgotten.map((id) => createLedgerEntry(SESSION_SPACE, id)),
  ...locks.map((lock) => createLedgerEntry(LOCK_SPACE, formatLockKey(lock), lock)),
  ...workflows.map((record) => createLedgerEntry(WORKFLOW_SPACE, record.id, record)),
];
