import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { WorkspacePath } from "#kernel/model/workspace-paths.ts";
import type { Store } from "../operations/ports/store.ts";
import { refusal } from "../../../test/kit/fault.ts";
import { temporaryFolder } from "../../../test/kit/folder.ts";
import {
  A,
  at,
  B,
  bytesIn,
  documents,
  type MakeDiskPlace,
  NOTE,
  nextRevision,
  put,
  RECORD,
  textsIn,
} from "./place.contract.ts";

/** What lies in the way of a file: links, pipes, folders, odd modes. */
export function obstacles(name: string, make: MakeDiskPlace): void {
  describe(`${name}: links`, () => {
    links(make);
  });
  describe(`${name}: paths that are not files`, () => {
    things(make);
  });
  describe(`${name}: modes and bytes`, () => {
    modesAndBytes(make);
  });
}

/** Every way to touch a path, and how each is refused. */
async function touch(store: Store, path: WorkspacePath): Promise<unknown[]> {
  return Promise.all([
    refusal(store.read((tree) => tree.text(path))),
    refusal(store.read((tree) => tree.record(path, NOTE))),
    refusal(store.write(() => documents({ [B]: "b", [path]: "text" }))),
  ]);
}

function links(make: MakeDiskPlace): void {
  const out = "A symbolic link in its path leads out of the workspace.";

  test.each<[string, (outside: string) => string, WorkspacePath, string, string]>([
    ["to a file outside", (outside) => join(outside, "secret.md"), A, A, out],
    [
      "to a file that could be made outside",
      (outside) => join(outside, "new.md"),
      A,
      A,
      "It is a broken symbolic link.",
    ],
    ["to a folder outside", (outside) => outside, at("sdd/linked/secret.md"), "sdd/linked", out],
    ["to the folder above", () => "../..", at("sdd/linked/x.md"), "sdd/linked", out],
    ["to the workspace itself", () => "..", at("sdd/linked/x.md"), "sdd/linked", out],
    ["to nothing", () => "nowhere", at("sdd/linked/x.md"), "sdd/linked", "It is a broken symbolic link."],
    ["to itself", () => "linked", at("sdd/linked/x.md"), "sdd/linked", "It is a circular symbolic link."],
  ])("neither reads nor writes through a link %s", async (_, target, path, link, why) => {
    using place = make();
    using outside = temporaryFolder();
    put(outside.path, "secret.md", "secret");
    fs.mkdirSync(dirname(join(place.root, link)), { recursive: true });
    fs.symlinkSync(target(outside.path), join(place.root, link));
    const refused = (named: string) => ({ code: "files.escape", message: `${named} cannot be used. ${why}` });
    expect(await touch(place.open(), path)).toEqual([refused(path), refused(path), refused(link)]);
    expect([bytesIn(outside.path), textsIn(place.root)]).toEqual([
      { "secret.md": Buffer.from("secret").toString("base64") },
      {},
    ]);
    expect(fs.readlinkSync(join(place.root, link))).toBe(target(outside.path));
  });

  test("does not list a folder behind a link", async () => {
    using place = make();
    using outside = temporaryFolder();
    put(outside.path, "secret.md", "secret");
    fs.symlinkSync(outside.path, join(place.root, "sdd"));
    expect(await refusal(place.open().read((tree) => tree.names(at("sdd"))))).toEqual({
      code: "files.escape",
      message: `sdd cannot be used. ${out}`,
    });
  });

  test("follows a link that stays in the workspace, and keeps it a link", async () => {
    using place = make();
    put(place.root, "kept/here/a.md", "before");
    fs.symlinkSync("kept", join(place.root, "sdd"));
    fs.symlinkSync("a.md", join(place.root, "kept/here/b.md"));
    const store = place.open();
    await store.write((tree) => documents({ "sdd/here/b.md": `${tree.text(at("sdd/here/b.md"))} and after` }));
    expect([
      fs.readFileSync(join(place.root, "kept/here/a.md"), "utf8"),
      fs.readlinkSync(join(place.root, "sdd")),
    ]).toEqual(["before and after", "kept"]);
  });

  test("does not follow a link that appears between record and act", async () => {
    using place = make();
    using outside = temporaryFolder();
    put(place.root, A, "before");
    const store = place.interrupted(() => {
      fs.rmSync(join(place.root, "sdd/notes"), { recursive: true, force: true });
      fs.symlinkSync(outside.path, join(place.root, "sdd/notes"));
    });
    expect((await refusal(store.write(() => documents({ [A]: "after" })))).code).toBe("store.pending");
    expect(bytesIn(outside.path)).toEqual({});
  });
}

