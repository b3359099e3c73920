import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { git } from "../kit/folder.ts";
import { TOKENS } from "../memory/tokens.ts";
import { type Attack, findText, readAll, type Victim } from "./attack.ts";

const PRIVATE = "The launch code of the private shop is blue";
const ADR = ["--context=Two ways", "--decision=One", "--rationale=Simpler", "--standalone"];

const saveIn = (run: Victim["run"], title: string, content: string, ...more: string[]) =>
  run("memory", "save", title, content, "--topic-key=shop/launch", ...more);

/** What a workspace can see of the user's other project. */
async function readForeignMemory({ run }: Pick<Victim, "run">): Promise<string> {
  const asked = [
    await run("memory", "context"),
    await run("memory", "search", "launch code"),
    await run("context", "suggest", "launch code"),
  ];
  return asked
    .map(({ said }) => said)
    .join("\n")
    .includes("is blue")
    ? "leaked"
    : "";
}

async function planPrivate(at: Victim, name: string): Promise<Victim["run"]> {
  const shop = at.workspace(name);
  await saveIn(shop.run, "Launch", PRIVATE);
  return shop.run;
}

const linkOut = (path: string, attack: string): Attack => ({
  attack,
  answer: "refused: `files.escape`; nothing is written outside",
  play: async (at) => {
    at.link(path, at.outside);
    const before = readAll(at.outside);
    const { code } = await at.run("adr", "record", "Choose", ...ADR);
    return code === 0 || JSON.stringify(readAll(at.outside)) !== JSON.stringify(before) ? "written" : "";
  },
});

const plantSchema = (attack: string, sql: string, find: (at: Victim) => string, words: readonly string[]): Attack => ({
  attack,
  answer: "refused as damaged, and doctor shows it",
  play: async (at) => {
    await at.run("init");
    await at.run("feature", "Log in", "--id=AUTH-001");
    await saveIn(at.run, "Own", "Something");
    using db = new DatabaseSync(find(at));
    db.exec(sql);
    db.close();
    const { code } = await at.run(...words);
    const doctor = await at.run("doctor");
    return code === 0 || doctor.code === 0 ? "accepted" : "";
  },
});

const ledger = ({ root }: Victim): string => join(root, ".git/tenon/ledger.db");
const memory = ({ data }: Victim): string => join(data, "memory.db");

