import fs from "node:fs";
import { toFileFault } from "#kernel/adapters/system-error.ts";
import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type MemoryEntry, MemoryEntryRecord } from "../model/memory-records.ts";

export const EXPORT_HEADER = { tenon: "memory", format: 1 };
export const SQLITE_MAGIC = "SQLite format 3\0";
const LONGEST_IMPORT_LINE = 256 * 1024 * 1024;
const IMPORT_FIX = "Give a file that tenon memory export wrote, or the memory.db of Hoofy or engram.";

export function readFileMagic(file: string): string {
  try {
    const descriptor = openImportFile(file);
    try {
      const bytes = Buffer.alloc(SQLITE_MAGIC.length);
      return bytes.toString("latin1", 0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    throw toFileFault(error, file, "read");
  }
}

/** Does not block on a pipe, and accepts regular files only. */
function openImportFile(file: string): number {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  if (fs.fstatSync(descriptor).isFile()) return descriptor;
  fs.closeSync(descriptor);
  const what = `${sanitizeText(file, 200)} was not imported.`;
  throw new Fault("files.not-a-file", { what, why: "It is not a regular file.", fix: IMPORT_FIX });
}

export function* readImportLines(file: string): Generator<MemoryEntry> {
  const descriptor = openImportFile(file);
  try {
    let pieces: Buffer[] = [];
    let length = 0;
    let number = 0;
    const chunk = Buffer.alloc(1 << 16);
    const parsePieces = (end: Buffer): MemoryEntry[] => {
      const line = Buffer.concat([...pieces, end]);
      pieces = [];
      length = 0;
      number++;
      return number === 1 ? checkExportHeader(file, line) : [parseMemoryEntry(file, line, number)];
    };
    for (let size = fs.readSync(descriptor, chunk); size > 0; size = fs.readSync(descriptor, chunk)) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0 && end < size; end = chunk.indexOf(10, from)) {
        yield* parsePieces(chunk.subarray(from, end));
        from = end + 1;
      }
      pieces.push(Buffer.from(chunk.subarray(from, size)));
      length += size - from;
      if (length > LONGEST_IMPORT_LINE) throw createBadLineFault(file, number + 1, "It has no end.");
    }
    // Without a final line break the last line may be truncated; it is imported if it is valid.
    if (length > 0 || number === 0) yield* parsePieces(Buffer.alloc(0));
  } finally {
    fs.closeSync(descriptor);
  }
}

function parseMemoryEntry(file: string, line: Buffer, number: number): MemoryEntry {
  const { success, data, error } = MemoryEntryRecord.safeParse(parseLineJson(file, line, number));
  if (success) return data;
  const isUnknown = error.issues.some(
    ({ path, code }) => path[0] === "kind" || (path.length === 0 && code !== "unrecognized_keys"),
  );
  if (isUnknown)
    throw createBadLineFault(
      file,
      number,
      "It says none of the kinds project, session, observation, relation and gone.",
    );
  const [strange] = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );
  const wrong = strange ?? String(error.issues[0]?.path[0]);
  throw createBadLineFault(file, number, `${sanitizeText(wrong, 40)} is missing, unknown or wrong.`);
}

function checkExportHeader(file: string, line: Buffer): [] {
  const value = parseLineJson(file, line, 1);
  const head: { tenon?: unknown; format?: unknown } = typeof value === "object" && value !== null ? value : {};
  if (head.tenon !== EXPORT_HEADER.tenon)
    throw createBadLineFault(file, 1, "It is not the head of an export of Tenon's memory.");
  if (head.format === EXPORT_HEADER.format) return [];
  const format = sanitizeText(String(head.format), 20);
  throw createBadLineFault(file, 1, `It has format ${format}, and this Tenon reads ${EXPORT_HEADER.format}.`);
}

function parseLineJson(file: string, line: Buffer, number: number): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(line);
  } catch {
    throw createBadLineFault(file, number, "It is not UTF-8 text.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw createBadLineFault(file, number, "It is not JSON.");
  }
}

export function createBadLineFault(file: string, number: number, why: string): Fault {
  const what = `${sanitizeText(file, 200)} was not imported.`;
  return new Fault("memory.bad-import", { what, why: `Line ${number}: ${why}`, fix: IMPORT_FIX });
}
