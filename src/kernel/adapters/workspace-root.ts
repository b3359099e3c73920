import fs from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { Fault } from "../model/fault.ts";
import { locateLedgerFile } from "./git-checkout.ts";
import { quote } from "../model/text-format.ts";

export interface RootRequest {
  readonly argument?: string | undefined;
  readonly environment?: string | undefined;
  readonly clientRoots?: readonly string[] | undefined;
  readonly cwd: string;
  readonly home: string;
  /** Whether an agent named the folder. Then it must be one that the user opened in the client, if the client tells. */
  readonly isAgents?: boolean | undefined;
  /** Whether a folder without `sdd/` or `.git` may become a workspace. */
  readonly mayBegin?: boolean;
}

export function findWorkspaceRoot(where: RootRequest): string {
  const named = where.argument ?? where.environment;
  if (named !== undefined) {
    const root = resolveRootFolder(resolve(where.cwd, named));
    if (where.isAgents && where.clientRoots?.length) requireClientRoot(root, named, where.clientRoots);
    return root;
  }
  // With open client folders, the current folder of this process does not count.
  const places = where.clientRoots?.length ? where.clientRoots : [where.cwd];
  const found =
    places.flatMap((folder) => findNearestRoot(folder) ?? [])[0] ?? (where.mayBegin ? places[0] : undefined);
  if (found === undefined) {
    throw new Fault("workspace.not-found", {
      what: "There is no workspace here.",
      why: `Neither ${where.clientRoots?.[0] ?? where.cwd} nor a folder above it has sdd/ or .git.`,
      fix: [
        { operation: "workspace.init" },
        "Or name one: --workspace <folder> on the command line, workspace in a tool call, or TENON_WORKSPACE.",
      ],
    });
  }
  const root = resolveRootFolder(found);
  if (!isSameFolder(root, where.home) && dirname(root) !== root) return root;
  throw new Fault("workspace.is-home", {
    what: `${root} is not used as a workspace.`,
    why: "It is a home folder or the root of the file system, and you did not name it.",
    fix: "Go to your repository, or name it: --workspace <folder>, workspace in a tool call, or TENON_WORKSPACE.",
  });
}

/** A folder of the client, a folder in one, the workspace around one, or another worktree of the same repository. */
function requireClientRoot(root: string, named: string, clientRoots: readonly string[]): void {
  const isBelow = (folder: string): boolean => root === folder || root.startsWith(`${folder}${sep}`);
  const isWorktree = (near: string | undefined): boolean =>
    near !== undefined && fs.existsSync(`${near}${sep}.git`) && locateLedgerFile(near) === locateLedgerFile(root);
  const folders = clientRoots.filter((folder) => fs.existsSync(folder)).map((folder) => fs.realpathSync(folder));
  const nearest = folders.map(findNearestRoot);
  if (folders.some(isBelow) || nearest.includes(root) || nearest.some(isWorktree)) return;
  throw new Fault("workspace.outside-roots", {
    what: `${quote(named)} was not opened.`,
    why: `The user opened only ${clientRoots.join(", ")} in this client.`,
    fix: "Leave workspace out, or ask the user to open that folder in the client.",
  });
}

/** The same file on the disk: comparing resolved paths would read every folder above both. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => fs.statSync(path, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

function findNearestRoot(start: string): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (fs.existsSync(`${folder}${sep}sdd`) || fs.existsSync(`${folder}${sep}.git`)) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

function resolveRootFolder(folder: string): string {
  try {
    if (!fs.statSync(folder).isDirectory()) throw createMissingRootFault(folder, "It is not a folder.");
    const root = fs.realpathSync(folder);
    if (root.split(sep).some((part) => part.toLowerCase() === ".git"))
      throw createMissingRootFault(folder, "It belongs to git.");
    return root;
  } catch (error) {
    if (error instanceof Fault) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const why = code === "ENOENT" ? "There is no such folder." : `The system reported ${String(code)}.`;
    throw createMissingRootFault(folder, why);
  }
}

function createMissingRootFault(folder: string, why: string): Fault {
  const what = `${quote(folder, 200)} cannot be the workspace.`;
  return new Fault("workspace.missing", { what, why, fix: "Name the folder of a repository." });
}
