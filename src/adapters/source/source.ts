import fs from "node:fs";
import { isAbsolute, join } from "node:path";
import type { SourceChange, SourceFiles, SourceFile } from "#operations/ports/source.ts";
import { pastCommits } from "./commits.ts";
import { indexThatLooks } from "./index-entries.ts";
import { parsePatch, type PatchedFile } from "./patch.ts";
import type { GitSession } from "./repository.ts";
import { pastOf } from "./sight/past.ts";
import { committedSight, workingSight } from "./sight/sight.ts";
import { walk } from "./sight/walk.ts";
import { listed, readStamped } from "./sight/stamp.ts";
import { watchFiles } from "./sight/watch.ts";

const OWN = /^\.?sdd\//;
const DIFF = [
  "diff",
  "--no-color",
  "--no-prefix",
  "--relative",
  "--ignore-submodules=dirty",
  "-M",
  "-U0",
  "--inter-hunk-context=0",
];
const OUTSIDE = ["--", ".", ":(exclude)sdd", ":(exclude).sdd"];
const LARGEST_TEXT = 1024 * 1024;

/** The files of a workspace. Asks git each time, because files change while a server runs. */
export function sourceIn(session: GitSession): SourceFiles {
  const { root } = session;
  const ask = async (...words: string[]): Promise<string | undefined> => (await session.git()).ask(words);
  const list = async (...kinds: string[]): Promise<string[] | undefined> => {
    const answer = await ask("ls-files", "-z", ...kinds, "--exclude-standard", "--", ".");
    return answer?.split("\0").filter((path) => path !== "" && !OWN.test(path));
  };
  const text = async (path: string, most = LARGEST_TEXT): Promise<string | undefined> =>
    isOutside(path) ? undefined : readText(join(root, path), most);
  const files: SourceFiles["files"] = async () => {
    const paths = (await list("--cached", "--others")) ?? walk(root);
    return [...new Set(paths)].toSorted().flatMap((path) => listed(root, path));
  };
  return {
    files,
    watch: (tell) => watchFiles({ root, tell, list: async () => [...(await files()), ...ownFiles(root)] }),
    text,
    stamped: async (path) =>
      isOutside(path) ? { kind: "missing", stamp: "" } : readStamped(join(root, path), LARGEST_TEXT),
    head: async () => (await ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))?.trim(),
    async committedAt(name) {
      const commit = (await ask("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`))?.trim();
      if (commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
      const seconds = Number(await ask("log", "-1", "--format=%ct", commit));
      return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
    },
    async changes(since) {
      if (!/^[0-9a-f]{40,64}$/.test(since)) return undefined;
      const [patch, untracked] = await Promise.all([patchSince(session, since), list("--others")]);
      if (patch === undefined || untracked === undefined) return undefined;
      const known = await Promise.all(parsePatch(patch).map(async (change) => shown(change, text)));
      const fresh = await Promise.all(untracked.map(async (path) => asAdded(path, await text(path))));
      return [...known, ...fresh].toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },
    async commits(asked) {
      const repository = await session.repository();
      return repository && pastCommits(repository, asked);
    },
    at: async (commit) => (commit === undefined ? workingSight(session) : committedSight(session, commit)),
    past: async (path, most) => (isOutside(path) ? [] : pastOf(session, path, most)),
  };
}

async function patchSince(session: GitSession, since: string): Promise<string | undefined> {
  const repository = await session.repository();
  if (!repository) return undefined;
  using index = await indexThatLooks(repository);
  return await repository.git.ask([...DIFF, since, ...OUTSIDE], {
    variables: { GIT_INDEX_FILE: index.file },
  });
}

/** A file that git calls binary may be text if an attribute declares it so. Then every line counts as added. */
async function shown({ isHidden, ...change }: PatchedFile, text: SourceFiles["text"]): Promise<SourceChange> {
  if (isHidden !== true || change.status === "deleted") return change;
  return { ...change, added: asAdded(change.path, await text(change.path)).added };
}

const isOutside = (path: string): boolean => isAbsolute(path) || path.split(/[/\\]/).includes("..");

/** The files in Tenon's own folders, and the folders themselves, so that empty ones are watched too. */
const ownFiles = (root: string): Pick<SourceFile, "path" | "stamp">[] =>
  ["sdd", "sdd/specs", "sdd/adrs"]
    .filter((folder) => fs.lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((folder) => [
      { path: `${folder}/.`, stamp: "" },
      ...fs.readdirSync(join(root, folder)).flatMap((name) => listed(root, `${folder}/${name}`)),
    ]);

function asAdded(path: string, text: string | undefined): SourceChange {
  const lines = text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  return { path, status: "added", added: lines.map((line, i) => ({ number: i + 1, text: line })), removed: 0 };
}

function readText(file: string, most: number): string | undefined {
  try {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > most) return undefined;
    return new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(file));
  } catch {
    return undefined;
  }
}
