import fs from "node:fs";
import { join } from "node:path";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { LockedStoreTree, StorePlan, StoredRecordShape, RevisedRecord, Store } from "../operations/ports/store.ts";

/** A workspace in which a kind of store is tested. */
export interface Place extends Disposable {
  /** A store as a separate process opens it. */
  open(): Store;
  /** Writes a file as a person does. */
  put(path: string, text: string): void;
  /** The texts under `sdd/`. */
  texts(): Record<string, string>;
  /** Everything that the store keeps, to compare. */
  contents(): Record<string, string>;
}

/** A workspace on disk, where other programs edit files and processes die. */
export interface DiskPlace extends Place {
  readonly root: string;
  /** The notices that users saw. */
  readonly notices: readonly string[];
  /** A store in whose writes something happens each time one is recorded and not yet carried out. */
  interrupted(meanwhile: () => void | Promise<void>): Store;
  /** Leaves a write behind as a process does that is killed after it recorded the write. */
  abandon(decide: (tree: LockedStoreTree) => StorePlan<unknown>): Promise<void>;
}

export type MakePlace = () => Place;
export type MakeDiskPlace = () => DiskPlace;

export interface Note extends RevisedRecord {
  readonly schema: 1;
  readonly text: string;
}

export const NOTE: StoredRecordShape<Note> = {
  schema: 1,
  problem: (value) => (typeof (value as Note).text === "string" ? undefined : `its field "text" is missing or wrong`),
  trust: (value) => value as Note,
};

export const at = (path: string): WorkspacePath => path as WorkspacePath;
export const A = at("sdd/notes/a.md");
export const B = at("sdd/notes/b.md");
export const RECORD = at("sdd/notes/note.json");

export const note = (rev: number, text = `revision ${rev}`): Note => ({ schema: 1, rev, text });

/** A write of these documents, in this order. */
export function documents(texts: Readonly<Record<string, string>>): StorePlan<string> {
  const paths = Object.keys(texts);
  return {
    steps: paths.map((path) => ({ kind: "document", path: at(path), text: texts[path] ?? "" })),
    occurrences: [{ kind: "written", subject: paths.join(" ") }],
    result: paths.join(" "),
  };
}

/** A write of the next revision of the record; the revision is its result. */
export function nextRevision(tree: LockedStoreTree): StorePlan<number> {
  const rev = (tree.record(RECORD, NOTE)?.rev ?? 0) + 1;
  return {
    steps: [{ kind: "record", path: RECORD, record: note(rev), shape: NOTE }],
    occurrences: [{ kind: "revised", subject: String(rev) }],
    result: rev,
  };
}

export const nothing: StorePlan<undefined> = { steps: [], occurrences: [], result: undefined };

/** Every byte below a folder, and every folder; but what SQLite keeps beside a database for its own use. */
export function bytesIn(folder: string, inside = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(join(folder, inside), { withFileTypes: true })) {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
    if (/-(?:wal|shm)$/.test(path)) continue;
    found[path] = entry.isFile() ? fs.readFileSync(join(folder, path)).toString("base64") : "no file";
    if (entry.isDirectory()) Object.assign(found, bytesIn(folder, path));
  }
  return found;
}

/** The texts under `sdd/`, without what belongs to this machine alone. */
export function textsIn(root: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(bytesIn(root))
      .filter(([path, bytes]) => path.startsWith("sdd/") && bytes !== "no file")
      .map(([path, bytes]) => [path, Buffer.from(bytes, "base64").toString()]),
  );
}

export function put(root: string, path: string, text: string): void {
  fs.mkdirSync(join(root, path, ".."), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

export async function subjects(store: Store): Promise<string[]> {
  return (await store.events(0)).map((event) => event.subject);
}
