import type { Config } from "../../workspace/config.ts";
import type { StackUse } from "../check.ts";
import type { Profile } from "../profile/profile.ts";
import { filesRun } from "../script/files-run.ts";
import { dishonestScripts } from "../script/scripts-run.ts";
import { type Control, controlIn } from "./control.ts";
import { type Detection, detect } from "./detection.ts";
import { resolve } from "./resolve.ts";
import type { Site } from "./site.ts";

export interface Plan {
  readonly detections: readonly Detection[];
  readonly stacks: readonly StackUse[];
  readonly control: readonly Control[];
  readonly problems: readonly string[];
}

const MOST_CONTROL = 2_000;

/** `tools` holds the settings files of tools, if they come from another view. */
export function plan(site: Site, profiles: readonly Profile[], stack: Config["stack"], tools: Site = site): Plan {
  const { detections, problems } = detect(site, profiles, stack);
  const used = detections.flatMap((detection) => {
    const profile = profiles.find(({ id }) => id === detection.profile);
    return profile ? [{ detection, profile }] : [];
  });
  const stacks = used.map(({ detection, profile }) => resolve(site, profile, detection));
  const known = controlIn(
    tools,
    used.map(({ detection: { directory }, profile }) => ({ directory, profile })),
  );
  const run = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap((check) => filesRun(site, tools, directory, check)),
  );
  const more = [...new Set(run)].filter((path) => !known.some((each) => each.path === path));
  const control = [...known, ...more.toSorted().map((path) => ({ path }))];
  const dishonest = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap((check) => dishonestScripts(site, directory, check)),
  );
  const tooMany =
    control.length > MOST_CONTROL
      ? [
          `${control.length} files decide what checks do, and at most ${MOST_CONTROL} are looked at: name the folders of the stacks in sdd/config.yaml`,
        ]
      : [];
  return {
    detections,
    stacks,
    control: control.slice(0, MOST_CONTROL),
    problems: [...problems, ...new Set(dishonest), ...tooMany],
  };
}
