import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { refusal } from "../../../test/kit/fault.ts";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { createGitRemote } from "./git-remote.ts";
import { openGitSession } from "./git-repository.ts";

/** A clone, a colleague's clone and the bare repository that both share. */
function openClones() {
  const [own, shared] = [temporaryRepository(), temporaryFolder()];
  const [origin, other] = [join(shared.path, "origin.git"), join(shared.path, "other")];
  git(shared.path, "init", "--quiet", "--bare", "--initial-branch=main", origin);
  git(own.path, "commit", "--quiet", "--allow-empty", "-m", "Begin");
  git(own.path, "remote", "add", "origin", origin);
  git(own.path, "push", "--quiet", "origin", "main");
  git(shared.path, "clone", "--quiet", origin, other);
  git(other, "config", "user.name", "Other");
  git(other, "config", "user.email", "other@example.com");
  const commit = (root: string, file: string): string => {
    fs.writeFileSync(join(root, file), `${file}\n`);
    git(root, "add", "-A");
    git(root, "commit", "--quiet", "-m", file);
    return git(root, "rev-parse", "HEAD").trim();
  };
  const [mine, theirs] = [own.path, other].map((root) => createGitRemote(openGitSession(root, process.env)));
  if (!mine || !theirs) throw new Error("A clone is missing.");
  return {
    own: own.path,
    other,
    origin,
    mine,
    theirs,
    commit,
    [Symbol.dispose]() {
      own[Symbol.dispose]();
      shared[Symbol.dispose]();
    },
  };
}

test("pushes a branch only while the remote is where this clone saw it", async () => {
  using clones = openClones();
  const from = await clones.mine.fetchTip("main");
  const theirs = clones.commit(clones.other, "theirs.txt");
  expect(await clones.theirs.push({ branch: "main", from, to: theirs })).toBe(true);
  const own = clones.commit(clones.own, "own.txt");
  expect(await clones.mine.push({ branch: "main", from, to: own })).toBe(false);
  expect(git(clones.origin, "rev-parse", "main").trim()).toBe(theirs);
  expect(await clones.mine.fetchTip("main")).toBe(theirs);
  const merged = await clones.mine.mergeTips(own, theirs);
  if ("conflicts" in merged) throw new Error("They do not conflict.");
  expect(await clones.mine.push({ branch: "main", from: theirs, to: merged.commit })).toBe(true);
  expect(git(clones.origin, "ls-tree", "--name-only", "main").trim().split("\n")).toEqual(["own.txt", "theirs.txt"]);
  expect(await clones.mine.fetchTip("absent")).toBeUndefined();
  expect(await clones.mine.push({ branch: "fresh", from: undefined, to: own })).toBe(true);
  expect(await clones.mine.push({ branch: "fresh", from: undefined, to: theirs })).toBe(false);
});

test("gives an agent's commit to other clones, and takes it back", async () => {
  using clones = openClones();
  const commit = clones.commit(clones.own, "work.txt");
  await clones.mine.share(commit);
  await clones.theirs.fetchShared(commit);
  expect(git(clones.other, "cat-file", "-t", commit).trim()).toBe("commit");
  expect(await clones.theirs.listShared()).toEqual([commit]);
  await clones.theirs.forgetShared([commit]);
  expect(git(clones.origin, "for-each-ref", "refs/tenon").trim()).toBe("");
  expect((await refusal(clones.mine.fetchShared(commit))).code).toBe("team.remote");
});

test("names the remote that does not answer, and starts no program that the repository names", async () => {
  using clones = openClones();
  const mark = join(clones.own, "started");
  git(clones.own, "config", "remote.origin.receivepack", `touch ${mark};`);
  git(clones.own, "config", "remote.origin.uploadpack", `touch ${mark};`);
  git(clones.own, "config", "core.sshCommand", `touch ${mark};`);
  const commit = clones.commit(clones.own, "work.txt");
  await clones.mine.share(commit);
  for (const url of [`ext::touch ${mark}`, join(clones.own, "gone.git")]) {
    git(clones.own, "remote", "set-url", "origin", url);
    expect((await refusal(clones.mine.fetchTip("main"))).code).toBe("team.remote");
    expect((await refusal(clones.mine.share(commit))).code).toBe("team.remote");
  }
  expect(fs.existsSync(mark)).toBe(false);
});
