import { sanitizeText } from "#domain/quote.ts";
import { convertYamlValue } from "#domain/spec/yaml/located.ts";
import { inheritAll, type Profiles } from "#domain/stack/profile/inherit.ts";
import { BUILT_IN, type ProfileText } from "#domain/stack/profile/profile.ts";
import { type ProfileReading, readProfile } from "#domain/stack/profile/read-profile.ts";
import { STACK_FOLDER } from "#domain/workspace/path.ts";
import type { AssetStore } from "#operations/engine.ts";
import type { SourceView } from "#operations/ports/source.ts";
import type { YamlEditor } from "#operations/ports/yaml.ts";

const OWN = new RegExp(`^${STACK_FOLDER}/([^/]+)\\.ya?ml$`);
const MOST = 50;

export interface OwnProfiles extends Profiles {
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Loads the built-in profiles and the project's own. A profile with problems is left out, and its problems are listed.
 */
export async function readProfiles(assets: AssetStore, yaml: YamlEditor, sight: SourceView): Promise<OwnProfiles> {
  const problems: string[] = [];
  const texts = new Map<string, string>();
  const paths = sight.paths.filter((path) => OWN.test(path));
  if (paths.length > MOST) problems.push(`${STACK_FOLDER} has ${paths.length} profiles, and ${MOST} are read`);
  const standing = await sight.read(paths.slice(0, MOST));
  const own: ProfileText[] = [];
  for (const [path, found] of standing) {
    const name = OWN.exec(path)?.[1] ?? "";
    if (found.kind !== "text") {
      if (found.kind !== "missing") problems.push(`${sanitizeText(path)}: ${UNREAD[found.kind]}`);
      continue;
    }
    texts.set(path, found.text);
    const { profile, problems: wrong } = parseProfile(yaml, name, found.text);
    if (profile) own.push(profile);
    problems.push(...wrong.map((problem) => `${sanitizeText(path)}: ${problem}`));
  }
  const inherited = inheritAll(await builtIn(assets, yaml), own);
  return { profiles: inherited.profiles, problems: [...problems, ...inherited.problems], texts };
}

export const UNREAD = {
  link: "it is a link, and links are not followed; make it a file",
  large: "it is too large to be read",
  binary: "it is no text",
} as const;

/** Ignores problems: a test checks the built-in profiles. */
export function builtIn(assets: AssetStore, yaml: YamlEditor): Promise<ProfileText[]> {
  const texts = BUILT_IN.map(async (id) => parseProfile(yaml, id, await assets.text(`stacks/${id}`)).profile);
  return Promise.all(texts).then((profiles) => profiles.filter((profile) => profile !== undefined));
}

export function parseProfile(yaml: YamlEditor, name: string, text: string): ProfileReading {
  const { tree, problems } = yaml.read(text);
  if (problems.length > 0) return { problems: problems.map(({ problem, line }) => `line ${line}: ${problem}`) };
  return readProfile(name, tree ? convertYamlValue(tree) : {});
}
