import fs from "node:fs";
import { join } from "node:path";
import { git } from "./folder.ts";
import { commitAll, put } from "./repository.ts";

/** A state in which a user's repository may be when somebody rolls back. It gives the workspace to work in. */
export interface Situation {
  readonly name: string;
  readonly prepare: (folder: string) => string;
}

/** What the workflow will touch, as it is at first. */
function putOwn(root: string): void {
  put(root, "own/changed.txt", "one\r\ntwo\n");
  put(root, "own/gone.txt", "soon gone\n");
  put(root, "own/run.sh", "#!/bin/sh\n");
  fs.chmodSync(join(root, "own/run.sh"), 0o755);
  fs.symlinkSync("changed.txt", join(root, "own/link"));
  put(root, "own/folder/inside.txt", "in a folder\n");
  put(root, "own/staged.txt", "as committed\n");
  put(root, "theirs/a.txt", "a\n");
  put(root, "theirs/b.txt", "b\r\n");
}

export const OWN = [
  "own/changed.txt",
  "own/gone.txt",
  "own/run.sh",
  "own/link",
  "own/folder/inside.txt",
  "own/folder",
  "own/staged.txt",
  "own/new/deep/file.txt",
  'own/-dash\n"quote" ümlaut',
];

/** What the workflow does, and meanwhile somebody else. */
export function work(root: string): void {
  put(root, "own/changed.txt", "three\n");
  fs.rmSync(join(root, "own/gone.txt"));
  fs.chmodSync(join(root, "own/run.sh"), 0o644);
  fs.rmSync(join(root, "own/link"));
  fs.symlinkSync("staged.txt", join(root, "own/link"));
  fs.rmSync(join(root, "own/folder"), { recursive: true });
  put(root, "own/folder", "a file where a folder was\n");
  put(root, "own/staged.txt", "as staged\n");
  git(root, "add", "own/staged.txt");
  put(root, "own/staged.txt", "after staging\n");
  put(root, "own/new/deep/file.txt", "");
  put(root, 'own/-dash\n"quote" ümlaut', "odd\n");
  git(root, "add", "--", 'own/-dash\n"quote" ümlaut');
  put(root, "theirs/meanwhile.txt", "somebody else\n");
  put(root, "theirs/a.txt", "changed by somebody else\n");
  git(root, "add", "theirs/a.txt");
}

function repository(folder: string, ...options: string[]): void {
  git(folder, "init", "--quiet", "--initial-branch=main", ...options);
  git(folder, "config", "user.name", "Tester");
  git(folder, "config", "user.email", "tester@example.com");
}

function committed(folder: string, ...options: string[]): string {
  repository(folder, ...options);
  putOwn(folder);
  commitAll(folder, "one");
  return folder;
}

function committedAnd(name: string, change: (root: string) => void): Situation {
  return {
    name,
    prepare(folder) {
      committed(folder);
      change(folder);
      return folder;
    },
  };
}

