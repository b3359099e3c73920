import { renderTemplate } from "#kernel/model/template.ts";
import { BUILT_IN_PROFILES, type StackProfile } from "#checking/model/stack/stack-profile.ts";
import type { StackSurvey } from "#checking/operations/ports/stacks.ts";
import { requireStackProfile } from "#checking/operations/stack/detect-stacks.ts";
import { fillEmptySections } from "../../model/steering/steering-edit.ts";
import { CORE_STEERING_NAMES, type CoreSteeringFile, resolveSteeringPath } from "../../model/steering/steering-name.ts";
import {
  createProductValues,
  createStructureValues,
  createTechValues,
  type SteeringStack,
  suggestClientPermissions,
} from "../../model/steering/template-values.ts";
import type { RoadmapEngine } from "../engine.ts";
import {
  commitSteering,
  createSteeringFault,
  createSteeringPlan,
  createUnchangedPlan,
  type ManageSteeringInput,
  type SteeringResult,
} from "./steering-plan.ts";
import { listGivenFields, readProductTexts } from "./update-steering.ts";

export async function createSteeringFiles(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, done } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, input);
  return commitSteering(engine, (draft, tree) => {
    const there = CORE_STEERING_NAMES.filter((name) => tree.has(resolveSteeringPath(name)));
    const missing = CORE_STEERING_NAMES.filter((name) => !there.includes(name));
    const fields = listGivenFields(input);
    if (missing.length === 0 || (there.includes("product") && fields.length > 0)) {
      // The fix repeats the given fields, so that the caller can pass them to update.
      const said = Object.fromEntries((fields.length > 0 ? fields : ["vision"]).map((field) => [field, "…"]));
      throw createSteeringFault(
        "steering.exists",
        "Nothing was written.",
        `${there.map(resolveSteeringPath).join(", ")} ${there.length === 1 ? "is" : "are"} there already, and nothing is overwritten.`,
        { action: "update", ...said },
        { action: "show" },
      );
    }
    for (const name of missing) draft.write(resolveSteeringPath(name), rendered[name]);
    const summary = `Steering begins: ${missing.map((name) => `${name}.md`).join(", ")}`;
    const kept = there.map(resolveSteeringPath);
    return createSteeringPlan(draft, "create", { summary, reason: input.reason }, { ...done, kept });
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

/** Text that a person wrote stays. */
export async function fillSteeringProfile(engine: RoadmapEngine, input: ManageSteeringInput): Promise<SteeringResult> {
  const { stacks, done } = await selectSteeringStacks(engine, input.profile);
  const rendered = await renderCoreFiles(engine, stacks, { action: "profile" });
  return commitSteering(engine, (draft, tree) => {
    for (const name of stacks.length > 0 ? (["tech", "structure"] as const) : []) {
      const before = tree.text(resolveSteeringPath(name));
      const text = before === undefined ? rendered[name] : fillEmptySections(before, rendered[name]);
      draft.write(resolveSteeringPath(name), text);
    }
    if (draft.changed().length === 0)
      return createUnchangedPlan({ ...done, notes: [...done.notes, "Nothing was left for a profile to fill in."] });
    const summary = `Filled in from ${done.profile.stacks.join(", ")}`;
    return createSteeringPlan(draft, "profile", { summary, reason: input.reason }, done);
  });
}

const MAX_STEERING_STACKS = 10;

interface SelectedStacks {
  readonly stacks: readonly SteeringStack[];
  readonly done: { readonly profile: NonNullable<SteeringResult["profile"]>; readonly notes: string[] };
}

/** The named profile, otherwise the detected ones, the primary one first. */
async function selectSteeringStacks(
  engine: Pick<RoadmapEngine, "stacks">,
  said: string | undefined,
): Promise<SelectedStacks> {
  if (said?.trim().toLowerCase() === "none")
    return { stacks: [], done: { profile: { stacks: [], permissions: [] }, notes: [] } };
  const survey = await engine.stacks.survey();
  const stacks = said === undefined ? listDetectedStacks(survey) : listNamedStacks(survey, said);
  return {
    stacks,
    done: {
      profile: {
        stacks: stacks.map(({ directory, profile: { id } }) => (directory === "." ? id : `${id} in ${directory}`)),
        // Only of built-in profiles: a repository could put any command into its own.
        permissions: suggestClientPermissions(stacks.filter(isBuiltInStack)),
      },
      notes: stacks
        .filter((stack) => !isBuiltInStack(stack) && stack.checks.length > 0)
        .map(({ profile }) => `No permissions are suggested for ${profile.id}: the project wrote that profile itself.`),
    },
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
      return profile ? [createSteeringStack(definitions, profile, directory)] : [];
    });
}

function listNamedStacks({ definitions, profiles }: StackSurvey, said: string): SteeringStack[] {
  const profile = requireStackProfile(profiles, said);
  const folders = definitions.stacks.filter((use) => use.profile === profile.id).map(({ directory }) => directory);
  return (folders.length > 0 ? folders : ["."])
    .slice(0, MAX_STEERING_STACKS)
    .map((directory) => createSteeringStack(definitions, profile, directory));
}

function createSteeringStack(
  { stacks }: StackSurvey["definitions"],
  profile: StackProfile,
  directory: string,
): SteeringStack {
  const used = stacks.find((use) => use.directory === directory && use.profile === profile.id);
  return { directory, profile, checks: used?.checks ?? [] };
}
