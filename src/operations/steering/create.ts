import { Fault } from "#domain/fault.ts";
import { CORE_FILES, type CoreFile, coreFile, pathOf } from "#domain/steering/name.ts";
import { type KnownStack, productValues, structureValues, techValues } from "#domain/steering/prefill.ts";
import { renderTemplate } from "#domain/template.ts";
import type { Engine } from "../engine.ts";
import { type Done, type Input, planned } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { knownStacks } from "./stacks.ts";
import { fieldsGiven, givenTexts } from "./texts.ts";
import { writeSteering } from "./writing.ts";

export async function create(engine: Engine, input: Input): Promise<Done> {
  const { stacks, permissions, notes } = await knownStacks(engine, input.profile);
  const rendered = await renderCore(engine, stacks, input);
  return writeSteering(engine, (tree) => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const there = CORE_FILES.filter((name) => tree.has(pathOf(coreFile(name))));
    const missing = CORE_FILES.filter((name) => !there.includes(name));
    if (missing.length === 0 || (there.includes("product") && fieldsGiven(input).length > 0))
      throw exists(there, input);
    for (const name of missing) draft.write(pathOf(coreFile(name)), rendered[name]);
    return planned(
      draft,
      "create",
      { summary: `Steering begins: ${missing.map((name) => `${name}.md`).join(", ")}`, reason: input.reason },
      {
        kept: there.map((name) => pathOf(coreFile(name))),
        profile: { stacks: stacks.map(sayStack), permissions: [...permissions] },
        notes: [...notes],
      },
    );
  });
}

export async function renderCore(
  { assets }: Pick<Engine, "assets">,
  stacks: readonly KnownStack[],
  input: Input,
): Promise<Record<CoreFile, string>> {
  const render = async (name: CoreFile, values: Parameters<typeof renderTemplate>[1]): Promise<string> =>
    renderTemplate(await assets.text(`templates/steering/${name}`), values);
  const [product, tech, structure] = await Promise.all([
    render("product", productValues(givenTexts(input))),
    render("tech", techValues(stacks)),
    render("structure", structureValues(stacks)),
  ]);
  return { product, tech, structure };
}

export const sayStack = ({ directory, profile }: KnownStack): string =>
  directory === "." ? profile.id : `${profile.id} in ${directory}`;

/** The fix repeats the given fields, so that the caller can pass them to update. */
function exists(there: readonly CoreFile[], input: Input): Fault {
  const said = Object.fromEntries(fieldsGiven(input).map((field) => [field, "…"]));
  const update = Object.keys(said).length > 0 ? said : { vision: "…" };
  return new Fault("steering.exists", {
    what: "Nothing was written.",
    why: `${there.map((name) => pathOf(coreFile(name))).join(", ")} ${there.length === 1 ? "is" : "are"} there already, and nothing is overwritten.`,
    fix: [
      { operation: "steering.manage", input: { action: "update", ...update } },
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
}
