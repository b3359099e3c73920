import { quote } from "../../quote.ts";
import { BUILT_IN, type Profile, type ProfileText } from "./profile.ts";

const DEEPEST = 5;

const EMPTY: Omit<Profile, "id" | "title"> = {
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

export interface Profiles {
  readonly profiles: readonly Profile[];
  readonly problems: readonly string[];
}

/**
 * Resolves `extends` for every profile. An own profile replaces the built-in profile of the same name, and may extend
 * it.
 */
export function inheritAll(builtIn: readonly ProfileText[], own: readonly ProfileText[]): Profiles {
  const problems: string[] = [];
  const mine = new Map(own.map((profile) => [profile.id, profile]));
  const shipped = new Map(builtIn.map((profile) => [profile.id, profile]));
  const find = (id: string, asker?: string): ProfileText | undefined =>
    (id === asker ? undefined : mine.get(id)) ?? shipped.get(id);
  const whole = (text: ProfileText, way: readonly ProfileText[]): Profile | undefined => {
    const names = [...way, text].map(({ id }) => id).join(" → ");
    if (way.includes(text)) return void problems.push(`${fileOf(text)}: it extends itself: ${names}`);
    if (way.length >= DEEPEST) return void problems.push(`${fileOf(text)}: more than ${DEEPEST} deep: ${names}`);
    if (text.extends === undefined) return { ...EMPTY, title: text.id, ...withoutWays(text) };
    const base = find(text.extends, text.id);
    if (!base) {
      const known = [...new Set([...shipped.keys(), ...mine.keys()])].filter((id) => id !== text.id);
      problems.push(`${fileOf(text)}: there is no profile ${quote(text.extends, 60)}; there are ${known.join(", ")}`);
      return undefined;
    }
    const inherited = whole(base, [...way, text]);
    return inherited && joined(inherited, text);
  };
  const ids = [...new Set([...BUILT_IN, ...shipped.keys(), ...mine.keys()])];
  const profiles = ids.flatMap((id) => {
    const text = find(id);
    const profile = text && whole(text, []);
    return profile ? [profile] : [];
  });
  return { profiles, problems: [...new Set(problems)] };
}

const fileOf = ({ id }: ProfileText): string => `sdd/stacks/${id}.yaml`;

function withoutWays(text: ProfileText): Omit<ProfileText, "extends" | "off"> {
  const { extends: _, off: __, ...profile } = text;
  return profile;
}

/** Own lists replace inherited ones. Checks replace by kind and tool. Control patterns are only added. */
function joined(base: Profile, text: ProfileText): Profile {
  const { off = [] } = text;
  const mine = text.checks ?? [];
  const isKept = ({ kind, tool }: Profile["checks"][number]): boolean =>
    !off.includes(kind) &&
    !off.includes(`${kind}/${tool}`) &&
    !mine.some((check) => check.kind === kind && check.tool === tool);
  const { detection, ...inherited } = base;
  // A profile with another name must not inherit detection: both would match the same folders.
  const found = text.detection ?? (text.id === base.id ? detection : undefined);
  return {
    ...inherited,
    ...withoutWays(text),
    ...(found ? { detection: found } : {}),
    checks: [...mine, ...base.checks.filter(isKept)],
    control: [...base.control, ...(text.control ?? [])],
    instead: { ...base.instead, ...text.instead },
    patterns: { ...base.patterns, ...text.patterns },
  };
}
