import fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Doors, type Input, openDoors } from "../bad-input/doors.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { listPlantedCalls, prepareGround } from "./plant.ts";
import { TOKENS } from "./tokens.ts";

/** Characters in a row by which a secret is known again, even if only part of it is kept. */
const WINDOW = 10;

/** Whether any part of the secret stands there; the index keeps words in small letters. */
function leaks(haystack: string | Buffer, secret: string): boolean {
  const text = haystack.toString("latin1").toLowerCase();
  const starts = Array.from({ length: Math.max(1, secret.length - WINDOW + 1) }, (_, i) => i);
  return starts.some((from) => text.includes(secret.slice(from, from + WINDOW).toLowerCase()));
}

/** A name that is too long is refused, so a secret that does not fit is not given there. */
const whole = (text: string, length: number): string => (text.length <= length ? text : "A name");

interface Told {
  readonly label: string;
  readonly text: string;
  readonly notes: readonly string[];
}

/** Plants a text by every path and both doors, and gives back all that was answered. */
async function plantAll(doors: Doors, root: string, text: string): Promise<Told[]> {
  // A change is called what its folder is called, and memory does not hide from anybody how a folder is called.
  await prepareGround(doors, root, text, "Fix login");
  const told: Told[] = [];
  for (const { operation, input } of listPlantedCalls(text, whole)) {
    const [outcome, result] = await doors.heard(operation, input);
    expect([operation, outcome]).toEqual([operation, "ok"]);
    // What a decision or an artifact answers is about its own file; what is remembered of it is read below.
    if (/^(?:adr|change)\./.test(operation)) continue;
    const { notes = [] } = (JSON.parse(result) as { structuredContent: { notes?: string[] } }).structuredContent;
    if (JSON.stringify(input).includes(JSON.stringify(text).slice(1, -1)) || operation === "memory.import") {
      told.push({ label: operation, text: result, notes });
    }
  }
  return [...told, ...(await throughTerminal(doors, text))];
}

async function throughTerminal(doors: Doors, text: string): Promise<Told[]> {
  const calls: readonly (readonly [Parameters<Doors["shown"]>[0], Input])[] = [
    ["memory.save", { title: "Typed", content: `typed ${text}` }],
    ["memory.update", { id: 1, content: `typed anew ${text}` }],
    ["memory.progress", { content: JSON.stringify({ typed: text }) }],
    ["explore.record", { title: "Typed", context: text }],
  ];
  const told: Told[] = [];
  for (const [operation, input] of calls) {
    const shown = await doors.shown(operation, input);
    const notes = shown.split("\n").flatMap((line) => /^- (Masked .*|.* left out\.)$/.exec(line)?.[1] ?? []);
    told.push({ label: `terminal ${operation}`, text: shown, notes });
  }
  return told;
}

/** All that is read back. */
async function readAll(doors: Doors): Promise<string[]> {
  const ALL = { project: "*", detail_level: "full", max_tokens: 100_000 };
  const ids = Array.from({ length: 30 }, (_, i) => i + 1);
  return Promise.all([
    doors.heard("memory.context", { ...ALL, limit: 100 }),
    doors.heard("memory.search", { query: "", ...ALL }),
    doors.heard("memory.stats", {}),
    doors.heard("memory.progress", {}),
    ...ids.flatMap((id) => [doors.heard("memory.get", { id, depth: 5 }), doors.heard("memory.history", { id })]),
  ]).then((answers) => answers.map(([, text]) => text));
}

/** Every file that memory makes, with what is in it. */
async function filesOf(doors: Doors, root: string): Promise<Map<string, Buffer>> {
  expect(await doors.mcp("memory.export", { file: ".sdd/data/all.jsonl" })).toBe("ok");
  expect(await doors.mcp("memory.backup", { file: ".sdd/data/copy.db" })).toBe("ok");
  const folder = join(root, ".sdd", "data");
  const files = new Map(fs.readdirSync(folder).map((file) => [file, fs.readFileSync(join(folder, file))]));
  expect(["all.jsonl", "copy.db", "memory.db", "memory.db-wal"].filter((file) => !files.has(file))).toEqual([]);
  return files;
}

/** Where the secret is found; it should be nowhere. */
async function whereIs(secret: string, doors: Doors, root: string, told: readonly Told[]): Promise<string[]> {
  const answers = [...told, ...(await readAll(doors)).map((text) => ({ label: "read", text }))];
  const files = await filesOf(doors, root);
  return [
    ...answers.filter(({ text }) => leaks(text, secret)).map(({ label, text }) => `${label}: ${text.slice(0, 300)}`),
    ...[...files].filter(([, bytes]) => leaks(bytes, secret)).map(([file]) => file),
  ];
}

