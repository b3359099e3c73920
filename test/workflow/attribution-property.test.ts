import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listFilesChangedBetween } from "#git/adapters/changed-files.ts";
import { appendJournalLines } from "#planning/adapters/journal-files.ts";
import { isFull, seed } from "../kit/chance.ts";
import { git, temporaryFolder } from "../kit/folder.ts";
import { put } from "../kit/repository.ts";
import { stand } from "./stand.ts";

/**
 * Two agents with hooks, the user and a teammate in one repository. Each writes lines that begin with their name into
 * a zone of their own, so that git merges them and a reader can tell them apart.
 */
const AUTHORS = ["one", "two", "user", "mate", "side"] as const;
type Author = (typeof AUTHORS)[number];

const FILES: Readonly<Record<"one" | "two", readonly string[]>> = {
  one: ["one.txt", "one-new.txt"],
  two: ["two.txt", "two-new.txt"],
};
const WORKFLOWS = { one: "AUTH-001", two: "TWO-001" } as const;
const ZONES = AUTHORS.flatMap((author) => [
  `zone ${author}`,
  ...Array.from({ length: 8 }, (_, i) => `space ${i} after the zone of ${author}`),
]);

const STEPS = [
  "one edits",
  "one creates",
  "one runs a command",
  "one deletes",
  "two edits",
  "two creates",
  "user edits their file",
  "user edits a file of one",
  "user creates",
  "user's tool creates while nobody runs a command",
  "commit all",
  "commit one's files",
  "amend",
  "mate pushes",
  "pull by merge",
  "pull by rebase",
  "stash",
  "pop",
  "merge side",
  "rebase onto side",
] as const;
type Step = (typeof STEPS)[number];

const Plan = fc.record({
  isDirty: fc.boolean(),
  isOtherHooked: fc.boolean(),
  steps: fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: isFull ? 24 : 12 }),
});
type Plan = typeof Plan extends fc.Arbitrary<infer T> ? T : never;

function addLine(root: string, path: string, author: Author, n: number): void {
  const place = join(root, path);
  const lines = fs.existsSync(place) ? fs.readFileSync(place, "utf8").split("\n") : [`zone ${author}`, ""];
  lines.splice(Math.max(lines.indexOf(`zone ${author}`), 0) + 1, 0, `${author} ${n}`);
  put(root, path, lines.join("\n"));
}

/** A git that refuses changes nothing. */
function attempt(root: string, ...words: string[]): void {
  const run = (...each: string[]): boolean => {
    try {
      git(root, ...each);
      return true;
    } catch {
      return false;
    }
  };
  if (!run(...words)) for (const kind of ["merge", "rebase"]) run(kind, "--abort");
}

