import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { type TestHouse, testHouse } from "../kit/house.ts";
import { takePicture, repositoryWith } from "./source.ts";

interface Row {
  readonly path: string;
  readonly outcome: string;
  readonly to: readonly string[];
  readonly why?: string;
  readonly masked?: readonly string[];
}

interface Answer {
  readonly files: readonly Row[];
  readonly notes: readonly string[];
  readonly layouts: readonly { readonly layout: string; readonly folder: string }[];
}

function put(root: string, path: string, content: string | Buffer): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), content);
}

async function take(tenon: TestHouse, ...words: string[]): Promise<Answer> {
  const { code, out, err } = await tenon.run("import", ...words, "--json");
  if (code !== 0) throw new Error(err);
  return JSON.parse(out) as Answer;
}

test("does not import files that setup wrote for Kiro", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  await tenon.run("setup", "kiro");
  expect((await take(tenon)).layouts).toEqual([]);
  put(repository.path, ".kiro/steering/product.md", "# Product\n\nA ferry.\n");
  const { files } = await take(tenon);
  expect(files.filter(({ path }) => path.startsWith(".kiro/steering/"))).toMatchObject([
    { path: ".kiro/steering/product.md", outcome: "taken" },
    { path: ".kiro/steering/tenon.md", outcome: "left", why: "tenon setup wrote it" },
  ]);
});

test("carries a Spec Kit spec with sections other than requirements as a copy", async () => {
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const head = "# Feature Specification: Albums\n\n## Requirements *(mandatory)*\n\n";
  const said = "### Functional Requirements\n\n- **FR-001**: System MUST keep albums\n\n";
  const entities = "### Key Entities *(include if feature involves data)*\n\n- **Album**: a name\n";
  put(repository.path, "specs/001-albums/spec.md", head + said + entities);
  const { files } = await take(tenon, "--apply");
  const copy = "sdd/imported/spec-kit/specs/001-albums/spec.md";
  expect(files.map(({ to }) => to)).toEqual([["sdd/requirements.md", copy]]);
  expect(fs.readFileSync(join(repository.path, copy), "utf8")).toBe(head + said + entities);
  expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toContain(
    "- **FR-001**: System MUST keep albums\n  (capability: albums; name: Keep albums)\n",
  );
});

const REQUIREMENTS = "# R\n\n## Introduction\n\nPurpose, in a sentence.\n\n### Requirement 1\n\n1. WHEN a THEN b\n";
const at = ".kiro/specs/x";

test.each([
  ["a file that is too large", `${at}/requirements.md`, Buffer.alloc(600_000, "a"), "it has more than 524288 bytes"],
  ["a picture", `${at}/requirements.md`, Buffer.from([0x89, 0x50, 0xff, 0xfe, 0]), "it is not text in UTF-8"],
  ["a text with a NUL", `${at}/requirements.md`, "a\0b", "it is not text in UTF-8"],
  ["a text in UTF-16", `${at}/requirements.md`, Buffer.from("\uFEFF# R", "utf16le"), "it is not text in UTF-8"],
  ["an empty file", `${at}/notes.md`, "  \n", "it is empty"],
])("leaves %s and reports why", async (_, path, content, why) => {
  using repository = temporaryRepository();
  put(repository.path, path, content);
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  expect(files).toEqual([{ path, layout: "kiro", outcome: "left", to: [], why }]);
  expect(fs.existsSync(join(repository.path, "sdd"))).toBe(false);
});

