import { formatCount } from "../../count.ts";
import { sanitizeText, quote } from "../../quote.ts";
import { matchesPathGlob } from "../../workflow/glob.ts";
import type { Config } from "../../workspace/config.ts";
import { CONFIG_PATH } from "../../workspace/path.ts";
import { BUILT_IN, meantProfile, type Profile } from "../profile/profile.ts";
import { above, folderOf, isWithin } from "../folder.ts";
import type { Site } from "./site.ts";

export interface Detection {
  readonly directory: string;
  readonly profile: string;
  readonly score: number;
  /** From 0 to 100. */
  readonly confidence: number;
  readonly isPrimary: boolean;
  readonly files: number;
  readonly because: readonly string[];
  /** Packages below that belong to it. */
  readonly parts: readonly string[];
}

export interface Detected {
  readonly detections: readonly Detection[];
  readonly problems: readonly string[];
}

const LEAST = 50;
/** Below this confidence the output explains how to configure the stack. */
export const SURE = 80;

export const NO_CODE = "there is no code yet";

const NOT_OURS =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures|__fixtures__|testdata|templates?|examples?|samples?|\.[^/]+)(?:\/|$)/;

export const isOurs = (path: string): boolean => !NOT_OURS.test(folderOf(path));

/** Folders named in the settings win; otherwise the files decide. */
export function detect(site: Site, profiles: readonly Profile[], stack: Config["stack"]): Detected {
  const named = Object.entries(stack.directories);
  const problems: string[] = [];
  const found =
    named.length > 0
      ? named.flatMap(([directory, name]) => fromSettings(site, profiles, directory, name, problems))
      : surest(
          profiles.flatMap((profile) => fromFiles(site, profile)),
          profiles,
        );
  const detections = found.length > 0 || named.length > 0 ? found : [nothingKnown(site)];
  return { detections: withPrimary(detections, profiles, stack.primary, problems), problems };
}

function fromSettings(
  site: Site,
  profiles: readonly Profile[],
  directory: string,
  name: string,
  problems: string[],
): Unranked[] {
  const profile = meantProfile(name, profiles);
  if (!profile) {
    problems.push(
      `${CONFIG_PATH}: stack.directories: there is no profile ${quote(name, 60)}; there are ${names(profiles)}`,
    );
    return [];
  }
  if (directory !== "." && !site.paths.some((path) => path.startsWith(`${directory}/`))) {
    problems.push(`${CONFIG_PATH}: stack.directories: there are no files in ${quote(directory, 100)}`);
    return [];
  }
  const files = site.paths.filter((path) => isWithin(folderOf(path), directory) && isSource(profile, path)).length;
  const alias = profile.id === name ? "" : `; ${sanitizeText(name, 60)} is one of its names`;
  const because = [`${CONFIG_PATH} says so${alias}`];
  return [{ directory, profile: profile.id, score: 100, confidence: 100, files, because, parts: [] }];
}

type Unranked = Omit<Detection, "isPrimary">;

const names = (profiles: readonly Profile[]): string => profiles.map(({ id }) => id).join(", ");

/** Without a matching profile the user can still configure everything by hand. */
function nothingKnown(site: Site): Unranked {
  const isEmpty = site.paths.every((path) => /^\.?sdd\/|^\.git[a-z]+$|^[^/]*\.md$/i.test(path));
  const because = isEmpty ? NO_CODE : "no manifest of a known stack was found";
  return { directory: ".", profile: "generic", score: 0, confidence: 0, files: 0, because: [because], parts: [] };
}

interface Candidate {
  readonly directory: string;
  /** The folders whose manifests belong to it: itself and its parts. */
  readonly folders: string[];
  files: number;
  readonly endings: Set<string>;
}

function fromFiles(site: Site, profile: Profile): Unranked[] {
  const { detection } = profile;
  if (!detection) return [];
  const hasManifest = (folder: string): boolean =>
    detection.at.some((pattern) => site.matching(folder, pattern).length > 0);
  const folders = [...site.folders].filter((folder) => isOurs(`${folder}/x`) && hasManifest(folder)).toSorted();
  const owners = new Map<string, Candidate>();
  for (const directory of folders) {
    const owner = above(directory)
      .map((folder) => owners.get(folder))
      .find((candidate) => candidate !== undefined);
    if (owner && (detection.alone.length === 0 || !site.holds(detection.alone, directory, "here"))) {
      owner.folders.push(directory);
      owners.set(directory, owner);
    } else owners.set(directory, { directory, folders: [directory], files: 0, endings: new Set() });
  }
  if (owners.size === 0) return [];
  countFiles(site, profile, owners);
  const candidates = [...new Set(owners.values())];
  return candidates.flatMap((candidate) => {
    const isShell = candidate.files === 0 && candidates.some(({ directory }) => isBelow(directory, candidate));
    return isShell ? [] : scored(site, profile, candidate);
  });
}

