import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import { basename, dirname, join } from "node:path";
import type { FileKind, FolderKind } from "./corpus.ts";

export const SECRET = "the secret of another folder";

/** Puts something unexpected in the place of a file or a folder. Nothing when this machine or user cannot make it. */
export async function standIn(
  kind: FileKind | FolderKind,
  place: string,
  outside: string,
): Promise<AsyncDisposable | undefined> {
  fs.rmSync(place, { recursive: true, force: true });
  fs.mkdirSync(dirname(place), { recursive: true });
  const done: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };
  switch (kind) {
    case "B21 a link to a file outside":
      fs.symlinkSync(join(outside, "secret.txt"), place);
      return done;
    case "B22 a link to a folder outside":
      fs.symlinkSync(outside, place);
      return done;
    case "B23 a link to nothing":
      fs.symlinkSync(join(outside, "nothing"), place);
      return done;
    case "B24 a link to itself":
      fs.symlinkSync(basename(place), place);
      return done;
    case "B25 a hard link to a file outside":
      fs.linkSync(join(outside, "secret.txt"), place);
      return done;
    case "B26 a link into a sibling with the same prefix":
      fs.symlinkSync(join(`${outside}-evil`, "secret.txt"), place);
      return done;
    case "B26 a link to a sibling with the same prefix":
      fs.symlinkSync(`${outside}-evil`, place);
      return done;
    case "B27 a link to /proc/self/environ":
      fs.symlinkSync("/proc/self/environ", place);
      return done;
    case "B28 a link to /dev/zero":
      fs.symlinkSync("/dev/zero", place);
      return done;
    case "B29 a pipe":
      execFileSync("mkfifo", [place]);
      return done;
    case "B30 a folder":
      fs.mkdirSync(place);
      return done;
    case "B30 a file":
      fs.writeFileSync(place, "a file");
      return done;
    case "B31 a socket":
      return listen(place);
    case "B32 a file that nobody may read":
      return forbid(place, () => fs.writeFileSync(place, "{}"));
    case "B32 a folder that nobody may read":
      return forbid(place, () => fs.mkdirSync(place));
    case "B 9 MB":
      fs.writeFileSync(place, "x".repeat(9_000_000));
      return done;
    case "B bytes that are no text":
      fs.writeFileSync(place, new Uint8Array([0xc3, 0x28, 0xff, 0xfe, 0x00, 0xed, 0xa0, 0x80]));
      return done;
    case "B nothing in it":
      fs.writeFileSync(place, "");
      return done;
  }
}

/** Root may read what it likes, so for root there is no such file. */
function forbid(place: string, make: () => void): AsyncDisposable | undefined {
  if (process.getuid?.() === 0) return undefined;
  make();
  fs.chmodSync(place, 0o000);
  return { [Symbol.asyncDispose]: async () => fs.chmodSync(place, 0o700) };
}

async function listen(place: string): Promise<AsyncDisposable> {
  const server = net.createServer();
  // The path of a socket is short, so it is made elsewhere and moved: its server forgets it, which is all the same here.
  const short = fs.mkdtempSync(join(os.tmpdir(), "tenon-socket-"));
  await new Promise<void>((resolve) => void server.listen(join(short, "s"), resolve));
  fs.renameSync(join(short, "s"), place);
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      fs.rmSync(short, { recursive: true, force: true });
    },
  };
}
