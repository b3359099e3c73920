import type * as z from "zod";
import { IMPORT_OUTCOMES } from "#domain/importing/found.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { createHoofyConflictFault, hideOwnFolder } from "./in-the-way.ts";
import { findImportLayouts, type DetectedLayout } from "./looking.ts";
import { formatImportPage } from "./page.ts";
import { planImport, type PreparedLayout } from "./planning.ts";
import { prepareImportItems } from "./preparing.ts";
import type { ImportInputSchema, ImportOutputSchema } from "./schema.ts";

type ImportOutput = z.infer<typeof ImportOutputSchema>;
type ImportPlanner = (tree: Parameters<typeof planImport>[0]) => ReturnType<typeof planImport>;

export const importForeignSpecs = defineOperation<z.infer<typeof ImportInputSchema>, ImportOutput>({
  id: "importing.take",
  effect: "append",
  isLong: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).ImportInputSchema,
  output: async () => (await import("./schema.ts")).ImportOutputSchema,
  async run(engine, { sources, from, apply = false }) {
    const all = await findImportLayouts(engine, sources?.length ? sources : [undefined], from);
    const blocking = all.find(isHoofyConflict);
    if (apply && blocking) throw createHoofyConflictFault("Nothing was imported.");
    const [config, at] = [await engine.assets.text("templates/config"), engine.clock.now()];
    const prepared: PreparedLayout[] = [];
    for (const seen of all) prepared.push({ seen, items: await prepareImportItems(engine, seen) });
    const plan: ImportPlanner = (tree) => planImport(tree, prepared, { at, config });
    // Plans as if the user had already moved the blocking folder.
    const looked = await engine.store.read((tree) => plan(blocking ? hideOwnFolder(tree) : tree));
    // With nothing to write, the ledger export is not written either.
    const { rows, notes, made } =
      apply && looked.steps.length > 0 ? await commitImport(engine, plan, looked.steps.length) : looked.result;
    return {
      applied: apply,
      asked: { ...(sources ? { sources } : {}), ...(from ? { from } : {}) },
      layouts: all.map(({ layout, folder, files, unread }) => ({ layout, folder, files: files.size + unread.length })),
      files: [...rows],
      counts: countImportOutcomes([...rows]),
      work: all.flatMap(({ found, nameOf }) =>
        found.work.map(({ from: path, ...work }) => ({ path: nameOf(path), ...work })),
      ),
      made: [...made],
      notes: [...notes],
      ...(blocking ? { in_the_way: blocking.folder } : {}),
    };
  },
  page: (output) => formatImportPage(output),
});

/** Number of files above which writing reports progress. */
const MANY_IMPORT_STEPS = 50;

function commitImport(engine: Engine, plan: ImportPlanner, steps: number) {
  if (steps > MANY_IMPORT_STEPS) engine.progress.tell(`writing ${steps} files`);
  return commitStoreWrite(engine, plan);
}

function countImportOutcomes(rows: ImportOutput["files"]): ImportOutput["counts"] {
  const count = (outcome: string): number =>
    rows.filter((row) => row.outcome === outcome).reduce((total, { files = 1 }) => total + files, 0);
  return Object.fromEntries(IMPORT_OUTCOMES.map((outcome) => [outcome, count(outcome)])) as ImportOutput["counts"];
}

const isHoofyConflict = ({ layout, folder }: DetectedLayout): boolean => layout === "hoofy" && folder === "sdd";
