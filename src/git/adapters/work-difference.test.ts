import fs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isFull, seed } from "../../../test/kit/chance.ts";
import { git, temporaryFolder } from "../../../test/kit/folder.ts";
import { put } from "../../../test/kit/repository.ts";
import type { WorkBaseline } from "../operations/ports/git-files.ts";
import { openGitSession } from "./git-repository.ts";
import { createGitSnapshots } from "./git-snapshots.ts";

/** Each author writes lines with their name into their own zone, so that git merges them and a reader can tell them apart. */
const AUTHORS = ["agent", "user", "mate", "side"] as const;
type Author = (typeof AUTHORS)[number];

const ZONES = AUTHORS.flatMap((author) => [
  `zone ${author}`,
  ...Array.from({ length: 8 }, (_, i) => `${author} pad`.replace(author, `pad of ${author} ${i}`)),
]);
const SHARED = "shared.txt";

const write = (root: string, path: string, author: Author, n: number): void => {
  const place = join(root, path);
  const lines = fs.existsSync(place) ? fs.readFileSync(place, "utf8").split("\n") : [`zone ${author}`, ""];
  const at = Math.max(lines.indexOf(`zone ${author}`), 0);
  lines.splice(at + 1, 0, `${author} ${n}`);
  put(root, path, lines.join("\n"));
};

const STEPS = [
  "agent writes shared",
  "agent writes new",
  "agent writes own",
  "agent deletes new",
  "user writes",
  "commit all",
  "commit agent's",
  "amend",
  "mate pushes",
  "pull by merge",
  "pull by rebase",
  "stash",
  "pop",
  "new branch",
  "rename branch",
  "main",
  "detach",
  "side commits",
  "merge side",
  "rebase onto side",
] as const;
type Step = (typeof STEPS)[number];

