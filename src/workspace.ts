import { assetsIn } from "./adapters/assets/assets.ts";
import { Ledger } from "./adapters/store/sqlite/ledger.ts";
import { WorkspaceStore } from "./adapters/store/store.ts";
import { findRoot, type Whereabouts } from "./adapters/workspace/find-root.ts";
import { checkoutName, ledgerFile } from "./adapters/workspace/ledger-file.ts";
import { machine } from "./adapters/workspace/machine.ts";
import { settingsIn } from "./adapters/workspace/settings.ts";
import type { World } from "./assembly.ts";
import type { Engine } from "./operations/engine.ts";

/** One connection to each ledger, however many workspaces or calls share it. */
export class Ledgers {
  readonly #open = new Map<string, Ledger>();

  of(root: string): Ledger {
    const file = ledgerFile(root);
    const ledger = this.#open.get(file) ?? new Ledger(file);
    this.#open.set(file, ledger);
    return ledger;
  }

  close(): void {
    for (const ledger of this.#open.values()) ledger.close();
    this.#open.clear();
  }
}

/** Finds the workspace that is meant and puts an engine together for it. Loaded on first use: a greeting needs none. */
export function openWorkspace(world: World, ledgers: Ledgers, where: Partial<Whereabouts>): Engine {
  const { clock, steadyClock, newId } = world;
  const environment = world.environment["TENON_WORKSPACE"] || undefined;
  const root = findRoot({ environment, cwd: world.cwd, home: world.home, ...where });
  const notice = (text: string): void => world.io.err(`note: ${text}\n`);
  const store = new WorkspaceStore({
    root,
    checkout: checkoutName(root),
    ledger: ledgers.of(root),
    clock,
    steadyClock,
    newId,
    notice,
  });
  return {
    root,
    clock,
    store,
    assets: assetsIn(new URL("assets/", world.packageFolder)),
    settings: settingsIn(store),
    machine,
    observers: [
      {
        name: "the export to .sdd/state.yaml",
        catchUp: async () =>
          (await import("./adapters/store/export.ts")).stateExport({ root, store, clock, newId, notice }).catchUp(),
      },
    ],
    notice,
  };
}
