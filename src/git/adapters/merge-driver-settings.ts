import { fileURLToPath } from "node:url";
import { findGitSetting } from "./git-command.ts";
import type { GitSession } from "./git-repository.ts";

export async function registerMergeDriver(session: GitSession, packageFolder: URL): Promise<boolean> {
  const settings = { name: "Requirements, rules, tasks and records by id", driver: formatDriverCommand(packageFolder) };
  for (const [key, value] of Object.entries(settings)) {
    const answer = await (await session.git()).ask(["config", "--local", `merge.tenon.${key}`, value]);
    if (answer === undefined) return false;
  }
  return true;
}

export async function isMergeDriverRegistered(session: GitSession): Promise<boolean> {
  return Boolean(findGitSetting((await session.git()).listing, "merge.tenon.driver"));
}

/** Full paths, because git's shell may find neither `tenon` nor `node`. An npx cache may go, so npx runs again. */
function formatDriverCommand(packageFolder: URL): string {
  const script = fileURLToPath(new URL("bin/tenon.js", packageFolder));
  const quotePath = (path: string): string => {
    const plain = process.platform === "win32" ? path.replaceAll("\\", "/") : path;
    return `'${plain.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;
  };
  const isFetched = /[/\\]_npx[/\\]/.test(script);
  const program = isFetched ? "npx --yes tenon" : `${quotePath(process.execPath)} ${quotePath(script)}`;
  return `${program} merge-driver %O %A %B %P`;
}
