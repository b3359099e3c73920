import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ProjectIdentity, parseRemoteUrl } from "#kernel/model/project-identity.ts";
import { locateLedgerFile } from "#kernel/adapters/git-checkout.ts";

/** Remote and folder are the same in every worktree, so they identify the project when its name changes. */
export function readWorkspaceProject(root: string): ProjectIdentity {
  const home = dirname(dirname(locateLedgerFile(root)));
  const folder = basename(home) === ".git" || basename(home) === ".sdd" ? dirname(home) : home;
  const remote = readGitRemote(home);
  return {
    name: remote?.name ?? (basename(folder).replace(/\.git$/, "") || "root"),
    places: [...(remote ? [`remote:${remote.place}`] : []), `folder:${home}`],
    ...(remote ? { owner: remote.owner } : {}),
  };
}

/** `origin`, else the first. Reads git's config file, because starting git takes longer than everything else. */
function readGitRemote(gitFolder: string): ReturnType<typeof parseRemoteUrl> {
  const file = join(gitFolder, "config");
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > 1_048_576) return undefined;
  const urls = new Map<string, string>();
  let section = "";
  for (const line of fs.readFileSync(file, "utf8").split(/\r?\n/)) {
    const head = /^\s*\[([^\]]*)\]/.exec(line);
    if (head) section = head[1] ?? "";
    const name = /^remote "(.+)"$/.exec(section)?.[1];
    const url = /^\s*url\s*=\s*"?(.*?)"?\s*$/.exec(line)?.[1];
    if (name !== undefined && url !== undefined && !urls.has(name)) urls.set(name, url);
  }
  const url = urls.get("origin") ?? [...urls.values()][0];
  return url === undefined ? undefined : parseRemoteUrl(url);
}
