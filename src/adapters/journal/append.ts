import fs from "node:fs";
import { linesOf, type Note } from "./line.ts";

const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Bytes a day. Whoever writes more than this has lost its way, and nobody is folding it in. */
const LARGEST_FILE = 8 * 1024 * 1024;
const NEWLINE = 10;

/**
 * Writes a line into today's file of a checkout. Each is written in one piece at the end of the file, so that any number
 * may write at once. False when it could not: a hook never fails for it.
 */
export function appendNote(root: string, note: Note): boolean {
  try {
    const file = openDay(root, note.at.slice(0, 10));
    try {
      const stat = fs.fstatSync(file);
      if (!stat.isFile() || stat.size > LARGEST_FILE) return false;
      // What somebody could not finish on a full disk must not swallow this line.
      const isTorn = stat.size > 0 && lastByte(file, stat.size) !== NEWLINE;
      for (const [i, line] of linesOf(note).entries()) fs.writeSync(file, i === 0 && isTorn ? `\n${line}` : line);
      return true;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return false;
  }
}

function openDay(root: string, day: string): number {
  // Written out: each look at a path letter by letter costs a hook more than the write itself.
  const folder = `${root}/.sdd/journal`;
  refuseLink(`${root}/.sdd`);
  if (!isFolder(folder)) makeFolder(root, folder);
  // Only for the owner: it says who works on what.
  return fs.openSync(`${folder}/${day}.jsonl`, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

function lastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  return fs.readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined;
}

function isFolder(place: string): boolean {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isDirectory()) throw new Error("Something else stands there.");
  return stat !== undefined;
}

const refuseLink = (place: string): void => void isFolder(place);

function makeFolder(root: string, folder: string): void {
  const machine = `${root}/.sdd`;
  fs.mkdirSync(machine, { recursive: true, mode: 0o755 });
  ignoreItself(machine);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Made anew or not at all, so that nothing that stands there is written through. */
function ignoreItself(machine: string): void {
  try {
    fs.writeFileSync(`${machine}/.gitignore`, "*\n", { flag: "wx", mode: 0o644 });
  } catch {
    // It is there already.
  }
}
