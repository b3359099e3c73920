import { fillEmptySections } from "#domain/steering/fill.ts";
import { getCoreSteeringName, resolveSteeringPath } from "#domain/steering/name.ts";
import type { Engine } from "../engine.ts";
import { renderCoreFiles, formatStackName } from "./create.ts";
import { type SteeringResult, type ManageSteeringInput, createSteeringPlan, createUnchangedPlan } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { selectSteeringStacks } from "./stacks.ts";
import { commitSteering } from "./writing.ts";

/** Text that a person wrote stays. */
export async function fillSteeringProfile(engine: Engine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, permissions, notes } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, { action: "profile" });
  const said = stacks.map(formatStackName);
  return commitSteering(engine, (tree) => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    for (const name of stacks.length > 0 ? (["tech", "structure"] as const) : []) {
      const path = resolveSteeringPath(getCoreSteeringName(name));
      const before = tree.text(path);
      draft.write(path, before === undefined ? rendered[name] : fillEmptySections(before, rendered[name]));
    }
    const done = { profile: { stacks: said, permissions: [...permissions] }, notes: [...notes] };
    if (draft.changed().length === 0)
      return createUnchangedPlan({ ...done, notes: [...notes, "Nothing was left for a profile to fill in."] });
    return createSteeringPlan(
      draft,
      "profile",
      { summary: `Filled in from ${said.join(", ")}`, reason: input.reason },
      done,
    );
  });
}