/** A checkout with an origin and a teammate, in which the user has uncommitted edits when the work begins. */
async function createCheckout(isDirty: boolean, below: string) {
  const folder = temporaryFolder();
  const [origin, mate, top] = ["origin", "mate", "here"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  git(folder.path, "init", "-q", "--bare", "--initial-branch=main", origin);
  for (const [clone, name] of [
    [top, "Tester"],
    [mate, "Mate"],
  ] as const) {
    git(folder.path, "clone", "-q", origin, clone);
    git(clone, "config", "user.name", name);
    git(clone, "config", "user.email", `${name}@example.com`);
    git(clone, "config", "commit.gpgSign", "false");
  }
  const root = join(top, below);
  const inMate = join(mate, below);
  put(root, SHARED, `${ZONES.join("\n")}\n`);
  for (const path of ["own.txt", "user.txt", "side.txt", "mate.txt"]) put(root, path, `${ZONES.join("\n")}\n`);
  git(top, "add", "-A");
  git(top, "commit", "-qm", "First");
  git(top, "push", "-q", "origin", "main");
  git(mate, "pull", "-q", "origin", "main");
  git(top, "checkout", "-qb", "side");
  write(root, "side.txt", "side", 0);
  git(top, "commit", "-qam", "Side");
  git(top, "checkout", "-q", "main");
  if (isDirty) {
    write(root, SHARED, "user", 0);
    put(root, "notes.txt", "user 0\n");
  }
  return { root, top, mate, inMate, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** A git that refuses changes nothing. */
function attempt(top: string, ...words: string[]): void {
  try {
    git(top, ...words);
  } catch {
    for (const abort of [
      ["merge", "--abort"],
      ["rebase", "--abort"],
    ]) {
      try {
        git(top, ...abort);
      } catch {
        // It was not under way.
      }
    }
  }
}

const isClean = (top: string): boolean => git(top, "status", "--porcelain") === "";
const branchOf = (top: string): string => git(top, "branch", "--show-current").trim();
const isOwnHead = (top: string): boolean =>
  git(top, "log", "-1", "--format=%an %P").startsWith("Tester") &&
  git(top, "log", "-1", "--format=%P").split(" ").length < 2;

const ACTIONS: Readonly<
  Record<Step, (at: { root: string; top: string; mate: string; inMate: string }, n: number) => void>
> = {
  "agent writes shared": ({ root }, n) => write(root, SHARED, "agent", n),
  "agent writes new": ({ root }, n) => write(root, "new.txt", "agent", n),
  "agent writes own": ({ root }, n) => write(root, "own.txt", "agent", n),
  "agent deletes new": ({ root }) => fs.rmSync(join(root, "new.txt"), { force: true }),
  "user writes": ({ root }, n) => write(root, "user.txt", "user", n),
  "commit all": ({ top }) => {
    git(top, "add", "-A");
    attempt(top, "commit", "-qm", "All");
  },
  "commit agent's": ({ root, top }) => {
    for (const path of ["own.txt", "new.txt"]) attempt(root, "add", path);
    attempt(top, "commit", "-qm", "Work");
  },
  amend: ({ top }) => {
    if (isOwnHead(top)) attempt(top, "commit", "-q", "--amend", "-a", "--no-edit");
  },
  "mate pushes": ({ mate, inMate }, n) => {
    attempt(mate, "pull", "-q", "--no-edit", "origin", "main");
    for (const path of [SHARED, "mate.txt", `mate-${n}.txt`]) write(inMate, path, "mate", n);
    git(mate, "add", "-A");
    git(mate, "commit", "-qm", "Mate");
    attempt(mate, "push", "-q", "origin", "main");
  },
  "pull by merge": ({ top }) => attempt(top, "pull", "-q", "--no-rebase", "--no-edit", "--autostash", "origin", "main"),
  "pull by rebase": ({ top }) => attempt(top, "pull", "-q", "--rebase", "--autostash", "origin", "main"),
  stash: ({ top }) => attempt(top, "stash", "push", "-q", "-u"),
  pop: ({ top }) => attempt(top, "stash", "pop", "-q"),
  "new branch": ({ top }, n) => attempt(top, "checkout", "-q", "-b", `topic-${n}`),
  "rename branch": ({ top }, n) => {
    if (branchOf(top).startsWith("topic-")) attempt(top, "branch", "-m", `topic-${n}`);
  },
  main: ({ top }) => attempt(top, "checkout", "-q", "main"),
  detach: ({ top }) => attempt(top, "checkout", "-q", "--detach"),
  "side commits": ({ root, top }, n) => {
    const branch = branchOf(top);
    if (!isClean(top) || branch === "" || branch === "side") return;
    git(top, "checkout", "-q", "side");
    for (const path of [SHARED, "side.txt"]) write(root, path, "side", n);
    git(top, "commit", "-qam", "Side");
    git(top, "checkout", "-q", branch);
  },
  "merge side": ({ top }, n) =>
    attempt(top, "merge", "-q", "--no-edit", n % 2 ? "--ff" : "--no-ff", "--autostash", "side"),
  "rebase onto side": ({ top }) => attempt(top, "rebase", "-q", "--autostash", "side"),
};

/** Git's marks of a conflict, which the agent's lines caused, are part of the work. */
const AGENT_LINE = /^(?:agent |<{7} |={7}$|>{7} )/;

/** Lines that the agent did not write. Undefined for a file that only the agent wrote. */
const withoutAgent = (path: string, text: string): string | undefined =>
  path === "new.txt"
    ? undefined
    : text
        .split("\n")
        .filter((line) => !AGENT_LINE.test(line))
        .join("\n");

async function checkWork(root: string, baseline: WorkBaseline): Promise<void> {
  const snapshots = createGitSnapshots(openGitSession(root, process.env));
  const found = await snapshots.sinceBaseline(baseline);
  const agents = [SHARED, "own.txt", "new.txt"];
  const seen = found
    .filter(({ path }) => agents.includes(path))
    .map(({ path, from }) => [path, from && git(root, "cat-file", "blob", from.blob)]);
  const expected = agents.toSorted().flatMap((path) => {
    const place = join(root, path);
    const text = fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
    return /^agent /m.test(text) ? [[path, withoutAgent(path, text)]] : [];
  });
  expect(seen).toEqual(expected);
  // Everything else that differs is the user's own edit in this checkout.
  expect(found.map(({ path }) => path).filter((path) => !agents.includes(path) && path !== "user.txt")).toEqual([]);
}

const Plan = fc.record({
  isDirty: fc.boolean(),
  below: fc.constantFrom("", "packages/shop"),
  steps: fc.array(fc.constantFrom(...STEPS), { minLength: 3, maxLength: isFull ? 24 : 12 }),
});

async function playSteps({ isDirty, below, steps }: { isDirty: boolean; below: string; steps: readonly Step[] }) {
  using at = await createCheckout(isDirty, below);
  const snapshots = () => createGitSnapshots(openGitSession(at.root, process.env));
  let baseline = await snapshots().takeBaseline();
  for (const [i, step] of steps.entries()) {
    ACTIONS[step](at, i + 1);
    // A call of the agent notes the branch that it works on.
    const branch = await snapshots().branch();
    const isAgents = step.startsWith("agent") && !baseline.branches.includes(branch);
    if (isAgents) baseline = { ...baseline, branches: [...baseline.branches, branch] };
    await checkWork(at.root, baseline);
  }
}

test.each<[string, readonly Step[]]>([
  ["on a branch that the next one begins at", ["agent writes own", "new branch", "commit all", "new branch"]],
  ["on a branch that is renamed", ["agent writes own", "new branch", "commit all", "rename branch"]],
  ["before the commit is checked out alone", ["agent writes own", "new branch", "commit all", "detach"]],
  ["before a stash comes back with a conflict", ["agent writes own", "stash", "agent writes own", "amend", "pop"]],
])("records work that the user commits %s", async (_, steps) => {
  await expect(playSteps({ isDirty: false, below: "", steps })).resolves.toBeUndefined();
});

test(
  `records exactly what the agent wrote, whatever git does to the checkout (TENON_SEED=${seed})`,
  { timeout: 3_600_000 },
  async () => {
    const property = fc.asyncProperty(Plan, playSteps);
    await expect(fc.assert(property, { seed, numRuns: isFull ? 60 : 10 })).resolves.toBeUndefined();
  },
);
