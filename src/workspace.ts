/** What opening a workspace takes, in one piece: a server that only says hello does not load it. */
export { stateExport } from "./adapters/store/export.ts";
export { Ledger } from "./adapters/store/sqlite/ledger.ts";
export { WorkspaceStore } from "./adapters/store/store.ts";
export { findRoot } from "./adapters/workspace/find-root.ts";
export { ledgerFile } from "./adapters/workspace/ledger-file.ts";
export { machine } from "./adapters/workspace/machine.ts";
export { settingsIn } from "./adapters/workspace/settings.ts";
