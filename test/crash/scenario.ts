import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { git } from "../kit/folder.ts";
import { testHouse, type TestHouse } from "../kit/house.ts";

/** A command to be struck, and the workspace it is struck in. */
export interface Scenario {
  readonly name: string;
  readonly words: readonly string[];
  /** A command that works once the struck one has happened. */
  readonly after: readonly string[];
  /** Brings the workspace to where the command can be given. Without it, there is not even a ledger. */
  readonly prepare?: readonly (readonly string[])[];
  /** Whether the last process that prepared it was killed, so that the ledger's log is still there. */
  readonly hasLog?: true;
}

const CHANGE = "fix-the-empty-search";
const CONTEXT = "## Findings\n\nNothing else reads it.\n\n## Impact\n\nPatch.";
const TASKS = "- [ ] TASK-001: Answer with everything";
const EVIDENCE = "## Evidence\n\nTASK-001: the test passes.";

const start = ["change", "start", "Fix the empty search", "--type", "fix", "--size", "small"];
const advance = (content: string): string[] => ["change", "advance", "--change-id", CHANGE, "--content", content];
const check = ["context", "check", "--change-id", CHANGE];
const decide = (title: string, ...more: string[]): string[] => [
  "adr",
  "record",
  title,
  ...more,
  "--context=Two ways",
  "--decision=This one",
  "--rationale=Simpler",
];
/** Somebody else's work, which nothing that happens may touch. */
const bystander = [
  ["change", "start", "Leave me alone", "--type", "refactor", "--size", "small"],
  ["change", "abandon", "leave-me-alone", "--reason", "Solved upstream"],
];
const begun = [["init"], ...bystander, start];

const propose = (solution: string): string[] => [
  "project",
  "propose",
  "--problem-statement=Tables are copied by hand",
  "--target-users=Harbour masters",
  "--proposed-solution",
  solution,
  "--out-of-scope=Weather",
  "--success-criteria=None copied",
];
const specify = [
  "project",
  "specify",
  "--must-have=- Show the tides",
  "--should-have=- Print",
  "--non-functional=- Fast",
];

/** Each touches as many files as its command can: folders to make, texts to move aside, decisions to restate. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "change advance",
    prepare: [
      ...begun,
      advance("Searching for nothing crashes."),
      ["change", "reopen", CHANGE, "--stage", "describe", "--reason", "The cause was misread"],
    ],
    words: advance("Searching for blanks crashes."),
    after: ["change", "reopen", CHANGE, "--stage", "describe", "--reason", "Misread again"],
  },
  {
    name: "context check",
    prepare: [...begun, advance("Searching for nothing crashes.")],
    words: check,
    // The write that follows a strike is a decision, and a check does not outlive one.
    after: check,
  },
  {
    name: "adr record in a change",
    prepare: [...begun, decide("Answer with nothing")],
    words: decide("Answer with everything", "--supersedes", "ADR-001"),
    after: decide("Answer within a second"),
  },
  {
    name: "adr record --standalone",
    prepare: [...begun, decide("Keep state in files", "--standalone")],
    hasLog: true,
    words: decide("Keep state in SQLite", "--standalone", "--supersedes", "ADR-0001"),
    after: decide("Use one ledger", "--standalone"),
  },
  {
    name: "change archive",
    prepare: [
      ...begun,
      decide("Answer with nothing"),
      advance("Searching for nothing crashes."),
      check,
      ...[CONTEXT, TASKS].map(advance),
      [...advance(EVIDENCE), "--no-code=Nothing is built here"],
    ],
    words: ["change", "archive", CHANGE],
    after: start,
  },
  {
    name: "project propose",
    prepare: [
      ["init"],
      ...bystander,
      ["project", "init", "--name=Tide tables", "--description=The next tides"],
      propose("A page."),
      specify,
      ["project", "reopen", "--stage=propose", "--reason=Misread"],
    ],
    words: propose("A page and a poster."),
    after: ["project", "confirm"],
  },
  { name: "the first change start", words: start, after: advance("Searching for nothing crashes.") },
];

/** The command that follows a strike: it belongs to no change, so it is possible whatever happened. */
export const NEXT_WRITE = decide("Carry on", "--standalone");

/** The workspace in this process, with ids that no other process gives out. */
export const houseIn = (root: string): TestHouse => testHouse(root, { newId: randomUUID });

export async function prepare(scenario: Scenario, root: string): Promise<void> {
  fs.mkdirSync(root);
  git(root, "init", "--quiet", "--initial-branch=main", "--template=");
  fs.writeFileSync(join(root, "README.md"), "The user's own.\n");
  using house = houseIn(root);
  for (const words of scenario.prepare ?? []) {
    const { code, err } = await house.run(...words);
    if (code !== 0) throw new Error(`${words.join(" ")}: ${err}`);
  }
  if (!scenario.hasLog) return;
  const asItStands = `${root}-as-it-stands`;
  fs.cpSync(root, asItStands, { recursive: true });
  house[Symbol.dispose]();
  fs.rmSync(root, { recursive: true });
  fs.renameSync(asItStands, root);
}
