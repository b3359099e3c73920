import { type Check, CHECK_KINDS, type CheckKind, type Missing, type StackUse } from "../check.ts";
import { sayConditions, simplest } from "../profile/condition.ts";
import type { Profile, ProfileCheck } from "../profile/profile.ts";
import type { Detection } from "./detection.ts";
import { above } from "../folder.ts";
import type { Site } from "./site.ts";

export function resolve(site: Site, profile: Profile, { directory }: Detection): StackUse {
  const holding = profile.checks.filter(({ when }) => site.holds(when, directory, "above"));
  const first = holding.filter(({ otherwise }) => !otherwise);
  const checks = holding.filter((check) => !check.otherwise || !first.some(({ kind }) => kind === check.kind));
  return {
    directory,
    profile: profile.id,
    checks: firstOfEach(checks).map(asCheck),
    test_files: profile.test_files,
    source_files: profile.source_files,
    borrowed: borrowed(site, profile, directory),
    instead: profile.instead,
    missing: CHECK_KINDS.flatMap((kind) => missing(profile, checks, kind)),
  };
}

function firstOfEach(checks: readonly ProfileCheck[]): readonly ProfileCheck[] {
  return checks.filter(
    ({ kind, tool }, i) => checks.findIndex((other) => other.kind === kind && other.tool === tool) === i,
  );
}

function asCheck(profiled: ProfileCheck): Check {
  const { when: _, otherwise: __, ...check } = profiled;
  return check;
}

function missing(profile: Profile, checks: readonly ProfileCheck[], kind: CheckKind): Missing[] {
  if (checks.some((check) => check.kind === kind) || profile.instead[kind]) return [];
  const ways = sayConditions(
    simplest(profile.checks.filter((check) => check.kind === kind).flatMap(({ when }) => when)),
  );
  const how =
    ways === "" ? `${profile.id} has no such check: name one in a profile of your own.` : `It would take ${ways}.`;
  return [{ kind, how }];
}

/** Also searches above the folder: a package of a workspace finds its tools there. */
function borrowed(site: Site, profile: Profile, directory: string): string[] {
  const folders = above(directory);
  const manifests = profile.detection?.at ?? [];
  const hasManifest = (folder: string): boolean =>
    manifests.some((pattern) => site.matching(folder, pattern).length > 0);
  return profile.borrowed.flatMap((name) => [
    name,
    ...folders.flatMap((folder, i) => (hasManifest(folder) ? [`${"../".repeat(i + 1)}${name}`] : [])),
  ]);
}
