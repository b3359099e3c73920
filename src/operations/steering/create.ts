import { Fault } from "#domain/fault.ts";
import {
  CORE_STEERING_NAMES,
  type CoreSteeringFile,
  getCoreSteeringName,
  resolveSteeringPath,
} from "#domain/steering/name.ts";
import {
  type SteeringStack,
  createProductValues,
  createStructureValues,
  createTechValues,
} from "#domain/steering/prefill.ts";
import { renderTemplate } from "#domain/template.ts";
import type { Engine } from "../engine.ts";
import { type SteeringResult, type ManageSteeringInput, createSteeringPlan } from "./done.ts";
import { SteeringDraft } from "./draft.ts";
import { selectSteeringStacks } from "./stacks.ts";
import { listGivenFields, readProductTexts } from "./texts.ts";
import { commitSteering } from "./writing.ts";

export async function createSteeringFiles(engine: Engine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, permissions, notes } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, input);
  return commitSteering(engine, (tree) => {
    const draft = new SteeringDraft(tree, engine.clock.now());
    const there = CORE_STEERING_NAMES.filter((name) => tree.has(resolveSteeringPath(getCoreSteeringName(name))));
    const missing = CORE_STEERING_NAMES.filter((name) => !there.includes(name));
    if (missing.length === 0 || (there.includes("product") && listGivenFields(input).length > 0))
      throw createCoreExistsFault(there, input);
    for (const name of missing) draft.write(resolveSteeringPath(getCoreSteeringName(name)), rendered[name]);
    return createSteeringPlan(
      draft,
      "create",
      { summary: `Steering begins: ${missing.map((name) => `${name}.md`).join(", ")}`, reason: input.reason },
      {
        kept: there.map((name) => resolveSteeringPath(getCoreSteeringName(name))),
        profile: { stacks: stacks.map(formatStackName), permissions: [...permissions] },
        notes: [...notes],
      },
    );
  });
}

export async function renderCoreFiles(
  { assets }: Pick<Engine, "assets">,
  stacks: readonly SteeringStack[],
  input: ManageSteeringInput,
): Promise<Record<CoreSteeringFile, string>> {
  const render = async (name: CoreSteeringFile, values: Parameters<typeof renderTemplate>[1]): Promise<string> =>
    renderTemplate(await assets.text(`templates/steering/${name}`), values);
  const [product, tech, structure] = await Promise.all([
    render("product", createProductValues(readProductTexts(input))),
    render("tech", createTechValues(stacks)),
    render("structure", createStructureValues(stacks)),
  ]);
  return { product, tech, structure };
}

export const formatStackName = ({ directory, profile }: SteeringStack): string =>
  directory === "." ? profile.id : `${profile.id} in ${directory}`;

/** The fix repeats the given fields, so that the caller can pass them to update. */
function createCoreExistsFault(there: readonly CoreSteeringFile[], input: ManageSteeringInput): Fault {
  const said = Object.fromEntries(listGivenFields(input).map((field) => [field, "…"]));
  const update = Object.keys(said).length > 0 ? said : { vision: "…" };
  return new Fault("steering.exists", {
    what: "Nothing was written.",
    why: `${there.map((name) => resolveSteeringPath(getCoreSteeringName(name))).join(", ")} ${there.length === 1 ? "is" : "are"} there already, and nothing is overwritten.`,
    fix: [
      { operation: "steering.manage", input: { action: "update", ...update } },
      { operation: "steering.manage", input: { action: "show" } },
    ],
  });
}