export const ATTACKS: readonly Attack[] = [
  {
    attack: "`memory.project` names another project of the user, to read its memory",
    answer: "no effect: the workspace gets a project of its own",
    play: async (at) => {
      await planPrivate(at, "private-shop");
      at.put("sdd/config.yaml", "memory:\n  project: private-shop\n");
      return readForeignMemory(at);
    },
  },
  {
    attack: "`memory.project` names another project, to overwrite a topic of it",
    answer: "no effect: the topic is saved in the workspace's own project",
    play: async (at) => {
      const run = await planPrivate(at, "private-shop");
      at.put("sdd/config.yaml", "memory:\n  project: private-shop\n");
      await saveIn(at.run, "Launch", "Poison");
      const { said } = await run("memory", "search", "launch");
      return said.includes("blue") && !said.includes("Poison") ? "" : "overwritten";
    },
  },
  {
    attack: "`memory.project` names the memory of no project (`general`)",
    answer: "no effect",
    play: async (at) => {
      const shop = at.workspace("some");
      await saveIn(shop.run, "Launch", PRIVATE, "--project=general");
      at.put("sdd/config.yaml", "memory:\n  project: general\n");
      return readForeignMemory(at);
    },
  },
  {
    attack: "a clone in a folder with the name of another project",
    answer: "no effect: a project is known by its remote and folder",
    play: async (at) => {
      await planPrivate(at, "shop");
      fs.mkdirSync(join(at.outside, "a"));
      git(join(at.outside, "a"), "init", "--quiet", "--template=", "shop");
      at.link("unused", at.outside);
      git(at.root, "config", "remote.origin.url", "https://evil.example/shop.git");
      return readForeignMemory(at);
    },
  },
  linkOut("sdd", "`sdd` is a link out of the repository"),
  linkOut("sdd/adrs", "`sdd/adrs` is a link out of the repository"),
  linkOut(".git/tenon", "`.git/tenon` is a link out of the repository"),
  linkOut(".git/tenon/turns", "`.git/tenon/turns` is a link out of the repository"),
  linkOut(".git/tenon/backups", "a folder in `.git/tenon` that Tenon does not know is a link"),
  {
    attack: "`.git/tenon/ledger.db` is a link to a database of the user",
    answer: "refused: `files.escape`; the database is untouched",
    play: async (at) => {
      const file = join(at.outside, "user.db");
      using db = new DatabaseSync(file);
      db.exec("CREATE TABLE notes (text)");
      db.close();
      const before = fs.readFileSync(file);
      at.link(".git/tenon/ledger.db", file);
      const { code } = await at.run("feature", "Log in", "--id=AUTH-001");
      return code === 0 || !fs.readFileSync(file).equals(before) ? "written" : "";
    },
  },
  {
    attack: "`.git/info/exclude` is a link to a file of the user",
    answer: "no effect: the line is not added",
    play: async (at) => {
      const file = join(at.outside, ".profile");
      fs.writeFileSync(file, "export A=1\n");
      at.link(".git/info/exclude", file);
      await at.run("adr", "record", "Choose", ...ADR);
      return fs.readFileSync(file, "utf8") === "export A=1\n" ? "" : "written";
    },
  },
  {
    attack: "`.git/refs/tenon` is a link to a folder of the user, before `doctor --repair`",
    answer: "no effect: nothing is removed",
    play: async (at) => {
      fs.writeFileSync(join(at.outside, "thesis.txt"), "Not a hash");
      await at.run("init");
      at.link(".git/refs/tenon", at.outside);
      await at.run("doctor", "--repair");
      return fs.existsSync(join(at.outside, "thesis.txt")) ? "" : "removed";
    },
  },
  plantSchema(
    "a trigger in the ledger that wipes workflows",
    "CREATE TRIGGER w AFTER INSERT ON events BEGIN DELETE FROM kept; END",
    ledger,
    ["adr", "record", "Choose", ...ADR],
  ),
  plantSchema("a view in the ledger", "CREATE VIEW v AS SELECT * FROM kept", ledger, [
    "adr",
    "record",
    "Choose",
    ...ADR,
  ]),
  plantSchema(
    "a trigger in the memory",
    "CREATE TRIGGER w AFTER INSERT ON observations BEGIN DELETE FROM observations; END",
    memory,
    ["memory", "save", "A", "B"],
  ),
  plantSchema(
    "a table of the ledger replaced by a view",
    "ALTER TABLE leases RENAME TO old; CREATE VIEW leases AS SELECT * FROM old",
    ledger,
    ["adr", "record", "Choose", ...ADR],
  ),
  {
    attack: "an unfinished write in the ledger that leads to `../`",
    answer: "refused; nothing is written outside",
    play: async (at) => {
      await at.run("init");
      await at.run("feature", "Log in", "--id=AUTH-001");
      const target = join(at.outside, "x.md");
      const path = `../${target.split("/").slice(-2).join("/")}`;
      const body = {
        id: "i",
        at: "2026-01-01T00:00:00Z",
        root: at.root,
        steps: [{ kind: "put", path, base: null, text: "x" }],
        occurrences: [{ kind: "k", subject: "s" }],
      };
      using db = new DatabaseSync(ledger(at));
      db.prepare("INSERT INTO intents (id, checkout, at, body, keeps) VALUES ('i', 'main', ?, ?, 0)").run(
        body.at,
        JSON.stringify(body),
      );
      db.close();
      await at.run("adr", "record", "Choose", ...ADR);
      return fs.existsSync(target) ? "written" : "";
    },
  },
  ...["adr", "change"].map((command): Attack => ({
    attack: `secrets in the texts of \`${command}\`, in ${TOKENS.length} formats`,
    answer: "masked before anything is written",
    play: async (at) => {
      const leaked: string[] = [];
      await at.run("init");
      for (const [i, { name, text, secret }] of TOKENS.entries()) {
        const said = `Deploy with ${text} there.`;
        const texts = [`--context=${said}`, `--decision=${said}`, "--rationale=Simpler"];
        const { code } =
          command === "adr"
            ? await at.run("adr", "record", `Choice ${i}`, ...texts, "--standalone")
            : await at.run("change", "start", `Step ${i}: ${said}`, "--type=fix", "--size=small");
        if (code !== 0) return `${name}: exit ${code}`;
        if (command === "change") await at.run("change", "abandon", "--reason", said);
        if (findText(secret, join(at.root, "sdd"), join(at.root, ".git/tenon")).length > 0) leaked.push(name);
      }
      return leaked.join(", ");
    },
  })),
  {
    attack: "secrets in comments and documents, to get them into the index",
    answer: "masked in `.sdd/index.db`, in `index.yaml` and in answers",
    play: async (at) => {
      const secret = `AKIA${"QZ7XR2MK9PLW4TVB"}`;
      at.put("src/pay.ts", `/** Pays with ${secret}, as agreed. */\nexport function pay(): void {}\n`);
      at.put("docs/pay.md", `# Pay\n\nThe key is ${secret}.\n`);
      git(at.root, "add", "-A");
      await at.run("init");
      await at.run("index");
      const { said } = await at.run("query", "pay");
      return [...findText(secret, join(at.root, ".sdd")), ...(said.includes(secret) ? ["query"] : [])].join(", ");
    },
  },
  {
    attack: "a secret in an artifact that an agent wrote to the disk",
    answer: "found by `tenon validate`, with its line",
    play: async (at) => {
      await at.run("change", "start", "Fix the login", "--type=fix", "--size=small");
      at.put("sdd/changes/fix-the-login/describe.md", `# Why\n\nghp_${"Qz7xR2mK9pLw4TvB8nYc3HdF6sJgA1eU5oXi"}\n`);
      const { code, said } = await at.run("validate");
      return code !== 0 && said.includes("describe.md:3") ? "" : said;
    },
  },
  {
    attack: "a settings file of nested aliases (a YAML bomb)",
    answer: "refused: `config.invalid`",
    play: async (at) => {
      const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
      at.put("sdd/config.yaml", `a0: &a0 [x]\n${levels.join("\n")}\n`);
      const started = performance.now();
      const { code } = await at.run("validate");
      return code === 0 || performance.now() - started > 20_000 ? "expanded" : "";
    },
  },
  {
    attack: "a change record that links to a file of the user",
    answer: "refused; the file is neither shown nor written",
    play: async (at) => {
      const file = join(at.outside, "secret.json");
      fs.writeFileSync(file, '{"password":"blue"}');
      at.link("sdd/changes/fix-login/change.json", file);
      const { said } = await at.run("change", "list");
      return said.includes("blue") || fs.readFileSync(file, "utf8") !== '{"password":"blue"}' ? "shown" : "";
    },
  },
  {
    attack: "terminal escapes in the title of a decision",
    answer: "printed without the escapes",
    play: async (at) => {
      at.put(
        "sdd/adrs/ADR-0001-x.md",
        "# ADR-0001: \u001B]0;owned\u0007\u001B[2Jx\n\n- Status: accepted\n- Date: 2026-01-01\n",
      );
      const { said } = await at.run("adr", "list");
      return said.includes("\u001B]") || said.includes("\u0007") ? "printed" : "";
    },
  },
  {
    attack: "a title that leads out of the folder for decisions",
    answer: "becomes a plain file name",
    play: async (at) => {
      await at.run("adr", "record", "../../../../escape", ...ADR);
      const files = Object.keys(readAll(at.root)).filter((path) => path.includes("escape"));
      return files.every((path) => path.startsWith("sdd/adrs/")) && files.length > 0 ? "" : files.join(", ");
    },
  },
  {
    attack: "a lock on a path outside the repository",
    answer: "refused",
    play: async (at) => {
      await at.run("init");
      await at.run("feature", "Log in", "--id=AUTH-001");
      const { code } = await at.run("lock", "claim", "../../etc/passwd");
      return code === 0 ? "accepted" : "";
    },
  },
  {
    attack: "an export of the memory over a file of the user",
    answer: "refused: `memory.file-exists`",
    play: async (at) => {
      const file = join(at.outside, "thesis.txt");
      fs.writeFileSync(file, "mine");
      await at.run("memory", "export", file);
      return fs.readFileSync(file, "utf8") === "mine" ? "" : "overwritten";
    },
  },
];
