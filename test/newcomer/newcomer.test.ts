import fs from "node:fs";
import { dirname, join } from "node:path";
import { load } from "js-yaml";
import { beforeAll, expect, test } from "vitest";
import { hasTerminal, type NewMachine, startNewMachine } from "./machine.ts";

/**
 * `$` is a command that a newcomer types, with the first lines of its answer below. `<` writes a file from the `|` lines
 * below it, `?` answers a question of the command above. A heading with `##` starts a journey. The user's repository is as
 * it was in the beginning for each, and Tenon stays installed. `UPDATE=1` rewrites the answers.
 */
const TRANSCRIPT = new URL("transcript.txt", import.meta.url);
const LONGEST = 300_000;
const SHOWN_LINES = 5;

interface Journey {
  readonly commands: number;
  /** Standard output of each command. */
  readonly answers: readonly string[];
}

const journeys = new Map<string, Journey>();
let machine: NewMachine;

function replayTranscript(text: string): string {
  const ownFiles = new Map<string, string>();
  const failed: string[] = [];
  let name = "";
  const blocks = text.trimEnd().split(/\n\n(?=[#$<])/);
  const replayed = blocks.map((block) => {
    const [head = "", ...lines] = block.split("\n");
    if (head.startsWith("## ")) {
      name = head.slice(3);
      journeys.set(name, { commands: 0, answers: [] });
      machine.enter(name === "install" ? machine.checkout : createRepository(name, ownFiles));
    } else if (head.startsWith("< ")) {
      const content = `${lines.map((line) => line.replace(/^\| ?/, "")).join("\n")}\n`;
      if (name === "") ownFiles.set(head.slice(2), content);
      else writeFile(join(machine.root, name, head.slice(2)), content);
    } else if (head.startsWith("$ ")) {
      const question = lines.filter((line) => line.startsWith("? "));
      const { code, out, err } = machine.run(head.slice(2), question[0]?.slice(2));
      if (code !== 0) failed.push(`${head}: exit code ${code}\n${out}${err}`);
      const { commands, answers } = journeys.get(name) ?? { commands: 0, answers: [] };
      journeys.set(name, { commands: commands + 1, answers: [...answers, out] });
      return [head, ...question, ...shortenAnswer(out)].join("\n");
    }
    return block;
  });
  expect(failed).toEqual([]);
  return `${replayed.join("\n\n")}\n`;
}

/** Blank lines separate blocks, so an answer is shown without them. */
function shortenAnswer(out: string): string[] {
  const lines = out
    .replaceAll(machine.root, "<root>")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "<hash>")
    .replaceAll(/\bin \d+m?s\b/g, "in <time>")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), "…"] : lines;
}

function createRepository(name: string, files: ReadonlyMap<string, string>): string {
  const root = join(machine.root, name);
  for (const [path, content] of files) writeFile(join(root, path), content);
  machine.enter(root);
  machine.run("git init --quiet && git add . && git commit --quiet --message 'Add slugify'");
  return root;
}

function writeFile(path: string, content: string): void {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
}

const countCommands = (name: string): number =>
  (journeys.get("install")?.commands ?? 0) + (journeys.get(name)?.commands ?? 0);

const lastAnswer = (name: string): string => journeys.get(name)?.answers.at(-1) ?? "";

beforeAll(() => {
  machine = startNewMachine();
  return () => machine[Symbol.dispose]();
}, LONGEST);

test.skipIf(!hasTerminal)("gives the answers of the transcript to a newcomer's commands", { timeout: LONGEST }, () => {
  const written = fs.readFileSync(TRANSCRIPT, "utf8");
  const replayed = replayTranscript(written);
  if (process.env["UPDATE"]) fs.writeFileSync(TRANSCRIPT, replayed);
  expect(replayed).toBe(fs.readFileSync(TRANSCRIPT, "utf8"));
});

test.skipIf(!hasTerminal)(
  "runs the example for GitHub Actions on a clean machine with the packed tarball",
  { timeout: LONGEST },
  () => {
    const root = createRepository("ci", new Map([["README.md", "# Slugs\n"]]));
    const { out } = machine.run("tenon init >init.txt && mkdir -p .github/workflows && tenon ci example github");
    const { on, jobs } = load(out) as { on: object; jobs: { specs: { steps: { run?: string }[] } } };
    expect(Object.keys(on)).toEqual(["push", "pull_request"]);
    machine.enter(machine.checkout);
    machine.run(`npm pack --pack-destination ${join(root, ".github")}`);
    const lines = jobs.specs.steps.flatMap(({ run }) => run ?? []);
    machine.enter(root);
    const clean = `export npm_config_prefix=${join(root, "prefix")} PATH=${join(root, "prefix/bin")}:$PATH`;
    const { code, out: answer, err } = machine.run([clean, ...lines, "which tenon"].join("\n"));
    expect(`${code} ${answer}${err}`).toMatch(/^0 [^]*All 5 checks pass\.[^]*ci\/prefix\/bin\/tenon/);
  },
);

test.skipIf(!hasTerminal)("links the man page in a global installation", () => {
  const page = fs.readFileSync(join(machine.root, "prefix/share/man/man1/tenon.1"), "utf8");
  expect(page).toContain(".TH TENON 1");
});

test.skipIf(!hasTerminal)("takes 3 commands from the package to a correct answer about a user's own code", () => {
  expect(lastAnswer("answer")).toContain("src/slugify.js:1-4 function slugify(title)");
  expect(countCommands("answer")).toBe(3);
});

test.skipIf(!hasTerminal)("takes 6 commands from the package to a completed small change", () => {
  const { status } = JSON.parse(
    fs.readFileSync(join(machine.root, "change/sdd/changes/turn-underscores-into-hyphens/change.json"), "utf8"),
  );
  expect(status).toBe("completed");
  expect(countCommands("change")).toBe(6);
});

test.skipIf(!hasTerminal)("takes 9 commands from the package to a bugfix whose gates ran the project's tests", () => {
  const receipts = fs.readFileSync(join(machine.root, "bugfix/sdd/receipts/BUG-001.jsonl"), "utf8");
  for (const gate of ["gate-2-bugfix-implement", "gate-3-bugfix-verify"]) expect(receipts).toContain(gate);
  expect(receipts).toContain('"argv":["node","--test"');
  expect(lastAnswer("bugfix")).toContain("BUG-001");
  expect(countCommands("bugfix")).toBe(9);
});
