import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { type GitCallOptions, findGitSetting } from "./git-command.ts";
import type { ComingFile } from "../operations/ports/git-files.ts";
import type { GitIndexEntry } from "./git-index.ts";
import {
  DURABLE_WRITES,
  runGitOrFault,
  encodeRawPath,
  type RawPath,
  splitRawPaths,
  type GitRepository,
} from "./git-repository.ts";

const FILE_SYSTEM_SETTINGS = ["core.fileMode", "core.symlinks", "core.ignoreCase", "core.precomposeUnicode"];
const NO_CONVERSION_ATTRIBUTES = "* -text !eol !filter -ident !working-tree-encoding\n";
const LEFTOVER_AGE_MS = 3_600_000;
const RECORD_TIMEOUT_MS = 600_000;
const FILES_NOT_STORED = "The working files cannot be kept.";

export interface RecordedTree {
  readonly tree: string;
  readonly absent: readonly RawPath[];
}

/**
 * Writes the working files as a tree. Uses a private git folder with the objects of the real one: its index remembers
 * unchanged files, its attributes disable conversion, and the settings of the repository are not read.
 */
export async function recordWorkingTree(
  repository: GitRepository,
  index: readonly GitIndexEntry[],
  file: string,
  coming?: ComingFile,
): Promise<RecordedTree> {
  const { git } = repository;
  const wanted = selectWantedEntries(repository.root, index, await listUntrackedFiles(repository, file));
  const folder = prepareRecordFolder(repository);
  const record = async (isFresh: boolean): Promise<string> => {
    using desk = openRecordIndex(folder, isFresh);
    const asking: GitCallOptions = {
      longestWaitMs: RECORD_TIMEOUT_MS,
      largestAnswer: 2 ** 30,
      variables: {
        GIT_DIR: folder,
        GIT_WORK_TREE: repository.top,
        GIT_INDEX_FILE: desk.file,
        GIT_OBJECT_DIRECTORY: join(repository.commonFolder, "objects"),
      },
      settings: DURABLE_WRITES,
    };
    const have = await runGitOrFault(git, FILES_NOT_STORED, ["ls-files", "-z"], asking);
    const info = formatIndexUpdates(repository, wanted, splitRawPaths(have));
    if (info !== "")
      await runGitOrFault(git, FILES_NOT_STORED, ["update-index", "-z", "--index-info"], {
        ...asking,
        input: Buffer.from(info, "latin1"),
      });
    const input = Buffer.from(wanted.files.map((path) => `${path}\0`).join(""), "latin1");
    await runGitOrFault(git, FILES_NOT_STORED, ["update-index", "-z", "--add", "--remove", "--stdin"], {
      ...asking,
      input,
    });
    if (coming) await addComingFile(repository, coming, asking);
    const tree = (await runGitOrFault(git, FILES_NOT_STORED, ["write-tree"], asking)).toString("utf8").trim();
    desk.keep();
    return tree;
  };
  // Git may have removed objects that the last index names; then everything is read again.
  const tree = await record(false).catch(() => record(true));
  return { tree, absent: wanted.absent.map(({ path }) => path) };
}

/** Ignored files are in no snapshot, even before they exist. */
async function addComingFile(
  { git, prefix }: GitRepository,
  { path, text }: ComingFile,
  asking: GitCallOptions,
): Promise<void> {
  if ((await git.run(["check-ignore", "--quiet", "--", path])).code === 0) return;
  const hashing = { ...asking, input: text };
  const blob = (await runGitOrFault(git, FILES_NOT_STORED, ["hash-object", "-w", "--no-filters", "--stdin"], hashing))
    .toString()
    .trim();
  const input = Buffer.from(`100644 ${blob}\t${prefix}${path}\0`);
  await runGitOrFault(git, FILES_NOT_STORED, ["update-index", "-z", "--index-info"], { ...asking, input });
}

async function listUntrackedFiles({ git }: GitRepository, file: string): Promise<RawPath[]> {
  const words = ["ls-files", "-z", "--others", "--exclude-standard", "--", "."];
  const asking = { variables: { GIT_INDEX_FILE: file }, largestAnswer: 2 ** 30, longestWaitMs: RECORD_TIMEOUT_MS };
  const found = splitRawPaths(await runGitOrFault(git, FILES_NOT_STORED, words, asking));
  return found.filter((path) => !path.endsWith("/") && !isTemporaryPath(path));
}

const isTemporaryPath = (path: RawPath): boolean => /(?:^|\/)\.tenon-[^/]*$/.test(path);
export const isMachinePath = (path: string): boolean => path === ".sdd" || path.startsWith(".sdd/");

