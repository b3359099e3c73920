import type * as z from "zod";
import { OUTCOMES } from "#domain/importing/found.ts";
import { commitStoreWrite, type Engine } from "../engine.ts";
import { defineOperation } from "../operation.ts";
import { inTheWay, withoutOurs } from "./in-the-way.ts";
import { lookForLayouts, type Seen } from "./looking.ts";
import { page } from "./page.ts";
import { planImport, type Prepared } from "./planning.ts";
import { prepare } from "./preparing.ts";
import type { ImportTake, Imported } from "./schema.ts";

type Output = z.infer<typeof Imported>;
type Deciding = (tree: Parameters<typeof planImport>[0]) => ReturnType<typeof planImport>;

export const take = defineOperation<z.infer<typeof ImportTake>, Output>({
  id: "importing.take",
  effect: "append",
  isLong: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).ImportTake,
  output: async () => (await import("./schema.ts")).Imported,
  async run(engine, { sources, from, apply = false }) {
    const all = await lookForLayouts(engine, sources?.length ? sources : [undefined], from);
    const blocking = all.find(isInTheWay);
    if (apply && blocking) throw inTheWay("Nothing was imported.");
    const [config, at] = [await engine.assets.text("templates/config"), engine.clock.now()];
    const prepared: Prepared[] = [];
    for (const seen of all) prepared.push({ seen, items: await prepare(engine, seen) });
    const plan: Deciding = (tree) => planImport(tree, prepared, { at, config });
    // Plans as if the user had already moved the blocking folder.
    const looked = await engine.store.read((tree) => plan(blocking ? withoutOurs(tree) : tree));
    // With nothing to write, the ledger export is not written either.
    const { rows, notes, made } =
      apply && looked.steps.length > 0 ? await write(engine, plan, looked.steps.length) : looked.result;
    return {
      applied: apply,
      asked: { ...(sources ? { sources } : {}), ...(from ? { from } : {}) },
      layouts: all.map(({ layout, folder, files, unread }) => ({ layout, folder, files: files.size + unread.length })),
      files: [...rows],
      counts: countsOf([...rows]),
      work: all.flatMap(({ found, nameOf }) =>
        found.work.map(({ from: path, ...work }) => ({ path: nameOf(path), ...work })),
      ),
      made: [...made],
      notes: [...notes],
      ...(blocking ? { in_the_way: blocking.folder } : {}),
    };
  },
  page: (output) => page(output),
});

/** Number of files above which writing reports progress. */
const LONG = 50;

function write(engine: Engine, plan: Deciding, steps: number) {
  if (steps > LONG) engine.progress.tell(`writing ${steps} files`);
  return commitStoreWrite(engine, plan);
}

function countsOf(rows: Output["files"]): Output["counts"] {
  const count = (outcome: string): number =>
    rows.filter((row) => row.outcome === outcome).reduce((total, { files = 1 }) => total + files, 0);
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Output["counts"];
}

const isInTheWay = ({ layout, folder }: Seen): boolean => layout === "hoofy" && folder === "sdd";
