import { openGitSession } from "./git-repository.ts";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git, temporaryFolder, temporaryRepository } from "../../../test/kit/folder.ts";
import { commitAll, put } from "../../../test/kit/repository.ts";
import { askGit, openGitCommand, overrideRepositoryPrograms } from "./git-command.ts";
import { isMergeDriverRegistered, registerMergeDriver } from "./merge-driver-settings.ts";
import { createGitSnapshots } from "./git-snapshots.ts";
import { createGitSource } from "./git-source.ts";
import { createGitWorktrees } from "./git-worktrees.ts";

/** A way in which a repository can make git start a program, and a plain git command that shows it. */
interface Vector {
  readonly name: string;
  readonly arm: (root: string, program: string) => void;
  readonly trigger: readonly string[];
  /** The folder in which somebody works, if it is not the top. */
  readonly folder?: string;
}

const set =
  (...keys: string[]) =>
  (root: string, program: string): void =>
    keys.forEach((key) => void git(root, "config", key, program));

const hook =
  (name: string, folder = ".git/hooks") =>
  (root: string, program: string): void => {
    fs.mkdirSync(join(root, folder), { recursive: true });
    fs.copyFileSync(program, join(root, folder, name));
    fs.chmodSync(join(root, folder, name), 0o755);
  };

const attribute = (root: string, text: string): void => put(root, ".git/info/attributes", `${text}\n`);

const all =
  (...arms: Vector["arm"][]): Vector["arm"] =>
  (root, program) =>
    arms.forEach((arm) => arm(root, program));

const MESSAGE = ["commit", "--allow-empty", "-m", "x"];

const VECTORS: readonly Vector[] = [
  { name: "core.fsmonitor", arm: set("core.fsmonitor"), trigger: ["status"] },
  {
    name: "filter.clean",
    arm: all(set("filter.f.clean", "filter.f=odd.name.clean"), (root) => attribute(root, "* filter=f")),
    trigger: ["add", "-A"],
  },
  {
    name: "filter.process",
    arm: all(set("filter.f.process"), (root) => attribute(root, "* filter=f")),
    trigger: ["add", "-A"],
  },
  {
    name: "filter.smudge",
    arm: all(set("filter.f.smudge"), (root) => attribute(root, "* filter=f")),
    trigger: ["worktree", "add", "../elsewhere"],
  },
  {
    name: "a filter from an included file",
    arm(root, program) {
      put(root, ".git/more", `[filter "f"]\n\tclean = ${program}\n\trequired = true\n`);
      git(root, "config", "include.path", "more");
      attribute(root, "* filter=f");
    },
    trigger: ["add", "-A"],
  },
  {
    name: "a filter in the settings of the worktree",
    arm(root, program) {
      git(root, "config", "extensions.worktreeConfig", "true");
      git(root, "config", "--worktree", "filter.f.clean", program);
      attribute(root, "* filter=f");
    },
    trigger: ["add", "-A"],
  },
  { name: "a hook after a checkout", arm: hook("post-checkout"), trigger: ["worktree", "add", "../elsewhere"] },
  { name: "a hook of refs", arm: hook("reference-transaction"), trigger: ["update-ref", "refs/x", "HEAD"] },
  { name: "a hook of the index", arm: hook("post-index-change"), trigger: ["add", "-A"] },
  {
    name: "core.hooksPath",
    arm: all(hook("reference-transaction", "hooks"), (root) => void git(root, "config", "core.hooksPath", "hooks")),
    trigger: ["update-ref", "refs/x", "HEAD"],
  },
  {
    name: "textconv",
    arm: all(set("diff.d.textconv"), (root) => attribute(root, "* diff=d")),
    trigger: ["diff", "HEAD"],
  },
  {
    name: "the command of a diff driver",
    arm: all(set("diff.d.command"), (root) => attribute(root, "* diff=d")),
    trigger: ["diff", "HEAD"],
  },
  { name: "diff.external", arm: set("diff.external"), trigger: ["diff", "HEAD"] },
  {
    name: "gpg.program",
    arm: all(set("gpg.program"), (root) => void git(root, "config", "commit.gpgSign", "true")),
    trigger: MESSAGE,
  },
  {
    name: "gpg.program by log.showSignature",
    arm: all(sign, set("gpg.program"), (root) => void git(root, "config", "log.showSignature", "true")),
    trigger: ["log"],
  },
  {
    name: "a merge driver",
    arm: all(set("merge.m.driver"), (root) => attribute(root, "* merge=m")),
    trigger: ["merge", "side", "-m", "x"],
  },
  {
    name: "core.sshCommand",
    arm: all(
      set("core.sshCommand"),
      (root) => void git(root, "config", "remote.origin.url", "ssh://nowhere.invalid/x"),
    ),
    trigger: ["fetch"],
  },
  {
    name: "a transport that is a program",
    arm(root, program) {
      git(root, "config", "protocol.ext.allow", "always");
      git(root, "config", "remote.origin.url", `ext::${program}`);
    },
    trigger: ["fetch"],
  },
  {
    name: "objects that are to be fetched",
    arm(root, program) {
      git(root, "config", "protocol.ext.allow", "always");
      git(root, "config", "remote.origin.url", `ext::${program}`);
      git(root, "config", "remote.origin.promisor", "true");
      git(root, "config", "core.repositoryFormatVersion", "1");
      git(root, "config", "extensions.partialClone", "origin");
    },
    trigger: ["cat-file", "-e", "1234567890123456789012345678901234567890^{tree}"],
  },
  {
    name: "credential.helper",
    arm: all(set("credential.helper", "credential.https://example.org.helper")),
    trigger: ["credential", "fill"],
  },
  { name: "core.askPass", arm: set("core.askPass"), trigger: ["credential", "fill"] },
  { name: "core.editor", arm: set("core.editor"), trigger: ["commit", "--allow-empty"] },
  { name: "core.pager", arm: set("core.pager", "pager.log"), trigger: ["--paginate", "log"] },
  {
    name: "a bare repository among the files",
    arm(root, program) {
      git(root, "init", "--quiet", "--bare", "bare");
      git(join(root, "bare"), "config", "core.bare", "false");
      git(join(root, "bare"), "config", "core.worktree", ".");
      git(join(root, "bare"), "config", "core.fsmonitor", program);
    },
    trigger: ["status"],
    folder: "bare",
  },
  {
    name: "the settings of a submodule",
    arm(root, program) {
      put(root, "sub/file", "1\n");
      git(join(root, "sub"), "init", "--quiet");
      commitAll(join(root, "sub"));
      git(root, "add", "sub");
      git(join(root, "sub"), "config", "filter.f.clean", program);
      attribute(join(root, "sub"), "* filter=f");
      put(root, "sub/file", "2\n");
    },
    trigger: ["status"],
  },
];

