import fs from "node:fs";
import { join } from "node:path";
import { openRecord } from "#store/adapters/record-seal.ts";
import { parseChangeId } from "#kernel/model/stages/change-stages.ts";
import { type WorkspacePath, PROJECT_RECORD_PATH } from "#kernel/model/workspace-paths.ts";
import { createChangeShape } from "#planning/operations/change/change-records.ts";
import { projectRecordShape } from "#planning/operations/project/project-record-file.ts";
import type { TestHouse } from "../kit/house.ts";
import { differences, events, leftovers, readWorkflowLog, picture, type Picture } from "./picture.ts";
import { houseIn, NEXT_WRITE, type Scenario } from "./scenario.ts";

/** A workspace before a command and after it, as it goes when nothing interferes. */
export interface Expectation {
  readonly scenario: Scenario;
  readonly before: Picture;
  readonly after: Picture;
  /** What the ledger told before. */
  readonly already: readonly string[];
  readonly happened: readonly string[];
}

/**
 * What the command told its caller: that it is done, that nothing was changed, that the next command will finish it, or
 * nothing at all.
 */
export type Word = "done" | "unchanged" | "pending" | "silent";

/** As far as the caller could make it out. */
export type Told = Word | { readonly wrong: string };

/**
 * Looks at a workspace in which a command was struck down, and then goes on working in it as anybody would. Gives
 * everything that is wrong: nothing, if the promise holds.
 */
export async function judge(root: string, expected: Expectation, word: Word): Promise<string[]> {
  const wrong: string[] = [];
  using house = houseIn(root);
  const pending = await lookAround(house, root, expected, wrong);
  if (word === "unchanged" && pending > 0) wrong.push("it said that nothing changed, and a write is pending");
  const outcome = await carryOn(house, root, expected, wrong);
  if (outcome === undefined) return wrong;
  if (pending > 0 && outcome === "before") wrong.push("the pending write was not finished");
  if (outcome === "before" && word === "done") wrong.push("it said that it is done, and it is not");
  if (outcome === "before" && word === "pending") wrong.push("it said that the write will be finished, and it was not");
  if (outcome === "after" && word === "unchanged") wrong.push("it said that nothing changed, and something did");
  const next = outcome === "before" ? expected.scenario.words : expected.scenario.after;
  for (const words of [next, ["validate"], ["doctor"]]) await run(house, words, wrong);
  return wrong;
}

/** As a reader finds it: old or new, or told that a write is pending and wrong only where that write goes. */
async function lookAround(house: TestHouse, root: string, expected: Expectation, wrong: string[]): Promise<number> {
  const found = picture(root);
  wrong.push(...brokenSeals(root));
  const answer = await run(house, ["status"], wrong);
  const { unfinished_writes = 0, damaged = [] } = answer as { unfinished_writes?: number; damaged?: unknown[] };
  if (damaged.length > 0) wrong.push(`status finds damage: ${JSON.stringify(damaged)}`);
  if (unfinished_writes > 0) wrong.push(...(await halfway(house, found, expected)));
  else wrong.push(...atRest(root, found, expected));
  if (differences(found, picture(root)).length > 0) wrong.push("looking changed something");
  return unfinished_writes;
}

/** While a write is pending, nothing else is touched, and no record speaks of what is not there yet. */
async function halfway(house: TestHouse, found: Picture, { before, after }: Expectation): Promise<string[]> {
  const { store } = await house.house.open({});
  const targets = (await store.pending()).flatMap(({ paths }) => paths);
  const stray = differences(found, before).filter(
    (path) => before[path] === after[path] && !targets.some((target) => path.startsWith(target)),
  );
  const isEarly = (path: string): boolean =>
    /\/(?:change|sdd)\.json$/.test(path) && found[path] === after[path] && found[path] !== before[path];
  const missing = Object.keys(found).some(isEarly) ? differences(found, after) : [];
  return [
    ...stray.map((path) => `${path} is touched`),
    ...missing.map((path) => `the record is new, and ${path} is not`),
  ];
}

