/** Takes a bugfix and a feature through the gates of one project, honestly, and tries three lies on the way. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { dirname, join } from "node:path";
import { commitAll } from "./project-copy.ts";
import { addLicense, type ProjectList, type RealProject, writeScriptedTest } from "./project-list.ts";

export interface ProjectResult {
  readonly name: string;
  readonly runner: string;
  detected: string;
  commands?: readonly StackCommand[];
  /** Kinds that the project has no tool for, waived once by its user. */
  waived: readonly string[];
  /** Honest calls that were refused, each with the gate's answer. */
  readonly refused: string[];
  /** Lies that a gate let through. */
  readonly passed: string[];
  /** Lies that count: those whose honest version passed. */
  lies: number;
  suite?: MeasuredRun;
  /** Its linters, compilers and formatters that the gate ran too, run once. */
  others?: MeasuredRun;
  gate?: MeasuredRun;
  /** The same gate on the same files, so that no check runs. */
  again?: MeasuredRun;
  /** How long each check of the honest gate took, by its report. */
  took?: string | undefined;
  problem?: string;
  /** When it was measured, and the commit of Tenon. */
  at?: string;
  commit?: string;
}

interface StackCommand {
  readonly kind: string;
  readonly command: string;
}

/** Seconds by the clock, and of all processors together. */
export interface MeasuredRun {
  readonly wall: number;
  readonly processor: number;
}

interface ShellAnswer {
  readonly ok: boolean;
  readonly said: string;
  readonly measured: MeasuredRun;
}

interface Door {
  tenon(...words: string[]): ShellAnswer;
  shell(line: string): ShellAnswer;
  read(path: string): string;
  write(path: string, text: string): void;
  remove(path: string): void;
}

export function walkProject(list: ProjectList, project: RealProject, root: string, program: string): ProjectResult {
  const result: ProjectResult = {
    name: project.name,
    runner: project.runner,
    detected: "",
    waived: [],
    refused: [],
    passed: [],
    lies: 0,
  };
  const door = openDoor(root, program);
  const original = door.read(project.code);
  if (!original.includes(project.bug.line)) throw new Error(`${project.code} has no line "${project.bug.line}"`);
  const broken = original.replace(project.bug.line, () => project.bug.becomes);
  const first = door.shell(project.suite);
  if (!first.ok && project.fails === undefined) throw new Error(`its own tests fail here: ${lastLines(first.said)}`);
  // The gate also tests changed code, so that a compiler has as much to do in both.
  door.write(project.code, commentFix(list, project, original, "BUG-001"));
  result.suite = door.shell(project.suite).measured;
  door.write(project.code, broken);
  require(door.tenon("init"));
  waiveMissingKinds(door, result, project.waive ?? []);
  commitAll(root, "Begin");
  const trust = JSON.parse(require(door.tenon("trust", "--json")).said) as { token?: string };
  if (trust.token !== undefined) require(door.tenon("trust", "--confirm", trust.token));
  walkBugfix(list, project, door, result, { original, broken });
  commitAll(root, "Fix the bug");
  walkFeature(list, project, door, result);
  return result;
}

/** As its user does once, after reading tenon stack. */
function waiveMissingKinds(door: Door, result: ProjectResult, more: readonly string[]): void {
  const { stacks } = JSON.parse(require(door.tenon("stack", "--json")).said) as {
    stacks: { name: string; missing: { kind: string }[]; checks: StackCommand[] }[];
  };
  result.detected = stacks.map(({ name }) => name).join("; ");
  result.commands = stacks.flatMap(({ checks }) => checks);
  const kinds = stacks.flatMap(({ missing }) => missing.map(({ kind }) => kind));
  result.waived = [...new Set([...kinds, ...more])].filter((kind) =>
    ["lint", "types", "coverage", ...more].includes(kind),
  );
  const lines = [
    "version: 1",
    "gates:",
    "  waived:",
    ...result.waived.map((kind) => `    ${kind}: The project has no tool for it`),
  ];
  door.write("sdd/config.yaml", `${(result.waived.length > 0 ? lines : lines.slice(0, 1)).join("\n")}\n`);
}