/** A commit that looks signed. */
function sign(root: string): void {
  const text = git(root, "cat-file", "commit", "HEAD").replace(
    "\n\n",
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
  );
  const words = ["hash-object", "-t", "commit", "-w", "--stdin"];
  const { stdout } = spawnSync("git", words, { cwd: root, input: text, encoding: "utf8" });
  git(root, "update-ref", "HEAD", stdout.trim());
}

/** A repository with something committed, something changed, and another branch. */
function prepare(root: string): void {
  fs.mkdirSync(root);
  git(root, "init", "--quiet", "--initial-branch=main");
  git(root, "config", "user.name", "Tester");
  git(root, "config", "user.email", "tester@example.com");
  put(root, "a.txt", "1\n");
  commitAll(root);
  git(root, "checkout", "--quiet", "-b", "side");
  put(root, "a.txt", "2\n");
  commitAll(root, "side");
  git(root, "checkout", "--quiet", "main");
  put(root, "a.txt", "3\n");
  commitAll(root, "main");
}

/** Where git asks for a password, nobody answers. */
const INPUT = "protocol=https\nhost=example.org\n\n";

/** Plain git, as a user would type it; only the places where it looks for the user's own settings are empty. */
function plainly(root: string, words: readonly string[], home: string): void {
  const paged = words[0] === "--paginate" ? ["script", "-qec", `git ${words.join(" ")}`, "/dev/null"] : undefined;
  const [program = "git", ...rest] = paged ?? ["git", ...words];
  spawnSync(program, rest, { cwd: root, env: userless(home), input: INPUT, timeout: 20_000 });
}

