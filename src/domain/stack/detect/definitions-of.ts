import type { Config } from "../../workspace/config.ts";
import type { StackUse } from "../check.ts";
import type { Profile } from "../profile/profile.ts";
import { dishonestScripts } from "../script/scripts-run.ts";
import { type Control, controlOf } from "./control.ts";
import { type Detection, detect } from "./detection.ts";
import { resolve } from "./resolve.ts";
import type { Site } from "./site.ts";

/** What a workspace is made of, what is run in it, and which files decide how. */
export interface Plan {
  readonly detections: readonly Detection[];
  readonly stacks: readonly StackUse[];
  readonly control: readonly Control[];
  readonly problems: readonly string[];
}

/** More than any repository has of its own. */
const MOST_CONTROL = 2_000;

export function plan(site: Site, profiles: readonly Profile[], stack: Config["stack"]): Plan {
  const { detections, problems } = detect(site, profiles, stack);
  const used = detections.flatMap((detection) => {
    const profile = profiles.find(({ id }) => id === detection.profile);
    return profile ? [{ detection, profile }] : [];
  });
  const stacks = used.map(({ detection, profile }) => resolve(site, profile, detection));
  const control = new Map(
    used.flatMap(({ detection, profile }) =>
      controlOf(site, profile, detection.directory).map((file) => [`${file.path} ${file.parts?.join() ?? ""}`, file]),
    ),
  );
  const dishonest = stacks.flatMap(({ directory, checks }) =>
    checks.flatMap((check) => dishonestScripts(site, directory, check)),
  );
  const tooMany =
    control.size > MOST_CONTROL
      ? [
          `${control.size} files decide what checks do, and at most ${MOST_CONTROL} are looked at: name the folders of the stacks in sdd/config.yaml`,
        ]
      : [];
  return {
    detections,
    stacks,
    control: [...control.values()].slice(0, MOST_CONTROL).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    problems: [...problems, ...new Set(dishonest), ...tooMany],
  };
}
