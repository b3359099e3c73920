import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { git, temporaryFolder, type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { fillHome, takePicture, read, write } from "./home.ts";

/** The package as a later version would bring it: with other rules, and another page. */
function laterPackage(): TemporaryFolder & { readonly url: URL } {
  const folder = temporaryFolder();
  fs.cpSync("assets", join(folder.path, "assets"), { recursive: true });
  for (const asset of ["setup/rules.md", "pages/init.md"]) {
    const path = join(folder.path, "assets", asset);
    fs.writeFileSync(path, `${fs.readFileSync(path, "utf8")}\nSaid by the later version.\n`);
  }
  return { ...folder, url: pathToFileURL(`${folder.path}/`) };
}

const LATER = "Said by the later version.";

interface Told {
  readonly action: string;
  readonly dry_run: boolean;
  readonly files: { path: string; change: string; clients: string[]; diff?: string }[];
  readonly kept: { path: string; part: string; because: string }[];
}

const parseAnswer = ({ out }: { out: string }): Told => JSON.parse(out) as Told;

test("keeps the user's bytes through setup, edits, an upgrade and a removal", async () => {
  using folder = temporaryRepository();
  using later = laterPackage();
  const root = folder.path;
  fillHome(root);
  using now = testHouse(root);
  await now.run("setup", "cursor", "gemini");
  // Theirs: a rule around ours, a command of ours in their own words, a server of their own beside ours.
  write(root, "GEMINI.md", `${read(root, "GEMINI.md")}\nAfter.\n`);
  write(root, ".cursor/commands/sdd-init.md", "My own init.\n");
  write(root, ".cursor/mcp.json", read(root, ".cursor/mcp.json").replace('"mcp"', '"mcp", "--toolsets", "all"'));
  const mine = { ".cursor/commands/sdd-init.md": "My own init.\n", ".cursor/mcp.json": read(root, ".cursor/mcp.json") };

  using next = testHouse(root, { packageFolder: later.url });
  const upgrade = parseAnswer(await next.run("setup", "cursor", "gemini", "--json"));
  expect(upgrade.files.map(({ path, change }) => `${path} ${change}`).toSorted()).toEqual([
    ".cursor/rules/tenon.mdc changed",
    ".gemini/commands/sdd/init.toml changed",
    "GEMINI.md changed",
  ]);
  expect(upgrade.kept).toEqual([
    { path: ".cursor/mcp.json", part: "mcpServers.tenon", because: "edited", clients: ["cursor"] },
    { path: ".cursor/commands/sdd-init.md", part: "the whole file", because: "edited", clients: ["cursor"] },
  ]);
  expect(read(root, "GEMINI.md")).toMatch(
    /^# Gemini\n\n\n\n<!-- tenon:begin[^]*Said by the later version\.\n\n<!-- tenon:end -->\n\nAfter\.\n$/,
  );
  expect(read(root, ".gemini/commands/sdd/init.toml")).toContain(LATER);

  const removal = await next.run("setup", "--remove");
  expect(removal.out).toContain("Tenon is removed for every client, except for files you edited.\n");
  expect(removal.out).toContain(
    ".cursor/mcp.json: you edited mcpServers.tenon, so it stays unchanged. --force removes it.",
  );
  expect(read(root, "GEMINI.md")).toBe("# Gemini\n\n\n\nAfter.\n");
  expect({ ...mine }).toEqual(Object.fromEntries(Object.keys(mine).map((path) => [path, read(root, path)])));
  await next.run("setup", "--remove", "--force");
  expect(fs.existsSync(join(root, "sdd"))).toBe(false);
  expect(read(root, ".cursor/mcp.json")).toBe('{\n  "mcpServers": {}\n}\n');
});

test("shows the difference in a dry run and writes nothing", async () => {
  using folder = temporaryRepository();
  const root = folder.path;
  fillHome(root);
  const before = takePicture(root);
  using house = testHouse(root);
  const shown = parseAnswer(await house.run("setup", "kiro", "codex", "--dry-run", "--json"));
  expect(shown.dry_run).toBe(true);
  expect(shown.files.find(({ path }) => path === ".codex/config.toml")?.diff).toBe(
    '  [mcp_servers.tenon]\n  """\n+\n+ [mcp_servers.tenon]\n+ command = "tenon"\n+ args = ["mcp","--toolsets","all"]\n+',
  );
  const { out } = await house.run("setup", "kiro", "--dry-run");
  expect(out).toContain("next: tenon setup kiro\n");
  expect(out).toContain(".kiro/settings/mcp.json (");
  // Twenty pages of commands would hide the files that matter.
  expect(out.match(/sdd-[a-z]+/g) ?? []).toEqual([]);
  expect(out).toMatch(/\/sdd-\*\S*\tcreated, 22 files\n/);
  expect(takePicture(root)).toEqual(before);
  await house.run("setup", "kiro");
  const after = takePicture(root);
  expect((await house.run("setup", "--remove", "--dry-run")).out).toContain("next: tenon setup --remove\n");
  expect(takePicture(root)).toEqual(after);
});

test("suggests after a dry run a command that does what it showed", async () => {
  using folder = temporaryRepository();
  using home = temporaryFolder();
  using data = temporaryFolder();
  const root = folder.path;
  using house = testHouse(root, { home: home.path, dataFolder: data.path });
  await house.run("setup", "kiro");
  write(root, ".kiro/steering/tenon.md", "Mine.\n");
  const next = async (...words: string[]): Promise<string | undefined> =>
    /^next: (.*)$/m.exec((await house.run("setup", ...words, "--dry-run")).out)?.[1];
  expect([await next("kiro", "--force"), await next("--remove", "--force"), await next("kiro", "--user")]).toEqual([
    "tenon setup kiro --force",
    "tenon setup --remove --force",
    "tenon setup kiro --user",
  ]);
});

test("does not report a client as set up if there is nothing to write", async () => {
  using folder = temporaryRepository();
  using home = temporaryFolder();
  using data = temporaryFolder();
  using house = testHouse(folder.path, { home: home.path, dataFolder: data.path });
  const [alone, dry, withOthers] = [
    await house.run("setup", "vscode", "--user"),
    await house.run("setup", "vscode", "--user", "--dry-run"),
    await house.run("setup", "vscode", "zed", "--user"),
  ].map(({ out }) => out.split("\n", 1)[0]);
  expect([alone, dry, withOthers]).toEqual([
    "There is nothing to set up for VS Code with Copilot in your home.",
    "There is nothing to set up for VS Code with Copilot in your home.",
    "Zed is set up. Restart it.",
  ]);
});

test("lists clients without a name, and writes nothing", async () => {
  using folder = temporaryRepository();
  const root = folder.path;
  write(root, ".cursor/rules/own.mdc", "Mine.\n");
  write(root, "AGENTS.md", "Mine.\n");
  const before = takePicture(root);
  using house = testHouse(root);
  const { out } = await house.run("setup");
  expect(out).toContain("2 clients found here. Nothing was written.\n");
  expect(out).toContain("Cursor\tcursor\tyes\tno\tserver, rules, commands, hooks\t25 files\n");
  expect(out).toContain("Zed\tzed\tno\tno\tserver, rules, commands\t\n");
  expect(out).toContain("next: tenon setup cursor agents --dry-run\n");
  expect(takePicture(root)).toEqual(before);
});

test("lists a client whose file cannot be edited, and the others", async () => {
  using folder = temporaryRepository();
  const root = folder.path;
  write(root, ".cursor/rules/own.mdc", "Mine.\n");
  write(root, "opencode.json", "{ broken");
  using house = testHouse(root);
  const { code, out } = await house.run("setup");
  expect(code).toBe(0);
  expect(out).toContain("Cursor\tcursor\tyes\tno\tserver, rules, commands, hooks\t25 files\n");
  expect(out).toContain("OpenCode\topencode\tyes\tno\tserver, rules, commands, hooks\t\n");
  expect(out).toContain(
    "- opencode.json cannot be set up: line 1, column 3: a name in quotes is missing. Fix the file.\n",
  );
  expect(out).toContain("next: tenon setup cursor --dry-run\n");
});

test.each([
  [".cursor/mcp.json", '{ "mcpServers": ', "line 1, column 17: a value is missing."],
  [".cursor/mcp.json", Buffer.from([0x7b, 0xff, 0x7d]), "It is not UTF-8 text."],
  [".cursor/hooks.json", '{ "hooks": [] }', "hooks is not an object."],
])("stops before the first write for %s that it cannot edit", async (path, text, why) => {
  using folder = temporaryRepository();
  const root = folder.path;
  write(root, path, "");
  fs.writeFileSync(join(root, path), text);
  const before = Object.keys(takePicture(root));
  using house = testHouse(root);
  const { code, err } = await house.run("setup", "codex", "cursor");
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`error[setup.unfit]: ${path} cannot be set up, and nothing was written. ${why}\n`),
  ]);
  expect(Object.keys(takePicture(root))).toEqual(before);
  expect((await house.run("setup", "codex")).code).toBe(0);
});

