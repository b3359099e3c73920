import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { parseSteeringName, pathOf } from "#domain/steering/name.ts";
import { joinFolderPath, STEERING_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { StorePlan } from "../ports/store.ts";
import { type Done, type Input, planned } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { refuseMissing } from "./update.ts";
import { filesIn } from "./view.ts";
import { writeSteering } from "./writing.ts";

export async function remove(engine: Engine, { name: said, confirm, reason }: Input): Promise<Done> {
  return writeSteering(engine, (tree): StorePlan<Done> => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const files = filesIn(tree);
    if (said === undefined) {
      if (files.length === 0) throw nothingThere();
      if (confirm === undefined) throw unconfirmed(files);
      for (const file of files) draft.remove(joinFolderPath(STEERING_FOLDER, file));
      return planned(draft, "delete", { summary: `All steering is gone: ${files.join(", ")}`, reason });
    }
    const name = parseSteeringName(said);
    refuseMissing(tree, name);
    draft.remove(pathOf(name));
    return planned(draft, "delete", { summary: `${name}.md is gone`, reason });
  });
}

const nothingThere = (): Fault =>
  new Fault("steering.missing", {
    what: "Nothing was deleted.",
    why: `There is no file in ${STEERING_FOLDER}.`,
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const unconfirmed = (files: readonly string[]): Fault =>
  new Fault("steering.unconfirmed", {
    what: "Nothing was deleted.",
    why: `That would take away ${formatCount(files.length, "file")}, so the user has to type RESET.`,
    fix: ["Ask the user first.", { operation: "steering.manage", input: { action: "delete", confirm: "RESET" } }],
  });
