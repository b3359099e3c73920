import { createHash } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "#kernel/model/fault.ts";
import type { TemporaryCheckout, TemporaryCheckoutRequest, WorktreeManager } from "../operations/ports/git-files.ts";
import { listGitPaths } from "./file-view.ts";
import * as repositories from "./git-repository.ts";
import type { GitRepository, GitSession } from "./git-repository.ts";
import { linkBorrowedFolder } from "./linked-packages.ts";

/** A folder that holds one checkout at a time. */
interface CheckoutFolder {
  readonly path: string;
  readonly tree: string;
  readonly linked: string[];
  /** Writes so far. Each gets a later second: Python treats a file with the same second and size as unchanged. */
  writes: number;
  hasFiles: boolean;
}

const NOT_COPIED = "The files of the commit cannot be copied to a folder.";

/**
 * Temporary checkouts of commits. Git does not register them as worktrees, so nothing in the repository needs cleanup
 * when the process is killed.
 */
export function createCheckoutPool(session: GitSession): Pick<WorktreeManager, "lend" | "reuse"> {
  const idle: CheckoutFolder[] = [];
  let users = 0;
  return {
    async lend(lending) {
      if (!/^[0-9a-f]{40,64}$/.test(lending.commit)) throw new RangeError(`${lending.commit} is not a commit.`);
      const repository = await repositories.openGitRepository(session);
      const folder = idle.pop() ?? createFolder();
      const giveBack = (): void => void (users > 0 ? idle.push(folder) : removeFolder(folder));
      try {
        return await fillFolder(repository, session.root, folder, lending, giveBack);
      } catch (error) {
        removeFolder(folder);
        throw error;
      }
    },
    async reuse(work) {
      users++;
      try {
        return await work();
      } finally {
        users--;
        if (users === 0) for (const folder of idle.splice(0)) removeFolder(folder);
      }
    },
  };
}

function createFolder(): CheckoutFolder {
  // The runner finds leftovers of a killed process by this name.
  const path = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), `tenon-lent-${process.pid}-`));
  const tree = join(path, "tree");
  fs.mkdirSync(tree);
  return { path, tree, linked: [], writes: 0, hasFiles: false };
}

const removeFolder = ({ path }: CheckoutFolder): void =>
  fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 });

async function fillFolder(
  repository: GitRepository,
  root: string,
  folder: CheckoutFolder,
  lending: TemporaryCheckoutRequest,
  giveBack: () => void,
): Promise<TemporaryCheckout> {
  const { tree, linked } = folder;
  for (const path of linked.splice(0)) fs.rmSync(path, { recursive: true, force: true });
  await checkOut(repository, folder, lending.commit);
  const place = join(tree, repository.prefix).replace(/\/$/, "");
  fs.mkdirSync(place, { recursive: true });
  for (const path of lending.over) {
    const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
    fs.rmSync(to, { recursive: true, force: true });
    const stat = fs.lstatSync(from, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
    else if (stat?.isFile()) {
      fs.copyFileSync(from, to);
      makeLater(folder, to);
    }
  }
  const listPaths = async (): Promise<string[]> =>
    (await listGitPaths(repository)).map((path) => `${repository.prefix}${path}`);
  const places = { working: fs.realpathSync(repository.top), checkout: tree, paths: listPaths };
  const leaks: string[] = [];
  for (const path of lending.linked) {
    const [from, to] = [join(root, path), resolveCheckoutPath(place, path)];
    if (!fs.existsSync(from) || fs.existsSync(to)) continue;
    linked.push(to);
    leaks.push(...(await linkBorrowedFolder(fs.realpathSync(from), to, places)));
  }
  return {
    root: place,
    leaks,
    async put(path, text) {
      const to = resolveCheckoutPath(place, path);
      // Writing through a link would change a file outside.
      if (fs.lstatSync(to, { throwIfNoEntry: false })?.isFile() !== true)
        fs.rmSync(to, { recursive: true, force: true });
      fs.writeFileSync(to, text);
      makeLater(folder, to);
    },
    read: async (paths) => new Map(paths.map((path) => [path, describeCheckoutPath(join(place, path))])),
    async remove(paths) {
      for (const path of paths) fs.rmSync(resolveCheckoutPath(place, path), { force: true });
    },
    [Symbol.asyncDispose]: async () => giveBack(),
  };
}

/** In a folder that held another commit, git writes only the files that differ. What git ignores there stays. */
async function checkOut(repository: GitRepository, folder: CheckoutFolder, commit: string): Promise<void> {
  const { git } = repository;
  const { path, tree } = folder;
  const options = {
    variables: { GIT_INDEX_FILE: join(path, "index"), GIT_WORK_TREE: tree },
    settings: [["core.sparseCheckout", "false"]] as const,
    largestAnswer: 2 ** 30,
    longestWaitMs: 600_000,
  };
  const begun = Date.now();
  const answer = await git.run(["checkout", "--quiet", "--force", "--no-overlay", commit, "--", ":/"], options);
  // A commit without files has no path that fits.
  const isEmpty = /did not match any file/.test(answer.err);
  if (answer.code !== 0 && !isEmpty) throw repositories.createGitFault(NOT_COPIED, answer);
  if (isEmpty) {
    fs.rmSync(tree, { recursive: true, force: true });
    fs.mkdirSync(tree);
    fs.rmSync(options.variables.GIT_INDEX_FILE, { force: true });
  }
  if (!folder.hasFiles) {
    folder.hasFiles = true;
    return;
  }
  const words = ["ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"];
  for (const line of repositories.splitRawPaths(await repositories.runGitOrFault(git, NOT_COPIED, words, options))) {
    const name = repositories.decodeRawPath(line.slice(2));
    if (name === undefined) continue;
    const place = join(tree, name);
    if (line.startsWith("?")) fs.rmSync(place, { recursive: true, force: true });
    else if ((fs.lstatSync(place, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= begun) makeLater(folder, place);
  }
}

function makeLater(folder: CheckoutFolder, file: string): void {
  const stat = fs.lstatSync(file);
  if (!stat.isFile()) return;
  const at = Math.floor(stat.mtimeMs / 1000) + ++folder.writes;
  fs.utimesSync(file, at, at);
}

function describeCheckoutPath(place: string): string {
  try {
    const stat = fs.lstatSync(place);
    const mode = stat.mode.toString(8);
    if (stat.isSymbolicLink()) return `${mode} ${fs.readlinkSync(place)}`;
    return stat.isFile() ? `${mode} ${createHash("sha256").update(fs.readFileSync(place)).digest("hex")}` : mode;
  } catch {
    return "missing";
  }
}

function resolveCheckoutPath(place: string, path: string): string {
  const to = join(place, path);
  let isOutside = !to.startsWith(`${place}/`);
  for (let up = dirname(to); !isOutside && up !== place; up = dirname(up))
    isOutside = fs.lstatSync(up, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isOutside) {
    throw new Fault("files.escape", {
      what: "Tenon could not create a folder for the tests.",
      why: `${path} leads out of it.`,
      fix: "Name files of the workspace.",
    });
  }
  fs.mkdirSync(dirname(to), { recursive: true });
  return to;
}
