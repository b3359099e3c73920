import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { type Attack, readAll, type Victim } from "./attack.ts";

const ADR = ["--context=Two ways", "--decision=One", "--rationale=Simpler", "--standalone"];
const SECRET = "The user's diary says blue";

/** Commands that together call git for every purpose. */
const CALLS: readonly (readonly string[])[] = [
  ["status"],
  ["index"],
  ["feature", "Log in", "--id=AUTH-001", "--files=src/a.ts"],
  ["workflow", "snapshot", "AUTH-001"],
  ["adr", "record", "Choose", ...ADR],
  ["validate"],
  ["ci"],
  ["doctor"],
];

async function callAll(at: Victim): Promise<string> {
  const said: string[] = [];
  for (const words of CALLS) said.push((await at.run(...words)).said);
  return said.join("\n");
}

function commitFiles(at: Victim): void {
  at.put("src/a.ts", "export const a = 1;\n");
  git(at.root, "add", "-A");
  git(at.root, "commit", "-qm", "Begin");
}

/** A program that shows that it ran. */
function writeCanary(at: Victim): { readonly program: string; readonly result: (...control: string[]) => string } {
  const [program, mark] = [join(at.root, "run.sh"), join(at.outside, "ran")];
  fs.writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${mark}'\nexit 1\n`, { mode: 0o755 });
  const read = (): string => (fs.existsSync(mark) ? fs.readFileSync(mark, "utf8") : "");
  return {
    program,
    /** Afterwards plain git must start it, or the test shows nothing. */
    result(...control) {
      const ran = read();
      spawnSync("git", control, { cwd: at.root, timeout: 10_000 });
      return ran === "" && read() === "" ? "The canary does not work." : ran;
    },
  };
}

/** Settings whose value git starts. */
const PROGRAM_SETTINGS = [
  "core.fsmonitor core.sshCommand core.editor core.pager core.askPass core.gitProxy core.alternateRefsCommand",
  "diff.external diff.x.textconv diff.x.command filter.x.clean filter.x.smudge filter.x.process merge.x.driver",
  "merge.tenon.driver merge.tenon-log.driver gpg.program gpg.ssh.program sequence.editor interactive.diffFilter",
  "pager.log pager.diff alias.status alias.diff alias.rev-parse uploadpack.packObjectsHook credential.helper",
  "remote.origin.uploadpack trailer.x.command tar.x.command difftool.x.cmd mergetool.x.cmd web.browser submodule.x.update",
].flatMap((line) => line.split(" "));

function plantSettings(file: string, program: string): void {
  for (const name of PROGRAM_SETTINGS)
    spawnSync("git", ["config", "--file", file, name, /^alias|update$/.test(name) ? `!${program}` : program]);
  spawnSync("git", ["config", "--file", file, "filter.x.required", "true"]);
}

const plantPrograms = (where: string, plant: (at: Victim, program: string) => void): Attack => ({
  attack: `${PROGRAM_SETTINGS.length} settings of git that name programs, ${where}`,
  answer: "no effect: no program runs",
  play: async (at) => {
    commitFiles(at);
    const { program, result } = writeCanary(at);
    plant(at, program);
    at.put(".gitattributes", "* filter=x diff=x merge=x\n");
    at.put("src/a.ts", "export const a = 2;\n");
    await callAll(at);
    return result("status");
  },
});

const IMPORTED = [
  ".specify/memory/constitution.md",
  "specs/001-login/spec.md",
  "openspec/specs/login/spec.md",
  "openspec/changes/add-login/proposal.md",
  ".kiro/steering/product.md",
];

const replaceBy = (attack: string, path: string, replace: (file: string) => void): Attack => ({
  attack,
  answer: "the commands end, and nothing is written outside",
  play: async (at) => {
    commitFiles(at);
    const file = join(at.root, path);
    fs.mkdirSync(join(file, ".."), { recursive: true });
    fs.rmSync(file, { recursive: true, force: true });
    replace(file);
    const before = readAll(at.outside);
    const said = await callAll(at);
    if (/TypeError|RangeError|This is a mistake in Tenon/.test(said)) return said;
    return JSON.stringify(readAll(at.outside)) === JSON.stringify(before) ? "" : "written";
  },
});