/** Built-in profiles with the same manifest compete for a folder: the highest score wins, then the first profile. */
function surest(found: readonly Unranked[], profiles: readonly Profile[]): Unranked[] {
  const rank = ({ profile }: Unranked): number => BUILT_IN.findIndex((id) => id === profile);
  const manifests = new Map(profiles.map(({ id, detection }) => [id, detection?.at.join(" ")]));
  const isRival = (one: Unranked, other: Unranked): boolean =>
    one.directory === other.directory &&
    rank(one) >= 0 &&
    rank(other) >= 0 &&
    manifests.get(one.profile) === manifests.get(other.profile);
  const beats = (one: Unranked, other: Unranked): boolean =>
    isRival(one, other) && (one.score > other.score || (one.score === other.score && rank(one) < rank(other)));
  return found.filter((one) => !found.some((other) => beats(other, one)));
}

/** A folder that only groups others of its kind is not a stack. */
const isBelow = (directory: string, other: Candidate): boolean =>
  directory !== other.directory && isWithin(directory, other.directory);

const endingOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** Most globs are plain extensions, which are faster to compare. */
function isSource(profile: Profile, path: string): boolean {
  return profile.source_files.some((glob) =>
    /^\*\*\/\*\.\w+$/.test(glob) ? path.endsWith(glob.slice(4)) : matchesPathGlob(glob, path),
  );
}

/** Each code file belongs to the nearest folder above it with a manifest. */
function countFiles(site: Site, profile: Profile, owners: ReadonlyMap<string, Candidate>): void {
  const nearest = new Map<string, Candidate | undefined>();
  const ownerOf = (folder: string): Candidate | undefined => {
    if (nearest.has(folder)) return nearest.get(folder);
    const owner = owners.get(folder) ?? (folder === "." ? undefined : ownerOf(folderOf(folder)));
    nearest.set(folder, owner);
    return owner;
  };
  for (const path of site.paths) {
    if (!isSource(profile, path) || !isOurs(path)) continue;
    const owner = ownerOf(folderOf(path));
    if (!owner) continue;
    owner.files++;
    owner.endings.add(endingOf(path));
  }
}

function scored(site: Site, profile: Profile, { directory, folders, files, endings }: Candidate): Unranked[] {
  const because: string[] = [];
  let score = 0;
  for (const indicator of profile.detection?.indicators ?? []) {
    const where = folders.find((folder) => site.holds(indicator.when, folder, "here", endings));
    if (where === undefined) continue;
    score += indicator.score;
    because.push(`${indicator.says}${where === directory ? "" : ` in ${where}`} (+${indicator.score})`);
  }
  if (score < LEAST) return [];
  const parts = folders.slice(1);
  if (parts.length > 0) because.push(`${formatCount(parts.length, "package")} below without tests of its own`);
  return [{ directory, profile: profile.id, score, confidence: Math.min(100, score), files, because, parts }];
}

/** Stable order: by folder, then by profile. The stack with the highest confidence is primary, then the largest. */
function withPrimary(
  found: readonly Unranked[],
  profiles: readonly Profile[],
  wanted: string,
  problems: string[],
): Detection[] {
  const ordered = found.toSorted((a, b) => compare(a.directory, b.directory) || compare(a.profile, b.profile));
  const meant = meantProfile(wanted, profiles)?.id;
  const called = ordered.filter(({ directory, profile }) => directory === wanted || profile === meant);
  if (wanted !== "" && called.length === 0)
    problems.push(
      `${CONFIG_PATH}: stack.primary: ${quote(wanted, 60)} is no profile and no folder of those that are here`,
    );
  const [primary] = (called.length > 0 ? called : ordered).toSorted(
    (a, b) => b.confidence - a.confidence || b.files - a.files || depth(a.directory) - depth(b.directory),
  );
  return ordered.map((detection) => ({ ...detection, isPrimary: detection === primary }));
}

const depth = (directory: string): number => (directory === "." ? 0 : directory.split("/").length);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
