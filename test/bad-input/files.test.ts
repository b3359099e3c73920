import fs from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OperationId } from "#doors/catalogue.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { FILE_KINDS, type FileKind, FILES, FOLDER_KINDS, type FolderKind, FOLDERS } from "./corpus.ts";
import { fingerprint, type Input, openDoors } from "./doors.ts";
import { SECRET, standIn } from "./stand-in.ts";

const ADR = { title: "One", context: "Two", decision: "Three", rationale: "Four" };

/** What there is to do, reading first, in an order in which each would find something to work on. */
const CALLS: readonly (readonly [OperationId, Input])[] = [
  ["workspace.status", {}],
  ["workspace.validate", {}],
  ["workspace.doctor", {}],
  ["change.status", { change_id: "fix-login" }],
  ["adr.list", {}],
  ["context.suggest", { task_description: "Log in" }],
  ["context.audit", {}],
  ["workspace.init", {}],
  ["context.check", { change_id: "fix-login" }],
  ["adr.status", { adr: "ADR-0001", status: "deprecated" }],
  ["adr.record", { ...ADR, change_id: "fix-login" }],
  ["change.advance", { change_id: "fix-login", content: "## Findings\n\nNone.\n\n## Impact\n\nPatch." }],
  ["change.reopen", { change_id: "fix-login", stage: "describe", reason: "Misread" }],
  ["change.advance", { change_id: "fix-login", content: "Other words." }],
  ["change.start", { type: "fix", size: "small", description: "Another", concurrent: true }],
  ["change.abandon", { change_id: "fix-login", reason: "Solved" }],
  ["change.archive", { change_id: "fix-login" }],
];

const template = temporaryFolder();
afterAll(() => template[Symbol.dispose]());

beforeAll(async () => {
  fs.mkdirSync(join(template.path, "sdd"));
  using doors = openDoors(template.path);
  await doors.mcp("workspace.init", {});
  await doors.mcp("adr.record", ADR);
  await doors.mcp("change.start", { type: "fix", size: "small", description: "Fix login" });
  await doors.mcp("adr.record", ADR);
  await doors.mcp("change.advance", { content: "Login fails." });
});

/** A copy of the template with the place taken, every call made in it, and what came of them. */
async function callAll(kind: FileKind | FolderKind, place: string): Promise<readonly string[] | undefined> {
  using scratch = temporaryFolder();
  const root = join(scratch.path, "repo");
  const outside = join(scratch.path, "repo-outside");
  const around = [outside, `${outside}-evil`];
  fs.cpSync(template.path, root, { recursive: true });
  for (const folder of around) {
    fs.mkdirSync(folder);
    fs.writeFileSync(join(folder, "secret.txt"), SECRET);
  }
  await using made = await standIn(kind, join(root, place), outside);
  if (!made) return undefined;
  const stood = getKind(join(root, place));
  using doors = openDoors(root);
  const outcomes: string[] = [];
  for (const [operation, input] of CALLS) {
    const [outcome, text] = await doors.heard(operation, input);
    outcomes.push(outcome);
    expect([kind, operation, text.includes(SECRET)]).toEqual([kind, operation, false]);
  }
  expect(around.map((folder) => fingerprint(folder))).toEqual(around.map(() => fingerprint(outside)));
  expect(Object.keys(fingerprint(outside))).toEqual(["secret.txt"]);
  expect(fs.readFileSync(join(outside, "secret.txt"), "utf8")).toBe(SECRET);
  // A link, a pipe or a folder in the place of a file is not ours to take away, unless it went to the archive.
  const isHere = fs.existsSync(join(root, "sdd", "changes", "fix-login"));
  expect(isHere ? getKind(join(root, place)) : stood).toBe(stood);
  return outcomes;
}

function getKind(place: string): string {
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat === undefined) return "nothing";
  if (stat.isSymbolicLink()) return `link to ${fs.readlinkSync(place)}`;
  return stat.isFile() ? "file" : stat.isDirectory() ? "folder" : `special ${stat.mode.toString(8)}`;
}

const ASTRAY = ["files.escape", "workspace.not-found"];
const UNREADABLE = ["files.unwritable", "database.unusable"];
const MEANINGLESS = ["adr.unreadable", "config.invalid", "record.corrupt"];
/** Where a file stands for a folder, what would be in the folder is not there, and cannot be put there. */
const NO_FILE = [
  "files.not-a-file",
  "adr.unknown",
  "change.unknown",
  "files.unwritable",
  "database.unusable",
  "store.pending",
];

/** What a call may say besides `ok`, by what stands in the way. */
const FAULTS: Readonly<Record<FileKind | FolderKind, readonly string[]>> = {
  "B21 a link to a file outside": ASTRAY,
  "B22 a link to a folder outside": ASTRAY,
  "B23 a link to nothing": ASTRAY,
  "B24 a link to itself": ASTRAY,
  "B25 a hard link to a file outside": MEANINGLESS,
  "B26 a link into a sibling with the same prefix": ASTRAY,
  "B26 a link to a sibling with the same prefix": ASTRAY,
  "B27 a link to /proc/self/environ": ASTRAY,
  "B28 a link to /dev/zero": ASTRAY,
  "B29 a pipe": NO_FILE,
  "B30 a folder": NO_FILE,
  "B30 a file": NO_FILE,
  "B31 a socket": NO_FILE,
  "B32 a file that nobody may read": UNREADABLE,
  "B32 a folder that nobody may read": UNREADABLE,
  "B 9 MB": ["files.too-large"],
  "B bytes that are no text": ["files.not-text", "record.corrupt"],
  "B nothing in it": MEANINGLESS,
};

