import { Fault } from "#kernel/model/fault.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { type ControlFile, listRunPrograms } from "../../model/stack/trusted-surface.ts";
import type { ControlReference } from "../../model/stack/stack-plan.ts";
import {
  findCheckOrigin,
  findReferencedFiles,
  formatControlParts,
  planWorkspaceStacks,
} from "../../model/stack/stack-plan.ts";
import { isProjectPath } from "../../model/stack/stack-detection.ts";
import { CI_FILE } from "../../model/stack/project-commands.ts";
import { isDependencyManifest, listForeignPackages, listPackageArchives } from "../../model/stack/foreign-packages.ts";
import { ProjectFiles } from "../../model/stack/project-files.ts";
import {
  detectPythonTestStyle,
  isPythonTestPath,
  MOST_READ_PYTHON_TESTS,
  type PythonTestStyle,
} from "../../model/stack/python-test-style.ts";
import { getPathName } from "#kernel/model/folder-path.ts";
import { type ProjectManifest, isManifestName, parseProjectManifest } from "../../model/stack/project-manifest.ts";
import { type Config, DEFAULT_CONFIG } from "#kernel/model/workspace-config.ts";
import { CONFIG_PATH, STACK_FOLDER } from "#kernel/model/workspace-paths.ts";
import type { AssetStore } from "#kernel/operations/engine.ts";
import type { SourceView, SourceFiles, SourceContent } from "#git/operations/ports/git-files.ts";
import type { StackDefinitions, StackSurvey } from "../../operations/ports/stacks.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { convertYamlValue } from "#kernel/model/yaml-tree.ts";
import type { ParsedProfile, ProfileSource } from "../../model/stack/stack-profile.ts";
import { resolveProfileInheritance, parseProfileTree } from "../../model/stack/stack-profile.ts";

interface StackSurveyNeeds {
  readonly source: Pick<SourceFiles, "at">;
  readonly assets: AssetStore;
  readonly yaml: YamlEditor;
  readonly digest: (text: string) => string;
  readonly readSettings: (text: string) => Promise<Config>;
}

/** The manifests nearest to the top are read. */
const MOST_READ_MANIFESTS = 1_000;
const JUDGING_SECTIONS = ["gates", "stack"];

/** Reads the project's files on every call: they change while a server runs. */
export function createStackSurveyor(needs: StackSurveyNeeds): StackDefinitions {
  let builtIn: Promise<ProfileSource[]> | undefined;
  const survey = async (sight: SourceView, now = sight): Promise<StackSurvey> =>
    surveyStacks(needs, await (builtIn ??= loadBuiltInProfiles(needs.assets)), sight, now);
  return {
    async definitions(commit) {
      const sight = await needs.source.at(commit);
      return sight && (await survey(sight)).definitions;
    },
    async onWorkingFiles(commit) {
      const [then, now] = [await needs.source.at(commit), await needs.source.at()];
      return then && now && (await survey(then, now)).definitions;
    },
    survey: async () => survey((await needs.source.at()) ?? { paths: [], ignored: [], read: async () => new Map() }),
  };
}

