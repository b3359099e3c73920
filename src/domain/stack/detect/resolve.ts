import { type StackCheck, CHECK_KINDS, type CheckKind, type MissingCheck, type FolderStack } from "../check.ts";
import { describeConditions, pickSimplestConditions } from "../profile/condition.ts";
import type { StackProfile, ProfileCheck } from "../profile/profile.ts";
import type { StackDetection } from "./detection.ts";
import { listAncestorFolders } from "../folder.ts";
import type { ProjectFiles } from "./site.ts";

export function resolveFolderStack(
  site: ProjectFiles,
  profile: StackProfile,
  { directory }: StackDetection,
): FolderStack {
  const holding = profile.checks.filter(({ when }) => site.holds(when, directory, "above"));
  const first = holding.filter(({ otherwise }) => !otherwise);
  const checks = holding.filter((check) => !check.otherwise || !first.some(({ kind }) => kind === check.kind));
  return {
    directory,
    profile: profile.id,
    checks: keepFirstChecks(checks).map(createStackCheck),
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

function createStackCheck(profiled: ProfileCheck): StackCheck {
  const { when: _, otherwise: __, ...check } = profiled;
  return check;
}

function findMissingCheck(profile: StackProfile, checks: readonly ProfileCheck[], kind: CheckKind): MissingCheck[] {
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
