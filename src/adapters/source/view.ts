import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import type { Asking } from "./git.ts";
import type { ComingFile } from "#operations/ports/snapshots.ts";
import { settingIn } from "./git-settings.ts";
import type { IndexEntry } from "./index-entries.ts";
import { DURABLE, insist, rawName, type RawName, rawParts, type Repository } from "./repository.ts";

const CARRIED = ["core.fileMode", "core.symlinks", "core.ignoreCase", "core.precomposeUnicode"];
const ATTRIBUTES = "* -text !eol !filter -ident !working-tree-encoding\n";
const ONE_HOUR_MS = 3_600_000;
const LONGEST_WAIT_MS = 600_000;
const WHAT = "The working files cannot be kept.";

export interface Recorded {
  readonly tree: string;
  readonly absent: readonly RawName[];
}

/**
 * Writes the working files as a tree. Uses a private git folder with the objects of the real one: its index remembers
 * unchanged files, its attributes disable conversion, and the settings of the repository are not read.
 */
export async function recordFiles(
  repository: Repository,
  index: readonly IndexEntry[],
  file: string,
  coming?: ComingFile,
): Promise<Recorded> {
  const { git } = repository;
  const wanted = sortOut(repository.root, index, await untracked(repository, file));
  const folder = prepareView(repository);
  const record = async (isFresh: boolean): Promise<string> => {
    using desk = ownIndex(folder, isFresh);
    const asking: Asking = {
      longestWaitMs: LONGEST_WAIT_MS,
      largestAnswer: 2 ** 30,
      variables: {
        GIT_DIR: folder,
        GIT_WORK_TREE: repository.top,
        GIT_INDEX_FILE: desk.file,
        GIT_OBJECT_DIRECTORY: join(repository.commonFolder, "objects"),
      },
      settings: DURABLE,
    };
    const have = await insist(git, WHAT, ["ls-files", "-z"], asking);
    const info = infoFor(repository, wanted, rawParts(have));
    if (info !== "")
      await insist(git, WHAT, ["update-index", "-z", "--index-info"], {
        ...asking,
        input: Buffer.from(info, "latin1"),
      });
    const input = Buffer.from(wanted.files.map((path) => `${path}\0`).join(""), "latin1");
    await insist(git, WHAT, ["update-index", "-z", "--add", "--remove", "--stdin"], { ...asking, input });
    if (coming) await addComing(repository, coming, asking);
    const tree = (await insist(git, WHAT, ["write-tree"], asking)).toString("utf8").trim();
    desk.keep();
    return tree;
  };
  // Git may have removed objects that the last index names; then everything is read again.
  const tree = await record(false).catch(() => record(true));
  return { tree, absent: wanted.absent.map(({ path }) => path) };
}

/** Ignored files are in no snapshot, even before they exist. */
async function addComing({ git, prefix }: Repository, { path, text }: ComingFile, asking: Asking): Promise<void> {
  if ((await git.run(["check-ignore", "--quiet", "--", path])).code === 0) return;
  const hashing = { ...asking, input: text };
  const blob = (await insist(git, WHAT, ["hash-object", "-w", "--no-filters", "--stdin"], hashing)).toString().trim();
  const input = Buffer.from(`100644 ${blob}\t${prefix}${path}\0`);
  await insist(git, WHAT, ["update-index", "-z", "--index-info"], { ...asking, input });
}

async function untracked({ git }: Repository, file: string): Promise<RawName[]> {
  const words = ["ls-files", "-z", "--others", "--exclude-standard", "--", "."];
  const asking = { variables: { GIT_INDEX_FILE: file }, largestAnswer: 2 ** 30, longestWaitMs: LONGEST_WAIT_MS };
  const found = rawParts(await insist(git, WHAT, words, asking));
  return found.filter((path) => !path.endsWith("/") && !isTemporary(path));
}

const isTemporary = (path: RawName): boolean => /(?:^|\/)\.tenon-[^/]*$/.test(path);
export const isMachines = (path: string): boolean => path === ".sdd" || path.startsWith(".sdd/");

interface Wanted {
  readonly files: readonly RawName[];
  readonly submodules: readonly IndexEntry[];
  readonly absent: readonly IndexEntry[];
}

