import type * as z from "zod";
import { archiveChange } from "#domain/change/change.ts";
import { type ChangeId, parseChangeId } from "#domain/change/id.ts";
import { Fault } from "#domain/fault.ts";
import { changeFolder, CHANGES, HISTORY } from "#domain/workspace/path.ts";
import { commit } from "../engine.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../store.ts";
import type { ChangeArchive, ChangeClosed } from "./schema.ts";
import { everyChange, findChange, occurrences, type ShelvedChange, recordStep } from "./shelf.ts";
import { changePage, viewChange } from "./view.ts";

export const archive = operation<z.infer<typeof ChangeArchive>, z.infer<typeof ChangeClosed>>({
  id: "change.archive",
  effect: "change",
  input: async () => (await import("./schema.ts")).ChangeArchive,
  output: async () => (await import("./schema.ts")).ChangeClosed,
  async run(engine, { change_id }) {
    const record = await commit(engine, (tree) => {
      const { record: before } = choose(tree, change_id);
      if (tree.has(changeFolder(HISTORY, before.id))) throw inTheWay(before.id);
      const [archived, effects] = archiveChange(before, engine.clock.now());
      const happened = occurrences(archived, effects);
      return {
        steps: [
          recordStep(archived),
          { kind: "move", from: changeFolder(CHANGES, archived.id), to: changeFolder(HISTORY, archived.id) },
        ],
        occurrences: happened,
        result: archived,
      };
    });
    return { change: viewChange(record) };
  },
  page: ({ change }) => changePage(`${change.id} is archived in ${change.path}.`, change),
});

/** The named change, or the only one that is completed. */
function choose(tree: Tree, name: string | undefined): ShelvedChange {
  if (name !== undefined) return findChange(tree, parseChangeId(name));
  const completed = everyChange(tree, [CHANGES]).changes.filter(({ record }) => record.status === "completed");
  const [only, second] = completed;
  if (only && !second) return only;
  throw new Fault("change.none-to-archive", {
    what: "It is not clear which change to archive.",
    why: only ? `${completed.map(({ record }) => record.id).join(", ")} are completed.` : "No change is completed.",
    fix: only
      ? completed.map(({ record }) => ({ operation: "change.archive", input: { change_id: record.id } }))
      : { operation: "change.list" },
  });
}

function inTheWay(id: ChangeId): Fault {
  return new Fault("change.in-history", {
    what: `${id} cannot be archived.`,
    why: `${changeFolder(HISTORY, id)} is there already: two branches may have had a change of that name.`,
    fix: `Rename one of them: git mv ${changeFolder(HISTORY, id)} ${changeFolder(HISTORY, id)}-1`,
  });
}
