import { hashText } from "#kernel/adapters/content-hash.ts";
import fs from "node:fs";
import { join } from "node:path";
import { hasFileGate, parseStateExport, renderStateExport } from "../model/workflow/state-export.ts";
import { isLockHeld } from "../model/workflow/file-locks.ts";
import { DEFAULT_SESSION_ID } from "../model/workflow/work-sessions.ts";
import { CHANGES_FOLDER, STATE_EXPORT_PATH, MACHINE_FOLDER, getLostExportPath } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "../operations/change/change-records.ts";
import { WORKFLOW_SPACE } from "../operations/workflow/ledger-spaces.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import type { SnapshotStore } from "#git/operations/ports/git-files.ts";
import type { LedgerObserver } from "#store/operations/engine.ts";
import type { Store, StoreTree } from "#store/operations/ports/store.ts";
import { loadWorkRuntime, findWorkActivity, type WorkRuntime } from "../operations/workflow/workflow-runtime.ts";
import { readErrorCode } from "#kernel/model/system-error.ts";
import { WorkspaceFiles, makeMachineFolder } from "#kernel/adapters/workspace-files.ts";

interface ExportParts {
  readonly root: string;
  readonly store: Store;
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
  readonly snapshots?: Pick<SnapshotStore, "isPossible" | "sourceTree">;
}

/** Rewrites `.sdd/state.yaml` after each change. It is a copy for readers, and the way back after a lost ledger. */
export const createStateExport = (parts: ExportParts): LedgerObserver => ({
  name: "the export to .sdd/state.yaml",
  async catchUp() {
    // A slower writer must not leave an older state behind, so repeat until nothing changed meanwhile.
    let seq = readExportedSeq(parts.root);
    for (let now = await parts.store.position(); seq !== now; now = await parts.store.position()) {
      seq = now;
      const { body, known } = await renderExport(parts);
      keepLostExport(parts, known);
      writeStateExport(parts, body, seq);
    }
  },
});

/** An export that names workflows which the ledger lacks is all that is left of them. */
function keepLostExport({ root, clock, notice }: ExportParts, known: ReadonlyMap<string, unknown>): void {
  const files = new WorkspaceFiles(root);
  const text = files.bytes(STATE_EXPORT_PATH)?.toString("utf8");
  const lost = text === undefined ? [] : parseStateExport(text).filter(({ id }) => !known.has(id));
  if (lost.length === 0) return;
  const aside = getLostExportPath(clock.now());
  fs.renameSync(files.resolve(STATE_EXPORT_PATH), files.resolve(aside));
  const ids = lost.map(({ id }) => id).join(", ");
  notice(
    `The ledger lacks ${ids}, which ${STATE_EXPORT_PATH} names. The file is kept as ${aside}. To restore: tenon doctor --restore`,
  );
}

/** Only a gate that ran on files can become stale. Without one, a single read is enough. */
async function renderExport({ store, snapshots }: ExportParts) {
  const render = (files?: string) =>
    store.read((tree) => {
      const runtime = loadWorkRuntime(tree);
      const known = tree.kept(WORKFLOW_SPACE);
      return { body: renderExportState(tree, runtime, files), known, hasGate: [...known.values()].some(hasFileGate) };
    });
  const first = await render();
  const isStaleKnown = first.hasGate && snapshots && (await snapshots.isPossible());
  return isStaleKnown ? render(await snapshots.sourceTree()) : first;
}

function renderExportState(tree: StoreTree, runtime: WorkRuntime, files: string | undefined): string {
  const { changes } = loadChangeRecords(tree, [CHANGES_FOLDER]);
  return renderStateExport(
    changes.map(({ record }) => record),
    {
      ...runtime,
      tree: files,
      workflows: [...runtime.workflows.values()],
      locks: runtime.locks.filter(isLockHeld),
      current: runtime.sessions.get(DEFAULT_SESSION_ID)?.current,
      isInterrupted: (id) => findWorkActivity(runtime, id).standing === "interrupted",
    },
  );
}

function readExportedSeq(root: string): number | undefined {
  const text = new WorkspaceFiles(root).bytes(STATE_EXPORT_PATH)?.toString("utf8");
  if (text === undefined) return -1;
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const [, seq, hash] = /^# tenon:end seq=(\d+) sha256=([0-9a-f]{64})\n$/.exec(text.slice(end)) ?? [];
  return hash === hashText(text.slice(0, end)) ? Number(seq) : undefined;
}

function writeStateExport({ root, clock, newId, notice }: ExportParts, body: string, seq: number): void {
  const files = new WorkspaceFiles(root);
  const folder = files.resolve(MACHINE_FOLDER);
  makeMachineFolder(folder, newId);
  const place = files.resolve(STATE_EXPORT_PATH);
  if (readExportedSeq(root) === undefined) {
    const aside = `${place}.corrupt-${clock.now().replaceAll(":", "-")}`;
    fs.renameSync(place, aside);
    notice(`.sdd/state.yaml was damaged. Tenon kept it as ${aside} and wrote it again.`);
  }
  const temporary = `${place}.${seq}-${newId()}.tmp`;
  fs.writeFileSync(temporary, `${body}# tenon:end seq=${seq} sha256=${hashText(body)}\n`, { mode: 0o644 });
  try {
    fs.renameSync(temporary, place);
  } catch (error) {
    // Another process with a newer state may have removed our temporary file. Then its export stays.
    if (readErrorCode(error) !== "ENOENT") throw error;
  }
  for (const name of fs.readdirSync(folder)) {
    const older = /^state\.yaml\.(\d+)-.*\.tmp$/.exec(name)?.[1];
    if (older !== undefined && Number(older) < seq) fs.rmSync(join(folder, name), { force: true });
  }
}
