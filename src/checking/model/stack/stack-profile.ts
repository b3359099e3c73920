import type { StackCheck, CheckKind } from "./stack-check.ts";
import type { FolderConditions } from "./profile-condition.ts";
import { quote } from "#kernel/model/text-format.ts";

export interface ProfileCheck extends StackCheck {
  readonly when: FolderConditions;
  /** Whether it runs only if no other check of its kind does. */
  readonly otherwise: boolean;
}

export interface StackIndicator {
  readonly when: FolderConditions;
  readonly score: number;
  readonly says: string;
}

export interface DetectionRules {
  /** Manifest names: a folder with one of them may be such a stack. */
  readonly at: readonly string[];
  readonly indicators: readonly StackIndicator[];
  /** When a folder below another of the same stack counts as a separate stack. */
  readonly alone: FolderConditions;
}

export interface ControlPattern {
  /** A name with stars, in the folder and above it; with `**` and a slash before it, also below. */
  readonly file: string;
  /** The relevant keys of a manifest, if not the whole file counts. */
  readonly parts?: readonly string[];
}

export interface ProfileExample {
  readonly name: string;
  readonly code: string;
}

export interface StackProfile {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly test_framework: string;
  readonly detection?: DetectionRules;
  readonly checks: readonly ProfileCheck[];
  readonly instead: Readonly<Partial<Record<CheckKind, CheckKind>>>;
  readonly test_files: readonly string[];
  readonly source_files: readonly string[];
  readonly borrowed: readonly string[];
  readonly control: readonly ControlPattern[];
  /** Globs by role, such as `component`. */
  readonly patterns: Readonly<Record<string, string>>;
  readonly conventions: readonly string[];
  readonly enforcement: readonly string[];
  readonly docs: readonly string[];
  readonly examples: readonly ProfileExample[];
}

/** A profile as written in one file. Missing fields come from the profile that it extends. */
export interface ProfileSource extends Partial<Omit<StackProfile, "id">> {
  readonly id: string;
  readonly extends?: string;
  /** Inherited checks to drop: a kind, or a kind and a tool as in `lint/pylint`. */
  readonly off?: readonly string[];
}

export const BUILT_IN_PROFILES = [
  "typescript-react",
  "typescript-node",
  "python-fastapi",
  "go",
  "rust",
  "generic",
] as const;

const PROFILE_ALIASES: ReadonlyMap<string, string> = new Map([
  ["go-gin", "go"],
  ["go-standard", "go"],
  ["golang", "go"],
  ["javascript-react", "typescript-react"],
  ["node", "typescript-node"],
  ["nodejs", "typescript-node"],
  ["javascript-node", "typescript-node"],
  ["react", "typescript-react"],
  ["typescript", "typescript-react"],
  ["typescript-nextjs", "typescript-react"],
  ["nextjs", "typescript-react"],
  ["python", "python-fastapi"],
  ["python-django", "python-fastapi"],
  ["python-flask", "python-fastapi"],
  ["fastapi", "python-fastapi"],
  ["rust-actix", "rust"],
  ["rust-cargo", "rust"],
]);

export function findNamedProfile(name: string, profiles: readonly StackProfile[]): StackProfile | undefined {
  const called = (id: string | undefined): StackProfile | undefined => profiles.find((profile) => profile.id === id);
  return called(name) ?? called(PROFILE_ALIASES.get(name.toLowerCase()));
}

export const PROFILE_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

const DEEPEST_INHERITANCE = 5;

const EMPTY_PROFILE: Omit<StackProfile, "id" | "title"> = {
  description: "",
  test_framework: "",
  checks: [],
  instead: {},
  test_files: [],
  source_files: [],
  borrowed: [],
  control: [],
  patterns: {},
  conventions: [],
  enforcement: [],
  docs: [],
  examples: [],
};

export interface ResolvedProfiles {
  readonly profiles: readonly StackProfile[];
  readonly problems: readonly string[];
}

/**
 * Resolves `extends` for every profile. An own profile replaces the built-in profile of the same name, and may extend
 * it.
 */
export function resolveProfileInheritance(
  builtIn: readonly ProfileSource[],
  own: readonly ProfileSource[],
): ResolvedProfiles {
  const problems: string[] = [];
  const mine = new Map(own.map((profile) => [profile.id, profile]));
  const shipped = new Map(builtIn.map((profile) => [profile.id, profile]));
  const find = (id: string, asker?: string): ProfileSource | undefined =>
    (id === asker ? undefined : mine.get(id)) ?? shipped.get(id);
  const whole = (text: ProfileSource, way: readonly ProfileSource[]): StackProfile | undefined => {
    const names = [...way, text].map(({ id }) => id).join(" → ");
    if (way.includes(text)) return void problems.push(`${formatProfilePath(text)}: it extends itself: ${names}`);
    if (way.length >= DEEPEST_INHERITANCE)
      return void problems.push(`${formatProfilePath(text)}: more than ${DEEPEST_INHERITANCE} deep: ${names}`);
    if (text.extends === undefined) return { ...EMPTY_PROFILE, title: text.id, ...omitInheritanceKeys(text) };
    const base = find(text.extends, text.id);
    if (!base) {
      const known = [...new Set([...shipped.keys(), ...mine.keys()])].filter((id) => id !== text.id);
      problems.push(
        `${formatProfilePath(text)}: there is no profile ${quote(text.extends, 60)}; there are ${known.join(", ")}`,
      );
      return undefined;
    }
    const inherited = whole(base, [...way, text]);
    return inherited && mergeInheritedProfile(inherited, text);
  };
  const ids = [...new Set([...BUILT_IN_PROFILES, ...shipped.keys(), ...mine.keys()])];
  const profiles = ids.flatMap((id) => {
    const text = find(id);
    const profile = text && whole(text, []);
    return profile ? [profile] : [];
  });
  return { profiles, problems: [...new Set(problems)] };
}

const formatProfilePath = ({ id }: ProfileSource): string => `sdd/stacks/${id}.yaml`;

function omitInheritanceKeys(text: ProfileSource): Omit<ProfileSource, "extends" | "off"> {
  const { extends: _, off: __, ...profile } = text;
  return profile;
}

/** Own lists replace inherited ones. Checks replace by kind and tool. Control patterns are only added. */
function mergeInheritedProfile(base: StackProfile, text: ProfileSource): StackProfile {
  const { off = [] } = text;
  const mine = text.checks ?? [];
  const isKept = ({ kind, tool }: StackProfile["checks"][number]): boolean =>
    !off.includes(kind) &&
    !off.includes(`${kind}/${tool}`) &&
    !mine.some((check) => check.kind === kind && check.tool === tool);
  const { detection, ...inherited } = base;
  // A profile with another name must not inherit detection: both would match the same folders.
  const found = text.detection ?? (text.id === base.id ? detection : undefined);
  return {
    ...inherited,
    ...omitInheritanceKeys(text),
    ...(found ? { detection: found } : {}),
    checks: [...mine, ...base.checks.filter(isKept)],
    control: [...base.control, ...(text.control ?? [])],
    instead: { ...base.instead, ...text.instead },
    patterns: { ...base.patterns, ...text.patterns },
  };
}
