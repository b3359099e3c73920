import { filledFrom } from "#domain/steering/fill.ts";
import { coreFile, pathOf } from "#domain/steering/name.ts";
import type { Engine } from "../engine.ts";
import { renderCore, sayStack } from "./create.ts";
import { type Done, type Input, planned, unchanged } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { knownStacks } from "./stacks.ts";
import { writeSteering } from "./writing.ts";

/** Text that a person wrote stays. */
export async function profile(engine: Engine, input: Input): Promise<Done> {
  const { stacks, permissions, notes } = await knownStacks(engine, input.profile);
  const rendered = await renderCore(engine, stacks, { action: "profile" });
  const said = stacks.map(sayStack);
  return writeSteering(engine, (tree) => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    for (const name of stacks.length > 0 ? (["tech", "structure"] as const) : []) {
      const path = pathOf(coreFile(name));
      const before = tree.text(path);
      draft.write(path, before === undefined ? rendered[name] : filledFrom(before, rendered[name]));
    }
    const done = { profile: { stacks: said, permissions: [...permissions] }, notes: [...notes] };
    if (draft.changed().length === 0)
      return unchanged({ ...done, notes: [...notes, "Nothing was left for a profile to fill in."] });
    return planned(draft, "profile", { summary: `Filled in from ${said.join(", ")}`, reason: input.reason }, done);
  });
}