/** Surveys one file view. The files that decide how checks behave come from `now`. */
async function surveyStacks(
  needs: StackSurveyNeeds,
  builtIn: readonly ProfileSource[],
  sight: SourceView,
  now: SourceView,
): Promise<StackSurvey> {
  const { config, problems: wrong } = await readSurveyConfig(needs, sight);
  const { profiles, texts, problems: unread } = await loadStackProfiles(needs.yaml, builtIn, sight);
  const { manifests, problems: left } = await readProjectManifests(sight);
  const site = new ProjectFiles(excludeTenonFolders(sight.paths), manifests, await readTestStyles(sight, manifests));
  const isSame = now === sight && now.ignored.length === 0;
  const toolManifests = isSame ? manifests : (await readProjectManifests(now)).manifests;
  // Tools read their settings even if git ignores the files.
  const tools = isSame ? site : new ProjectFiles(excludeTenonFolders([...now.paths, ...now.ignored]), toolManifests);
  const { detections, stacks, control, problems } = planWorkspaceStacks(site, profiles, config.stack, tools);
  const isPytest = stacks.some(({ checks }) => checks.some(({ tool }) => tool === "pytest"));
  const known = new Set(control.map(({ path }) => path));
  const conftests = tools.paths.filter((path) => isPytest && path.endsWith("/conftest.py") && !known.has(path));
  const steering = await now.read(conftests);
  // Every `conftest.py` that steers pytest, in any folder. One with only fixtures belongs to the tests.
  const isSteering = (path: string): boolean => {
    const found = steering.get(path);
    return found?.kind !== "text" || PYTEST_HOOKS.test(found.text);
  };
  const wanted = [
    ...(await addReferencedControl(now, tools, control)),
    ...conftests.filter(isSteering).map((path) => ({ path })),
  ];
  const read = await hashControlFiles(needs, now, wanted, toolManifests);
  const foreign = stacks.length === 0 ? [] : await hashForeignPackages(needs, now, [...toolManifests.keys()]);
  const own = [...texts].map(([path, text]) => ({ path, hash: needs.digest(text) }));
  const origins = stacks.flatMap((stack) =>
    stack.checks.flatMap((check) => {
      const profile = profiles.find(({ id }) => id === stack.profile);
      const from = findCheckOrigin(site, profile, stack, check);
      return from === undefined ? [] : [{ directory: stack.directory, kind: check.kind, tool: check.tool, from }];
    }),
  );
  return {
    detections,
    profiles,
    origins,
    definitions: {
      // With an invalid setting or profile the intended checks are unknown, so none run.
      stacks: wrong.length + unread.length > 0 ? [] : stacks,
      gates: config.gates,
      programs: listRunPrograms(config),
      control: [...createSettingsControl(needs, config), ...own, ...read.control, ...foreign],
      problems: [...wrong, ...unread, ...left, ...problems, ...read.problems],
    },
  };
}