function userless(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:EDITOR|VISUAL|PAGER|.*ASKPASS)$/.test(name));
  return {
    ...Object.fromEntries(own),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: join(home, "none"),
    TERM: "xterm",
  };
}

/** Everything in the product that asks git. */
async function askAll(root: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const source = createGitSource(openGitSession(root, environment));
  const head = (await source.head()) ?? "";
  await source.files();
  put(root, "a.txt", "4\n");
  await source.changes(head);
  await registerMergeDriver(openGitSession(root, environment), new URL("file:///x/"));
  await isMergeDriverRegistered(openGitSession(root, environment));
  const snapshots = createGitSnapshots(openGitSession(root, environment));
  const one = await snapshots.take("AUTH-001", 1, "m");
  put(root, "a.txt", "5\n");
  put(root, "b.txt", "5\n");
  const two = await snapshots.take("AUTH-001", 2, "m");
  await snapshots.obstacle();
  await snapshots.tree();
  await snapshots.sourceTree();
  await snapshots.sourceTreeOf(two.commit);
  await snapshots.has("1234567890123456789012345678901234567890");
  await snapshots.between(one.commit, two.commit);
  await snapshots.uncommitted();
  await snapshots.commitsSince(undefined);
  await snapshots.restore({ from: two.commit, to: one.commit, paths: ["a.txt", "b.txt"] });
  await snapshots.drop("AUTH-001", 1);
  const worktrees = createGitWorktrees(openGitSession(root, environment));
  await worktrees.add("AUTH-001");
  expect(await worktrees.remove("AUTH-001")).toEqual({ removed: true });
}

/** Leaves a mark that it ran. */
function programIn(folder: string, name = "fired"): { readonly path: string; readonly hasRun: () => boolean } {
  const [path, fired] = [join(folder, `run-${name}`), join(folder, name)];
  fs.writeFileSync(path, `#!/bin/sh\n: > ${fired}\nexit 0\n`, { mode: 0o755 });
  const hasRun = (): boolean => {
    const isThere = fs.existsSync(fired);
    fs.rmSync(fired, { force: true });
    return isThere;
  };
  return { path, hasRun };
}

describe.for(VECTORS)("$name", ({ arm, trigger, folder = "." }) => {
  test("runs a program through plain git, and none through ours", async () => {
    using temporary = temporaryFolder();
    const [root, copy] = [join(temporary.path, "work"), join(temporary.path, "copy")];
    const program = programIn(temporary.path);
    prepare(root);
    arm(root, program.path);
    if (trigger[0] !== "merge") put(root, "a.txt", "changed\n");
    program.hasRun();
    fs.cpSync(root, copy, { recursive: true });
    plainly(join(copy, folder), trigger, temporary.path);
    const isLive = program.hasRun();
    await (await openGitCommand(join(root, folder), userless(temporary.path))).run(trigger, { input: INPUT });
    const isPossible = await createGitSnapshots(
      openGitSession(join(root, folder), userless(temporary.path)),
    ).isPossible();
    expect([isLive, program.hasRun(), isPossible]).toEqual([true, false, folder === "."]);
  });
});

test.each([
  ["hooks in their usual place", VECTORS.filter(({ name, folder }) => name !== "core.hooksPath" && !folder)],
  ["hooks elsewhere", VECTORS.filter(({ folder }) => !folder)],
])("runs no program for any git call with all of them configured: %s", async (_, vectors) => {
  using temporary = temporaryFolder();
  const root = join(temporary.path, "work");
  prepare(root);
  const programs = vectors.toReversed().map(({ name, arm }, i) => {
    const program = programIn(temporary.path, `fired-${i}`);
    const attributes = fs.existsSync(join(root, ".git/info/attributes"));
    arm(root, program.path);
    if (attributes) attribute(root, "* filter=f diff=d merge=m");
    return { name, ...program };
  });
  programs.forEach(({ hasRun }) => hasRun());
  await askAll(root, userless(temporary.path));
  expect(programs.filter(({ hasRun }) => hasRun()).map(({ name }) => name)).toEqual([]);
});