interface WantedEntries {
  readonly files: readonly RawPath[];
  readonly submodules: readonly GitIndexEntry[];
  readonly absent: readonly GitIndexEntry[];
}

function selectWantedEntries(root: string, index: readonly GitIndexEntry[], others: readonly RawPath[]): WantedEntries {
  const look = createPathProbe(root);
  const tracked = index.filter(({ path }) => !isMachinePath(path));
  const submodules = tracked.filter(({ mode, path }) => mode === "160000" && look(path) === "folder");
  const rest = tracked.filter(({ mode }) => mode !== "160000");
  const absent = rest.filter(({ path, isSkipped }) => isSkipped && look(path) === undefined);
  const checkedOut = submodules.map(({ path }) => path).filter((path) => look(`${path}/.git`) !== undefined);
  const paths = [...rest.map(({ path }) => path), ...others.filter((path) => !isMachinePath(path))];
  const files = [...new Set(paths)].filter((path) => look(path) === "file");
  return { files: [...files, ...checkedOut], submodules, absent };
}

function createPathProbe(root: string): (path: RawPath) => "file" | "folder" | undefined {
  const folders = new Map<RawPath, boolean>([[".", true]]);
  const kindOf = (path: RawPath): "file" | "folder" | undefined => {
    const stat = fs.lstatSync(Buffer.from(`${encodeRawPath(root)}/${path}`, "latin1"), { throwIfNoEntry: false });
    if (stat?.isDirectory()) return "folder";
    return stat?.isFile() || stat?.isSymbolicLink() ? "file" : undefined;
  };
  const isFolder = (path: RawPath): boolean => {
    const known = folders.get(path) ?? (isFolder(dirname(path)) && kindOf(path) === "folder");
    folders.set(path, known);
    return known;
  };
  return (path) => (isFolder(dirname(path)) ? kindOf(path) : undefined);
}

/** Removals come first, so that a folder can replace a file. */
function formatIndexUpdates(
  { prefix, zeros }: GitRepository,
  { files, submodules, absent }: WantedEntries,
  have: readonly RawPath[],
): string {
  const top = encodeRawPath(prefix);
  const wanted = new Set([...files, ...[...submodules, ...absent].map(({ path }) => path)]);
  const gone = have.filter((path) => !wanted.has(path)).map((path) => `0 ${zeros}\t${top}${path}\0`);
  const given = [...submodules, ...absent].map(({ mode, blob, path }) => `${mode} ${blob}\t${top}${path}\0`);
  return [...gone, ...given].join("");
}

function prepareRecordFolder({ git, gitFolder }: GitRepository): string {
  const folder = join(gitFolder, "tenon", "files");
  const format = findGitSetting(git.listing, "extensions.objectFormat");
  const carried = FILE_SYSTEM_SETTINGS.flatMap((key) => {
    const value = findGitSetting(git.listing, key);
    return value === undefined ? [] : [`\t${key.slice(5)} = ${value === "true"}`];
  });
  const shared = findGitSetting(git.listing, "core.sharedRepository");
  const config = [
    "[core]",
    `\trepositoryFormatVersion = ${format === undefined ? 0 : 1}`,
    "\tbare = false",
    ...carried,
    ...(shared !== undefined && /^\w+$/.test(shared) ? [`\tsharedRepository = ${shared}`] : []),
    ...(format === "sha256" ? ["[extensions]", "\tobjectFormat = sha256"] : []),
  ];
  for (const name of ["refs", "info"]) fs.mkdirSync(join(folder, name), { recursive: true });
  writeIfChanged(join(folder, "HEAD"), "ref: refs/heads/none\n");
  writeIfChanged(join(folder, "config"), `${config.join("\n")}\n`);
  writeIfChanged(join(folder, "info", "attributes"), NO_CONVERSION_ATTRIBUTES);
  return folder;
}

/** Two processes may do this at once, so each file is replaced atomically. */
function writeIfChanged(place: string, text: string): void {
  if (fs.existsSync(place) && fs.readFileSync(place, "utf8") === text) return;
  const temporary = `${place}-${randomUUID()}`;
  fs.writeFileSync(temporary, text);
  fs.renameSync(temporary, place);
}

function openRecordIndex(folder: string, isFresh: boolean): Disposable & { readonly file: string; keep(): void } {
  const kept = join(folder, "index");
  const file = join(folder, `index-${randomUUID()}`);
  removeOldIndexes(folder);
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

function removeOldIndexes(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((each) => /-[\da-f-]{36}/.test(each))) {
    const stat = fs.statSync(join(folder, name), { throwIfNoEntry: false });
    if (stat && Date.now() - stat.ctimeMs > LEFTOVER_AGE_MS) fs.rmSync(join(folder, name), { force: true });
  }
}