/** Tricks of git, and things that are not files. */
export const GIT_ATTACKS: readonly Attack[] = [
  plantPrograms("in a file that `.git/config` includes", (at, program) => {
    plantSettings(join(at.root, ".git/more"), program);
    git(at.root, "config", "include.path", "more");
  }),
  plantPrograms("in a conditional include", (at, program) => {
    plantSettings(join(at.root, ".git/more"), program);
    git(at.root, "config", `includeIf.gitdir:${at.root}/.path`, "more");
  }),
  plantPrograms("in the settings of the worktree", (at, program) => {
    git(at.root, "config", "extensions.worktreeConfig", "true");
    plantSettings(join(at.root, ".git/config.worktree"), program);
  }),
  plantPrograms("in a submodule", (at, program) => {
    at.put("inner/a.ts", "export const a = 1;\n");
    git(join(at.root, "inner"), "init", "-q");
    git(join(at.root, "inner"), "add", "-A");
    git(join(at.root, "inner"), "commit", "-qm", "Begin");
    git(at.root, "add", "inner");
    plantSettings(join(at.root, "inner/.git/config"), program);
    at.put("inner/.gitattributes", "* filter=x diff=x\n");
    at.put("inner/a.ts", "export const a = 2;\n");
  }),
  {
    attack: "hooks in `.git/hooks` and in a folder that `core.hooksPath` names",
    answer: "no effect: no hook runs",
    play: async (at) => {
      commitFiles(at);
      const { program, result } = writeCanary(at);
      const names = [
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-commit",
        "post-commit",
        "fsmonitor-watchman",
      ];
      for (const folder of [".git/hooks", "hooks"]) {
        fs.mkdirSync(join(at.root, folder), { recursive: true });
        for (const name of names) fs.copyFileSync(program, join(at.root, folder, name));
      }
      git(at.root, "config", "core.hooksPath", "hooks");
      await callAll(at);
      return result("checkout", "-qb", "other");
    },
  },
  {
    attack: "a partial clone whose missing objects come from a command",
    answer: "no effect: nothing is fetched",
    play: async (at) => {
      commitFiles(at);
      const { program, result } = writeCanary(at);
      git(at.root, "config", "remote.origin.url", `ext::${program}`);
      git(at.root, "config", "remote.origin.promisor", "true");
      git(at.root, "config", "extensions.partialClone", "origin");
      git(at.root, "config", "protocol.ext.allow", "always");
      const blob = git(at.root, "rev-parse", "HEAD:src/a.ts").trim();
      fs.rmSync(join(at.root, ".git/objects", blob.slice(0, 2), blob.slice(2)), { force: true });
      at.put("src/a.ts", "export const a = 2;\n");
      await callAll(at);
      return result("cat-file", "-p", blob);
    },
  },
  {
    attack: "a program called `git` in the repository, and an empty entry in the path",
    answer: "no effect: the user's git runs",
    play: async (at) => {
      commitFiles(at);
      const { program, result } = writeCanary(at);
      for (const place of ["git", "node_modules/.bin/git", "bin/git"]) {
        at.put(place, "");
        fs.copyFileSync(program, join(at.root, place));
      }
      const path = process.env["PATH"];
      process.env["PATH"] = `:.:bin:${path}`;
      try {
        await callAll(at);
      } finally {
        process.env["PATH"] = path;
      }
      return result("-c", "alias.x=!./git", "x");
    },
  },
  {
    attack: "`.git/commondir` names the repository of another project",
    answer: "its files are untouched",
    play: async (at) => {
      const other = at.workspace("private");
      fs.writeFileSync(join(other.root, "plan.md"), SECRET);
      await other.run("init");
      const before = readAll(other.root);
      commitFiles(at);
      fs.writeFileSync(join(at.root, ".git/commondir"), join(other.root, ".git"));
      const said = await callAll(at);
      const after = readAll(other.root);
      const changed = Object.keys(after).filter((path) => !path.startsWith(".git/") && after[path] !== before[path]);
      return said.includes(SECRET) ? "shown" : changed.join(", ");
    },
  },
  ...IMPORTED.map((path): Attack => ({
    attack: `\`${path}\` is a link to a private text of the user, before \`import\``,
    answer: "not read",
    play: async (at) => {
      const file = join(at.outside, "diary.md");
      fs.writeFileSync(
        file,
        `# Diary\n\n## Requirements\n\n### Requirement: Blue\n\n${SECRET}. The system SHALL answer.\n`,
      );
      at.link(path, file);
      await at.run("init", "--yes");
      const said = [await at.run("import"), await at.run("import", "--yes")].map((each) => each.said).join("\n");
      const texts = Object.entries(readAll(join(at.root, "sdd"))).filter(([, text]) => text.includes(SECRET));
      return said.includes(SECRET) ? "shown" : texts.map(([name]) => name).join(", ");
    },
  })),
  ...["/dev/zero", "/dev/urandom"].map((device) =>
    replaceBy(`\`docs/guide.md\` is a link to \`${device}\`, which never ends`, "docs/guide.md", (file) =>
      fs.symlinkSync(device, file),
    ),
  ),
  ...[
    "sdd/config.yaml",
    "sdd/requirements.md",
    "sdd/changes/a/change.json",
    ".sdd/index.db",
    ".git/tenon/ledger.db",
  ].map((path) => replaceBy(`\`${path}\` is a folder`, path, (file) => fs.mkdirSync(file))),
  ...["sdd", ".sdd", ".git/tenon"].map((path) =>
    replaceBy(`\`${path}\` is a file`, path, (file) => fs.writeFileSync(file, "")),
  ),
  {
    attack: "`CLAUDE.md` and `.gitignore` are hard links to files of the user, before `setup`",
    answer: "the files of the user are untouched",
    play: async (at) => {
      for (const name of ["CLAUDE.md", ".gitignore"]) {
        fs.writeFileSync(join(at.outside, name), "mine\n");
        fs.linkSync(join(at.outside, name), join(at.root, name));
      }
      const before = readAll(at.outside);
      await at.run("setup", "claude");
      await at.run("init", "--yes");
      return JSON.stringify(readAll(at.outside)) === JSON.stringify(before) ? "" : "written";
    },
  },
];
