import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../kit/client.ts";
import { temporaryRepository } from "../kit/folder.ts";
import { type Finished, tenonAsync } from "../kit/process.ts";
import { ownHouse } from "../kit/own-house.ts";

const START = ["change", "start", "Fix the search", "--type", "fix", "--size", "small", "--json"];

interface Answer {
  readonly change?: { readonly id: string };
  readonly error?: { readonly code: string };
}

const answers = (finished: readonly Finished[]): Answer[] =>
  finished.map(({ out, err }) => JSON.parse(out || err) as Answer);
const ids = (finished: readonly Finished[]): string[] => answers(finished).flatMap(({ change }) => change?.id ?? []);
const faults = (finished: readonly Finished[]): string[] => answers(finished).flatMap(({ error }) => error?.code ?? []);
const many = <T>(n: number, make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: n }, make));

async function started(root: string): Promise<string[]> {
  const house = ownHouse(root);
  const { store } = await house.open({ argument: root });
  const events = await store.events(0);
  house.close();
  return events.map(({ subject }) => subject).toSorted();
}

test.each([1, 2, 3])("one of two concurrent starts wins, and the other gets a reason (%i)", async () => {
  using repository = temporaryRepository();
  const finished = await many(2, () => tenonAsync(START, { cwd: repository.path }));
  expect(finished.map(({ code }) => `exit ${code}`).toSorted()).toEqual(["exit 0", "exit 1"]);
  expect([ids(finished), faults(finished)]).toEqual([["fix-the-search"], ["change.already-active"]]);
  expect(await started(repository.path)).toEqual(["fix-the-search"]);
});

test("starts ten of twenty concurrent changes, each with its own id", async () => {
  using repository = temporaryRepository();
  const finished = await many(20, () => tenonAsync([...START, "--concurrent"], { cwd: repository.path }));
  const names = ["", ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `-${n}`)]
    .map((end) => `fix-the-search${end}`)
    .toSorted();
  expect(ids(finished).toSorted()).toEqual(names);
  expect(faults(finished)).toEqual(Array(10).fill("change.too-many"));
  expect(fs.readdirSync(join(repository.path, "sdd/changes")).toSorted()).toEqual(names);
  expect(await started(repository.path)).toEqual(names);
});

test("keeps all concurrent calls of a server and commands", async () => {
  using repository = temporaryRepository();
  await using connection = await connect("2026-07-28", { cwd: repository.path });
  const said = { context: "c", decision: "d", rationale: "r" };
  const flags = Object.entries(said).flatMap(([name, text]) => [`--${name}`, text]);
  const [calls, commands] = await Promise.all([
    many(12, () => connection.call("sdd_adr", { title: "By the server", ...said })),
    many(6, () => tenonAsync(["adr", "record", "By a command", ...flags, "--json"], { cwd: repository.path })),
  ]);
  const refs = [
    ...calls.map((call) => call.structuredContent),
    ...commands.map(({ out }) => JSON.parse(out) as unknown),
  ].map((answer) => (answer as { adr?: { ref?: string } }).adr?.ref);
  const expected = Array.from({ length: 18 }, (_, i) => `ADR-${String(i + 1).padStart(4, "0")}`);
  expect(refs.map(String).toSorted()).toEqual(expected);
  expect(await started(repository.path)).toEqual(expected);
});
