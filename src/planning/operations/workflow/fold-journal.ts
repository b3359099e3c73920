import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { catchFault } from "#kernel/model/fault.ts";
import { type ActiveWork, foldJournalLines } from "../../model/workflow/journal-fold.ts";
import { formatLockKey } from "../../model/workflow/file-locks.ts";
import { formatLeaseName, judgeLeaseProcess, SESSION_TTL_MS } from "../../model/workflow/work-sessions.ts";
import { getChangeRecordPath, CHANGES_FOLDER } from "#kernel/model/workspace-paths.ts";
import { createChangeShape } from "../change/change-records.ts";
import type { PlanningEngine } from "../engine.ts";
import { commitWithExtras } from "#store/operations/engine.ts";
import type { JournalPosition } from "#code/operations/ports/higher-modules.ts";
import type { JournalPart, StoredJournalLine } from "../ports/journal.ts";
import type { LedgerSpace, StoreTree } from "#store/operations/ports/store.ts";
import { releaseEndedLocks, type WorkRuntime, loadWorkRuntime } from "./workflow-runtime.ts";
import { foldHeardAnswers } from "../../model/approval/user-message.ts";
import {
  APPROVAL_SPACE,
  JOURNAL_SPACE,
  noteMember,
  LOCK_SPACE,
  SESSION_SPACE,
  WORK_SPACE,
  WORKFLOW_SPACE,
} from "./ledger-spaces.ts";

/** The same write stores the read position, so each line counts once. Without new lines nothing is written. */
export async function foldJournalIntoLedger(engine: PlanningEngine): Promise<void> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => readJournalPositions(tree, journal.checkout)));
  if (parts.some(hasNewContent)) {
    const now = clock.now();
    const planSessionStart = await engine.sessionStart();
    await commitWithExtras(
      engine,
      (tree) => planJournalFold(parts, tree, journal.checkout, now, { by: engine.origin.user, ...noteMember(engine) }),
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

export async function loadFoldedRuntime(engine: PlanningEngine): Promise<WorkRuntime> {
  const { journal, store, clock } = engine;
  const parts = await journal.unread(await store.read((tree) => readJournalPositions(tree, journal.checkout)));
  return store.read((tree) => {
    const lines = selectNewLines(parts, readJournalPositions(tree, journal.checkout));
    const stored = loadWorkRuntime(tree);
    const lease = (id: string) => judgeLeaseProcess(stored.lease(id), stored.sessions, engine.caller);
    const runtime = { ...stored, lease };
    if (lines.length === 0) return runtime;
    const { after } = foldJournalLines(lines, loadActiveWork(tree), journal.checkout, clock.now());
    return {
      ...runtime,
      workflows: after.workflows,
      sessions: after.sessions,
      locks: releaseEndedLocks([...after.locks.values()], runtime),
      lease: (id) => {
        const folded = judgeLeaseProcess(after.lease(id), after.sessions, engine.caller);
        return folded && { name: formatLeaseName(id), ...folded };
      },
    };
  });
}

type JournalPositions = ReadonlyMap<string, JournalPosition>;

const selectNewLines = (parts: readonly JournalPart[], places: JournalPositions): StoredJournalLine[] =>
  parts.flatMap((part) => part.lines.filter(({ end }) => end > findReadOffset(part, places)));

const hasNewContent = ({ lines, garbage }: JournalPart): boolean => lines.length + garbage.length > 0;

const JOURNAL_NAME_LENGTH = "2026-01-31.jsonl".length;

function readJournalPositions(tree: StoreTree, checkout: string): JournalPositions {
  const own = [...tree.kept(JOURNAL_SPACE)].filter(([key]) => key.slice(0, -JOURNAL_NAME_LENGTH) === `${checkout} `);
  return new Map(own.map(([key, place]) => [key.slice(-JOURNAL_NAME_LENGTH), place]));
}

/** Decides under the store lock and skips lines that another process has folded meanwhile. */
function planJournalFold(
  parts: readonly JournalPart[],
  tree: StoreTree,
  checkout: string,
  now: string,
  user: Parameters<typeof foldHeardAnswers>[2],
) {
  const places = readJournalPositions(tree, checkout);
  const fresh = parts.filter((part) => hasNewContent(part) && findReadOffset(part, places) < part.end);
  const lines = selectNewLines(fresh, places);
  const garbage = fresh.flatMap((part) => part.garbage.filter((end) => end > findReadOffset(part, places)));
  if (fresh.length === 0) return { steps: [], occurrences: [], result: undefined };
  const folded = foldJournalLines(lines, loadActiveWork(tree), checkout, now);
  const questions = foldHeardAnswers(lines, tree.kept(APPROVAL_SPACE).values(), user);
  const removed = [...places.keys()].filter((file) => parts.every((part) => part.file !== file));
  return {
    steps: [],
    keeps: [
      ...folded.sessions.map((session) => createLedgerEntry(SESSION_SPACE, session.id, session)),
      ...folded.forgotten.map((id) => createLedgerEntry(SESSION_SPACE, id)),
      ...folded.locks.map((lock) => createLedgerEntry(LOCK_SPACE, formatLockKey(lock), lock)),
      ...questions.map((question) => createLedgerEntry(APPROVAL_SPACE, question.id, question)),
      ...folded.workflows.map((record) => createLedgerEntry(WORKFLOW_SPACE, record.id, record)),
      ...fresh.map(({ file, first, end }) =>
        createLedgerEntry(JOURNAL_SPACE, `${checkout} ${file}`, { offset: end, first }),
      ),
      ...removed.map((file) => createLedgerEntry(JOURNAL_SPACE, `${checkout} ${file}`)),
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
function findReadOffset({ file, first }: JournalPart, places: JournalPositions): number {
  const place = places.get(file);
  return place?.first === first ? place.offset : 0;
}

const loadActiveWork = (tree: StoreTree): ActiveWork => ({
  sessions: tree.kept(SESSION_SPACE),
  locks: tree.kept(LOCK_SPACE),
  workflows: tree.kept(WORKFLOW_SPACE),
  begun: new Map([...tree.kept(WORK_SPACE)].flatMap(([id, { begun_ms }]) => (begun_ms ? [[id, begun_ms]] : []))),
  // An unreadable record must not stop the journal. Operations on the change report it.
  isOpenChange: (id) =>
    isChangeId(id) &&
    catchFault(
      () => tree.record(getChangeRecordPath(CHANGES_FOLDER, id), createChangeShape(id))?.status === "active",
      () => true,
    ),
  lease: (workflow) => tree.lease(formatLeaseName(workflow)),
});

const createLedgerEntry = <T>({ name: space }: LedgerSpace<T>, key: string, value?: T) => ({ space, key, value });
