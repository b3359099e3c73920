import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import type { CommandOutput } from "#kernel/operations/ports/runner.ts";

const TAIL_BYTES = 64 * 1024;
const LAST_LINE_BYTES = 2048;

/**
 * Records command output as it arrives: hashes all of it, spools it to disk up to a limit, and keeps the tail in
 * memory.
 */
export class OutputRecording {
  readonly #hash = createHash("sha256");
  readonly #ring = Buffer.alloc(TAIL_BYTES);
  readonly #both: OutputSpool;
  readonly #out: OutputSpool;
  #bytes = 0;

  constructor(folder: string, limit: number) {
    this.#both = new OutputSpool(join(folder, "output"), limit);
    this.#out = new OutputSpool(join(folder, "stdout"), limit);
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(part: Buffer, isOut: boolean): void {
    this.#hash.update(part);
    this.#both.write(part);
    if (isOut) this.#out.write(part);
    const end = part.subarray(-TAIL_BYTES);
    const at = (this.#bytes + part.length - end.length) % TAIL_BYTES;
    const fits = Math.min(end.length, TAIL_BYTES - at);
    end.copy(this.#ring, at, 0, fits);
    end.copy(this.#ring, 0, fits);
    this.#bytes += part.length;
  }

  lastLine(): string | undefined {
    const lines = new TextDecoder().decode(this.#last(LAST_LINE_BYTES)).split(/[\r\n]+/);
    return lines.findLast((line) => line.trim() !== "")?.trim();
  }

  end(): CommandOutput {
    this.#both.close();
    this.#out.close();
    return {
      bytes: this.#bytes,
      hash: this.#hash.digest("hex"),
      tail: decodeOutputTail(this.#last(TAIL_BYTES), this.#bytes > TAIL_BYTES),
      isCut: this.#both.isCut || this.#out.isCut,
      file: this.#out.file,
      spool: this.#both.file,
    };
  }

  #last(count: number): Buffer {
    const length = Math.min(count, this.#bytes, TAIL_BYTES);
    const from = (this.#bytes - length) % TAIL_BYTES;
    const first = this.#ring.subarray(from, Math.min(from + length, TAIL_BYTES));
    return Buffer.concat([first, this.#ring.subarray(0, length - first.length)]);
  }
}

export function createEmptyOutput(): CommandOutput {
  return { bytes: 0, hash: createHash("sha256").digest("hex"), tail: "", isCut: false, file: "", spool: "" };
}

/** An invalid byte decodes to a replacement character of three bytes, so the text may be longer than the bytes. */
function decodeOutputTail(bytes: Buffer, isCut: boolean): string {
  const text = new TextDecoder().decode(isCut ? bytes.subarray(findCharacterStart(bytes)) : bytes);
  const encoded = Buffer.from(text);
  if (encoded.length <= TAIL_BYTES) return text;
  const end = encoded.subarray(-TAIL_BYTES);
  return end.subarray(findCharacterStart(end)).toString("utf8");
}

/** Skips the rest of a cut character. */
function findCharacterStart(bytes: Buffer): number {
  const at = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return at === -1 ? 0 : at;
}

/** A file with a size limit. A full disk only truncates it. */
class OutputSpool {
  readonly file: string;
  readonly #limit: number;
  #open: number | undefined;
  #size = 0;
  #isCut = false;

  constructor(file: string, limit: number) {
    this.file = file;
    this.#limit = limit;
    this.#open = fs.openSync(file, "wx", 0o600);
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** Synchronous, so that a noisy command waits instead of filling memory. */
  write(part: Buffer): void {
    if (this.#open === undefined || this.#isCut) return;
    const taken = part.subarray(0, this.#limit - this.#size);
    try {
      for (let at = 0; at < taken.length;) at += fs.writeSync(this.#open, taken, at);
      this.#size += taken.length;
      this.#isCut = taken.length < part.length;
    } catch {
      this.#isCut = true;
    }
  }

  close(): void {
    if (this.#open !== undefined) fs.closeSync(this.#open);
    this.#open = undefined;
  }
}
