import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { parseSteeringName, resolveSteeringPath } from "#domain/steering/name.ts";
import { joinFolderPath, STEERING_FOLDER } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { StorePlan } from "../ports/store.ts";
import { type SteeringResult, type ManageSteeringInput, createSteeringPlan } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { requireSteeringFile } from "./update.ts";
import { listSteeringFiles } from "./view.ts";
import { commitSteering } from "./writing.ts";

export async function removeSteering(
  engine: Engine,
  { name: said, confirm, reason }: ManageSteeringInput,
): Promise<SteeringResult> {
  return commitSteering(engine, (tree): StorePlan<SteeringResult> => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const files = listSteeringFiles(tree);
    if (said === undefined) {
      if (files.length === 0) throw createNoSteeringFault();
      if (confirm === undefined) throw createUnconfirmedFault(files);
      for (const file of files) draft.remove(joinFolderPath(STEERING_FOLDER, file));
      return createSteeringPlan(draft, "delete", { summary: `All steering is gone: ${files.join(", ")}`, reason });
    }
    const name = parseSteeringName(said);
    requireSteeringFile(tree, name);
    draft.remove(resolveSteeringPath(name));
    return createSteeringPlan(draft, "delete", { summary: `${name}.md is gone`, reason });
  });
}

const createNoSteeringFault = (): Fault =>
  new Fault("steering.missing", {
    what: "Nothing was deleted.",
    why: `There is no file in ${STEERING_FOLDER}.`,
    fix: { operation: "steering.manage", input: { action: "create" } },
  });

const createUnconfirmedFault = (files: readonly string[]): Fault =>
  new Fault("steering.unconfirmed", {
    what: "Nothing was deleted.",
    why: `That would take away ${formatCount(files.length, "file")}, so the user has to type RESET.`,
    fix: ["Ask the user first.", { operation: "steering.manage", input: { action: "delete", confirm: "RESET" } }],
  });