test("follows links inside the repository, and never out of it", async () => {
  using folder = temporaryRepository();
  using elsewhere = temporaryFolder();
  const root = folder.path;
  write(root, "AGENTS.md", "Mine.\n");
  fs.symlinkSync("AGENTS.md", join(root, "CLAUDE.md"));
  using house = testHouse(root);
  await house.run("setup", "claude", "agents");
  expect(read(root, "AGENTS.md").match(/tenon:begin/g)).toHaveLength(1);
  expect(fs.lstatSync(join(root, "CLAUDE.md")).isSymbolicLink()).toBe(true);
  await house.run("setup", "--remove");
  expect(read(root, "AGENTS.md")).toBe("Mine.\n");

  write(elsewhere.path, "mcp.json", "{}");
  fs.mkdirSync(join(root, ".cursor"));
  fs.symlinkSync(join(elsewhere.path, "mcp.json"), join(root, ".cursor/mcp.json"));
  fs.symlinkSync(elsewhere.path, join(root, ".windsurf"));
  fs.symlinkSync(".git", join(root, ".kiro"));
  for (const client of ["cursor", "windsurf", "kiro"]) {
    expect((await house.run("setup", client)).err).toMatch(
      /^error\[setup\.unfit\]: .* A symbolic link in its path leads (?:out of|into \.git)/,
    );
  }
  expect(takePicture(elsewhere.path)).toEqual({ "mcp.json": "{}" });
  expect(fs.existsSync(join(root, ".git/settings"))).toBe(false);
});

