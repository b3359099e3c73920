import fs from "node:fs";
import { dirname, resolve, sep } from "node:path";
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
