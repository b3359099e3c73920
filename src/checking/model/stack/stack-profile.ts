import * as z from "zod/mini";
import { formatMeantWord, formatUnknownKey, quote } from "#kernel/model/text-format.ts";
import { CHECK_KINDS, type CheckKind, ProfileCheck } from "./stack-check.ts";
import { Conditions } from "./profile-condition.ts";
import {
  createItems,
  createMapping,
  createNumber,
  createRule,
  createText,
  createTextList,
  createTextTable,
  isMapping,
  isNamePattern,
} from "./profile-values.ts";

const textList = z.exactOptional(createTextList());
const isGlobInside = (glob: string): boolean =>
  glob.split("/").every((part) => part !== "" && part !== ".." && !/[\\:{}]/.test(part));
const globList = z.exactOptional(
  createTextList(200).check(
    z.refine((globs) => globs.every(isGlobInside), "must be paths inside the folder; only * and ** are wildcards"),
  ),
);

const Detection = z.pipe(
  createMapping({
    at: z.exactOptional(
      createTextList(100).check(
        z.refine(
          (names) => names.every((name) => isNamePattern(name) && !name.includes("/")),
          "must be names of files",
        ),
      ),
    ),
    indicators: z.exactOptional(
      createItems(createMapping({ when: Conditions, score: createNumber(1, 100), says: createText(200) })),
    ),
    alone: z._default(Conditions, []),
  }).check(
    z.refine(({ at, indicators }) => at !== undefined && indicators !== undefined, "must have at and indicators"),
  ),
  z.transform(({ at = [], indicators = [], alone }) => ({
    /** Manifest names: a folder with one of them may be such a stack. */
    at,
    indicators,
    /** When a folder below another of the same stack counts as a separate stack. */
    alone,
  })),
);

const ControlPattern = createMapping({
  /** A name with stars, in the folder and above it; with `**` and a slash before it, also below. */
  file: createText(200).check(
    z.refine(
      (file) => isNamePattern(file.replace(/^\*\*\//, "")),
      "may have a star only in its last name, and ** only before it",
    ),
  ),
  /** The relevant keys of a manifest, if not the whole file counts. */
  parts: z.exactOptional(createTextList(100)),
}).check(
  z.refine(({ file, parts }) => !parts || /\.(?:json|toml|mod)$/.test(file), {
    error: "exist only for JSON, TOML and go.mod",
    path: ["parts"],
  }),
);
export type ControlPattern = z.output<typeof ControlPattern>;

const isKind = (word: unknown): boolean => CHECK_KINDS.some((kind) => kind === word);
const KindTable = createRule<Readonly<Partial<Record<CheckKind, CheckKind>>>>(
  (table) =>
    isMapping(table) && Object.entries(table).every(([kind, other]) => isKind(kind) && isKind(other) && kind !== other),
  (table) =>
    `must name, for a kind of check, the kind that replaces it: ${CHECK_KINDS.join(", ")}${findMeantKind(isMapping(table) ? Object.entries(table).flat() : [])}`,
);
const findMeantKind = (words: readonly unknown[]): string => {
  const unknown = words.find((word) => !isKind(word));
  return unknown === undefined ? "" : formatMeantWord(typeof unknown === "string" ? unknown : "", CHECK_KINDS);
};

/** A profile as written in one file. Missing fields come from the profile that it extends. */
const ProfileFile = createMapping({
  id: z.exactOptional(createText(60)),
  title: z.exactOptional(createText(100)),
  description: z.exactOptional(createText()),
  extends: z.exactOptional(createText(60)),
  /** Inherited checks to drop: a kind, or a kind and a tool as in `lint/pylint`. */
  off: z.exactOptional(
    createTextList(80).check(
      z.refine((words) => words.every((word) => isKind(word.split("/", 1)[0])), {
        error: ({ input }) =>
          `must name kinds of checks, alone or with a tool, such as lint/pylint: ${CHECK_KINDS.join(", ")}${findMeantKind((input as readonly string[]).map((word) => word.split("/", 1)[0]))}`,
      }),
    ),
  ),
  test_framework: z.exactOptional(createText(100)),
  detection: z.exactOptional(Detection),
  checks: z.exactOptional(createItems(ProfileCheck)),
  instead: z.exactOptional(KindTable),
  test_files: globList,
  source_files: globList,
  borrowed: globList,
  /** Commands that install what a project needs. The first whose condition holds is shown. */
  install: z.exactOptional(
    createItems(
      createMapping({
        when: z._default(Conditions, []),
        command: createText(200),
        /** The commands that install the same in a clean clone, without a shell. */
        clean: z.exactOptional(createTextList(200)),
        /** Whether these choose versions themselves, because there is no lock file. */
        unlocked: z._default(z.boolean("must be true or false"), false),
      }),
    ),
  ),
  control: z.exactOptional(createItems(ControlPattern)),
  /** Globs by role, such as `component`. */
  patterns: z.exactOptional(createTextTable()),
  conventions: textList,
  enforcement: textList,
  docs: textList,
  examples: z.exactOptional(
    z.pipe(
      createTextTable(8_000),
      z.transform((table) => Object.entries(table).map(([name, code]) => ({ name, code }))),
    ),
  ),
});

export type ProfileSource = Readonly<Omit<z.output<typeof ProfileFile>, "id">> & { readonly id: string };
export type StackProfile = Required<Omit<ProfileSource, "extends" | "off" | "detection">> &
  Pick<ProfileSource, "detection">;

const PROFILE_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export interface ParsedProfile {
  readonly profile?: ProfileSource;
  readonly problems: readonly string[];
}

/** Collects every problem at once. The id is the name of the file; an `id` in the file must match it. */
export function parseProfileTree(name: string, value: unknown): ParsedProfile {
  const tree = dropNullFields(value);
  const { data, error } = z.safeParse(ProfileFile, tree);
  const id = isMapping(tree) ? tree["id"] : undefined;
  const problems = [
    ...(PROFILE_ID.test(name) ? [] : ["its name must be lower-case words joined by hyphens"]),
    ...(typeof id === "string" && id !== name ? [`id is ${quote(id, 60)}, but the file is ${name}.yaml`] : []),
    ...(error?.issues ?? []).flatMap((issue) => formatProfileIssue(issue, tree)),
  ];
  return data && problems.length === 0 ? { profile: { ...data, id: name }, problems } : { problems };
}

/** An empty field counts as a missing one. */
function dropNullFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNullFields);
  if (!isMapping(value)) return value;
  const given = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(given.map(([key, inner]) => [key, dropNullFields(inner)]));
}