export const SITUATIONS: readonly Situation[] = [
  committedAnd("everything committed", () => undefined),
  committedAnd("dirty", (root) => {
    put(root, "theirs/b.txt", "not committed\n");
    put(root, "own/changed.txt", "not committed either\n");
    fs.rmSync(join(root, "own/gone.txt"));
    put(root, "own/gone.txt", "another\n");
  }),
  committedAnd("staged", (root) => {
    put(root, "own/changed.txt", "staged before\n");
    put(root, "theirs/b.txt", "staged before\n");
    git(root, "add", ".");
    put(root, "own/changed.txt", "and changed after\n");
    git(root, "rm", "-q", "--cached", "own/gone.txt");
  }),
  committedAnd("untracked", (root) => {
    put(root, "untracked.txt", "u\n");
    put(root, "theirs/un/tracked.txt", "u\n");
    fs.mkdirSync(join(root, "an/empty/folder"), { recursive: true });
  }),
  committedAnd("ignored", (root) => {
    put(root, ".gitignore", "out/\n*.log\n");
    put(root, "out/large.bin", Buffer.alloc(5000, 7));
    put(root, "own/run.log", "ignored among ours\n");
    put(root, ".sdd/state.yaml", "machine's\n");
  }),
  committedAnd("stashed", (root) => {
    put(root, "theirs/b.txt", "stashed\n");
    git(root, "stash", "--quiet");
  }),
  committedAnd("detached", (root) => {
    git(root, "checkout", "--quiet", "--detach");
  }),
  committedAnd("sparse", (root) => {
    put(root, "far/away.txt", "not checked out\n");
    commitAll(root, "two");
    git(root, "sparse-checkout", "set", "--cone", "own", "theirs");
  }),
  committedAnd("marked entries", (root) => {
    git(root, "update-index", "--assume-unchanged", "own/changed.txt", "theirs/b.txt");
    git(root, "update-index", "--skip-worktree", "own/run.sh");
    put(root, "own/new/deep/file.txt", "intended\n");
    git(root, "add", "-N", "own/new/deep/file.txt");
    put(root, "theirs/intended.txt", "i\n");
    git(root, "add", "-N", "theirs/intended.txt");
  }),
  committedAnd("a split index", (root) => {
    git(root, "update-index", "--split-index");
    put(root, "own/changed.txt", "after the split\n");
    git(root, "add", ".");
  }),
  committedAnd("line ends that git converts", (root) => {
    git(root, "config", "core.autocrlf", "true");
    put(root, ".gitattributes", "*.txt text eol=crlf\n*.sh text eol=lf\n*.id ident\n");
    put(root, "theirs/x.id", "$Id$\n");
    commitAll(root, "two");
    put(root, "own/changed.txt", "mixed\r\nends\n");
  }),
  committedAnd("a filter of the repository's own", (root) => {
    put(root, ".gitattributes", "*.txt filter=shout\n");
    git(root, "config", "filter.shout.clean", "tr a-z A-Z");
    git(root, "config", "filter.shout.smudge", "tr A-Z a-z");
    git(root, "config", "filter.shout.required", "true");
  }),
  {
    name: "no commit yet",
    prepare(folder) {
      repository(folder);
      putOwn(folder);
      git(folder, "add", "own/changed.txt", "theirs/a.txt");
      return folder;
    },
  },
  {
    name: "another kind of hashes",
    prepare: (folder) => committed(folder, "--object-format=sha256"),
  },
  {
    name: "a linked worktree",
    prepare(folder) {
      const main = join(folder, "main");
      fs.mkdirSync(main);
      committed(main);
      git(main, "worktree", "add", "--quiet", "-b", "side", join(folder, "side"));
      put(main, "theirs/a.txt", "of the main worktree\n");
      return join(folder, "side");
    },
  },
  {
    name: "a workspace in a folder of the repository",
    prepare(folder) {
      repository(folder);
      put(folder, ".gitignore", "*.log\n");
      put(folder, "elsewhere.txt", "e\n");
      putOwn(join(folder, "package"));
      commitAll(folder, "one");
      put(folder, "elsewhere.txt", "changed\n");
      put(folder, "package/run.log", "ignored from above\n");
      return join(folder, "package");
    },
  },
  {
    name: "a submodule",
    prepare(folder) {
      const [inner, outer] = [join(folder, "inner"), join(folder, "outer")];
      for (const place of [inner, outer]) fs.mkdirSync(place);
      repository(inner);
      put(inner, "lib.txt", "lib\n");
      commitAll(inner, "lib");
      committed(outer);
      git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "own/sub");
      commitAll(outer, "two");
      put(outer, "own/sub/lib.txt", "changed inside\n");
      put(outer, "own/sub/new.txt", "new inside\n");
      repository(join(outer, "theirs"));
      return outer;
    },
  },
];
