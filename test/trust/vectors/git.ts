import fs from "node:fs";
import { join } from "node:path";
import { git } from "../../kit/folder.ts";
import { all, append, config, executable, put, type Vector } from "../ground.ts";

const HOOKS = ["pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-merge"];
const COMMIT = "git commit --quiet --allow-empty --message=x";

/** What stands in git's own settings, which come along with a repository that was copied and not cloned. */
export const GIT: readonly Vector[] = [
  { name: "core.fsmonitor", plant: config("core.fsmonitor"), trigger: "git status" },
  {
    name: "core.hooksPath",
    plant: all(executable(...HOOKS.map((hook) => `.githooks/${hook}`)), ({ root }) => {
      git(root, "config", "core.hooksPath", ".githooks");
    }),
    trigger: COMMIT,
  },
  { name: ".git hooks", plant: executable(...HOOKS.map((hook) => `.git/hooks/${hook}`)), trigger: COMMIT },
  { name: "core.sshCommand", plant: config("core.sshCommand"), trigger: "git ls-remote ssh://example.invalid/x" },
  { name: "core.pager", plant: config("core.pager", "pager.status", "pager.log") },
  { name: "core.editor", plant: config("core.editor", "sequence.editor"), trigger: "git commit --allow-empty" },
  {
    name: "an alias",
    plant: ({ root, line }) => void git(root, "config", "alias.st", `!${line}`),
    trigger: "git st",
  },
  {
    name: "a filter of .gitattributes",
    plant: all(config("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"), (ground) => {
      append(ground, ".gitattributes", "*.evil filter=evil\n");
      put(ground, "some.evil", "1\n");
    }),
    trigger: "git add some.evil",
  },
  {
    name: "diff.textconv",
    plant: all(config("diff.conv.textconv"), (ground) => {
      append(ground, ".gitattributes", "*.conv diff=conv\n");
      put(ground, "some.conv", "1\n");
    }),
    trigger: "git add some.conv && echo 2 > some.conv && git diff",
  },
  {
    name: "diff.external",
    plant: config("diff.external"),
    trigger: "echo 1 > d && git add d && echo 2 > d && git diff",
  },
  {
    name: "a merge driver",
    plant: all(config("merge.own.driver", "merge.tenon.driver"), (ground) =>
      append(ground, ".gitattributes", "*.md merge=own\n"),
    ),
  },
  {
    name: "gpg.program",
    plant: all(config("gpg.program", "gpg.ssh.program"), ({ root }) => {
      git(root, "config", "commit.gpgSign", "true");
    }),
    trigger: COMMIT,
  },
  {
    name: "credential.helper",
    plant: config("credential.helper"),
    trigger: "printf 'protocol=https\\nhost=example.invalid\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill",
  },
  {
    name: "an included git config",
    plant(ground) {
      put(ground, ".gitconfig", `[core]\n\tfsmonitor = ${ground.program}\n`);
      git(ground.root, "config", "include.path", "../.gitconfig");
    },
    trigger: "git status",
  },
  {
    name: "a submodule's update command",
    plant(ground) {
      const { line, program, root } = ground;
      append(ground, ".gitmodules", `[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !${line}\n`);
      git(root, "config", "submodule.x.update", `!${line}`);
      git(root, "config", "submodule.x.url", `ext::sh -c ${program}`);
    },
  },
  {
    name: "an embedded bare repository",
    plant(ground) {
      const folder = join(ground.root, "vendor/bare");
      fs.mkdirSync(folder, { recursive: true });
      git(folder, "init", "--quiet", "--bare", ".");
      const settings = { bare: "false", worktree: ".", fsmonitor: ground.program };
      for (const [name, value] of Object.entries(settings)) git(folder, "config", `core.${name}`, value);
    },
    trigger: "cd vendor/bare && git status",
  },
];
