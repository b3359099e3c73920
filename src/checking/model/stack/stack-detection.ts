import { compareTexts, formatCount, formatMeantWord, sanitizeText, quote } from "#kernel/model/text-format.ts";
import { matchesPathGlob } from "#kernel/model/path-glob.ts";
import type { Config } from "#kernel/model/workspace-config.ts";
import { CONFIG_PATH } from "#kernel/model/workspace-paths.ts";
import { BUILT_IN_PROFILES, findNamedProfile, type StackProfile } from "./stack-profile.ts";
import { listAncestorFolders, getPathFolder, isFolderWithin } from "#kernel/model/folder-path.ts";
import type { ProjectFiles } from "./project-files.ts";

export interface StackDetection {
  readonly directory: string;
  readonly profile: string;
  readonly score: number;
  /** From 0 to 100. */
  readonly confidence: number;
  readonly isPrimary: boolean;
  readonly files: number;
  /** The language of most files; undefined if the settings name the stack. */
  readonly language?: string | undefined;
  readonly because: readonly string[];
  /** Packages below that belong to it. */
  readonly parts: readonly string[];
}

const LEAST_STACK_SCORE = 50;
/** Below this confidence the output explains how to configure the stack. */
export const SURE_CONFIDENCE = 80;

export const NO_CODE_REASON = "no code yet";

const FOREIGN_FOLDER =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures|__fixtures__|testdata|templates?|examples?|samples?|\.[^/]+)(?:\/|$)/;

export const isProjectPath = (path: string): boolean => !FOREIGN_FOLDER.test(getPathFolder(path));

/** Folders named in the settings win; otherwise the files decide. */
export function detectWorkspaceStacks(
  site: ProjectFiles,
  profiles: readonly StackProfile[],
  stack: Config["stack"],
): { detections: StackDetection[]; problems: string[] } {
  const named = Object.entries(stack.directories);
  const read = named.map(([directory, name]) => readConfiguredStack(site, profiles, directory, name));
  const problems = read.filter((one) => typeof one === "string");
  const found =
    named.length > 0
      ? read.filter((one) => typeof one !== "string")
      : keepSurestProfiles(
          profiles.flatMap((profile) => detectProfileFolders(site, profile)),
          profiles,
        );
  const isEmpty = site.paths.every((path) => /^\.?sdd\/|^\.git[a-z]+$|^[^/]*\.md$/i.test(path));
  const because = [isEmpty ? NO_CODE_REASON : "no manifest of a known stack found"];
  // Without a matching profile the user can still configure everything by hand.
  const unknown = { directory: ".", profile: "generic", score: 0, confidence: 0, files: 0, because, parts: [] };
  const detections = found.length > 0 || named.length > 0 ? found : [unknown];
  return { detections: markPrimaryStack(detections, profiles, stack.primary, problems), problems };
}

/** Returns the problem as text. */
function readConfiguredStack(
  site: ProjectFiles,
  profiles: readonly StackProfile[],
  directory: string,
  name: string,
): UnrankedDetection | string {
  const profile = findNamedProfile(name, profiles);
  const known = profiles.map(({ id }) => id);
  const choices = formatMeantWord(name, known, `; choose one of ${known.join(", ")}`);
  if (!profile) return `${CONFIG_PATH}: stack.directories: unknown profile ${quote(name, 60)}${choices}`;
  if (directory !== "." && !site.paths.some((path) => path.startsWith(`${directory}/`)))
    return `${CONFIG_PATH}: stack.directories: no files in ${quote(directory, 100)}`;
  const files = site.paths.filter(
    (path) => isFolderWithin(getPathFolder(path), directory) && isProfileSource(profile, path),
  ).length;
  const alias = profile.id === name ? "" : `; ${sanitizeText(name, 60)} is one of its names`;
  const because = [`${CONFIG_PATH} says so${alias}`];
  return { directory, profile: profile.id, score: 100, confidence: 100, files, because, parts: [] };
}

type UnrankedDetection = Omit<StackDetection, "isPrimary">;

interface StackCandidate {
  readonly directory: string;
  /** The folders whose manifests belong to it: itself and its parts. */
  readonly folders: string[];
  files: number;
  readonly endings: Map<string, number>;
}

function detectProfileFolders(site: ProjectFiles, profile: StackProfile): UnrankedDetection[] {
  const { detection } = profile;
  if (!detection) return [];
  const hasManifest = (folder: string): boolean =>
    detection.at.some((pattern) => site.matching(folder, pattern).length > 0);
  const folders = [...site.folders].filter((folder) => isProjectPath(`${folder}/x`) && hasManifest(folder)).toSorted();
  const owners = new Map<string, StackCandidate>();
  for (const directory of folders) {
    const owner = listAncestorFolders(directory)
      .map((folder) => owners.get(folder))
      .find((candidate) => candidate !== undefined);
    if (owner && (detection.alone.length === 0 || !site.holds(detection.alone, directory, "here"))) {
      owner.folders.push(directory);
      owners.set(directory, owner);
    } else owners.set(directory, { directory, folders: [directory], files: 0, endings: new Map() });
  }
  if (owners.size === 0) return [];
  countStackFiles(site, profile, owners);
  const candidates = [...new Set(owners.values())];
  return candidates.flatMap((candidate) => {
    // A folder that only groups others of its kind is not a stack.
    const isShell =
      candidate.files === 0 &&
      candidates.some((one) => one !== candidate && isFolderWithin(one.directory, candidate.directory));
    return isShell ? [] : scoreStackCandidate(site, profile, candidate);
  });
}

