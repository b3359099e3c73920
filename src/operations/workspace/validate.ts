import type * as z from "zod";
import { isChangeId } from "#domain/change/id.ts";
import { count } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import type { Config } from "#domain/workspace/config.ts";
import { DEFAULT_CONFIG } from "#domain/workspace/config.ts";
import { changeRecord, CHANGES, CONFIG, HISTORY, inFolder, type Shelf } from "#domain/workspace/path.ts";
import { everyAdr } from "../adr/list.ts";
import { workspaceAdrs } from "../adr/shelf.ts";
import { inspectChange } from "../change/inspect.ts";
import { everyChange } from "../change/shelf.ts";
import type { Engine } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../store.ts";
import type { WorkspaceValidation } from "./schema.ts";

type Output = z.infer<typeof WorkspaceValidation>;
type Problem = Output["problems"][number];

export const validate = operation<Record<string, never>, Output>({
  id: "workspace.validate",
  effect: "read",
  output: async () => (await import("./schema.ts")).WorkspaceValidation,
  async run(engine) {
    const { config, problems: configProblems } = await readSettings(engine);
    const { items, problems } = await engine.store.read((tree) => inspect(tree, config));
    const all = [...configProblems, ...problems];
    return { passed: all.length === 0, items, problems: all };
  },
  page: ({ passed, items, problems }) => ({
    title: passed
      ? `${items} records and documents are valid.`
      : `${count(problems.length, "problem")} in ${items} records and documents.`,
    points: problems.map(({ path, line, problem }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
    next: passed ? [] : [{ operation: "workspace.doctor" }],
  }),
  isRefusal: (output) => !output.passed,
});

async function readSettings(engine: Engine): Promise<{ config: Config; problems: Problem[] }> {
  try {
    return { config: await engine.settings.load(), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { config: DEFAULT_CONFIG, problems: [{ path: CONFIG, problem: error.why }] };
  }
}

/** One pass over everything. */
function inspect(tree: Tree, config: Config): { items: number; problems: Problem[] } {
  const { changes, damaged } = everyChange(tree);
  const { adrs, damaged: damagedAdrs } = everyAdr(tree);
  const artifacts = changes.map((change) => inspectChange(tree, change, config));
  return {
    items:
      changes.length + damaged.length + adrs.length + damagedAdrs.length + sum(artifacts.map((found) => found.items)),
    problems: [
      ...[...damaged, ...damagedAdrs].map(({ path, why }) => ({ path, problem: why })),
      ...[CHANGES, HISTORY].flatMap((shelf) => strayFolders(tree, shelf)),
      ...artifacts.flatMap((found) => found.problems),
      ...twins(tree),
    ],
  };
}

/** Folders that are no change: a name that is not an id, or no record. */
function strayFolders(tree: Tree, shelf: Shelf): Problem[] {
  return tree
    .names(shelf)
    .filter((name) => !name.startsWith("."))
    .flatMap((name): Problem[] => {
      if (!isChangeId(name)) return [{ path: inFolder(shelf, name), problem: "Its name is not a change id." }];
      return tree.has(changeRecord(shelf, name))
        ? []
        : [{ path: inFolder(shelf, name), problem: "It has no change.json." }];
    });
}

/** Two decisions with one number, as two branches may bring together. */
function twins(tree: Tree): Problem[] {
  const first = new Map<string, string>();
  return workspaceAdrs(tree).flatMap(({ id, path }): Problem[] => {
    const other = first.get(id);
    first.set(id, other ?? path);
    return other
      ? [{ path, problem: `${id} is also the number of ${other}: give one of them the next free number.` }]
      : [];
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
