import { Fault } from "#kernel/model/fault.ts";
import {
  CORE_STEERING_NAMES,
  type CoreSteeringFile,
  getCoreSteeringName,
  resolveSteeringPath,
} from "../../model/steering/steering-name.ts";
import {
  type SteeringStack,
  createProductValues,
  createStructureValues,
  createTechValues,
  suggestClientPermissions,
} from "../../model/steering/template-values.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  type SteeringResult,
  type ManageSteeringInput,
  createSteeringPlan,
  commitSteering,
  createUnchangedPlan,
} from "./steering-plan.ts";
import { SteeringDraft } from "./steering-draft.ts";
import { listGivenFields, readProductTexts } from "./update-steering.ts";
import { fillEmptySections } from "../../model/steering/steering-edit.ts";
import { BUILT_IN_PROFILES, type StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { StackSurvey } from "#checking/operations/ports/stacks.ts";
import { requireStackProfile } from "#checking/operations/stack/detect-stacks.ts";

export async function createSteeringFiles(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
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

async function renderCoreFiles(
  { assets }: Pick<RoadmapEngine, "assets">,
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

const formatStackName = ({ directory, profile }: SteeringStack): string =>
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

/** Text that a person wrote stays. */
export async function fillSteeringProfile(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
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

const MAX_STEERING_STACKS = 10;
const NO_PROFILE = "none";

interface SteeringStacks {
  readonly stacks: readonly SteeringStack[];
  readonly permissions: readonly string[];
  readonly notes: readonly string[];
}

/** The named profile, otherwise the detected ones, the primary one first. */
async function selectSteeringStacks(
  { stacks }: Pick<RoadmapEngine, "stacks">,
  said: string | undefined,
): Promise<SteeringStacks> {
  if (said?.trim().toLowerCase() === NO_PROFILE) return { stacks: [], permissions: [], notes: [] };
  const survey = await stacks.survey();
  const known = said === undefined ? listDetectedStacks(survey) : listNamedStacks(survey, said);
  // Only built-in profiles: a repository could put any command into its own.
  const [builtIn, own] = [known.filter(isBuiltInStack), known.filter((stack) => !isBuiltInStack(stack))];
  return {
    stacks: known,
    permissions: suggestClientPermissions(builtIn),
    notes: own
      .filter(({ checks }) => checks.length > 0)
      .map(({ profile }) => `No permissions are suggested for ${profile.id}: the project wrote that profile itself.`),
  };
}

const isBuiltInStack = ({ profile }: SteeringStack): boolean => BUILT_IN_PROFILES.some((id) => id === profile.id);

function listDetectedStacks({ detections, definitions, profiles }: StackSurvey): SteeringStack[] {
  return detections
    .filter(({ confidence }) => confidence > 0)
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
    .slice(0, MAX_STEERING_STACKS)
    .flatMap(({ directory, profile: id }) => {
      const profile = profiles.find((each) => each.id === id);
      return profile ? [{ directory, profile, checks: findStackChecks(definitions, profile, directory) }] : [];
    });
}

function listNamedStacks({ definitions, profiles }: StackSurvey, said: string): SteeringStack[] {
  const profile = requireStackProfile(profiles, said);
  const folders = definitions.stacks.filter((use) => use.profile === profile.id).map(({ directory }) => directory);
  return (folders.length > 0 ? folders : ["."])
    .slice(0, MAX_STEERING_STACKS)
    .map((directory) => ({ directory, profile, checks: findStackChecks(definitions, profile, directory) }));
}

const findStackChecks = (
  { stacks }: StackSurvey["definitions"],
  { id }: StackProfile,
  directory: string,
): SteeringStack["checks"] => stacks.find((use) => use.directory === directory && use.profile === id)?.checks ?? [];