test("reports links and does not follow them, out of the tree or in a circle", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  put(elsewhere.path, "secret/requirements.md", REQUIREMENTS);
  put(repository.path, `${at}/requirements.md`, REQUIREMENTS);
  fs.symlinkSync(join(elsewhere.path, "secret"), join(repository.path, ".kiro/specs/out"));
  fs.symlinkSync("..", join(repository.path, `${at}/again`));
  fs.symlinkSync(join(elsewhere.path, "secret/requirements.md"), join(repository.path, `${at}/design.md`));
  execFileSync("mkfifo", [join(repository.path, `${at}/pipe.md`)]);
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  expect(files.map(({ path, outcome, why = "" }) => `${path} ${outcome} ${why}`.trim())).toEqual([
    ".kiro/specs/out left it is a link, which Tenon does not follow",
    `${at}/again left it is a link, which Tenon does not follow`,
    `${at}/design.md left it is a link, which Tenon does not follow`,
    `${at}/pipe.md left it is not a file`,
    `${at}/requirements.md taken FR-001`,
  ]);
});

test("ignores a folder that is itself a link", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  put(elsewhere.path, "specs/x/requirements.md", REQUIREMENTS);
  fs.symlinkSync(elsewhere.path, join(repository.path, ".kiro"));
  using tenon = testHouse(repository.path);
  expect((await take(tenon)).files).toEqual([]);
});

