import type { Config } from "#kernel/model/workspace-config.ts";
import { type FolderStack, CHECK_KINDS, type CheckKind, type ProfileCheck } from "./stack-check.ts";
import type { StackProfile } from "./stack-profile.ts";
import { findCheckFiles, type ControlReference, findControlFiles } from "./control-files.ts";
import { findDishonestScripts } from "./check-scripts.ts";
import { type StackDetection, detectWorkspaceStacks } from "./stack-detection.ts";
import type { ProjectFiles } from "./project-files.ts";
import { describeConditions, pickSimplestConditions } from "./profile-condition.ts";
import { listAncestorFolders } from "#kernel/model/folder-path.ts";

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

function resolveFolderStack(site: ProjectFiles, profile: StackProfile, { directory }: StackDetection): FolderStack {
  const holding = profile.checks.filter(({ when }) => site.holds(when, directory, "above"));
  const first = holding.filter(({ otherwise }) => !otherwise);
  const checks = holding.filter((check) => !check.otherwise || !first.some(({ kind }) => kind === check.kind));
  return {
    directory,
    profile: profile.id,
    checks: keepFirstChecks(checks).map(omitConditions),
    test_files: profile.test_files,
    source_files: profile.source_files,
    borrowed: listStackBorrowedFolders(site, profile, directory),
    instead: profile.instead,
    missing: CHECK_KINDS.flatMap((kind) => findMissingCheck(profile, checks, kind)),
  };
}

function keepFirstChecks(checks: readonly ProfileCheck[]): readonly ProfileCheck[] {
  return checks.filter(
    ({ kind, tool }, i) => checks.findIndex((other) => other.kind === kind && other.tool === tool) === i,
  );
}

function omitConditions(profiled: ProfileCheck): FolderStack["checks"][number] {
  const { when: _, otherwise: __, ...check } = profiled;
  return check;
}

function findMissingCheck(
  profile: StackProfile,
  checks: readonly ProfileCheck[],
  kind: CheckKind,
): FolderStack["missing"] {
  if (checks.some((check) => check.kind === kind) || profile.instead[kind]) return [];
  const ways = describeConditions(
    pickSimplestConditions(profile.checks.filter((check) => check.kind === kind).flatMap(({ when }) => when)),
  );
  const how =
    ways === "" ? `${profile.id} has no such check: name one in a profile of your own.` : `It would take ${ways}.`;
  return [{ kind, how }];
}

/** Also searches above the folder: a package of a workspace finds its tools there. */
function listStackBorrowedFolders(site: ProjectFiles, profile: StackProfile, directory: string): string[] {
  const folders = listAncestorFolders(directory);
  const manifests = profile.detection?.at ?? [];
  const hasManifest = (folder: string): boolean =>
    manifests.some((pattern) => site.matching(folder, pattern).length > 0);
  return profile.borrowed.flatMap((name) => [
    name,
    ...folders.flatMap((folder, i) => (hasManifest(folder) ? [`${"../".repeat(i + 1)}${name}`] : [])),
  ]);
}