function sortOut(root: string, index: readonly IndexEntry[], others: readonly RawName[]): Wanted {
  const look = lookIn(root);
  const tracked = index.filter(({ path }) => !isMachines(path));
  const submodules = tracked.filter(({ mode, path }) => mode === "160000" && look(path) === "folder");
  const rest = tracked.filter(({ mode }) => mode !== "160000");
  const absent = rest.filter(({ path, isSkipped }) => isSkipped && look(path) === undefined);
  const checkedOut = submodules.map(({ path }) => path).filter((path) => look(`${path}/.git`) !== undefined);
  const paths = [...rest.map(({ path }) => path), ...others.filter((path) => !isMachines(path))];
  const files = [...new Set(paths)].filter((path) => look(path) === "file");
  return { files: [...files, ...checkedOut], submodules, absent };
}

function lookIn(root: string): (path: RawName) => "file" | "folder" | undefined {
  const folders = new Map<RawName, boolean>([[".", true]]);
  const kindOf = (path: RawName): "file" | "folder" | undefined => {
    const stat = fs.lstatSync(Buffer.from(`${rawName(root)}/${path}`, "latin1"), { throwIfNoEntry: false });
    if (stat?.isDirectory()) return "folder";
    return stat?.isFile() || stat?.isSymbolicLink() ? "file" : undefined;
  };
  const isFolder = (path: RawName): boolean => {
    const known = folders.get(path) ?? (isFolder(dirname(path)) && kindOf(path) === "folder");
    folders.set(path, known);
    return known;
  };
  return (path) => (isFolder(dirname(path)) ? kindOf(path) : undefined);
}

/** Removals come first, so that a folder can replace a file. */
function infoFor(
  { prefix, zeros }: Repository,
  { files, submodules, absent }: Wanted,
  have: readonly RawName[],
): string {
  const top = rawName(prefix);
  const wanted = new Set([...files, ...[...submodules, ...absent].map(({ path }) => path)]);
  const gone = have.filter((path) => !wanted.has(path)).map((path) => `0 ${zeros}\t${top}${path}\0`);
  const given = [...submodules, ...absent].map(({ mode, blob, path }) => `${mode} ${blob}\t${top}${path}\0`);
  return [...gone, ...given].join("");
}

function prepareView({ git, gitFolder }: Repository): string {
  const folder = join(gitFolder, "tenon", "files");
  const format = settingIn(git.listing, "extensions.objectFormat");
  const carried = CARRIED.flatMap((key) => {
    const value = settingIn(git.listing, key);
    return value === undefined ? [] : [`\t${key.slice(5)} = ${value === "true"}`];
  });
  const shared = settingIn(git.listing, "core.sharedRepository");
  const config = [
    "[core]",
    `\trepositoryFormatVersion = ${format === undefined ? 0 : 1}`,
    "\tbare = false",
    ...carried,
    ...(shared !== undefined && /^\w+$/.test(shared) ? [`\tsharedRepository = ${shared}`] : []),
    ...(format === "sha256" ? ["[extensions]", "\tobjectFormat = sha256"] : []),
  ];
  for (const name of ["refs", "info"]) fs.mkdirSync(join(folder, name), { recursive: true });
  put(join(folder, "HEAD"), "ref: refs/heads/none\n");
  put(join(folder, "config"), `${config.join("\n")}\n`);
  put(join(folder, "info", "attributes"), ATTRIBUTES);
  return folder;
}

/** Two processes may do this at once, so each file is replaced atomically. */
function put(place: string, text: string): void {
  if (fs.existsSync(place) && fs.readFileSync(place, "utf8") === text) return;
  const temporary = `${place}-${randomUUID()}`;
  fs.writeFileSync(temporary, text);
  fs.renameSync(temporary, place);
}

function ownIndex(folder: string, isFresh: boolean): Disposable & { readonly file: string; keep(): void } {
  const kept = join(folder, "index");
  const file = join(folder, `index-${randomUUID()}`);
  removeLeftovers(folder);
  const stat = fs.statSync(kept, { throwIfNoEntry: false });
  if (stat && !isFresh) {
    fs.copyFileSync(kept, file);
    // Git reads files again that are as recent as the index, so the copy must not be newer than the original.
    const time = (Math.floor(stat.mtimeMs) - 1) / 1000;
    fs.utimesSync(file, time, time);
  }
  return {
    file,
    keep: () => void (fs.existsSync(file) && fs.renameSync(file, kept)),
    [Symbol.dispose]: () => fs.rmSync(file, { force: true }),
  };
}

function removeLeftovers(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((each) => /-[\da-f-]{36}/.test(each))) {
    const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat && Date.now() - stat.ctimeMs > ONE_HOUR_MS) fs.rmSync(join(folder, name), { force: true });
  }
}
