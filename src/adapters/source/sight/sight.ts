import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SourceView, SourceContent } from "#operations/ports/source.ts";
import type { Git } from "../git.ts";
import type { GitSession } from "../repository.ts";
import { walk } from "./walk.ts";

const LARGEST_TEXT = 1024 * 1024;
const LARGEST_READING = 32 * 1024 * 1024;
/** Project profiles count even when git ignores them. */
const PROFILES = "sdd/stacks";

export async function workingSight(session: GitSession): Promise<SourceView> {
  const { root } = session;
  const git = await session.git();
  const listed = await git.ask(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."]);
  const paths = listed?.split("\0").filter((path) => path !== "") ?? walk(root, true);
  return {
    paths: [...new Set([...paths, ...profilesIn(root)])].toSorted(),
    ignored: listed === undefined ? [] : await ignoredIn(root, git),
    async read(wanted, most = LARGEST_TEXT) {
      let room = LARGEST_READING;
      return new Map(
        wanted.map((path) => {
          const found = isOutside(path) ? NONE : standing(root, path, Math.min(most, room));
          if (found.kind === "text") room -= found.text.length;
          return [path, found];
        }),
      );
    },
  };
}

const PASSING = /\.timestamp-\d/;
const SETTINGS = /(?:^|\/)\.cargo\/$/;

/** Folders that are ignored completely are listed as one entry; they hold build output or dependencies. */
async function ignoredIn(root: string, git: Git): Promise<string[]> {
  const words = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."];
  const listed = (await git.ask(words))?.split("\0").filter((path) => path !== "") ?? [];
  const inside = listed
    .filter((path) => SETTINGS.test(path))
    .flatMap((folder) => namesIn(join(root, folder)).map((name) => folder + name));
  return [...listed.filter((path) => !path.endsWith("/") && !PASSING.test(path)), ...inside].toSorted();
}

const NONE: SourceContent = { kind: "missing" };

const isOutside = (path: string): boolean => isAbsolute(path) || path.split(/[/\\]/).includes("..");

const profilesIn = (root: string): string[] => namesIn(join(root, PROFILES)).map((name) => `${PROFILES}/${name}`);

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function standing(root: string, path: string, most: number): SourceContent {
  try {
    if (passesLink(root, path)) return { kind: "link" };
    const stat = fs.lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return NONE;
    return stat.size > most ? { kind: "large" } : decoded(fs.readFileSync(join(root, path)));
  } catch {
    return NONE;
  }
}

function passesLink(root: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, i) =>
    fs.lstatSync(join(root, ...parts.slice(0, i + 1)), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
}

function decoded(bytes: Buffer): SourceContent {
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary" };
  }
}

export async function committedSight(session: GitSession, commit: string): Promise<SourceView | undefined> {
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  const git = await session.git();
  const listed = await git.ask(["ls-tree", "-r", "-z", commit]);
  if (listed === undefined) return undefined;
  const entries = new Map(listed.split("\0").flatMap(entryOf));
  const files = [...entries].filter(([, { mode }]) => mode !== SUBMODULE);
  return {
    paths: files.map(([path]) => path).toSorted(),
    ignored: [],
    read: (wanted, most = LARGEST_TEXT) => readBlobs(git, entries, wanted, most),
  };
}

interface Entry {
  readonly mode: string;
  readonly object: string;
}

const LINK = "120000";
const SUBMODULE = "160000";

function entryOf(line: string): [string, Entry][] {
  const [, mode, object, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
  return mode !== undefined && object !== undefined && path !== undefined ? [[path, { mode, object }]] : [];
}

async function readBlobs(
  git: Git,
  entries: ReadonlyMap<string, Entry>,
  wanted: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const files = wanted.flatMap((path) => {
    const entry = entries.get(path);
    return entry && entry.mode.startsWith("100") ? [{ path, object: entry.object }] : [];
  });
  const texts = await blobs(git, [...new Set(files.map(({ object }) => object))], most);
  return new Map(
    wanted.map((path) => {
      const entry = entries.get(path);
      if (entry?.mode === LINK) return [path, { kind: "link" }];
      return [path, (entry && texts.get(entry.object)) ?? NONE];
    }),
  );
}

/** Reads the sizes first, to skip large blobs. */
export async function blobs(
  git: Git,
  objects: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, SourceContent>> {
  const found = new Map<string, SourceContent>();
  if (objects.length === 0) return found;
  const sizes = await git.ask(["cat-file", "--batch-check=%(objectname) %(objectsize)"], { input: lines(objects) });
  const small: { readonly object: string; readonly size: number }[] = [];
  let room = LARGEST_READING;
  for (const line of sizes?.split("\n") ?? []) {
    const [object = "", size = ""] = line.split(" ");
    if (!/^\d+$/.test(size)) continue;
    if (Number(size) > Math.min(most, room)) {
      found.set(object, { kind: "large" });
      continue;
    }
    room -= Number(size);
    small.push({ object, size: Number(size) });
  }
  if (small.length === 0) return found;
  const input = lines(small.map(({ object }) => object));
  const total = small.reduce((sum, { size }) => sum + size + 200, 1024);
  const { code, out } = await git.run(["cat-file", "--batch"], { input, largestAnswer: total });
  if (code !== 0) return found;
  let place = 0;
  for (const { object, size } of small) {
    const start = out.indexOf("\n", place) + 1;
    found.set(object, decoded(out.subarray(start, start + size)));
    place = start + size + 1;
  }
  return found;
}

const lines = (words: readonly string[]): string => `${words.join("\n")}\n`;
