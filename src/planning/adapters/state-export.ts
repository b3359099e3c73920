import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { renderStateExport } from "../model/workflow/state-export.ts";
import { isLockHeld } from "../model/workflow/file-locks.ts";
import { DEFAULT_SESSION_ID } from "../model/workflow/work-sessions.ts";
import { CHANGES_FOLDER, STATE_EXPORT_PATH, MACHINE_FOLDER } from "#kernel/model/workspace-paths.ts";
import { loadChangeRecords } from "../operations/change/change-records.ts";
import type { EngineClock } from "#kernel/operations/engine.ts";
import type { LedgerObserver } from "#store/operations/engine.ts";
import type { Store, StoreTree } from "#store/operations/ports/store.ts";
import { loadWorkRuntime, findWorkActivity } from "../operations/workflow/workflow-runtime.ts";
import { readErrorCode } from "#kernel/adapters/system-error.ts";
import { WorkspaceFiles, makeMachineFolder } from "#kernel/adapters/workspace-files.ts";

const STATE_EXPORT_TRAILER = /^# tenon:end seq=(\d+) sha256=([0-9a-f]{64})\n$/;

interface ExportParts {
  readonly root: string;
  readonly store: Store;
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}

/** Rewrites `.sdd/state.yaml` after each change. It is a copy for readers; Tenon never reads state from it. */
export function createStateExport(parts: ExportParts): LedgerObserver {
  return {
    name: "the export to .sdd/state.yaml",
    async catchUp() {
      // A slower writer must not leave an older state behind, so repeat until nothing changed meanwhile.
      for (
        let seq = readExportedSeq(parts.root), now = await parts.store.position();
        seq !== now;
        now = await parts.store.position()
      ) {
        seq = now;
        writeStateExport(parts, await parts.store.read(renderExportState), seq);
      }
    },
  };
}

function renderExportState(tree: StoreTree): string {
  const { changes } = loadChangeRecords(tree, [CHANGES_FOLDER]);
  const runtime = loadWorkRuntime(tree);
  return renderStateExport(
    changes.map(({ record }) => record),
    {
      ...runtime,
      workflows: [...runtime.workflows.values()],
      locks: runtime.locks.filter(isLockHeld),
      current: runtime.sessions.get(DEFAULT_SESSION_ID)?.current,
      isInterrupted: (id) => findWorkActivity(runtime, id).standing === "interrupted",
    },
  );
}

function readExportedSeq(root: string): number {
  const bytes = new WorkspaceFiles(root).bytes(STATE_EXPORT_PATH);
  return bytes === undefined || isDamagedExport(bytes) ? -1 : Number(parseExportTrailer(bytes)?.[1]);
}

function writeStateExport({ root, clock, newId, notice }: ExportParts, body: string, seq: number): void {
  const files = new WorkspaceFiles(root);
  const folder = files.resolve(MACHINE_FOLDER);
  makeMachineFolder(folder, newId);
  const place = files.resolve(STATE_EXPORT_PATH);
  if (isDamagedExport(files.bytes(STATE_EXPORT_PATH))) {
    const aside = `${place}.corrupt-${clock.now().replaceAll(":", "-")}`;
    fs.renameSync(place, aside);
    notice(`.sdd/state.yaml was damaged; it is kept as ${aside} and written anew.`);
  }
  const temporary = `${place}.${seq}-${newId()}.tmp`;
  fs.writeFileSync(temporary, `${body}${formatExportTrailer(body, seq)}`, { mode: 0o644 });
  publishStateExport(temporary, place);
  removeOldExports(folder, seq);
}

/** Another process with a newer state may have removed our temporary file. Then its export stays. */
function publishStateExport(temporary: string, place: string): void {
  try {
    fs.renameSync(temporary, place);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
  }
}

function removeOldExports(folder: string, seq: number): void {
  for (const name of fs.readdirSync(folder)) {
    const older = /^state\.yaml\.(\d+)-.*\.tmp$/.exec(name)?.[1];
    if (older !== undefined && Number(older) < seq) fs.rmSync(join(folder, name), { force: true });
  }
}

const formatExportTrailer = (body: string, seq: number): string =>
  `# tenon:end seq=${seq} sha256=${hashStateExport(body)}\n`;

function isDamagedExport(bytes: Buffer | undefined): boolean {
  if (bytes === undefined) return false;
  const text = bytes.toString("utf8");
  return parseExportTrailer(bytes)?.[2] !== hashStateExport(text.slice(0, findLastLine(text)));
}

const findLastLine = (text: string): number => text.lastIndexOf("\n", text.length - 2) + 1;

function parseExportTrailer(bytes: Buffer): RegExpExecArray | null {
  const text = bytes.toString("utf8");
  return STATE_EXPORT_TRAILER.exec(text.slice(findLastLine(text)));
}

const hashStateExport = (text: string): string => createHash("sha256").update(text).digest("hex");
