/** A walk through one change, from its start to the archive, in a temporary repository, with the built program. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../bin/tenon.js", import.meta.url));
const folder = fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "tenon-demo-")));
execFileSync("git", ["init", "--quiet"], { cwd: folder });

const hasColour = process.stdout.isTTY && !process.env["NO_COLOR"];
const bold = (text: string): string => (hasColour ? `\u001b[1m${text}\u001b[0m` : text);
const dim = (text: string): string => (hasColour ? `\u001b[2m${text}\u001b[0m` : text);
const say = (text: string): void => console.log(`\n${dim(`# ${text}`)}`);

/** As one would type it in a shell: words with line ends in its own quotes. */
function typed(word: string): string {
  if (/^[\w./:=-]+$/.test(word)) return word;
  return word.includes("\n") ? `$'${word.replaceAll("\n", "\\n")}'` : JSON.stringify(word);
}

/** Runs a command as a user would and shows it with its answer; guides are cut after their first lines. */
function tenon(...words: string[]): void {
  console.log(`\n${bold(`$ tenon ${words.map(typed).join(" ")}`)}`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...words], {
    cwd: folder,
    encoding: "utf8",
    // What the demo learns is not for your own memory.
    env: { ...process.env, TENON_HOME: `${folder}-home` },
  });
  console.log(shorten(`${stdout}${stderr}`).trimEnd());
  if (status !== 0) console.log(dim(`(exit ${status})`));
}

function shorten(text: string): string {
  return text.replace(/^# Stage: (.+)\n[\s\S]*?(?=^next:)/gm, "(the guide of stage $1)\n\n");
}

say(`A fresh repository in ${folder}. One command makes it a workspace.`);
tenon("init");
say("A small fix has four stages. Type and size decide that; nobody picks.");
tenon("change", "start", "Fix the empty search", "--type", "fix", "--size", "small");
tenon("change", "advance", "--content", "Searching for nothing answers 500. It should answer an empty list.");
say("What is there already is looked at first, and what does not fit together has to be answered.");
tenon("context", "check");
say("A stage ends when its artifact holds what the stage needs. Hand-waving is refused, with every problem at once.");
tenon("change", "advance", "--content", "Looks fine to me, as FR-007 says.");
tenon("change", "advance", "--content", "## Findings\n\nNo spec mentions it.\n\n## Impact\n\nPatch.");
say("A decision is recorded when it is made, in the change it belongs to.");
tenon(
  "adr",
  "record",
  "Answer an empty list",
  "--context=An empty query is not an error.",
  "--decision=200 with an empty list.",
  "--rationale=Clients need no special case.",
);
say("Tasks are parsed: these two wait for each other.");
tenon(
  "change",
  "advance",
  "--content",
  "- TASK-001: Test (depends on TASK-002)\n- TASK-002: Mend (depends on TASK-001)",
);
tenon("change", "advance", "--content", "- TASK-001: Write the failing test\n- TASK-002: Mend (depends on TASK-001)");
say("Verification has to name every task.");
tenon("change", "advance", "--content", "## Evidence\n\nAll done, trust me.");
tenon("change", "advance", "--content", "## Evidence\n\nTASK-001 seen to fail; TASK-002: 12 passed.");
tenon("change", "archive");
say("The next session asks in its own words, and finds what was decided.");
tenon("memory", "search", "what do we return when somebody looks for nothing?", "--limit", "2");
say("Everything is in plain files, and everything is checked.");
tenon("validate");
console.log(
  `\n${execFileSync("git", ["status", "--short", "--untracked-files=all"], { cwd: folder, encoding: "utf8" }).trimEnd()}`,
);
say(`The repository stays in ${folder} for you to look at.`);