test("runs a filter that the user set for all repositories, and not one of the repository", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  prepare(root);
  put(folder.path, "settings", '[filter "f"]\n\tclean = tr a-z A-Z\n');
  attribute(root, "*.txt filter=f");
  const environment = { ...process.env, GIT_CONFIG_GLOBAL: join(folder.path, "settings") };
  const cleaned = async (): Promise<string | undefined> => {
    const ours = await openGitCommand(root, environment);
    const blob = (await ours.ask(["hash-object", "-w", "--stdin", "--path=a.txt"], { input: "text\n" }))?.trim() ?? "";
    return ours.ask(["cat-file", "blob", blob]);
  };
  expect(await cleaned()).toBe("TEXT\n");
  git(root, "config", "filter.f.clean", "sed s/e/3/");
  git(root, "config", "filter.f.required", "true");
  expect(await cleaned()).toBe("TEXT\n");
});

test("leaves a conflict in our merge where the repository has a merge driver", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  prepare(root);
  git(root, "config", "merge.m.driver", "true");
  attribute(root, "* merge=m");
  const { code } = await (await openGitCommand(root, process.env)).run(["merge", "side", "-m", "x"]);
  expect([code, git(root, "ls-files", "-u").split("\n").length]).toEqual([1, 4]);
});

test("works in a linked worktree, in a submodule's checkout and below the top", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  prepare(root);
  put(root, "below/x", "x\n");
  git(root, "worktree", "add", "--quiet", join(folder.path, "linked"), "side");
  git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root, "sub");
  for (const place of [root, join(root, "below"), join(root, "sub"), join(folder.path, "linked")])
    expect(await askGit(place, process.env, ["rev-parse", "--is-inside-work-tree"])).toBe("true\n");
});

test("reports a code and a message for a failed call, and neither for one that exceeds its limits", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  prepare(root);
  const ours = await openGitCommand(root, process.env);
  expect(await ours.run(["cat-file", "blob", "HEAD:none"])).toMatchObject({
    code: 128,
    err: "fatal: path 'none' does not exist in 'HEAD'",
  });
  expect((await ours.run(["log"], { largestAnswer: 10 })).code).toBe(undefined);
  expect(await askGit(root, { PATH: "/nowhere" }, ["status"])).toBe(undefined);
});

test("does not call a git that is too old for our settings", async () => {
  using folder = temporaryFolder();
  const root = join(folder.path, "work");
  prepare(root);
  const old = '#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec "$REAL_GIT" "$@"\n';
  put(folder.path, "bin/git", old);
  fs.chmodSync(join(folder.path, "bin/git"), 0o755);
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  const path = `${join(folder.path, "bin")}:${process.env["PATH"]}`;
  expect(await askGit(root, process.env, ["rev-parse", "HEAD"])).toMatch(/^[0-9a-f]{40}\n$/);
  expect(await askGit(root, { ...process.env, PATH: path, REAL_GIT: real }, ["rev-parse", "HEAD"])).toBe(undefined);
});

test("replaces only the repository's own filters and drivers", () => {
  const local = [
    "filter.a=b.c.clean\nrun",
    "filter.lfs.process\nrun",
    "merge.m.name\nx",
    "merge.m.driver\nrun",
    "user.name",
  ];
  const users = ["filter.lfs.process\ngit-lfs", "filter.lfs.required\ntrue", "merge.u.driver\nmine"];
  const listing = [...users.map((each) => `global\0${each}\0`), ...local.map((each) => `local\0${each}\0`)];
  expect(overrideRepositoryPrograms(listing.join(""))).toEqual([
    ["filter.a=b.c.clean", ""],
    ["filter.a=b.c.required", "false"],
    ["filter.lfs.process", "git-lfs"],
    ["filter.lfs.required", "true"],
    ["merge.m.driver", "false"],
  ]);
});

test("syncs a reference to disk before git answers", async () => {
  using repository = temporaryRepository();
  put(repository.path, "a.txt", "a\n");
  commitAll(repository.path);
  const opened = await openGitCommand(repository.path, { PATH: process.env["PATH"] });
  const trace = join(repository.path, ".git", "trace");
  await opened.run(["update-ref", "refs/tenon/X-001/1", "HEAD"], { variables: { GIT_TRACE2_EVENT: trace } });
  const counters = fs
    .readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => line.includes('"fsync"'));
  expect(counters.join("\n")).toMatch(/"(?:fsync\/)?hardware-flush"[^\n]*"(?:value|count)":"?1/);
});
