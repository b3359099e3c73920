import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { RemoteStore } from "../operations/ports/remote.ts";
import { type GitAnswer, type GitCallOptions, type GitCommand, listUserGitSettings } from "./git-command.ts";
import { mergeOnto } from "./git-landings.ts";
import { type GitSession, openGitRepository } from "./git-repository.ts";

const REMOTE = "origin";
/** Named by the commit, so that no clone overwrites the work of another. */
const formatWorkRef = (commit: string): string => `refs/tenon/work/${commit}`;
/** Shorter than the lease of a run: whoever lost it meanwhile pushes nothing. */
const PUSH_WAIT_MS = 20_000;
const FETCH_WAIT_MS = 120_000;
const FETCH = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--upload-pack=git-upload-pack"];

export function createGitRemote(session: GitSession): RemoteStore {
  // Git locks its refs, and agents of one clone start side by side.
  let last: Promise<unknown> = Promise.resolve();
  const call = (words: readonly string[], longestWaitMs = FETCH_WAIT_MS): Promise<GitAnswer> => {
    const next = last.then(async () => {
      const { git } = await openGitRepository(session);
      return git.run(words, { ...openTransport(git), longestWaitMs });
    });
    last = next.catch(() => undefined);
    return next;
  };
  const fetch = (from: string, to: string): Promise<GitAnswer> => call([...FETCH, REMOTE, `+${from}:${to}`]);
  const push = (...words: readonly string[]): Promise<GitAnswer> =>
    call(["push", "--quiet", "--porcelain", "--no-verify", "--receive-pack=git-receive-pack", ...words], PUSH_WAIT_MS);
  return {
    async exists() {
      const { git } = await openGitRepository(session);
      return (await git.ask(["config", "--get", `remote.${REMOTE}.url`])) !== undefined;
    },
    async fetchTip(branch) {
      const known = `refs/tenon/remote/${branch}`;
      const answer = await fetch(`refs/heads/${branch}`, known);
      if (/couldn't find remote ref/i.test(answer.err)) return undefined;
      if (answer.code !== 0) throw createRemoteFault(`${branch} was not fetched.`, answer);
      const { git } = await openGitRepository(session);
      return (await git.ask(["rev-parse", "--verify", "--quiet", `${known}^{commit}`]))?.trim();
    },
    async push({ branch, from = "", to }) {
      const ref = `refs/heads/${branch}`;
      const answer = await push(`--force-with-lease=${ref}:${from}`, REMOTE, `${to}:${ref}`);
      if (answer.code === 0) return true;
      const said = `${answer.out.toString("utf8")}\n${answer.err}`;
      if (/stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref/.test(said)) return false;
      throw createRemoteFault(`${branch} was not pushed.`, answer);
    },
    mergeTips: async (own, theirs) => mergeOnto(await openGitRepository(session), own, theirs, [own, theirs]),
    async share(commit) {
      const answer = await push(REMOTE, `+${commit}:${formatWorkRef(commit)}`);
      if (answer.code !== 0) throw createRemoteFault("The agent's work was not pushed.", answer);
    },
    async fetchShared(commit) {
      const ref = formatWorkRef(commit);
      const answer = await fetch(ref, ref);
      if (answer.code !== 0) throw createRemoteFault("The agent's work was not fetched.", answer);
    },
    async listShared() {
      const answer = await call(["ls-remote", "--refs", "--upload-pack=git-upload-pack", REMOTE, formatWorkRef("*")]);
      if (answer.code !== 0) throw createRemoteFault("The agents' work was not listed.", answer);
      return [...answer.out.toString("utf8").matchAll(/^(\w+)\t/gm)].map(([, commit = ""]) => commit);
    },
    async forgetShared(commits) {
      const { git } = await openGitRepository(session);
      for (const commit of commits) await git.run(["update-ref", "-d", formatWorkRef(commit)]);
      if (commits.length > 0) await push(REMOTE, ...commits.map((commit) => `:${formatWorkRef(commit)}`));
    },
  };
}

/** The user's own way to sign in. Programs that the repository names stay off, and so does the `ext` transport. */
function openTransport({ listing, environment }: GitCommand): GitCallOptions {
  const settings = listUserGitSettings(listing);
  const helpers = settings.filter(({ key }) => /^credential\.(?:.*\.)?helper$/.test(key));
  const ssh = environment["GIT_SSH_COMMAND"] ?? settings.findLast(({ key }) => key === "core.sshcommand")?.value;
  return {
    settings: helpers.map(({ key, value }) => [key, value] as const),
    variables: { GIT_ALLOW_PROTOCOL: "file:ssh:https:http", GIT_SSH_COMMAND: ssh ?? "ssh -oBatchMode=yes" },
  };
}

function createRemoteFault(what: string, { code, out, err }: GitAnswer): Fault {
  const lines = `${err}\n${out.toString("utf8")}`.split("\n");
  const said = lines.find((line) => /^(?:fatal|error|remote|!)/.test(line)) ?? lines[0] ?? "";
  const why = code === undefined ? "The remote did not answer in time." : `Git reported: ${sanitizeText(said, 200)}`;
  return new Fault("team.remote", { what, why, fix: `Check the remote: git ls-remote ${REMOTE}` });
}