test("ignores Windows line ends and a byte order mark", async () => {
  using repository = temporaryRepository();
  put(repository.path, `${at}/requirements.md`, `\uFEFF${REQUIREMENTS.replaceAll("\n", "\r\n")}`);
  put(repository.path, ".kiro/steering/tech.md", "\uFEFF# Tech\r\n\r\nNode.\r\n");
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  expect(files.map(({ outcome }) => outcome)).toEqual(["taken", "taken"]);
  expect(fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8")).toContain(
    "- **FR-001**: WHEN a THEN b\n",
  );
  expect(fs.readFileSync(join(repository.path, "sdd/steering/tech.md"), "utf8")).toBe("# Tech\r\n\r\nNode.\r\n");
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test.each([
  [".kiro/specs/..%2f..%2fetc/note.md", "sdd/imported/kiro/specs/2f-2fetc/note.md"],
  [".kiro/specs/a\nb/note.md", "sdd/imported/kiro/specs/a-b/note.md"],
  [".kiro/specs/x/con.md", "sdd/imported/kiro/specs/x/file-1uqtr9n.md"],
  [".kiro/specs/x/.hidden", "sdd/imported/kiro/specs/x/hidden"],
  [".kiro/specs/x/-rf.md", "sdd/imported/kiro/specs/x/rf.md"],
  [".kiro/specs/ё/заметка.md", "sdd/imported/kiro/specs/ё/заметка.md"],
  [`.kiro/specs/x/${"n".repeat(200)}.md`, `sdd/imported/kiro/specs/x/${"n".repeat(50)}.md`],
])("imports %j as %s", async (path, to) => {
  using repository = temporaryRepository();
  put(repository.path, path, "A note.\n");
  using tenon = testHouse(repository.path);
  expect((await take(tenon, "--apply")).files).toMatchObject([{ outcome: "carried", to: [to.normalize("NFC")] }]);
  expect(fs.existsSync(join(repository.path, to))).toBe(true);
});

test("gives names that become equal different paths", async () => {
  using repository = temporaryRepository();
  for (const name of ["a|b", "a?b", "a-b"]) put(repository.path, `.kiro/specs/${name}/design.md`, "# D\n\nText.\n");
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  expect(files.map(({ to }) => to)).toEqual([
    ["sdd/features/a-b/spec.yaml", "sdd/imported/kiro/specs/a-b/design.md"],
    ["sdd/features/a-b-2/spec.yaml", "sdd/imported/kiro/specs/a-b/design-2.md"],
    ["sdd/features/a-b-3/spec.yaml", "sdd/imported/kiro/specs/a-b/design-3.md"],
  ]);
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("keeps existing files, imports the rest, and imports these once their place is free", async () => {
  using repository = repositoryWith("kiro", "spec-drive");
  const there = {
    "sdd/steering/product.md": "Mine.\n",
    "sdd/specs/AUTH-001.yaml": "id: AUTH-001\ntitle: Mine\nsummary: This one was here before.\n",
    "sdd/features/tide-alerts/notes.md": "Mine.\n",
    "sdd/imported/spec-drive/development/current/AUTH-001/PLAN.md": "Mine.\n",
  };
  for (const [path, text] of Object.entries(there)) put(repository.path, path, text);
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  const inTheWay = files.filter(({ outcome }) => outcome === "collision");
  expect(inTheWay.map(({ path, why }) => `${path}: ${why}`)).toEqual([
    ".kiro/specs/tide-alerts/design.md: sdd/features/tide-alerts exists already",
    ".kiro/specs/tide-alerts/tasks.md: sdd/features/tide-alerts exists already",
    ".kiro/steering/product.md: sdd/steering/product.md exists already",
    ".spec-drive/development/current/AUTH-001/PLAN.md: sdd/imported/spec-drive/development/current/AUTH-001/PLAN.md exists already",
    ".spec-drive/specs/AUTH-001.yaml: sdd/specs/AUTH-001.yaml exists already",
  ]);
  for (const [path, text] of Object.entries(there))
    expect(fs.readFileSync(join(repository.path, path), "utf8")).toBe(text);
  fs.rmSync(join(repository.path, "sdd/steering/product.md"));
  const again = await take(tenon, "--apply");
  expect(again.files.filter(({ outcome }) => outcome === "taken").map(({ path }) => path)).toEqual([
    ".kiro/steering/product.md",
  ]);
});

test("reports a source that changed after its import", async () => {
  using repository = repositoryWith("kiro");
  using tenon = testHouse(repository.path);
  await take(tenon, "--apply");
  put(repository.path, ".kiro/steering/tech.md", "# Technology\n\nRust now.\n");
  put(repository.path, ".kiro/specs/tide-alerts/research.md", "# Research\n");
  const { files } = await take(tenon, "--apply");
  const told = files.filter(
    ({ why }) => !/^(?:imported on 2026-01-31|it belongs)/.test(why ?? "") || /changed/.test(why ?? ""),
  );
  expect(told.map(({ path, outcome, why }) => [path, outcome, why])).toEqual([
    [".kiro/specs/tide-alerts/research.md", "carried", "its feature was imported before"],
    [
      ".kiro/steering/tech.md",
      "before",
      "imported on 2026-01-31 and changed since: compare it with the imported version",
    ],
  ]);
  expect(fs.readFileSync(join(repository.path, "sdd/steering/tech.md"), "utf8")).toContain("SQLite");
});

test("masks likely secrets and reports it", async () => {
  using repository = temporaryRepository();
  const key = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
  put(repository.path, ".kiro/steering/deploy.md", `# Deploy\n\nUse ${key} to push. <private>not for all</private>\n`);
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "--apply");
  expect(files).toMatchObject([{ outcome: "taken", masked: [expect.any(String)] }]);
  const text = fs.readFileSync(join(repository.path, "sdd/steering/deploy.md"), "utf8");
  expect([text.includes(key), text.includes("not for all")]).toEqual([false, false]);
});

test("imports a circular plan as features outside the roadmap", async () => {
  using repository = temporaryRepository();
  const spec = (on: string): string => `phase: initialized\nroadmap: {wave: 1, dependencies: ["${on}"]}\n`;
  put(repository.path, ".claude/sdd/project/specs/one/spec.yaml", spec("two"));
  put(repository.path, ".claude/sdd/project/specs/two/spec.yaml", spec("one"));
  put(repository.path, ".claude/sdd/project/specs/all/spec.yaml", "phase: [\n");
  using tenon = testHouse(repository.path);
  const { files, notes } = await take(tenon, "--apply");
  expect(files.map(({ to }) => to)).toEqual([
    ["sdd/features/all-feature/spec.yaml"],
    ["sdd/features/one/spec.yaml"],
    ["sdd/features/two/spec.yaml"],
  ]);
  expect(notes).toEqual([expect.stringMatching(/^The features are independent, because their plan is not valid: /)]);
  expect(await tenon.run("validate")).toMatchObject({ code: 0 });
});

test("imports the named one of several tools, or the tool's own folder", async () => {
  using repository = repositoryWith("kiro", "openspec");
  using tenon = testHouse(repository.path);
  const folders = async (...words: string[]): Promise<string[]> =>
    (await take(tenon, ...words)).layouts.map(({ layout, folder }) => `${layout} ${folder}`);
  expect(await folders()).toEqual(["openspec openspec", "kiro .kiro"]);
  expect(await folders("--from", "openspec")).toEqual(["openspec openspec"]);
  expect(await folders(".kiro", "openspec")).toEqual(["kiro .kiro", "openspec openspec"]);
  expect(await folders(".", ".kiro", "./")).toEqual(["openspec openspec", "kiro .kiro"]);
});

test("reads another repository in place and names it by its folder", async () => {
  using other = repositoryWith("spec-kit");
  using repository = temporaryRepository();
  using tenon = testHouse(repository.path);
  const before = takePicture(other.path, ["."]);
  const { files } = await take(tenon, other.path, "--apply");
  const name = other.path.slice(other.path.lastIndexOf("/") + 1);
  expect(files.find(({ path }) => path === `${name}/specs/001-gift-cards/spec.md`)).toMatchObject({ outcome: "taken" });
  expect(takePicture(other.path, ["."])).toEqual(before);
  expect(fs.readFileSync(join(repository.path, "sdd/imported/manifest.yaml"), "utf8")).not.toContain(other.path);
});

test.each([
  ["a missing folder", ["nowhere"], "import.no-folder"],
  ["a file", ["file.txt"], "import.no-folder"],
  ["an impossible folder name", ["a\0b"], "input.invalid"],
  ["an overlong name", ["x/".repeat(900)], "import.no-folder"],
  ["a folder without files of another tool", ["empty"], "import.nothing-there"],
  ["an unknown tool", ["--from", "bmad"], "input.invalid"],
  ["a damaged manifest", ["--apply"], "import.bad-manifest"],
])("rejects %s and writes nothing", async (_, words, code) => {
  using repository = repositoryWith("kiro");
  put(repository.path, "file.txt", "x");
  fs.mkdirSync(join(repository.path, "empty"));
  if (code === "import.bad-manifest") put(repository.path, "sdd/imported/manifest.yaml", "files: [{source: 1\n");
  using tenon = testHouse(repository.path);
  const before = takePicture(repository.path, ["."]);
  const { code: exit, err } = await tenon.run("import", ...words);
  expect({ exit, err }).toEqual({ exit: expect.any(Number), err: expect.stringContaining(`error[${code}]`) });
  expect(exit).not.toBe(0);
  expect(takePicture(repository.path, ["."])).toEqual(before);
});

test("rejects too many files before it reads any", async () => {
  using repository = temporaryRepository();
  fs.mkdirSync(join(repository.path, ".kiro/specs/x"), { recursive: true });
  for (let i = 0; i <= 20_000; i++) fs.closeSync(fs.openSync(join(repository.path, `.kiro/specs/x/${i}`), "w"));
  using tenon = testHouse(repository.path);
  expect(await tenon.run("import")).toMatchObject({ code: 1, err: expect.stringContaining("error[import.too-many]") });
});

test("writes nothing if Tenon's own folder is a link", async () => {
  using repository = repositoryWith("kiro");
  using elsewhere = temporaryFolder();
  fs.mkdirSync(join(repository.path, "sdd"));
  fs.symlinkSync(elsewhere.path, join(repository.path, "sdd/steering"));
  using tenon = testHouse(repository.path);
  const { code, err } = await tenon.run("import", "--apply");
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("error[files.") });
  expect(fs.readdirSync(elsewhere.path)).toEqual([]);
  expect(fs.readdirSync(join(repository.path, "sdd"))).toEqual(["steering"]);
});

test("imports each file once for two concurrent imports", async () => {
  using repository = repositoryWith("kiro", "openspec", "spec-drive");
  using one = testHouse(repository.path);
  using other = testHouse(repository.path, { newId: () => `other-${crypto.randomUUID()}` });
  const [first, second] = await Promise.all([take(one, "--apply"), take(other, "--apply")]);
  const paths = ({ files }: Answer): string[] =>
    files.filter(({ outcome }) => outcome === "taken" || outcome === "carried").map(({ path }) => path);
  const [a, b] = [paths(first), paths(second)];
  expect(a.filter((path) => b.includes(path))).toEqual([]);
  expect(fs.readdirSync(join(repository.path, "sdd/specs"))).toEqual(["AUTH-001.yaml", "BUG-001.yaml"]);
  const requirements = fs.readFileSync(join(repository.path, "sdd/requirements.md"), "utf8");
  const capabilities = [...requirements.matchAll(/capability: ([^;]+)/g)].map(([, name = ""]) => name);
  expect([...new Set(capabilities)].toSorted()).toEqual(["billing/invoices", "tide-alerts", "timetable"]);
  const ids = [...requirements.matchAll(/^- \*\*(FR-\d+)/gm)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await one.run("validate")).toMatchObject({ code: 0 });
});

test.each([
  ["", 0],
  ["# Decisions\n\n[2026-01-30T09:00:00Z] D1: USER_DECISION | Keep it\n", 1],
])("loses no decision of two concurrent logs (%#)", async (before, first) => {
  using repository = temporaryRepository();
  const entry = (summary: string): string => `[2026-01-31T09:00:00Z] D1: USER_DECISION | ${summary}\n`;
  put(repository.path, "old/.claude/sdd/handover/decisions.md", entry("Keep it in files"));
  put(repository.path, "older/.claude/sdd/handover/decisions.md", entry("Keep it in a table"));
  if (before !== "") put(repository.path, "sdd/handover/decisions.md", before);
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, "old", "older", "--apply");
  expect(files.map(({ outcome }) => outcome)).toEqual(["taken", "taken"]);
  const log = fs.readFileSync(join(repository.path, "sdd/handover/decisions.md"), "utf8");
  expect(log.startsWith(before)).toBe(true);
  expect(log.slice(before.length).match(/D\d+: .*/g)).toEqual([
    `D${first + 1}: USER_DECISION | Keep it in files`,
    `D${first + 2}: USER_DECISION | Keep it in a table`,
  ]);
});

