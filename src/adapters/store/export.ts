import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { renderStateExport } from "#domain/workflow/export.ts";
import { isLockHeld } from "#domain/workflow/locks.ts";
import { DEFAULT_SESSION_ID } from "#domain/workflow/session-name.ts";
import { CHANGES_FOLDER, STATE_EXPORT_PATH, MACHINE_FOLDER } from "#domain/workspace/path.ts";
import { loadChangeRecords } from "#operations/change/census.ts";
import type { EngineClock, LedgerObserver } from "#operations/engine.ts";
import type { Store, StoreTree } from "#operations/ports/store.ts";
import { loadWorkRuntime, findWorkActivity } from "#operations/workflow/running/runtime.ts";
import { errorCode } from "./files/error.ts";
import { Files } from "./files/files.ts";
import { makeMachineFolder } from "./files/machine-folder.ts";

const TRAILER = /^# tenon:end seq=(\d+) sha256=([0-9a-f]{64})\n$/;

interface Parts {
  readonly root: string;
  readonly store: Store;
  readonly clock: EngineClock;
  readonly newId: () => string;
  readonly notice: (text: string) => void;
}

/** Rewrites `.sdd/state.yaml` after each change. It is a copy for readers; Tenon never reads state from it. */
export function stateExport(parts: Parts): LedgerObserver {
  return {
    name: "the export to .sdd/state.yaml",
    async catchUp() {
      // A slower writer must not leave an older state behind, so repeat until nothing changed meanwhile.
      for (
        let seq = exportedSeq(parts.root), now = await parts.store.position();
        seq !== now;
        now = await parts.store.position()
      ) {
        seq = now;
        write(parts, await parts.store.read(stateIn), seq);
      }
    },
  };
}

function stateIn(tree: StoreTree): string {
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

function exportedSeq(root: string): number {
  const bytes = new Files(root).bytes(STATE_EXPORT_PATH);
  return bytes === undefined || isDamaged(bytes) ? -1 : Number(trailerOf(bytes)?.[1]);
}

function write({ root, clock, newId, notice }: Parts, body: string, seq: number): void {
  const files = new Files(root);
  const folder = files.resolve(MACHINE_FOLDER);
  makeMachineFolder(folder, newId);
  const place = files.resolve(STATE_EXPORT_PATH);
  if (isDamaged(files.bytes(STATE_EXPORT_PATH))) {
    const aside = `${place}.corrupt-${clock.now().replaceAll(":", "-")}`;
    fs.renameSync(place, aside);
    notice(`.sdd/state.yaml was damaged; it is kept as ${aside} and written anew.`);
  }
  const temporary = `${place}.${seq}-${newId()}.tmp`;
  fs.writeFileSync(temporary, `${body}${trailer(body, seq)}`, { mode: 0o644 });
  publish(temporary, place);
  sweep(folder, seq);
}

/** Another process with a newer state may have removed our temporary file. Then its export stays. */
function publish(temporary: string, place: string): void {
  try {
    fs.renameSync(temporary, place);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

function sweep(folder: string, seq: number): void {
  for (const name of fs.readdirSync(folder)) {
    const older = /^state\.yaml\.(\d+)-.*\.tmp$/.exec(name)?.[1];
    if (older !== undefined && Number(older) < seq) fs.rmSync(join(folder, name), { force: true });
  }
}

const trailer = (body: string, seq: number): string => `# tenon:end seq=${seq} sha256=${hash(body)}\n`;

function isDamaged(bytes: Buffer | undefined): boolean {
  if (bytes === undefined) return false;
  const text = bytes.toString("utf8");
  return trailerOf(bytes)?.[2] !== hash(text.slice(0, lastLine(text)));
}

const lastLine = (text: string): number => text.lastIndexOf("\n", text.length - 2) + 1;

function trailerOf(bytes: Buffer): RegExpExecArray | null {
  const text = bytes.toString("utf8");
  return TRAILER.exec(text.slice(lastLine(text)));
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
