import type { Engine } from "#doors/engine.ts";
import type { Ledger } from "#store/adapters/sqlite-ledger.ts";
import type { LedgerObserver } from "#store/operations/engine.ts";

export function createLedgerObservers(
  engine: () => Engine,
  ledger: Ledger,
  newId: () => string,
): readonly LedgerObserver[] {
  const logs = async () =>
    (await import("#store/adapters/event-logs.ts")).createLogObserver({ ...engine(), ledger, newId });
  return [
    {
      name: "the export to .sdd/state.yaml",
      catchUp: async () =>
        (await import("#planning/adapters/state-export.ts")).createStateExport({ ...engine(), newId }).catchUp(),
    },
    {
      name: "the copy of the ledger",
      catchUp: async () => (await import("#store/adapters/ledger-copies.ts")).createCopyObserver(ledger).catchUp(),
    },
    {
      name: "memory",
      catchUp: async () =>
        (await import("#roadmap/operations/memory-observer.ts")).createMemoryObserver(engine()).catchUp(),
    },
    {
      name: "the logs in .sdd/logs",
      catchUp: async () => (await logs()).catchUp(),
      problem: async () => (await logs()).problem?.(),
    },
  ];
}
