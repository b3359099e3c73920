import { sanitizeText } from "#domain/quote.ts";
import { convertYamlValue } from "#domain/spec/yaml/located.ts";
import { resolveProfileInheritance, type ResolvedProfiles } from "#domain/stack/profile/inherit.ts";
import { BUILT_IN_PROFILES, type ProfileSource } from "#domain/stack/profile/profile.ts";
import { type ParsedProfile, parseProfileTree } from "#domain/stack/profile/read-profile.ts";
import { STACK_FOLDER } from "#domain/workspace/path.ts";
import type { AssetStore } from "#operations/engine.ts";
import type { SourceView } from "#operations/ports/source.ts";
import type { YamlEditor } from "#operations/ports/yaml.ts";

const OWN_PROFILE_PATH = new RegExp(`^${STACK_FOLDER}/([^/]+)\\.ya?ml$`);
const MOST_OWN_PROFILES = 50;

export interface LoadedProfiles extends ResolvedProfiles {
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Loads the built-in profiles and the project's own. A profile with problems is left out, and its problems are listed.
 */
export async function loadStackProfiles(
  assets: AssetStore,
  yaml: YamlEditor,
  sight: SourceView,
): Promise<LoadedProfiles> {
  const problems: string[] = [];
  const texts = new Map<string, string>();
  const paths = sight.paths.filter((path) => OWN_PROFILE_PATH.test(path));
  if (paths.length > MOST_OWN_PROFILES)
    problems.push(`${STACK_FOLDER} has ${paths.length} profiles, and ${MOST_OWN_PROFILES} are read`);
  const standing = await sight.read(paths.slice(0, MOST_OWN_PROFILES));
  const own: ProfileSource[] = [];
  for (const [path, found] of standing) {
    const name = OWN_PROFILE_PATH.exec(path)?.[1] ?? "";
    if (found.kind !== "text") {
      if (found.kind !== "missing") problems.push(`${sanitizeText(path)}: ${UNREADABLE_FILE_REASONS[found.kind]}`);
      continue;
    }
    texts.set(path, found.text);
    const { profile, problems: wrong } = parseProfileYaml(yaml, name, found.text);
    if (profile) own.push(profile);
    problems.push(...wrong.map((problem) => `${sanitizeText(path)}: ${problem}`));
  }
  const inherited = resolveProfileInheritance(await loadBuiltInProfiles(assets, yaml), own);
  return { profiles: inherited.profiles, problems: [...problems, ...inherited.problems], texts };
}

export const UNREADABLE_FILE_REASONS = {
  link: "it is a link, and links are not followed; make it a file",
  large: "it is too large to be read",
  binary: "it is no text",
} as const;

/** Ignores problems: a test checks the built-in profiles. */
export function loadBuiltInProfiles(assets: AssetStore, yaml: YamlEditor): Promise<ProfileSource[]> {
  const texts = BUILT_IN_PROFILES.map(
    async (id) => parseProfileYaml(yaml, id, await assets.text(`stacks/${id}`)).profile,
  );
  return Promise.all(texts).then((profiles) => profiles.filter((profile) => profile !== undefined));
}

export function parseProfileYaml(yaml: YamlEditor, name: string, text: string): ParsedProfile {
  const { tree, problems } = yaml.read(text);
  if (problems.length > 0) return { problems: problems.map(({ problem, line }) => `line ${line}: ${problem}`) };
  return parseProfileTree(name, tree ? convertYamlValue(tree) : {});
}
