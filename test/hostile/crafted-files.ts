import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { type Attack, findText, readAll, type Victim } from "./attack.ts";

const ADR = ["--context=Two ways", "--decision=One", "--rationale=Simpler", "--standalone"];
const SECRET = "The user's diary says blue";

/** Programs of a repository must not be asked, and nothing outside it is read or written. */
const isUntouched = (at: Victim, before: Readonly<Record<string, string>>): boolean =>
  JSON.stringify(readAll(at.outside)) === JSON.stringify(before);

const makePipe = (at: Victim, path: string): void => {
  at.put(path, "");
  fs.rmSync(join(at.root, path));
  spawnSync("mkfifo", [join(at.root, path)]);
};

/** Each command ends; a pipe that nobody writes to would hold it for ever. */
const PIPES: readonly (readonly [path: string, ...words: string[]])[] = [
  ["sdd/config.yaml", "status"],
  ["sdd/adrs/ADR-0001-wait.md", "adr", "list"],
  ["sdd/changes/fix-login/change.json", "change", "list"],
  ["sdd/requirements.md", "validate"],
  ["sdd/stacks/own.yaml", "stack"],
  ["docs/guide.md", "index"],
];

const LINKED_SETUP = ["CLAUDE.md", "AGENTS.md", ".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".gitignore"];

/** Files that are not what their names say. */
export const CRAFTED_FILES: readonly Attack[] = [
  ...PIPES.map(([path, ...words]): Attack => ({
    attack: `\`${path}\` is a named pipe that nobody writes to`,
    answer: "the command ends without reading it",
    play: async (at) => {
      makePipe(at, path);
      await at.run(...words);
      return "";
    },
  })),
  ...LINKED_SETUP.map((path): Attack => ({
    attack: `\`${path}\` is a link to a file of the user, before \`setup\``,
    answer: "the file of the user is untouched",
    play: async (at) => {
      const file = join(at.outside, "profile");
      fs.writeFileSync(file, path.endsWith(".json") ? "{}\n" : "export A=1\n");
      const before = readAll(at.outside);
      at.link(path, file);
      const said = [await at.run("setup", "claude", "cursor", "agents"), await at.run("init", "--yes")];
      if (said.every((each) => !each.said.replace(/\s+/g, " ").includes("leads out of"))) return "not refused";
      return isUntouched(at, before) ? "" : "written";
    },
  })),
  ...["README.md", "docs/guide.md", "sdd/requirements.md", "lib/code.ts"].map((path): Attack => ({
    attack: `\`${path}\` is a link to a private text of the user`,
    answer: "not shown, not indexed",
    play: async (at) => {
      const file = join(at.outside, "diary.md");
      fs.writeFileSync(file, `# Diary\n\n/** ${SECRET}. */\n\n- **FR-001**: ${SECRET}.\n`);
      at.link(path, file);
      git(at.root, "add", "-A");
      const said = [
        await at.run("index"),
        await at.run("query", "diary blue"),
        await at.run("context", "suggest", "diary"),
        await at.run("adopt", "scan"),
        await at.run("validate"),
      ].map((each) => each.said);
      const leaked = findText(SECRET, join(at.root, ".sdd"));
      return [...(said.join("\n").includes(SECRET) ? ["shown"] : []), ...leaked].join(", ");
    },
  })),
  {
    attack: "`.sdd` is a link out of the repository",
    answer: "nothing is written outside",
    play: async (at) => {
      at.link(".sdd", at.outside);
      const before = readAll(at.outside);
      await at.run("init");
      await at.run("index");
      return isUntouched(at, before) ? "" : "written";
    },
  },
  {
    attack: "keys of a record and of the settings name `__proto__`",
    answer: "refused, and no object gets a new property",
    play: async (at) => {
      at.put("sdd/config.yaml", "__proto__:\n  polluted: yes\ngates:\n  __proto__: { polluted: yes }\n");
      at.put("sdd/changes/fix-login/change.json", '{ "__proto__": { "polluted": 1 }, "id": "fix-login", "rev": 1 }\n');
      await at.run("status");
      await at.run("change", "list");
      await at.run("validate");
      return "polluted" in {} ? "polluted" : "";
    },
  },
  {
    attack: "a record that nests a hundred thousand lists",
    answer: "refused as damaged; the process goes on",
    play: async (at) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      at.put("sdd/changes/fix-login/change.json", `{ "id": ${deep} }\n`);
      at.put("sdd/specs/AUTH-001.yaml", `id: ${deep}\n`);
      const { code, said } = await at.run("validate");
      return code !== 0 && !/RangeError|call stack/.test(said) ? "" : said.slice(0, 300);
    },
  },
  {
    attack: "a decision whose number is larger than any other",
    answer: "the next decision still gets a plain number",
    play: async (at) => {
      at.put(
        "sdd/adrs/ADR-99999999999999999999-x.md",
        "# ADR-99999999999999999999: x\n\n- Status: accepted\n- Date: 2026-01-01\n",
      );
      await at.run("adr", "record", "Choose", ...ADR);
      const names = fs.readdirSync(join(at.root, "sdd/adrs"));
      return names.some((name) => /NaN|e\+|Infinity/.test(name)) ? names.join(", ") : "";
    },
  },
  {
    attack: "file names with terminal escapes and line ends",
    answer: "printed without the escapes",
    play: async (at) => {
      at.put("src/\u001B]0;owned\u0007a.ts", "export const a = 1;\n");
      at.put("docs/b\nrun: tenon trust.md", "# B\n");
      at.put("sdd/changes/\u001B[2Jc/change.json", "{}\n");
      git(at.root, "add", "-A");
      const said = [
        await at.run("index"),
        await at.run("query", "a"),
        await at.run("validate"),
        await at.run("status"),
        await at.run("doctor"),
      ]
        .map((each) => each.said)
        .join("\n");
      return said.includes("\u001B]0") || said.includes("\u001B[2J") || said.includes("\u0007") ? "printed" : "";
    },
  },
  {
    attack: "a branch that is called like an option of git",
    answer: "no effect: nothing is written",
    play: async (at) => {
      const target = join(at.outside, "written");
      at.put("a.txt", "a\n");
      git(at.root, "add", "-A");
      git(at.root, "commit", "-qm", "Begin");
      const head = git(at.root, "rev-parse", "HEAD").trim();
      const name = `refs/heads/--output=${target.replaceAll("/", "%")}`;
      fs.mkdirSync(join(at.root, ".git/refs/heads"), { recursive: true });
      fs.writeFileSync(join(at.root, ".git", name), `${head}\n`);
      fs.writeFileSync(join(at.root, ".git/HEAD"), `ref: ${name}\n`);
      await at.run("ci", `--base=--output=${target}`);
      await at.run("status");
      await at.run("index");
      return fs.existsSync(target) ? "written" : "";
    },
  },
  {
    attack: "`.git` is a file that names the repository of another project",
    answer: "no program of it runs, and its files are untouched",
    play: async (at) => {
      const other = at.workspace("private");
      fs.writeFileSync(join(other.root, "plan.md"), SECRET);
      await other.run("init");
      const before = readAll(other.root);
      fs.rmSync(join(at.root, ".git"), { recursive: true });
      at.put(".git", `gitdir: ${other.root}/.git\n`);
      await at.run("status");
      const after = readAll(other.root);
      const changed = Object.keys(after).filter(
        (path) => !path.startsWith(".git/tenon/") && after[path] !== before[path],
      );
      return changed.join(", ");
    },
  },
  {
    attack: "a profile with a pattern that never ends",
    answer: "the command ends",
    play: async (at) => {
      at.put(
        "sdd/stacks/own.yaml",
        'extends: generic\nindicators:\n  - { file: "(a+)+$*{a,{a,{a,b}}}**/**/**/**/x" }\n',
      );
      at.put(`${"a".repeat(60)}!`, "");
      at.put("sdd/config.yaml", "stack:\n  directories: { '.': own }\n");
      await at.run("stack");
      return "";
    },
  },
  {
    attack: "a feature that holds a glob of a thousand stars",
    answer: "the command ends",
    play: async (at) => {
      await at.run("init");
      await at.run("feature", "Log in", "--id=AUTH-001", `--files=${"**/".repeat(300)}x`);
      await at.run("lock", "claim", `${"a/".repeat(300)}y`);
      return "";
    },
  },
];