function formatProfileIssue(issue: z.core.$ZodIssue, tree: unknown): string[] {
  let here = tree;
  let place = "";
  for (const key of issue.path.map(String)) {
    // A single value is read as a list of one, and has no index.
    if (Array.isArray(here)) place += `[${key}]`;
    else if (isMapping(here) && (Object.hasOwn(here, key) || !/^\d+$/.test(key)))
      place += place === "" ? key : `.${key}`;
    else continue;
    here = (here as Readonly<Record<string, unknown>>)[key];
  }
  if (issue.code !== "unrecognized_keys") return [`${place || "the file"} ${issue.message}`];
  return issue.keys.map((key) => formatUnknownKey(key, place || "a profile", issue.message));
}

export const BUILT_IN_PROFILES = [
  "typescript-react",
  "typescript-node",
  "python-fastapi",
  "go",
  "rust",
  "java-maven",
  "java-gradle",
  "csharp",
  "ruby",
  "php",
  "generic",
] as const;

const PROFILE_ALIASES: Readonly<Record<string, readonly string[]>> = {
  go: ["go-gin", "go-standard", "golang"],
  "python-fastapi": ["python", "python-django", "python-flask", "fastapi"],
  rust: ["rust-actix", "rust-cargo"],
  "java-maven": ["java", "maven", "java-spring"],
  "java-gradle": ["gradle", "kotlin"],
  csharp: ["dotnet", "c#"],
  ruby: ["rails", "ruby-rails"],
  php: ["laravel", "symfony", "php-laravel"],
  "typescript-node": ["node", "nodejs", "javascript-node"],
  "typescript-react": ["javascript-react", "react", "typescript", "typescript-nextjs", "nextjs"],
};

export function findNamedProfile(name: string, profiles: readonly StackProfile[]): StackProfile | undefined {
  const [meant] = Object.entries(PROFILE_ALIASES).find(([, names]) => names.includes(name.toLowerCase())) ?? [];
  return profiles.find(({ id }) => id === name) ?? profiles.find(({ id }) => id === meant);
}

const DEEPEST_INHERITANCE = 5;

const EMPTY_PROFILE: Omit<StackProfile, "id" | "title"> = {
  description: "",
  test_framework: "",
  checks: [],
  instead: {},
  test_files: [],
  source_files: [],
  borrowed: [],
  install: [],
  control: [],
  patterns: {},
  conventions: [],
  enforcement: [],
  docs: [],
  examples: [],
};

/** An own profile replaces the built-in one of the same name, and may extend it. */
export function resolveProfileInheritance(
  builtIn: readonly ProfileSource[],
  own: readonly ProfileSource[],
): { profiles: readonly StackProfile[]; problems: string[] } {
  const problems: string[] = [];
  const mine = new Map(own.map((profile) => [profile.id, profile]));
  const shipped = new Map(builtIn.map((profile) => [profile.id, profile]));
  const find = (id: string, asker?: string): ProfileSource | undefined =>
    (id === asker ? undefined : mine.get(id)) ?? shipped.get(id);
  const whole = (text: ProfileSource, way: readonly ProfileSource[]): StackProfile | undefined => {
    const names = [...way, text].map(({ id }) => id).join(" → ");
    const refuse = (why: string): undefined => void problems.push(`sdd/stacks/${text.id}.yaml: ${why}`);
    if (way.includes(text)) return refuse(`it extends itself: ${names}`);
    if (way.length >= DEEPEST_INHERITANCE) return refuse(`more than ${DEEPEST_INHERITANCE} deep: ${names}`);
    if (text.extends === undefined) return { ...EMPTY_PROFILE, title: text.id, ...omitInheritanceKeys(text) };
    const base = find(text.extends, text.id);
    const known = [...new Set([...shipped.keys(), ...mine.keys()])].filter((id) => id !== text.id);
    if (!base)
      return refuse(
        `unknown profile ${quote(text.extends, 60)}${formatMeantWord(text.extends, known, `; choose one of ${known.join(", ")}`)}`,
      );
    const inherited = whole(base, [...way, text]);
    return inherited && mergeInheritedProfile(inherited, text);
  };
  const ids = [...new Set([...BUILT_IN_PROFILES, ...shipped.keys(), ...mine.keys()])];
  const profiles = ids.flatMap((id) => {
    const text = find(id);
    return (text && whole(text, [])) ?? [];
  });
  return { profiles, problems: [...new Set(problems)] };
}

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