test.each(TOKENS)("masks $name on every path and reports its kind", async ({ text, secret }) => {
  using folder = temporaryFolder();
  using doors = openDoors(folder.path);
  const told = await plantAll(doors, folder.path, `It says ${text} there`);
  expect(await whereIs(secret, doors, folder.path, told)).toEqual([]);
  const silent = told.filter(
    ({ notes }) => !notes.some((note) => /^Masked what looks like a secret: [a-z-]+/.test(note)),
  );
  expect(silent.map(({ label }) => label)).toEqual([]);
  const kinds = new Set(told.flatMap(({ notes }) => notes.flatMap((note) => note.match(/[a-z-]{3,}(?=[,.])/g) ?? [])));
  const kept = fs.readFileSync(join(folder.path, ".sdd", "data", "all.jsonl"), "utf8");
  expect([...kinds].some((kind) => kept.includes(`[MASKED ${kind}]`))).toBe(true);
  // What stands around it is kept.
  expect(kept.includes("It says ")).toBe(true);
});

const PRIVATE = "Quetzalcoatlus-northropi";
const PASSAGES: readonly (readonly [name: string, text: string])[] = [
  ["closed", `Open <private>${PRIVATE}</private> again`],
  ["never closed", `Open <private>${PRIVATE}`],
  ["only closed", `${PRIVATE}</private> open`],
  ["in upper case", `Open <PRIVATE>${PRIVATE}</Private> again`],
  ["with an attribute", `Open <private reason="mine">${PRIVATE}</private > again`],
  ["over several lines", `Open\n<private>\n${PRIVATE}\n\n${PRIVATE}\n</private>\nagain`],
  ["inside another", `Open <private>a <private>b</private> ${PRIVATE}</private> again`],
  ["twice", `<private>${PRIVATE}</private> open <private>${PRIVATE}</private>`],
  ["with a tag in it", `Open <private><b>${PRIVATE}</b></private> again`],
  ["closed once too often", `<private>a</private> ${PRIVATE} </private> open`],
];

test.each(PASSAGES)("leaves out a private passage that is %s on every path", async (_, text) => {
  using folder = temporaryFolder();
  using doors = openDoors(folder.path);
  const told = await plantAll(doors, folder.path, text);
  expect(await whereIs(PRIVATE, doors, folder.path, told)).toEqual([]);
  const silent = told.filter(({ notes }) => !notes.some((note) => /^\d+ private passages? left out\.$/.test(note)));
  expect(silent.map(({ label }) => label)).toEqual([]);
});

/** Calls that come to nothing; what they say must not hold what they were given. */
test.each(TOKENS)("shows $name in no fault and no log of a defect", async ({ text, secret }) => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  expect(await doors.mcp("memory.save", { title: "One", content: "A text", topic_key: whole(text, 200) })).toBe("ok");
  expect(await doors.mcp("memory.save", { title: "Two", content: "Another" })).toBe("ok");
  const refused = [
    await doors.heard("memory.progress", { content: text }),
    await doors.heard("memory.progress", { content: `{"a": ${text}` }),
    await doors.heard("memory.session", { action: "end", id: whole(text, 100) }),
    await doors.heard("memory.history", { topic_key: whole(`no ${text}`, 200) }),
    await doors.heard("memory.update", { id: 2, topic_key: whole(text, 200) }),
    await doors.heard("memory.suggest-topic-key", { content: text }),
  ];
  expect(refused.map(([outcome]) => outcome).filter((outcome) => outcome === "defect")).toEqual([]);
  expect(refused.filter(([, said]) => leaks(said, secret))).toEqual([]);
  const db = new DatabaseSync(join(folder.path, ".sdd", "data", "memory.db"));
  db.exec("ALTER TABLE observations RENAME COLUMN content TO text");
  db.close();
  const [outcome, said] = await doors.heard("memory.save", { title: "Broken", content: text });
  const log = fs.readFileSync(join(folder.path, ".sdd", "data", "defects.log"), "utf8");
  expect([outcome, leaks(said, secret), leaks(log, secret)]).toEqual(["defect", false, false]);
});

test("finds a source with a secret by its address, and purges all of it", async () => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  const source = ["https://shop:", "x7Kq".repeat(4), "@db.example/page"].join("");
  expect(await doors.mcp("memory.save", { title: "One", content: "A text", source })).toBe("ok");
  expect(await doors.json("memory.delete", { source, hard_delete: true })).toEqual({ action: "destroyed", count: 1 });
});

test("masks a password field in the progress of a project", async () => {
  using folder = temporaryFolder();
  fs.mkdirSync(join(folder.path, "sdd"));
  using doors = openDoors(folder.path);
  const secret = ["correct", "Horse", "7battery"].join("");
  const told = await doors.json("memory.progress", { content: JSON.stringify({ done: ["a"], db_password: secret }) });
  expect(told).toMatchObject({ progress: { done: ["a"], db_password: "[MASKED password]" } });
  expect(await doors.json("memory.progress", {})).toMatchObject({ progress: { db_password: "[MASKED password]" } });
});

test("has at least thirty formats, and no file of the repository contains one", () => {
  expect(TOKENS.length).toBeGreaterThanOrEqual(30);
  const here = ["tokens.ts", "secrets.test.ts", "plant.ts"].map((file) =>
    fs.readFileSync(join(import.meta.dirname, file)),
  );
  expect(TOKENS.filter(({ secret }) => here.some((text) => text.includes(secret)))).toEqual([]);
});