/** Puts something that is no file at a place, for as long as the scope lasts. */
async function obstruct(kind: string, place: string): Promise<AsyncDisposable> {
  fs.mkdirSync(dirname(place), { recursive: true });
  if (kind === "a folder") fs.mkdirSync(place);
  else if (kind === "a pipe") execFileSync("mkfifo", [place]);
  else if (kind === "a socket") {
    const server = net.createServer();
    await new Promise<void>((listening) => void server.listen(place, listening));
    return { [Symbol.asyncDispose]: () => new Promise((closed) => void server.close(() => closed())) };
  }
  return { [Symbol.asyncDispose]: async () => undefined };
}

function things(make: MakeDiskPlace): void {
  const KINDS = ["a folder", "a pipe", "a socket"];

  test.each(KINDS)("reports %s in place of a file as a fault at once", async (kind) => {
    using place = make();
    await using _ = await obstruct(kind, join(place.root, A));
    const refused = {
      code: "files.not-a-file",
      message: `${A} cannot be used. It is not a regular file.`,
    };
    expect(await touch(place.open(), A)).toEqual([refused, refused, refused]);
    expect(textsIn(place.root)).toEqual({});
  });

  test.each(KINDS.slice(1))("reports %s in place of a folder as a fault", async (kind) => {
    using place = make();
    await using _ = await obstruct(kind, join(place.root, "sdd/notes"));
    const store = place.open();
    expect([
      await refusal(store.read((tree) => tree.names(at("sdd/notes")))),
      await store.read((tree) => [tree.text(A), tree.has(A)]),
      await refusal(store.write(() => documents({ [A]: "text" }))),
    ]).toEqual([
      {
        code: "files.not-a-file",
        message: "sdd/notes cannot be used. It is not a regular folder.",
      },
      [undefined, false],
      { code: "files.unwritable", message: `${A} could not be written. The system reported ENOTDIR.` },
    ]);
  });
}

function modesAndBytes(make: MakeDiskPlace): void {
  test.each([0o077, 0o000])("other users can read files but not the ledger: umask %o", async (umask) => {
    using place = make();
    const before = process.umask(umask);
    try {
      const store = place.open();
      await store.write(() => documents({ [A]: "text" }));
      await store.write(nextRevision);
      const { file } = await store.health();
      const modes = ["sdd", "sdd/notes", A, RECORD, file, `${file}-wal`, `${file}-shm`].map((path) =>
        (fs.statSync(join(path === file || path.startsWith(file) ? "/" : place.root, path)).mode & 0o777).toString(8),
      );
      expect(modes).toEqual(["755", "755", "644", "644", "600", "600", "600"]);
    } finally {
      process.umask(before);
    }
  });

  test.each([
    ["not a text", Buffer.from([0xff, 0xfe, 0x41]), "files.not-text", "cannot be read. It is not UTF-8 text."],
    [
      "too large",
      Buffer.alloc(8 * 1024 * 1024 + 1, 0x41),
      "files.too-large",
      "cannot be read. It has 8388609 bytes, and Tenon reads at most 8388608.",
    ],
  ])("reports a file that is %s as a fault", async (_, bytes, code, why) => {
    using place = make();
    put(place.root, A, "");
    fs.writeFileSync(join(place.root, A), bytes);
    expect(await refusal(place.open().read((tree) => tree.text(A)))).toEqual({ code, message: `${A} ${why}` });
    expect(fs.readFileSync(join(place.root, A)).equals(bytes)).toBe(true);
  });
}
