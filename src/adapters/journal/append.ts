import fs from "node:fs";
import { formatJournalLines, type JournalNote } from "./line.ts";

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Bytes per day. More means a runaway writer and no process that folds the journal. */
const MAX_JOURNAL_BYTES = 8 * 1024 * 1024;
const NEWLINE_BYTE = 10;

/**
 * Appends to today's file. Each line is one append, so that many processes can write at once. Returns false on failure,
 * because a hook must never fail for it.
 */
export function appendJournalLines(root: string, note: JournalNote): boolean {
  try {
    const file = openJournalDay(root, note.at.slice(0, 10));
    try {
      const stat = fs.fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_JOURNAL_BYTES) return false;
      // A line cut off by a full disk must not swallow this one.
      const isTorn = stat.size > 0 && readLastByte(file, stat.size) !== NEWLINE_BYTE;
      for (const [i, line] of formatJournalLines(note).entries())
        fs.writeSync(file, i === 0 && isTorn ? `\n${line}` : line);
      return true;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return false;
  }
}

function openJournalDay(root: string, day: string): number {
  // Plain string paths: path functions cost a hook more than the write itself.
  const folder = `${root}/.sdd/journal`;
  rejectFolderLink(`${root}/.sdd`);
  if (!isJournalFolder(folder)) createJournalFolder(root, folder);
  // Readable by the owner only, because it shows who works on which file.
  return fs.openSync(`${folder}/${day}.jsonl`, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

function readLastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return fs.readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

function isJournalFolder(place: string): boolean {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) throw new Error("Something else stands there.");
  return stat !== undefined;
}

const rejectFolderLink = (place: string): void => void isJournalFolder(place);

function createJournalFolder(root: string, folder: string): void {
  const machine = `${root}/.sdd`;
  fs.mkdirSync(machine, { recursive: true, mode: 0o755 });
  writeMachineGitignore(machine);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Created exclusively, so that an existing link is not followed. */
function writeMachineGitignore(machine: string): void {
  try {
    fs.writeFileSync(`${machine}/.gitignore`, "*\n", { flag: "wx", mode: 0o644 });
  } catch {}
}