/** Built-in profiles with the same manifest compete for a folder: the highest score wins, then the first profile. */
function keepSurestProfiles(
  found: readonly UnrankedDetection[],
  profiles: readonly StackProfile[],
): UnrankedDetection[] {
  const rank = ({ profile }: UnrankedDetection): number => BUILT_IN_PROFILES.findIndex((id) => id === profile);
  const manifests = new Map(profiles.map(({ id, detection }) => [id, detection?.at.join(" ")]));
  const beats = (one: UnrankedDetection, other: UnrankedDetection): boolean =>
    one.directory === other.directory &&
    rank(one) >= 0 &&
    rank(other) >= 0 &&
    manifests.get(one.profile) === manifests.get(other.profile) &&
    (one.score > other.score || (one.score === other.score && rank(one) < rank(other)));
  return found.filter((one) => !found.some((other) => beats(other, one)));
}

/** Most globs are plain extensions, which are faster to compare. */
function isProfileSource(profile: StackProfile, path: string): boolean {
  return profile.source_files.some((glob) =>
    /^\*\*\/\*\.\w+$/.test(glob) ? path.endsWith(glob.slice(4)) : matchesPathGlob(glob, path),
  );
}

/** Each code file belongs to the nearest folder above it with a manifest. */
function countStackFiles(site: ProjectFiles, profile: StackProfile, owners: ReadonlyMap<string, StackCandidate>): void {
  const nearest = new Map<string, StackCandidate | undefined>();
  const ownerOf = (folder: string): StackCandidate | undefined => {
    if (nearest.has(folder)) return nearest.get(folder);
    const owner = owners.get(folder) ?? (folder === "." ? undefined : ownerOf(getPathFolder(folder)));
    nearest.set(folder, owner);
    return owner;
  };
  for (const path of site.paths) {
    if (!isProfileSource(profile, path) || !isProjectPath(path)) continue;
    const owner = ownerOf(getPathFolder(path));
    if (!owner) continue;
    owner.files++;
    const ending = path.slice(path.lastIndexOf(".") + 1);
    owner.endings.set(ending, (owner.endings.get(ending) ?? 0) + 1);
  }
}

function scoreStackCandidate(
  site: ProjectFiles,
  profile: StackProfile,
  { directory, folders, files, endings }: StackCandidate,
): UnrankedDetection[] {
  const because: string[] = [];
  let score = 0;
  for (const indicator of profile.detection?.indicators ?? []) {
    const where = folders.find((folder) => site.holds(indicator.when, folder, "here", new Set(endings.keys())));
    if (where === undefined) continue;
    score += indicator.score;
    because.push(`${indicator.says}${where === directory ? "" : ` in ${where}`} (+${indicator.score})`);
  }
  if (score < LEAST_STACK_SCORE) return [];
  const parts = folders.slice(1);
  const language = findMainLanguage(endings);
  if (parts.length > 0) because.push(`${formatCount(parts.length, "package")} below without tests of its own`);
  return [{ directory, profile: profile.id, score, confidence: Math.min(100, score), files, language, because, parts }];
}

const LANGUAGE_BY_ENDING: Readonly<Record<string, string>> = {
  ts: "TypeScript",
  tsx: "TypeScript",
  mts: "TypeScript",
  cts: "TypeScript",
  js: "JavaScript",
  jsx: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  py: "Python",
  go: "Go",
  rs: "Rust",
  java: "Java",
  kt: "Kotlin",
  cs: "C#",
  rb: "Ruby",
  php: "PHP",
};

function findMainLanguage(endings: ReadonlyMap<string, number>): string | undefined {
  const counts = new Map<string, number>();
  for (const [ending, count] of endings) {
    const language = LANGUAGE_BY_ENDING[ending];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + count);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

/** Stable order: by folder, then by profile. The stack with the highest confidence is primary, then the largest. */
function markPrimaryStack(
  found: readonly UnrankedDetection[],
  profiles: readonly StackProfile[],
  wanted: string,
  problems: string[],
): StackDetection[] {
  const ordered = found.toSorted(
    (a, b) => compareTexts(a.directory, b.directory) || compareTexts(a.profile, b.profile),
  );
  const meant = findNamedProfile(wanted, profiles)?.id;
  const called = ordered.filter(({ directory, profile }) => directory === wanted || profile === meant);
  if (wanted !== "" && called.length === 0)
    problems.push(`${CONFIG_PATH}: stack.primary: ${quote(wanted, 60)} is neither a profile nor a folder here`);
  const [primary] = (called.length > 0 ? called : ordered).toSorted(
    (a, b) =>
      b.confidence - a.confidence ||
      b.files - a.files ||
      listAncestorFolders(a.directory).length - listAncestorFolders(b.directory).length,
  );
  return ordered.map((detection) => ({ ...detection, isPrimary: detection === primary }));
}