async function createCheckout(isDirty: boolean) {
  const folder = temporaryFolder();
  const [origin, mate, root] = ["origin", "mate", "here"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  git(folder.path, "init", "-q", "--bare", "--initial-branch=main", origin);
  for (const [clone, name] of [
    [root, "Tester"],
    [mate, "Mate"],
  ] as const) {
    git(folder.path, "clone", "-q", origin, clone);
    git(clone, "config", "user.name", name);
    git(clone, "config", "user.email", `${name}@example.com`);
  }
  for (const path of ["one.txt", "two.txt", "user.txt", "side.txt"]) put(root, path, `${ZONES.join("\n")}\n`);
  const now = (): string => new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const at = await stand({ path: root, [Symbol.dispose]: () => folder[Symbol.dispose]() }, true, { clock: { now } });
  git(root, "push", "-q", "origin", "main");
  git(mate, "pull", "-q", "origin", "main");
  git(root, "checkout", "-qb", "side");
  addLine(root, "side.txt", "side", 0);
  git(root, "commit", "-qam", "Side");
  git(root, "checkout", "-q", "main");
  if (isDirty) {
    addLine(root, "one.txt", "user", 0);
    put(root, "notes.txt", "user 0\n");
  }
  await at.run("workflow.feature", { description: "The first", id: WORKFLOWS.one, session: "one" });
  await at.run("workflow.feature", { description: "The second", id: WORKFLOWS.two, session: "two" });
  return { at, root, mate, now };
}
type Checkout = Awaited<ReturnType<typeof createCheckout>>;

let notes = 0;
const getTime = (root: string, path: string): number =>
  fs.lstatSync(join(root, path), { throwIfNoEntry: false })?.ctimeMs ?? 0;

function note({ root, now }: Checkout, event: "PreToolUse" | "PostToolUse", session: string, more: object): void {
  const common = { id: `note-${++notes}`, event, session, at: now(), steady: 0, boot: "test boot", ms: 1 };
  if (!appendJournalLines(root, { ...common, ...more })) throw new Error("The journal cannot be written.");
}

/** An edit that the client of the session reports. */
function edit(checkout: Checkout, session: "one" | "two", path: string, act: () => void): void {
  const report = (event: "PreToolUse" | "PostToolUse"): void =>
    note(checkout, event, session, { paths: [path], changed: [getTime(checkout.root, path)] });
  report("PreToolUse");
  act();
  report("PostToolUse");
}

/** The newest end of a command by checkout and session. */
const lastEnds = new WeakMap<Checkout, Map<string, number>>();

function shell(checkout: Checkout, session: "one" | "two", n: number, act: () => void): void {
  const ends = lastEnds.get(checkout) ?? new Map<string, number>();
  const noteShell = (event: "PreToolUse" | "PostToolUse", from: number): number => {
    const time = Date.now();
    const found = listFilesChangedBetween(checkout.root, from, time);
    const changes = { paths: found.map(({ path }) => path), changed: found.map(({ changed_ms }) => changed_ms) };
    note(checkout, event, session, { shell: [time, `call-${n}`], ...changes });
    return time;
  };
  const begun = noteShell("PreToolUse", ends.get(session) ?? 0);
  waitForTick();
  act();
  waitForTick();
  lastEnds.set(checkout, ends.set(session, noteShell("PostToolUse", begun)));
}

/** The clock of the disk is a few milliseconds behind. A command of a real client takes longer than that to start. */
function waitForTick(): void {
  const from = Date.now();
  while (Date.now() <= from + 12);
}

function play(checkout: Checkout, step: Step, n: number, isOtherHooked: boolean): void {
  const { root, mate } = checkout;
  const otherEdits = (path: string): void => {
    const act = (): void => addLine(root, path, "two", n);
    if (isOtherHooked) edit(checkout, "two", path, act);
    else act();
  };
  const own = "one-new.txt";
  const isOwnHead = git(root, "log", "-1", "--format=%an %P").split(" ").length < 3;
  const actions: Readonly<Record<Step, () => void>> = {
    "one edits": () => edit(checkout, "one", "one.txt", () => addLine(root, "one.txt", "one", n)),
    "one creates": () => edit(checkout, "one", own, () => addLine(root, own, "one", n)),
    "one runs a command": () => shell(checkout, "one", n, () => addLine(root, `one-made-${n}.txt`, "one", n)),
    "one deletes": () => edit(checkout, "one", own, () => fs.rmSync(join(root, own), { force: true })),
    "two edits": () => otherEdits("two.txt"),
    "two creates": () => otherEdits("two-new.txt"),
    "user edits their file": () => addLine(root, "user.txt", "user", n),
    "user edits a file of one": () => addLine(root, "one.txt", "user", n),
    "user creates": () => put(root, `user-${n}.txt`, `user ${n}\n`),
    "user's tool creates while nobody runs a command": () => put(root, `tool-${n}.txt`, `user ${n}\n`),
    "commit all": () => {
      git(root, "add", "-A");
      attempt(root, "commit", "-qm", "All");
    },
    "commit one's files": () => {
      for (const path of FILES.one) attempt(root, "add", path);
      attempt(root, "commit", "-qm", "Work");
    },
    amend: () => {
      if (isOwnHead && git(root, "log", "-1", "--format=%an").startsWith("Tester"))
        attempt(root, "commit", "-q", "--amend", "-a", "--no-edit");
    },
    "mate pushes": () => {
      attempt(mate, "pull", "-q", "--no-edit", "origin", "main");
      for (const path of ["one.txt", "two.txt", `mate-${n}.txt`]) addLine(mate, path, "mate", n);
      git(mate, "add", "-A");
      git(mate, "commit", "-qm", "Mate");
      attempt(mate, "push", "-q", "origin", "main");
    },
    "pull by merge": () => attempt(root, "pull", "-q", "--no-rebase", "--no-edit", "--autostash", "origin", "main"),
    "pull by rebase": () => attempt(root, "pull", "-q", "--rebase", "--autostash", "origin", "main"),
    stash: () => attempt(root, "stash", "push", "-q", "-u"),
    pop: () => attempt(root, "stash", "pop", "-q"),
    "merge side": () => attempt(root, "merge", "-q", "--no-edit", n % 2 ? "--ff" : "--no-ff", "--autostash", "side"),
    "rebase onto side": () => attempt(root, "rebase", "-q", "--autostash", "side"),
  };
  waitForTick();
  actions[step]();
  waitForTick();
}

const readText = (root: string, path: string): string =>
  fs.existsSync(join(root, path)) ? fs.readFileSync(join(root, path), "utf8") : "";

const listFiles = (root: string): string[] => fs.readdirSync(root).filter((name) => name.endsWith(".txt"));

const listLines = (root: string, isOwn: (line: string) => boolean): string[] =>
  listFiles(root)
    .flatMap((path) =>
      readText(root, path)
        .split("\n")
        .map((line) => `${path}: ${line}`),
    )
    .filter((line) => /: (?:one|two|user|mate|side) \d+$/.test(line) && !isOwn(line))
    .toSorted();

async function listWork({ at }: Checkout, session: "one" | "two"): Promise<string[]> {
  const work = await at.run("workflow.work", { action: "show", id: WORKFLOWS[session], session });
  return (work["files"] as { path: string }[]).map(({ path }) => path);
}

async function playPlan({ isDirty, isOtherHooked, steps }: Plan): Promise<void> {
  const checkout = await createCheckout(isDirty);
  using at = checkout.at;
  const { root } = checkout;
  const stashed = new Set<string>();
  for (const [i, step] of steps.entries()) {
    play(checkout, step, i + 1, isOtherHooked);
    for (const session of ["one", "two"] as const) {
      // A file that the session edited stays with its work. While that edit is in a stash, the user's count instead.
      if (step === "stash") for (const path of FILES[session]) stashed.add(path);
      if (step === `${session} edits`) stashed.delete(FILES[session][0] ?? "");
      const isKnown = session === "one" || isOtherHooked;
      const written = listFiles(root).filter((path) => new RegExp(`^${session} \\d`, "m").test(readText(root, path)));
      const expected = isKnown ? written : [];
      const found = (await listWork(checkout, session)).filter((path) => written.includes(path) || !stashed.has(path));
      expect([step, session, found]).toEqual([step, session, expected.toSorted()]);
    }
  }
  const others = (): string[] => listLines(root, (line) => line.includes(": one "));
  const before = others();
  const back = { id: WORKFLOWS.one, stage: "discover", session: "one", keep_overlaps: true };
  const planned = await at.run("workflow.rollback", back);
  await at.run("workflow.rollback", { ...back, confirm: planned["token"] });
  expect(others()).toEqual(before);
}

test.each<[string, Plan]>([
  [
    "a commit of a command's file that is rebased under an edit",
    {
      isDirty: false,
      isOtherHooked: false,
      steps: ["one runs a command", "commit all", "one edits", "rebase onto side", "one edits"],
    },
  ],
])("finds the work after %s", async (_, plan) => {
  await expect(playPlan(plan)).resolves.toBeUndefined();
});

test(
  `finds a session's own work, and its rollback keeps every line of others (TENON_SEED=${seed})`,
  { timeout: 3_600_000 },
  async () => {
    const property = fc.asyncProperty(Plan, playPlan);
    await expect(fc.assert(property, { seed, numRuns: isFull ? 60 : 10 })).resolves.toBeUndefined();
  },
);