test.each([
  ["a file that setup never writes", { kind: "file", path: "src/main.ts" }],
  ["a location outside the repository", { kind: "file", path: "../main.ts" }],
  ["a file of git", { kind: "file", path: ".git/config" }],
  ["an unknown client", { kind: "file", path: "AGENTS.md", clients: ["vim"] }],
  ["a separator that is text", { kind: "block", path: "AGENTS.md", seam: { lead: "Mine.", tail: "" } }],
  ["a complete file that the user also wrote", { kind: "file", path: "AGENTS.md" }],
  ["the user's settings", { kind: "member", path: ".claude/settings.json", way: ["permissions"] }],
  ["the user's hooks", { kind: "item", path: ".claude/settings.json", way: ["hooks", "Stop"], mark: "say done" }],
  ["the user's server", { kind: "table", path: ".codex/config.toml", way: ["mcp_servers", "own"] }],
])("rejects a list of files that names %s", async (_, part) => {
  using folder = temporaryRepository();
  const root = folder.path;
  write(root, "src/main.ts", "main\n");
  fillHome(root);
  const before = takePicture(root);
  const hash = "0".repeat(64);
  write(
    root,
    "sdd/setup.json",
    JSON.stringify({ schema: 1, parts: [{ clients: ["agents"], hash, ...part }], files: [], folders: [] }),
  );
  using house = testHouse(root);
  for (const words of [["--remove"], ["--remove", "--force"], ["agents"]]) {
    expect((await house.run("setup", ...words)).err).toContain("error[setup.damaged]");
  }
  expect({ ...takePicture(root), sdd: undefined }).toEqual({
    ...before,
    sdd: undefined,
    "sdd/setup.json": read(root, "sdd/setup.json"),
  });
});

test("keeps modes, and does not overwrite a file that changes meanwhile", async () => {
  using folder = temporaryRepository();
  const root = folder.path;
  write(root, "AGENTS.md", "Mine.\n");
  fs.chmodSync(join(root, "AGENTS.md"), 0o600);
  using house = testHouse(root);
  await house.run("setup", "agents");
  expect(fs.statSync(join(root, "AGENTS.md")).mode & 0o777).toBe(0o600);
  const files = await (await house.house.open({ argument: root })).setupFiles("project");
  expect(() => files.replace("AGENTS.md", "Mine.\n", "New.\n")).toThrow(
    expect.objectContaining({ code: "setup.changed" }),
  );
  expect(read(root, "AGENTS.md")).toContain("tenon:begin");
});

test.each([
  [["codex", "--all"], "Pass either --all or client names, not both"],
  [["vim"], 'Unknown client "vim": choose claude, codex'],
  [["--force"], "--force needs the names of clients"],
])("reports the error in %j", async (words, why) => {
  using folder = temporaryRepository();
  using house = testHouse(folder.path);
  expect(await house.run("setup", ...words)).toMatchObject({
    code: expect.any(Number),
    err: expect.stringContaining(why),
  });
  expect(git(folder.path, "status", "--porcelain")).toBe("");
});
