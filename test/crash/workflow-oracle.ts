import fs from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type EventLogName, formatEventLog, EVENT_LOG_NAMES } from "#kernel/model/event-log.ts";
import type { WorkflowSnapshot } from "#planning/model/workflow/workflow-record.ts";
import {
  LOCK_SPACE,
  PRIORITY_SPACE,
  ROLLBACK_SPACE,
  SESSION_SPACE,
  SNAPSHOT_SPACE,
  WORKFLOW_SPACE,
} from "#planning/operations/workflow/ledger-spaces.ts";
import { git } from "../kit/folder.ts";
import type { TestHouse } from "../kit/house.ts";
import { type Likeness, takeLikeness } from "../kit/repository.ts";
import type { Word } from "./oracle.ts";
import { leftovers } from "./picture.ts";
import { NEXT, OWN, realHouse, type WorkflowScenario } from "./workflow-scenario.ts";

/** What the ledger keeps, what it tells, and the files of workflows, without what differs from run to run. */
export interface State {
  readonly kept: unknown;
  readonly events: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

export interface WorkflowExpectation {
  readonly scenario: WorkflowScenario;
  readonly words: readonly string[];
  /** What nobody may touch. */
  readonly others: Likeness;
  /** After the next command, when the struck one never was, and when it was. */
  readonly before: State;
  readonly after: State;
  /** After the next command and then the struck one again. */
  readonly repeated: State;
}

const LOOKS = [["workflow", "status"], ["status"], ["workflow", "status", "--all"]];

/**
 * Everything that is wrong in a repository in which a command was struck; it is worked on as anybody would. A git that was
 * struck too may have left a lock, and then somebody does what the fault says.
 */
export async function judgeWorkflow(
  root: string,
  expected: WorkflowExpectation,
  word: Word,
  mayGitDie: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  using house = realHouse(root);
  const refs = listRefs(root);
  await lookAround(house, root, expected, wrong);
  await run(house, NEXT, wrong);
  const found = await stateOf(root);
  const isAfter = isDeepStrictEqual(found, expected.after);
  if (!isAfter && !isDeepStrictEqual(found, expected.before))
    wrong.push(`neither old nor new: ${difference(found, expected.before)}; and ${difference(found, expected.after)}`);
  if (!isAfter && word === "done") wrong.push("it said that it is done, and it is not");
  if (isAfter && word === "unchanged") wrong.push("it said that nothing changed, and something did");
  await run(house, isAfter ? expected.scenario.after : expected.words, wrong);
  if (!isAfter) {
    const again = await stateOf(root);
    if (!isDeepStrictEqual(again, expected.repeated)) wrong.push(`again: ${difference(again, expected.repeated)}`);
  }
  wrong.push(...touched(root, expected.others));
  wrong.push(...(await leftBehind(root, mayGitDie)));
  const now = listRefs(root);
  for (const [ref, commit] of refs)
    if (now.has(ref) && now.get(ref) !== commit) wrong.push(`the number of ${ref} was given twice`);
  await run(house, ["doctor"], wrong);
  return wrong;
}

/** Looking works whatever happened, and changes nothing. */
async function lookAround(
  house: TestHouse,
  root: string,
  { others }: WorkflowExpectation,
  wrong: string[],
): Promise<void> {
  const before = { ...flat(await stateOf(root)), ...takeLikeness(root) };
  wrong.push(...touched(root, others));
  for (const words of LOOKS) await run(house, words, wrong);
  const { code } = await house.run("doctor", "--json");
  if (code !== 0 && code !== 3) wrong.push(`doctor exits with ${code}`);
  const now = { ...flat(await stateOf(root)), ...takeLikeness(root) };
  if (!isDeepStrictEqual(now, before)) wrong.push(`looking changed something: ${difference(now, before)}`);
}

function touched(root: string, others: Likeness): string[] {
  const now = readForeignFiles(root);
  return [...new Set([...Object.keys(others), ...Object.keys(now)])].flatMap((name) =>
    others[name] === now[name] ? [] : [`${name} was ${others[name]} and is ${now[name]}`],
  );
}

/** What stands in nobody's way, and what would be there for ever. */
async function leftBehind(root: string, mayGitDie: boolean): Promise<string[]> {
  const inGit = fs.readdirSync(join(root, ".git"), { recursive: true, encoding: "utf8" });
  const { found, due } = await logged(root);
  return [
    ...[...leftovers(root), ...(mayGitDie ? [] : inGit.filter(isLock))].map((path) => `left behind: ${path}`),
    ...(found === due ? [] : [`the logs tell ${found} instead of ${due}`]),
  ];
}

/** Private ones have names of their own, so they are in nobody's way; they are removed within the hour. */
const isLock = (path: string): boolean => path.endsWith(".lock") && !path.startsWith("tenon/files/");

/** What the logs tell, and what they would tell if nothing ever interfered. */
async function logged(root: string): Promise<{ found: string; due: string }> {
  using house = realHouse(root);
  const { store } = await house.house.open({});
  const kinds = await store.read((tree) => tree.kept(WORKFLOW_SPACE));
  const lines = (await store.events(0)).flatMap((event) => formatEventLog(event, kinds.get(event.subject)?.kind) ?? []);
  const textOf = (log: EventLogName): string => {
    const place = join(root, `.sdd/logs/${log}.log`);
    return fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
  };
  const dueIn = (log: EventLogName): string =>
    lines.flatMap((each) => (each.log === log ? `${each.line}\n` : [])).join("");
  return { found: EVENT_LOG_NAMES.map(textOf).join("\n"), due: EVENT_LOG_NAMES.map(dueIn).join("\n") };
}

async function run(house: TestHouse, words: readonly string[], wrong: string[]): Promise<void> {
  const { code, out, err } = await house.run(...words, "--json");
  const lock = /rm (\S+\.lock)/.exec(err)?.[1];
  if (code !== 0 && lock !== undefined && fs.existsSync(lock)) {
    fs.rmSync(lock);
    await run(house, words, wrong);
  } else if (code !== 0) wrong.push(`tenon ${words.join(" ")} exits with ${code}: ${err || out}`);
}

/** Everything that is not the workflow's own, nor the machine's, nor a spec: those are looked at by `stateOf`. */
export function readForeignFiles(root: string): Likeness {
  const isOwn = (name: string): boolean =>
    OWN.some((path) => name === `file ${path}` || name === `index ${path}`) ||
    /^(?:file|folder) (?:sdd|\.sdd|src\/code)(?:\/|$)|\/\.tenon-[0-9a-f]{24}$/.test(name);
  return Object.fromEntries(Object.entries(takeLikeness(root)).filter(([name]) => !isOwn(name)));
}

const SPACES = [WORKFLOW_SPACE, LOCK_SPACE, SESSION_SPACE, PRIORITY_SPACE, ROLLBACK_SPACE];

export async function stateOf(root: string): Promise<State> {
  using house = realHouse(root);
  const { store } = await house.house.open({});
  const kept = await store.read((tree) => ({
    ...Object.fromEntries(SPACES.map((space) => [space.name, [...tree.kept<unknown>(space).values()]])),
    snapshots: listSnapshots([...tree.kept(SNAPSHOT_SPACE).values()]),
  }));
  const events = (await store.events(0)).map(({ kind, subject }) => `${kind} ${subject}`);
  return {
    kept: JSON.parse(timeless(JSON.stringify(kept)).replaceAll(root, "<root>")) as unknown,
    events,
    files: filesIn(root),
  };
}

/** By their rank, for a number that was drawn for nothing is not drawn again. */
function listSnapshots(all: readonly WorkflowSnapshot[]): unknown[] {
  const rank = ({ workflow }: WorkflowSnapshot, n: number | undefined): number =>
    all.filter((other) => other.workflow === workflow && n !== undefined && other.n < n).length;
  return all.map((each) => ({
    ...each,
    n: rank(each, each.n),
    ...(each.dropped_by === undefined ? {} : { dropped_by: rank(each, each.dropped_by) }),
    // The times of files differ from run to run.
    ...(each.undoes === undefined ? {} : { undoes: each.undoes.map(([path]) => path) }),
    commit: "",
  }));
}

function filesIn(root: string): Record<string, string> {
  const likeness = takeLikeness(root);
  const own = OWN.flatMap((path) => [`file ${path}`, `index ${path}`]).map((name) => [name, likeness[name] ?? "none"]);
  const documents = Object.keys(likeness)
    .filter((name) => name.startsWith("file sdd/"))
    .map((name) => [name, timeless(fs.readFileSync(join(root, name.slice("file ".length)), "utf8"))]);
  return Object.fromEntries([...own, ...documents]) as Record<string, string>;
}

/** Private refs, with those that no ledger knows. */
function listRefs(root: string): Map<string, string> {
  const lines = git(root, "for-each-ref", "--format=%(refname) %(objectname)", "refs/tenon").split("\n");
  return new Map(lines.slice(0, -1).map((line) => line.split(" ") as [string, string]));
}

const timeless = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:]+Z)?/g, "<time>")
    .replaceAll(/"[0-9a-f]{40,64}"/g, '"<hash>"')
    // What is rehearsed in this process is the source, what is struck is the built program.
    .replaceAll(/"tenon":"[^"]*"/g, '"tenon":"<version>"')
    .replaceAll(/"spent_s":\d+/g, '"spent_s":0');

function difference(one: object, other: object): string {
  const [a, b] = [flat(one), flat(other)];
  return Object.keys({ ...a, ...b })
    .filter((key) => a[key] !== b[key])
    .map((key) => `${key} is ${a[key]} and not ${b[key]}`)
    .slice(0, 6)
    .join(", ");
}

/** Every value by the way to it. */
function flat(value: unknown, name = ""): Record<string, string> {
  if (typeof value !== "object" || value === null) return { [name]: JSON.stringify(value) };
  const parts = Object.entries(value).map(([key, inner]) => flat(inner, `${name}/${key}`));
  return Object.assign({}, ...parts) as Record<string, string>;
}
