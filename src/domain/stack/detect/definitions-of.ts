import type { Config } from "../../workspace/config.ts";
import type { FolderStack } from "../check.ts";
import type { StackProfile } from "../profile/profile.ts";
import { findCheckFiles } from "../script/files-run.ts";
import { findDishonestScripts } from "../script/scripts-run.ts";
import { type ControlReference, findControlFiles } from "./control.ts";
import { type StackDetection, detectWorkspaceStacks } from "./detection.ts";
import { resolveFolderStack } from "./resolve.ts";
import type { ProjectFiles } from "./site.ts";

export interface StackPlan {
  readonly detections: readonly StackDetection[];
  readonly stacks: readonly FolderStack[];
  readonly control: readonly ControlReference[];
  readonly problems: readonly string[];
}

const MOST_CONTROL_FILES = 2_000;

/** `tools` holds the settings files of tools, if they come from another view. */
export function planWorkspaceStacks(
  site: ProjectFiles,
  profiles: readonly StackProfile[],
  stack: Config["stack"],
  tools: ProjectFiles = site,
): StackPlan {
  const { detections, problems } = detectWorkspaceStacks(site, profiles, stack);
  const used = detections.flatMap((detection) => {
    const profile = profiles.find(({ id }) => id === detection.profile);
    return profile ? [{ detection, profile }] : [];
  });
  const stacks = used.map(({ detection, profile }) => resolveFolderStack(site, profile, detection));
  const known = findControlFiles(
    tools,
    used.map(({ detection: { directory }, profile }) => ({ directory, profile })),
  );
  const run = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap((check) => findCheckFiles(site, tools, directory, check)),
  );
  const more = [...new Set(run)].filter((path) => !known.some((each) => each.path === path));
  const control = [...known, ...more.toSorted().map((path) => ({ path }))];
  const dishonest = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap((check) => findDishonestScripts(site, directory, check)),
  );
  const tooMany =
    control.length > MOST_CONTROL_FILES
      ? [
          `${control.length} files decide what checks do, and at most ${MOST_CONTROL_FILES} are looked at: name the folders of the stacks in sdd/config.yaml`,
        ]
      : [];
  return {
    detections,
    stacks,
    control: control.slice(0, MOST_CONTROL_FILES),
    problems: [...problems, ...new Set(dishonest), ...tooMany],
  };
}