/** When none is, everything is old or everything is new. */
function atRest(root: string, found: Picture, { before, after }: Expectation): string[] {
  const [toOld, toNew] = [differences(found, before), differences(found, after)];
  const left = leftovers(root).filter((path) => path.startsWith("sdd/"));
  return [
    ...(toOld.length > 0 && toNew.length > 0
      ? [`neither old (${toOld.join(", ")}) nor new (${toNew.join(", ")})`]
      : []),
    ...left.map((path) => `nothing is pending, yet there is ${path}`),
  ];
}

/** The next write, by somebody who knows nothing of what happened. Tells on which side it came down. */
async function carryOn(
  house: TestHouse,
  root: string,
  expected: Expectation,
  wrong: string[],
): Promise<"before" | "after" | undefined> {
  const numbers = adrNumbers(root);
  const answer = (await run(house, NEXT_WRITE, wrong)) as { adr?: { ref: string; path: string } };
  if (!answer.adr) return undefined;
  const taken = [...numbers, ...adrNumbers(root)].filter((number) => number === answer.adr?.ref);
  if (taken.length !== 1) wrong.push(`the number ${answer.adr.ref} was given twice`);
  const place = answer.adr.path;
  const found = picture(root);
  const outcome = (["before", "after"] as const).find((side) =>
    differences(found, expected[side]).every(
      (path) => path === place || (path.endsWith("/") && place.startsWith(path)),
    ),
  );
  if (!outcome) wrong.push(`neither old nor new after recovery: ${differences(found, expected.before).join(", ")}`);
  const happened = [...(outcome === "after" ? expected.happened : []), `adr.recorded ${answer.adr.ref}`];
  const told = (await events(root)).slice(expected.already.length);
  if (told.join() !== happened.join()) wrong.push(`the ledger tells ${told.join()} instead of ${happened.join()}`);
  const { found: log, due } = await readWorkflowLog(root);
  if (log !== due) wrong.push(`the log tells ${JSON.stringify(log)} instead of ${JSON.stringify(due)}`);
  const left = leftovers(root);
  if (left.length > 0) wrong.push(`left behind: ${left.join(", ")}`);
  if (fs.readFileSync(join(root, ".sdd/.gitignore"), "utf8") !== "*\n") wrong.push("git does not ignore .sdd");
  const status = (await run(house, ["status"], wrong)) as { unfinished_writes?: number };
  if (status.unfinished_writes !== 0) wrong.push("a write is still pending");
  return outcome;
}

/** Runs a command that must succeed and has nothing to complain about. */
async function run(house: TestHouse, words: readonly string[], wrong: string[]): Promise<object> {
  const { code, out, err } = await house.run(...words, "--json");
  if (code !== 0 || err !== "") wrong.push(`tenon ${words.join(" ")} exits with ${code}: ${err || out}`);
  return code === 0 ? (JSON.parse(out) as object) : {};
}

function brokenSeals(root: string): string[] {
  return Object.keys(picture(root)).flatMap((path) => {
    const id = /^sdd\/(?:changes|history)\/([^/]+)\/change\.json$/.exec(path)?.[1];
    if (id === undefined && path !== PROJECT_RECORD_PATH) return [];
    const text = fs.readFileSync(join(root, path), "utf8");
    try {
      if (id === undefined) openRecord(PROJECT_RECORD_PATH, text, projectRecordShape);
      else openRecord(path as WorkspacePath, text, createChangeShape(parseChangeId(id)));
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
}

/** Each decision of the workspace itself, by its number; one that two files carry comes twice. */
function adrNumbers(root: string): string[] {
  return Object.keys(picture(root)).flatMap((path) => /^sdd\/adrs\/(ADR-\d+)-/.exec(path)?.[1] ?? []);
}
