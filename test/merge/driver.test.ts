import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sealRecord } from "#store/adapters/record-seal.ts";
import { loadCatalogueOperation, type OperationId } from "#doors/catalogue.ts";
import { git, type TemporaryFolder, temporaryRepository } from "../kit/folder.ts";
import { testHouse } from "../kit/house.ts";
import { tenon } from "../kit/process.ts";
import { PROJECT_LIFE, TIDES } from "../kit/project.ts";

const REQUIREMENTS = "sdd/requirements.md";
const DOCUMENT = `# Requirements

Written by people.

## Must have

- **FR-001**: The shop shall sell.
- **FR-002**: The shop shall ship
  within a week,
  except on Sundays.

## Notes

Last words.
`;

interface Repository extends TemporaryFolder {
  write(path: string, text: string): void;
  read(path: string): string;
  /** Runs git whatever comes of it. */
  git(...words: string[]): { code: number | null; said: string };
}

/** A repository with the drivers set up by the program itself, and one commit. */
function repository(files: Readonly<Record<string, string>> = { [REQUIREMENTS]: DOCUMENT }): Repository {
  const folder = temporaryRepository();
  const write = (path: string, text: string): void => {
    fs.mkdirSync(join(folder.path, path, ".."), { recursive: true });
    fs.writeFileSync(join(folder.path, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  expect(tenon(["init", "--merge-drivers"], { cwd: folder.path })).toMatchObject({ code: 0 });
  git(folder.path, "add", "--all");
  git(folder.path, "commit", "--quiet", "--message=base");
  return {
    ...folder,
    write,
    read: (path) => fs.readFileSync(join(folder.path, path), "utf8"),
    git(...words) {
      const done = spawnSync("git", words, { cwd: folder.path, encoding: "utf8" });
      return { code: done.status, said: `${done.stdout}${done.stderr}` };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** What two branches did to one file, and what git makes of it: by a merge, and by a rebase. */
function bothSides(at: Repository, path: string, ours: string, theirs: string): void {
  const { path: cwd } = at;
  git(cwd, "checkout", "--quiet", "-b", "theirs");
  at.write(path, theirs);
  git(cwd, "commit", "--quiet", "--all", "--message=theirs");
  git(cwd, "checkout", "--quiet", "main");
  at.write(path, ours);
  git(cwd, "commit", "--quiet", "--all", "--message=ours");
}

const MERGE = ["merge", "--no-edit", "theirs"];
const add = (text: string, line: string): string =>
  text.replace("except on Sundays.\n", `except on Sundays.\n${line}\n`);

test.each([
  ["merge", MERGE],
  ["rebase", ["rebase", "theirs"]],
])("joins requirements that both sides add, with %s", (_, words) => {
  using at = repository();
  bothSides(at, REQUIREMENTS, add(DOCUMENT, "- **FR-004**: Ours."), add(DOCUMENT, "- **FR-003**: Theirs."));
  expect(at.git(...words)).toMatchObject({ code: 0 });
  expect(at.read(REQUIREMENTS)).toBe(add(DOCUMENT, "- **FR-003**: Theirs.\n- **FR-004**: Ours."));
});

test("joins decisions of two branches by number", () => {
  const log = "sdd/handover/decisions.md";
  const entry = (number: number): string =>
    `[2026-01-31T12:00:00Z] D${number}: USER_DECISION | Number ${number}\n- Reason: r\n`;
  const written = (...numbers: number[]): string => ["# Decisions\n", ...numbers.map(entry)].join("\n");
  using at = repository({ [log]: written(1) });
  bothSides(at, log, written(1, 2, 4), written(1, 3));
  expect(at.git(...MERGE)).toMatchObject({ code: 0 });
  expect(at.read(log)).toBe(written(1, 2, 3, 4));
});

test("joins changes of neighbours, of lines in one item, and of prose", () => {
  using at = repository();
  const ours = DOCUMENT.replace("shall sell.", "shall sell well.").replace("Last words.", "Our words.");
  const theirs = DOCUMENT.replace("shall ship", "should ship").replace("Written by people.", "Written by us.");
  bothSides(at, REQUIREMENTS, ours, theirs);
  expect(at.git(...MERGE)).toMatchObject({ code: 0, said: expect.not.stringContaining("in different lines") });
  expect(at.read(REQUIREMENTS)).toBe(
    ours.replace("shall ship", "should ship").replace("Written by people.", "Written by us."),
  );
});

const TWICE = [
  DOCUMENT.replace("- **FR-001**: The shop shall sell.", "- **FR-001**: Ours."),
  DOCUMENT.replace("- **FR-001**: The shop shall sell.", "- **FR-001**: Theirs.").replace("Last words.", "New words."),
] as const;

test.each([
  ["merge", MERGE],
  ["rebase", ["rebase", "theirs"]],
])("reports a requirement that both sides changed as a conflict of %s, around that item only", (name, words) => {
  using at = repository();
  bothSides(at, REQUIREMENTS, ...TWICE);
  const { code, said } = at.git(...words);
  expect(code).toBe(1);
  expect(said).toContain("tenon: sdd/requirements.md: look at FR-001. Resolve the text between the marks");
  // A rebase plays our commit onto theirs, so the sides trade places.
  const [first, second] = name === "merge" ? ["Ours", "Theirs"] : ["Theirs", "Ours"];
  expect(at.read(REQUIREMENTS)).toBe(
    DOCUMENT.replace(
      "- **FR-001**: The shop shall sell.\n",
      `<<<<<<< ours\n- **FR-001**: ${first}.\n=======\n- **FR-001**: ${second}.\n>>>>>>> theirs\n`,
    ).replace("Last words.", "New words."),
  );
  expect(at.git("status", "--porcelain").said).toContain("UU sdd/requirements.md");
});

test("reports an item that one side removes and the other changes as a conflict, and removes an unchanged one", () => {
  using at = repository();
  const removed = DOCUMENT.replace("- **FR-001**: The shop shall sell.\n", "").replace(
    "## Notes",
    "## Removed\n\n- **FR-001**: It lends. (removed by lend)\n\n## Notes",
  );
  bothSides(at, REQUIREMENTS, removed, DOCUMENT.replace("shall sell.", "shall sell well."));
  expect(at.git(...MERGE)).toMatchObject({ code: 1 });
  expect(at.read(REQUIREMENTS)).toBe(
    removed.replace(
      "- **FR-002**",
      "<<<<<<< ours\n=======\n- **FR-001**: The shop shall sell well.\n>>>>>>> theirs\n- **FR-002**",
    ),
  );
  using other = repository();
  bothSides(other, REQUIREMENTS, removed, DOCUMENT.replace("Last words.", "New words."));
  expect(other.git(...MERGE)).toMatchObject({ code: 0 });
  expect(other.read(REQUIREMENTS)).toBe(removed.replace("Last words.", "New words."));
});

test("reports one id for two texts as a conflict", () => {
  using at = repository();
  bothSides(
    at,
    REQUIREMENTS,
    add(DOCUMENT, "- **FR-003**: Ours."),
    DOCUMENT.replace("- **FR-001**", "- **FR-003**: Theirs.\n- **FR-001**"),
  );
  expect(at.git(...MERGE)).toMatchObject({ code: 1 });
  expect(at.read(REQUIREMENTS)).toMatch(
    /- \*\*FR-003\*\*: Ours\.[^]*- \*\*FR-003\*\*: Theirs\.|- \*\*FR-003\*\*: Theirs\.[^]*- \*\*FR-003\*\*: Ours\./,
  );
});

test("merges a document with a repeated id by lines, like git", () => {
  const twice = DOCUMENT.replace("FR-002", "FR-001");
  using at = repository({ [REQUIREMENTS]: twice });
  bothSides(at, REQUIREMENTS, twice.replace("shall sell.", "Ours."), twice.replace("shall sell.", "Theirs."));
  expect(at.git(...MERGE)).toMatchObject({ code: 1 });
  expect(at.read(REQUIREMENTS)).toContain("<<<<<<< ours\n- **FR-001**: The shop Ours.\n=======\n");
});

test("leaves files that are not text to git and keeps both sides", () => {
  using at = repository();
  bothSides(at, REQUIREMENTS, DOCUMENT.replace("sell", "sell well"), "");
  git(at.path, "checkout", "--quiet", "theirs");
  fs.writeFileSync(join(at.path, REQUIREMENTS), Buffer.from([0xff, 0xfe, 0x00, 0x41]));
  git(at.path, "commit", "--quiet", "--all", "--message=not text");
  git(at.path, "checkout", "--quiet", "main");
  const { code, said } = at.git(...MERGE);
  expect({ code, isTold: said.includes("tenon: sdd/requirements.md could not be merged") }).toEqual({
    code: 1,
    isTold: true,
  });
  expect(at.read(REQUIREMENTS)).toBe(DOCUMENT.replace("sell", "sell well"));
  expect(at.git("ls-files", "--unmerged").said.split("\n").filter(Boolean)).toHaveLength(3);
});

test("joins tasks by id, also in a path with shell characters", () => {
  const path = "sdd/changes/it-s/tasks.md";
  const tasks = "- TASK-001: cut\n  Check: look\n- TASK-002: glue\n";
  using at = repository({ [path]: tasks });
  bothSides(at, path, tasks.replace("cut", "cut twice"), `${tasks}- TASK-003: paint\n  Depends on TASK-002\n`);
  expect(at.git(...MERGE)).toMatchObject({ code: 0 });
  expect(at.read(path)).toBe(`${tasks.replace("cut", "cut twice")}- TASK-003: paint\n  Depends on TASK-002\n`);
});

const RECORD = "sdd/changes/fix-it/change.json";

/** A change that the program itself began, as both sides know it. */
async function withChange(): Promise<Repository> {
  const at = repository();
  using house = testHouse(at.path);
  await house.run("change", "start", "Fix it", "--type", "fix", "--size", "small");
  git(at.path, "add", "--all");
  git(at.path, "commit", "--quiet", "--message=begun");
  return at;
}

const edited = (text: string, change: (record: Record<string, unknown>) => object): string => {
  const record = JSON.parse(text) as Record<string, unknown>;
  return sealRecord({ ...record, ...change(record), rev: Number(record["rev"]) + 1 } as never);
};

test("joins records with changes in different fields and seals them again", async () => {
  using at = await withChange();
  const before = at.read(RECORD);
  const ours = edited(before, () => ({ description: "Fix it well", updated_at: "2026-02-01T00:00:00Z" }));
  const theirs = edited(before, () => ({ adrs: ["ADR-001"], note: "kept", updated_at: "2026-02-02T00:00:00Z" }));
  bothSides(
    at,
    RECORD,
    ours,
    edited(theirs, () => ({})),
  );
  expect(at.git(...MERGE)).toMatchObject({ code: 0 });
  expect(JSON.parse(at.read(RECORD))).toMatchObject({
    description: "Fix it well",
    adrs: ["ADR-001"],
    note: "kept",
    updated_at: "2026-02-02T00:00:00Z",
    rev: 4,
  });
  using house = testHouse(at.path);
  expect(await house.run("change", "status", "fix-it", "--json")).toMatchObject({ code: 0 });
});

test.each([
  ["one field changed twice", { description: "Ours" }, { description: "Theirs" }],
  [
    "the flow changed twice",
    { status: "abandoned", abandoned: { reason: "a", at: "2026-02-01T00:00:00Z" } },
    { status: "abandoned", abandoned: { reason: "b", at: "2026-02-01T00:00:00Z" } },
  ],
  ["an invalid result", { type: "feature" }, { size: 7 }],
])("does not join records: %s", async (_, mine, other) => {
  using at = await withChange();
  const before = at.read(RECORD);
  const ours = edited(before, () => mine);
  bothSides(
    at,
    RECORD,
    ours,
    edited(before, () => other),
  );
  const { code, said } = at.git(...MERGE);
  expect(code).toBe(1);
  expect(said).toContain(`git checkout --ours -- ${RECORD}`);
  expect(at.read(RECORD)).toBe(ours);
});

const PROJECT = "sdd/sdd.json";
const RULES = "sdd/business-rules.md";

/** What the program itself does to a project. */
async function lead(at: Repository, calls: readonly (readonly [OperationId, object])[]): Promise<void> {
  using house = testHouse(at.path);
  const engine = await house.house.open({});
  for (const [id, input] of calls) await (await loadCatalogueOperation(id)).run(engine, input);
}

/** A project whose rules are written. */
async function withProject(): Promise<Repository> {
  const at = repository({});
  await lead(at, PROJECT_LIFE.slice(0, 4));
  git(at.path, "add", "--all");
  git(at.path, "commit", "--quiet", "--message=begun");
  return at;
}

test("joins rules and the ids of both sides, and the project continues", async () => {
  using at = await withProject();
  const [rules, record] = [at.read(RULES), at.read(PROJECT)];
  const withRule = (text: string): string => rules.replace("it may open.\n", `it may open.\n${text}\n`);
  const giving = (...ids: string[]): string =>
    edited(record, (was) => ({ ids: [...(was["ids"] as string[]), ...ids] }));
  const [ours, theirs] = ["- **BR-003**: When it storms, then close.", "- **BR-002**: When it is dark, then close."];
  git(at.path, "checkout", "--quiet", "-b", "theirs");
  at.write(RULES, withRule(theirs));
  at.write(PROJECT, giving("BR-002", "FR-003"));
  git(at.path, "commit", "--quiet", "--all", "--message=theirs");
  git(at.path, "checkout", "--quiet", "main");
  at.write(RULES, withRule(ours));
  at.write(PROJECT, giving("BR-003", "FR-003"));
  git(at.path, "commit", "--quiet", "--all", "--message=ours");
  expect(at.git(...MERGE)).toMatchObject({ code: 0 });
  expect(at.read(RULES)).toBe(withRule(`${theirs}\n${ours}`));
  const { ids } = JSON.parse(record) as { ids: string[] };
  expect(JSON.parse(at.read(PROJECT))).toMatchObject({ ids: [...ids, "BR-002", "BR-003", "FR-003"], rev: 6 });
  using house = testHouse(at.path);
  expect(await house.run("project", "context", "--json")).toMatchObject({ code: 0 });
});

test("reports a rule that both sides changed as a conflict around that rule only", async () => {
  using at = await withProject();
  const rules = at.read(RULES);
  bothSides(at, RULES, rules.replace("under 4 m", "under 5 m"), rules.replace("under 4 m", "under 3 m"));
  const { code, said } = at.git(...MERGE);
  expect({ code, isTold: said.includes(`tenon: ${RULES}: look at BR-001.`) }).toEqual({ code: 1, isTold: true });
  const rule = (depth: number): string =>
    `- **BR-001**: When the depth is under ${depth} m, then the Gate is closed, otherwise it may open.\n`;
  expect(at.read(RULES)).toBe(rules.replace(rule(4), `<<<<<<< ours\n${rule(5)}=======\n${rule(3)}>>>>>>> theirs\n`));
});

test.each([
  ["a wrong field", { mode: "hasty" }, 'its field "mode" is missing or wrong'],
  ["an unearned stage", { mode: "guided" }, "Stage clarify is completed, but no round passed the Clarity Gate"],
])("does not join a project's record into one with %s", async (_, mine, why) => {
  using at = await withProject();
  const expert = edited(at.read(PROJECT), () => ({ mode: "expert" }));
  at.write(PROJECT, expert);
  git(at.path, "commit", "--quiet", "--all", "--message=expert");
  const scores = TIDES.clarify.dimension_scores.map((each) => ({ ...each, score: Math.min(each.score, 60) }));
  await lead(at, [["project.clarify", { ...TIDES.clarify, dimension_scores: scores }]]);
  const passed = at.read(PROJECT);
  git(at.path, "checkout", "--quiet", "--force", "main");
  const ours = edited(expert, () => mine);
  bothSides(at, PROJECT, ours, passed);
  const { code, said } = at.git(...MERGE);
  expect({ code, isTold: said.includes(`tenon: ${PROJECT} could not be merged: ${why}. Keep one side: git`) }).toEqual({
    code: 1,
    isTold: true,
  });
  expect(at.read(PROJECT)).toBe(ours);
});

test("does not join a damaged record", async () => {
  using at = await withChange();
  const before = at.read(RECORD);
  const ours = edited(before, () => ({ description: "Ours" }));
  bothSides(at, RECORD, ours, before.replace('"fix"', '"feature"'));
  expect(at.git(...MERGE)).toMatchObject({ code: 1 });
  expect(at.read(RECORD)).toBe(ours);
});

test("sets up the drivers once, on request, and changes nothing else in the files", () => {
  using folder = temporaryRepository();
  fs.writeFileSync(join(folder.path, ".gitattributes"), "* text=auto\r\n*.png binary");
  const attributes = (): string => fs.readFileSync(join(folder.path, ".gitattributes"), "utf8");
  expect(tenon(["init"], { cwd: folder.path }).out).toContain("\nnext: tenon init --merge-drivers\n");
  expect(attributes()).toBe("* text=auto\r\n*.png binary");
  expect(spawnSync("git", ["config", "merge.tenon.driver"], { cwd: folder.path }).status).toBe(1);
  tenon(["init", "--merge-drivers"], { cwd: folder.path });
  const once = attributes();
  expect(once.startsWith("* text=auto\r\n*.png binary\r\nsdd/requirements.md merge=tenon\r\n")).toBe(true);
  tenon(["init", "--merge-drivers"], { cwd: folder.path });
  expect(attributes()).toBe(once);
  expect(git(folder.path, "config", "--get-all", "merge.tenon.driver").trim().split("\n")).toHaveLength(1);
  expect(tenon(["doctor"], { cwd: folder.path })).toMatchObject({ code: 0 });
  // As in a fresh clone, which has the list of files and none of the settings.
  git(folder.path, "config", "--remove-section", "merge.tenon");
  const { code, out } = tenon(["doctor"], { cwd: folder.path });
  expect([code, out.includes("merge drivers\tfailed"), out.includes("next: tenon init --merge-drivers")]).toEqual([
    3,
    true,
    true,
  ]);
});

test("reports a missing repository", async () => {
  using folder = temporaryRepository();
  fs.rmSync(join(folder.path, ".git"), { recursive: true });
  fs.mkdirSync(join(folder.path, "sdd"));
  const { code, err } = tenon(["init", "--merge-drivers"], { cwd: folder.path });
  expect({ code, isTold: err.includes("workspace.no-git") }).toEqual({ code: 1, isTold: true });
  expect(fs.existsSync(join(folder.path, ".gitattributes"))).toBe(false);
  expect(tenon(["merge-driver", "only", "two"], { cwd: folder.path }).code).toBe(2);
  expect(tenon(["merge-driver", "--help"], { cwd: folder.path }).out).toContain("tenon merge-driver <base>");
});
