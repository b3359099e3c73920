import { quote } from "../../quote.ts";
import { BUILT_IN_PROFILES, type StackProfile, type ProfileSource } from "./profile.ts";

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