function walkBugfix(
  list: ProjectList,
  project: RealProject,
  door: Door,
  result: ProjectResult,
  { original, broken }: { readonly original: string; readonly broken: string },
): void {
  const id = "BUG-001";
  const honest = (step: string, ...words: string[]) => expectPass(result, step, door.tenon(...words));
  const lies: { readonly name: string; readonly isRefused: boolean }[] = [];
  const lie = (name: string, ...words: string[]) => lies.push({ name, isRefused: !door.tenon(...words).ok });
  const test = writeScriptedTest(list, project, project.bug, { id, slug: "regression" });
  const fixed = commentFix(list, project, original, id);
  honest("bugfix", "bugfix", `${project.code} answers wrongly`);
  door.write(`sdd/specs/${id}.yaml`, bugSpec(id, project.code, test.file));
  honest("investigate", "workflow", "advance", "--approve", "Ann");
  if (!honest("specify-fix", "workflow", "advance", "--approve", "Ann").ok) return;

  door.write(project.code, fixed);
  door.write(test.file, test.text);
  const gate = honest("gate of the fix", "gate", id);
  result.gate = gate.measured;
  result.took = /^took.*(?:\n {2,}.*)*/m.exec(gate.said)?.[0];
  result.again = door.tenon("gate", id).measured;
  result.others = measureOtherChecks(door, result);

  door.write(project.code, broken);
  lie("edit after the pass", "workflow", "advance", id);
  door.write(project.code, fixed);

  const lying = writeScriptedTest(list, project, project.lie, { id, slug: "regression" });
  door.write(lying.file, lying.text);
  lie("test that passes before", "gate", id);
  door.write(test.file, test.text);

  const deleted = door.read(project.deleted);
  door.remove(project.deleted);
  lie("deleted test", "gate", id);
  door.write(project.deleted, deleted);

  const advanced = honest("fix", "workflow", "advance", id);
  honest("verify", "workflow", "advance", id, "--approve", "Ann");
  // A gate that refuses everything proves nothing.
  const counted = gate.ok && advanced.ok ? lies : [];
  result.lies = counted.length;
  result.passed.push(...counted.filter(({ isRefused }) => !isRefused).map(({ name }) => name));
}

/** The commands of the kinds that the gate ran, without the tests. */
function measureOtherChecks(door: Door, { commands = [], took = "" }: ProjectResult): MeasuredRun {
  const bin = ["node_modules/.bin", ".venv/bin", "vendor/bin"].map((each) => `$PWD/${each}`).join(":");
  const runs = commands
    .filter(({ kind }) => ["lint", "types", "format", "build"].includes(kind) && took.includes(`${kind} `))
    .map(({ command }) => door.shell(`PATH="${bin}:$PATH"; ${command}`).measured);
  const sum = (read: (run: MeasuredRun) => number): number => runs.reduce((total, run) => total + read(run), 0);
  return { wall: sum(({ wall }) => wall), processor: sum(({ processor }) => processor) };
}

/** The fix with a comment that names the bug. */
function commentFix({ templates }: ProjectList, project: RealProject, original: string, id: string): string {
  const { comment } = templates[project.template] ?? { comment: "//" };
  return original.replace(project.bug.line, (line) => `${comment} @spec ${id}\n${indentOf(original, line)}${line}`);
}

function walkFeature(list: ProjectList, project: RealProject, door: Door, result: ProjectResult): void {
  const id = "BENCH-001";
  const honest = (step: string, ...words: string[]) => expectPass(result, step, door.tenon(...words));
  const { file, text, append = false } = project.feature;
  const test = writeScriptedTest(list, project, project.feature, { id: `${id}.AC-1`, slug: "feature" });
  honest("feature", "feature", "A helper for the bench", "--id", id);
  door.write(`sdd/specs/${id}.yaml`, featureSpec(id, file, test.file));
  honest("discover", "workflow", "advance", id, "--approve", "Ann");
  if (!honest("specify", "workflow", "advance", id, "--approve", "Ann").ok) return;
  door.write(file, append ? door.read(file) + text : addLicense(project, text));
  door.write(test.file, test.text);
  const implemented = honest("implement", "workflow", "advance", id);
  if (!implemented.ok) return;
  const page = `# The helper of ${id}\n\nIt returns its argument twice.\n`;
  door.write("docs/bench-helper.md", addLicense(project, page, ["<!--", "-->"]));
  honest("verify the feature", "workflow", "advance", id, "--approve", "Ann");
}