const excludeTenonFolders = (paths: readonly string[]): string[] => paths.filter((path) => !/^\.?sdd\//.test(path));

async function readSurveyConfig(
  needs: StackSurveyNeeds,
  sight: SourceView,
): Promise<{ config: Config; problems: string[] }> {
  const found = (await sight.read([CONFIG_PATH])).get(CONFIG_PATH);
  if (found === undefined || found.kind === "missing") return { config: DEFAULT_CONFIG, problems: [] };
  if (found.kind !== "text")
    return { config: DEFAULT_CONFIG, problems: [`${CONFIG_PATH}: ${UNREADABLE_FILE_REASONS[found.kind]}`] };
  try {
    return { config: await needs.readSettings(found.text), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { config: DEFAULT_CONFIG, problems: [`${error.what} ${error.why.replace(/\.$/, "")}`] };
  }
}

function createSettingsControl({ digest }: StackSurveyNeeds, config: Config): ControlFile[] {
  const said = formatControlParts(config, JUDGING_SECTIONS) ?? "";
  if (said === formatControlParts(DEFAULT_CONFIG, JUDGING_SECTIONS)) return [];
  const waived = Object.entries(config.gates.waived).map(
    ([check, why]) => `waived ${check}: ${sanitizeText(why ?? "", 200)}`,
  );
  const shown = waived.length > 0 ? { shown: waived } : {};
  return [{ path: CONFIG_PATH, hash: digest(said), part: JUDGING_SECTIONS.join(", "), ...shown }];
}

async function readProjectManifests(sight: SourceView) {
  const all = excludeTenonFolders(sight.paths).filter(
    (path) => (isManifestName(getPathName(path)) && isProjectPath(path)) || CI_FILE.test(path),
  );
  const measureDepth = (path: string): number => path.split("/").length;
  const wanted = all.toSorted((a, b) => measureDepth(a) - measureDepth(b)).slice(0, MOST_READ_MANIFESTS);
  const manifests = new Map<string, ProjectManifest>();
  for (const [path, found] of await sight.read(wanted)) {
    if (found.kind === "text") manifests.set(path, parseProjectManifest(getPathName(path), found.text));
  }
  const problem = `There are ${all.length} manifests, and Tenon reads only ${MOST_READ_MANIFESTS}: name the folders of the stacks in ${CONFIG_PATH}`;
  return { manifests, problems: all.length > wanted.length ? [problem] : [] };
}

/** Only a project that names pytest leaves open what its tests are written for. */
async function readTestStyles(
  sight: SourceView,
  manifests: ReadonlyMap<string, ProjectManifest>,
): Promise<Map<string, PythonTestStyle>> {
  const isOpen = [...manifests.values()].some(({ dependencies }) => dependencies.has("pytest"));
  const paths = isOpen ? excludeTenonFolders(sight.paths).filter(isPythonTestPath) : [];
  const styles = new Map<string, PythonTestStyle>();
  for (const [path, found] of await sight.read(paths.slice(0, MOST_READ_PYTHON_TESTS))) {
    const style = found.kind === "text" ? detectPythonTestStyle(found.text) : undefined;
    if (style) styles.set(path, style);
  }
  return styles;
}

async function hashControlFiles(
  { digest }: StackSurveyNeeds,
  sight: SourceView,
  wanted: readonly ControlReference[],
  manifests: ReadonlyMap<string, ProjectManifest>,
): Promise<{ control: ControlFile[]; problems: string[] }> {
  const problems: string[] = [];
  const standing = await sight.read([...new Set(wanted.map(({ path }) => path))]);
  const control = wanted.flatMap(({ path, parts }): ControlFile[] => {
    const found: SourceContent = standing.get(path) ?? { kind: "missing" };
    if (found.kind === "missing") return [];
    if (found.kind !== "text") {
      problems.push(`${sanitizeText(path)} configures the checks, but ${UNREADABLE_FILE_REASONS[found.kind]}`);
      return [];
    }
    const manifest = manifests.get(path) ?? parseProjectManifest(getPathName(path), found.text);
    const said = parts && manifest.tree !== undefined ? formatControlParts(manifest.tree, parts) : undefined;
    // Shows every script in full: a shortened line could hide a command.
    const scripts = [...manifest.scripts].map(([name, line]) => `${name}: ${line}`);
    const part = said === undefined || !parts ? {} : { part: parts.join(", ") };
    return [{ path, hash: digest(said ?? found.text), ...part, ...(scripts.length > 0 ? { shown: scripts } : {}) }];
  });
  return { control, problems };
}

const LARGEST_ARCHIVE = 256 * 1024 * 1024;

/** Lock files have hashes of what registries send. A package from elsewhere is code of whoever names it. */
async function hashForeignPackages(
  { digest }: StackSurveyNeeds,
  sight: SourceView,
  manifests: readonly string[],
): Promise<ControlFile[]> {
  const found = [...(await sight.read(manifests.filter(isDependencyManifest)))].flatMap(([path, content]) => {
    const packages = content.kind === "text" ? listForeignPackages(path, content.text) : [];
    return packages.length > 0 ? [{ path, packages }] : [];
  });
  if (found.length === 0) return [];
  const archives = [...new Set(found.flatMap(({ path, packages }) => listPackageArchives(path, packages)))];
  const read = await sight.read(archives, LARGEST_ARCHIVE);
  return [
    ...found.map(({ path, packages }) => {
      const part = "packages that are not from the registry";
      return { path, hash: digest(packages.join("\n")), part, shown: packages };
    }),
    ...archives.flatMap((path) => {
      const content = read.get(path);
      if (content?.kind === "text") return [{ path, hash: digest(content.text) }];
      return content?.hash === undefined ? [] : [{ path, hash: content.hash }];
    }),
  ];
}

const OWN_PROFILE_PATH = new RegExp(`^${STACK_FOLDER}/([^/]+)\\.ya?ml$`);
const MOST_OWN_PROFILES = 50;

/** Adds the project's own profiles. A profile with problems is left out, and its problems are listed. */
async function loadStackProfiles(yaml: YamlEditor, builtIn: readonly ProfileSource[], sight: SourceView) {
  const problems: string[] = [];
  const texts = new Map<string, string>();
  const paths = sight.paths.filter((path) => OWN_PROFILE_PATH.test(path));
  if (paths.length > MOST_OWN_PROFILES)
    problems.push(`${STACK_FOLDER} has ${paths.length} profiles, and ${MOST_OWN_PROFILES} are read`);
  const standing = await sight.read(paths.slice(0, MOST_OWN_PROFILES));
  const own: ProfileSource[] = [];
  for (const [path, found] of standing) {
    if (found.kind === "missing") continue;
    if (found.kind !== "text") {
      problems.push(`${sanitizeText(path)}: ${UNREADABLE_FILE_REASONS[found.kind]}`);
      continue;
    }
    texts.set(path, found.text);
    const parsed = parseProfileYaml(yaml, OWN_PROFILE_PATH.exec(path)?.[1] ?? "", found.text);
    if (parsed.profile) own.push(parsed.profile);
    problems.push(...parsed.problems.map((problem) => `${sanitizeText(path)}: ${problem}`));
  }
  const { profiles, problems: wrong } = resolveProfileInheritance(builtIn, own);
  return { profiles, problems: [...problems, ...wrong], texts };
}

const UNREADABLE_FILE_REASONS = {
  link: "it is a link, which Tenon does not follow; make it a file",
  large: "it is too large",
  binary: "it is not text",
} as const;

/** `npm run generate` writes them from `assets/stacks`. Ignores problems: a test checks the built-in profiles. */
export async function loadBuiltInProfiles(assets: AssetStore): Promise<ProfileSource[]> {
  const trees: Readonly<Record<string, unknown>> = JSON.parse(await assets.text("stack-profiles"));
  return Object.entries(trees).flatMap(([id, tree]) => parseProfileTree(id, tree).profile ?? []);
}

export function parseProfileYaml(yaml: YamlEditor, name: string, text: string): ParsedProfile {
  const { tree, problems } = yaml.read(text);
  if (problems.length > 0) return { problems: problems.map(({ problem, line }) => `line ${line}: ${problem}`) };
  return parseProfileTree(name, tree ? convertYamlValue(tree) : {});
}

const DEEPEST_REFERENCE = 10;

/** Adds the files that settings refer to: they decide as much as the settings. */
async function addReferencedControl(
  sight: SourceView,
  site: ProjectFiles,
  control: readonly ControlReference[],
): Promise<ControlReference[]> {
  const known = new Set(control.map(({ path }) => path));
  const more: ControlReference[] = [];
  let fresh = [...known];
  for (let depth = 0; fresh.length > 0 && depth < DEEPEST_REFERENCE; depth++) {
    const read = await sight.read(fresh);
    const named = [...read].flatMap(([path, found]) =>
      found.kind === "text" ? findReferencedFiles(site, path, found.text) : [],
    );
    fresh = [...new Set(named)].filter((path) => !known.has(path));
    for (const path of fresh) {
      known.add(path);
      more.push({ path });
    }
  }
  return [...control, ...more];
}

/** Pytest hooks in a `conftest.py` that decide which tests run and how they are reported. */
const PYTEST_HOOKS = new RegExp(
  [
    String.raw`\bpytest_(?:addoption|addhooks|assert|cmdline|collect|configure|deselected|enter|exception|fixture|generate)`,
    String.raw`\bpytest_(?:ignore|internalerror|itemcollected|leave|load|make|markeval|plugin|pycollect|pyfunc|report)`,
    String.raw`\bpytest_(?:runtest|session|terminal|unconfigure|warning)|\bcollect_ignore|\bhookimpl\b`,
  ].join("|"),
);
