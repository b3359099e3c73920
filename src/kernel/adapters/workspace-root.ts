import fs from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { Fault } from "../model/fault.ts";
import { quote } from "../model/text-format.ts";

export interface RootRequest {
  readonly argument?: string | undefined;
  readonly environment?: string | undefined;
  readonly clientRoots?: readonly string[] | undefined;
  readonly cwd: string;
  readonly home: string;
  /** Whether a folder without `sdd/` or `.git` may become a workspace. */
  readonly mayBegin?: boolean;
}

export function findWorkspaceRoot(where: RootRequest): string {
  const named = where.argument ?? where.environment;
  if (named !== undefined) return resolveRootFolder(resolve(where.cwd, named));
  // With open client folders, the current folder of this process does not count.
  const places = where.clientRoots?.length ? where.clientRoots : [where.cwd];
  const found =
    places.flatMap((folder) => findNearestRoot(folder) ?? [])[0] ?? (where.mayBegin ? places[0] : undefined);
  if (found === undefined) throw createNoWorkspaceFault(where);
  const root = resolveRootFolder(found);
  if (root === resolveExistingFolder(where.home) || dirname(root) === root) throw createHomeFolderFault(root);
  return root;
}

function findNearestRoot(start: string): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    if (fs.existsSync(join(folder, "sdd")) || fs.existsSync(join(folder, ".git"))) return folder;
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
    throw createMissingRootFault(
      folder,
      code === "ENOENT" ? "There is no such folder." : `The system said ${String(code)}.`,
    );
  }
}

function createMissingRootFault(folder: string, why: string): Fault {
  const what = `${quote(folder, 200)} cannot be the workspace.`;
  return new Fault("workspace.missing", { what, why, fix: "Name the folder of a repository." });
}

function resolveExistingFolder(folder: string): string {
  return fs.existsSync(folder) ? fs.realpathSync(folder) : folder;
}

function createNoWorkspaceFault(where: RootRequest): Fault {
  return new Fault("workspace.not-found", {
    what: "There is no workspace here.",
    why: `Neither ${where.clientRoots?.[0] ?? where.cwd} nor a folder above it has sdd/ or .git.`,
    fix: [
      { operation: "workspace.init" },
      "Or name one: --workspace <folder> on the command line, workspace in a tool call, or TENON_WORKSPACE.",
    ],
  });
}

function createHomeFolderFault(root: string): Fault {
  return new Fault("workspace.is-home", {
    what: `${root} is not taken for a workspace.`,
    why: "It is a home folder or the root of the file system, and was not named explicitly.",
    fix: "Go to your repository, or name it: --workspace <folder>, workspace in a tool call, or TENON_WORKSPACE.",
  });
}