function expectPass(result: ProjectResult, step: string, answer: ShellAnswer): ShellAnswer {
  if (!answer.ok) result.refused.push(`${step}: ${listProblems(answer.said)}`);
  return answer;
}

function require(answer: ShellAnswer): ShellAnswer {
  if (!answer.ok) throw new Error(lastLines(answer.said));
  return answer;
}

function openDoor(root: string, program: string): Door {
  const data = `${root}.data`;
  return {
    tenon: (...words) =>
      runMeasured(root, [process.execPath, program, ...words], {
        TENON_DATA: data,
        XDG_DATA_HOME: data,
        NO_COLOR: "1",
      }),
    shell: (line) => runMeasured(root, ["sh", "-c", line]),
    read: (path) => fs.readFileSync(join(root, path), "utf8"),
    write(path, text) {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true });
      fs.writeFileSync(join(root, path), text);
    },
    remove: (path) => fs.rmSync(join(root, path)),
  };
}

/** The shell knows how much processor time its children took. */
function runMeasured(root: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): ShellAnswer {
  const started = performance.now();
  const ended = spawnSync("sh", ["-c", '"$@"; code=$?; times >&3; exit $code', "sh", ...argv], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const wall = (performance.now() - started) / 1000;
  const [, children = ""] = String(ended.output[3]).split("\n");
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, seconds]) =>
    [minutes, seconds].map(Number),
  );
  const processor = times.reduce((total, [minutes = 0, seconds = 0]) => total + minutes * 60 + seconds, 0);
  const ok = ended.status === 0;
  return { ok, said: ok ? ended.stdout : `${ended.stdout}\n${ended.stderr}`, measured: { wall, processor } };
}

const indentOf = (text: string, line: string): string => {
  const at = text.indexOf(line);
  return /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? "";
};

/** The problems that a gate lists, or the end of the answer. */
const listProblems = (said: string): string => {
  const problems = said.split("\n").filter((line) => /^- (?!Already failing|Changed since)/.test(line));
  return problems.length > 0 ? problems.join(" / ").slice(0, 900) : lastLines(said, 6);
};

const lastLines = (text: string, most = 4): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-most)
    .join(" / ")
    .slice(-900);

const bugSpec = (id: string, code: string, test: string): string => `schema_version: 2
id: ${id}
type: bug
title: ${code} answers wrongly
status: draft
priority: high
symptom:
  description: A function of ${code} gives a wrong result.
  reproduction:
    - Load ${code}.
    - Call the function as the regression test does.
    - Compare the result.
  observed_behavior: The result is wrong.
  expected_behavior: The result is the documented one.
investigation:
  root_cause: One line of ${code} was changed by mistake.
  affected_components: [${code}]
fix_approach:
  summary: Put the line back.
  changes:
    - file: ${code}
      action: modify
  acceptance_criteria:
    - Given the input of the report, When the function is called, Then the result is the documented one
    - Given any other input, When the function is called, Then the result is the same as before
regression_prevention:
  - "Add test: ${test}"
trace:
  code: [${code}]
  tests: [${test}]
`;

const featureSpec = (id: string, code: string, test: string): string => `schema_version: 2
id: ${id}
type: feature
title: A helper for the bench
status: draft
summary: Callers get a value twice.
user_stories:
  - id: US-1
    as_a: caller
    i_want: a value twice
    so_that: I do not have to repeat it
acceptance_criteria:
  - id: AC-1
    given: a value
    when: the helper is called with it
    then: it returns the value twice
success_criteria:
  - metric: callers that repeat the value themselves
    target: none
api_contracts:
  - The helper takes one value and returns it twice
test_scenarios:
  - id: TS-1
    covers: [AC-1]
    description: call the helper and compare the result
trace:
  code: [${code}]
  tests: [${test}]
`;