test.each([[["sdd"]], [["sdd", "--from", "kiro"]], [["sdd/specs"]], [["sdd/imported"]]])(
  "rejects Tenon's own folder as a source: import %j",
  async (words) => {
    using repository = temporaryRepository();
    put(repository.path, "sdd/specs/AUTH-001.yaml", "id: AUTH-001\n");
    put(repository.path, "sdd/imported/specs/AUTH-002.yaml", "id: AUTH-002\n");
    using tenon = testHouse(repository.path);
    const before = takePicture(repository.path, ["sdd"]);
    const { code, err } = await tenon.run("import", ...words, "--apply");
    expect([code, err]).toEqual([1, expect.stringContaining("error[import.nothing-there]")]);
    expect(takePicture(repository.path, ["sdd"])).toEqual(before);
  },
);

test("distinguishes two folders of one name in the report", async () => {
  using repository = temporaryRepository();
  using elsewhere = temporaryFolder();
  put(elsewhere.path, "a/shop/.kiro/steering/tech.md", "# Tech\n\nNode.\n");
  put(elsewhere.path, "b/shop/.kiro/steering/tech.md", "# Tech\n\nGo.\n");
  using tenon = testHouse(repository.path);
  const { files } = await take(tenon, join(elsewhere.path, "a/shop"), join(elsewhere.path, "b/shop"));
  expect(files.map(({ path, outcome }) => [path, outcome])).toEqual([
    ["shop/.kiro/steering/tech.md", "taken"],
    ["shop/.kiro/steering/tech.md", "collision"],
  ]);
});
