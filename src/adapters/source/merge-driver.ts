import { fileURLToPath } from "node:url";
import { askGit, type Environment, gitIn } from "./git.ts";
import { settingIn } from "./git-settings.ts";

/** Tells git how to merge what `.gitattributes` gives to `merge=tenon`, in the settings of this repository alone. */
export async function registerDriver(root: string, environment: Environment, packageFolder: URL): Promise<boolean> {
  const settings = { name: "Requirements, rules, tasks and records by id", driver: driverCommand(packageFolder) };
  for (const [key, value] of Object.entries(settings)) {
    const answer = await askGit(root, environment, ["config", "--local", `merge.tenon.${key}`, value]);
    if (answer === undefined) return false;
  }
  return true;
}

export async function isDriverRegistered(root: string, environment: Environment): Promise<boolean> {
  return Boolean(settingIn((await gitIn(root, environment)).listing, "merge.tenon.driver"));
}

/**
 * By full paths: git runs it from a shell that may know neither `tenon` nor `node`. What npx fetched may be gone
 * tomorrow, so npx is asked again. A command that is not found leaves a conflict for git to show.
 */
function driverCommand(packageFolder: URL): string {
  const script = fileURLToPath(new URL("bin/tenon.js", packageFolder));
  const isFetched = /[/\\]_npx[/\\]/.test(script);
  const program = isFetched ? "npx --yes tenon" : `${shellQuoted(process.execPath)} ${shellQuoted(script)}`;
  return `${program} merge-driver %O %A %B %P`;
}

/** For the shell that git brings on every system, and past git's own reading of %. */
function shellQuoted(path: string): string {
  const plain = process.platform === "win32" ? path.replaceAll("\\", "/") : path;
  return `'${plain.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;
}