test.each(FILES)("reports a fault for each kind of entry in place of %s", async (place) => {
  for (const kind of FILE_KINDS) {
    const outcomes = (await callAll(kind, place)) ?? [];
    const strange = outcomes.filter((outcome) => outcome !== "ok" && !FAULTS[kind].includes(outcome));
    expect([kind, strange]).toEqual([kind, []]);
  }
});

test.each(FOLDERS)("reports a fault for each kind of entry in place of the folder %s", async (place) => {
  for (const kind of FOLDER_KINDS) {
    const outcomes = (await callAll(kind, place)) ?? [];
    const strange = outcomes.filter((outcome) => outcome !== "ok" && !FAULTS[kind].includes(outcome));
    expect([kind, strange]).toEqual([kind, []]);
  }
});

test("reports the obstacle in the call that needs the file", async () => {
  const found = await Promise.all(
    (
      [
        ["B21 a link to a file outside", "sdd/config.yaml", "change.advance"],
        ["B26 a link into a sibling with the same prefix", "sdd/changes/fix-login/change.json", "change.status"],
        ["B24 a link to itself", "sdd/adrs/ADR-0001-one.md", "adr.status"],
        ["B29 a pipe", "sdd/changes/fix-login/change.json", "change.archive"],
        ["B30 a folder", "sdd/changes/fix-login/context-check.md", "change.advance"],
        ["B31 a socket", "sdd/requirements.md", "change.advance"],
        ["B 9 MB", "sdd/config.yaml", "change.advance"],
        ["B bytes that are no text", "sdd/changes/fix-login/change.json", "change.abandon"],
        ["B bytes that are no text", "sdd/changes/fix-login/context-check.md", "change.advance"],
        ["B nothing in it", "sdd/changes/fix-login/change.json", "change.reopen"],
        ["B nothing in it", "sdd/adrs/ADR-0001-one.md", "adr.status"],
        ["B22 a link to a folder outside", "sdd/changes", "change.start"],
        ["B30 a file", "sdd/adrs", "adr.list"],
        ["B30 a file", "sdd/changes/fix-login", "change.status"],
        ["B22 a link to a folder outside", ".sdd", "workspace.status"],
        ["B30 a file", "sdd", "change.start"],
        // The record says archived by then; its folder follows when the way is free.
        ["B30 a file", "sdd/history", "change.archive"],
      ] as const
    ).map(async ([kind, place, operation]) => {
      const outcomes = (await callAll(kind, place)) ?? [];
      return `${operation} with ${kind.replace(/^\S+ /, "")} at ${place}: ${outcomes[CALLS.findIndex(([id]) => id === operation)]}`;
    }),
  );
  expect(found).toMatchInlineSnapshot(`
    [
      "change.advance with a link to a file outside at sdd/config.yaml: files.escape",
      "change.status with a link into a sibling with the same prefix at sdd/changes/fix-login/change.json: files.escape",
      "adr.status with a link to itself at sdd/adrs/ADR-0001-one.md: files.escape",
      "change.archive with a pipe at sdd/changes/fix-login/change.json: files.not-a-file",
      "change.advance with a folder at sdd/changes/fix-login/context-check.md: files.not-a-file",
      "change.advance with a socket at sdd/requirements.md: files.not-a-file",
      "change.advance with 9 MB at sdd/config.yaml: files.too-large",
      "change.abandon with bytes that are no text at sdd/changes/fix-login/change.json: record.corrupt",
      "change.advance with bytes that are no text at sdd/changes/fix-login/context-check.md: files.not-text",
      "change.reopen with nothing in it at sdd/changes/fix-login/change.json: record.corrupt",
      "adr.status with nothing in it at sdd/adrs/ADR-0001-one.md: adr.unreadable",
      "change.start with a link to a folder outside at sdd/changes: files.escape",
      "adr.list with a file at sdd/adrs: files.not-a-file",
      "change.status with a file at sdd/changes/fix-login: change.unknown",
      "workspace.status with a link to a folder outside at .sdd: files.escape",
      "change.start with a file at sdd: files.not-a-file",
      "change.archive with a file at sdd/history: store.pending",
    ]
  `);
});

test("reports a stray file among the changes and continues", async () => {
  using scratch = temporaryFolder();
  fs.cpSync(template.path, scratch.path, { recursive: true });
  fs.writeFileSync(join(scratch.path, "sdd", "changes", "todo"), "Remember the milk");
  using doors = openDoors(scratch.path);
  expect(await doors.mcp("change.status", {})).toBe("ok");
  expect(await doors.mcp("change.start", { type: "fix", size: "small", description: "Todo", concurrent: true })).toBe(
    "ok",
  );
  expect(await doors.json("workspace.validate", {})).toMatchObject({ problems: [{ path: "sdd/changes/todo" }] });
  expect(fs.readdirSync(join(scratch.path, "sdd", "changes"))).toEqual(["fix-login", "todo", "todo-2"]);
});

test.each(["B23 a link to nothing", "B24 a link to itself", "B29 a pipe", "B30 a file"] as const)(
  "reads a workspace with %s in place of .git",
  async (kind) => {
    using scratch = temporaryFolder();
    fs.cpSync(template.path, scratch.path, { recursive: true });
    await using _ = await standIn(kind, join(scratch.path, ".git"), "/nowhere");
    using doors = openDoors(scratch.path);
    const expected = kind === "B30 a file" ? "workspace.unreadable-git" : "ok";
    expect(await doors.mcp("workspace.status", {})).toBe(expected);
    expect(await doors.mcp("adr.record", ADR)).toBe(expected);
  },
);
