import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { ControlFile } from "#domain/stack/definitions.ts";
import { type ControlReference, formatControlParts } from "#domain/stack/detect/control.ts";
import { planWorkspaceStacks } from "#domain/stack/detect/definitions-of.ts";
import { isProjectPath } from "#domain/stack/detect/detection.ts";
import { ProjectFiles } from "#domain/stack/detect/site.ts";
import { getPathName } from "#domain/stack/folder.ts";
import type { ProjectManifest } from "#domain/stack/manifest/manifest.ts";
import { isManifestName, parseProjectManifest } from "#domain/stack/manifest/read-manifest.ts";
import { type Config, DEFAULT_CONFIG } from "#domain/workspace/config.ts";
import { CONFIG_PATH } from "#domain/workspace/path.ts";
import type { AssetStore } from "#operations/engine.ts";
import type { SourceView, SourceFiles, SourceContent } from "#operations/ports/source.ts";
import type { StackDefinitions, StackSurvey } from "#operations/ports/stacks.ts";
import type { YamlEditor } from "#operations/ports/yaml.ts";
import { findSteeringConftests, addReferencedControl } from "./named-files.ts";
import { loadStackProfiles, UNREADABLE_FILE_REASONS } from "./profiles.ts";
import { parseTomlText } from "./toml.ts";

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

/** Reads the files on every call: they change while a server runs. */
export function createStackSurveyor(needs: StackSurveyNeeds): StackDefinitions {
  return {
    async definitions(commit) {
      const sight = await needs.source.at(commit);
      return sight && (await surveyStacks(needs, sight)).definitions;
    },
    async onWorkingFiles(commit) {
      const [then, now] = [await needs.source.at(commit), await needs.source.at()];
      return then && now && (await surveyStacks(needs, then, now)).definitions;
    },
    async survey() {
      const sight = await needs.source.at();
      return surveyStacks(needs, sight ?? { paths: [], ignored: [], read: async () => new Map() });
    },
  };
}

/** Surveys one file view. The files that decide how checks behave come from `now`. */
async function surveyStacks(needs: StackSurveyNeeds, sight: SourceView, now: SourceView = sight): Promise<StackSurvey> {
  const { config, problems: wrong } = await readSurveyConfig(needs, sight);
  const { profiles, texts, problems: unread } = await loadStackProfiles(needs.assets, needs.yaml, sight);
  const { manifests, problems: left } = await readProjectManifests(sight);
  const site = new ProjectFiles(excludeTenonFolders(sight.paths), manifests);
  const tools = now === sight && now.ignored.length === 0 ? { site, manifests } : await loadToolFiles(now);
  const { detections, stacks, control, problems } = planWorkspaceStacks(site, profiles, config.stack, tools.site);
  const isPytest = stacks.some(({ checks }) => checks.some(({ tool }) => tool === "pytest"));
  const wanted = [
    ...(await addReferencedControl(now, tools.site, control)),
    ...(isPytest ? await findSteeringConftests(now, tools.site, control) : []),
  ];
  const read = await hashControlFiles(needs, now, wanted, tools.manifests);
  const own = [...texts].map(([path, text]) => ({ path, hash: needs.digest(text) }));
  return {
    detections,
    profiles,
    definitions: {
      // With an invalid setting or profile the intended checks are unknown, so none run.
      stacks: wrong.length + unread.length > 0 ? [] : stacks,
      gates: config.gates,
      control: [...createSettingsControl(needs, config), ...own, ...read.control],
      problems: [...wrong, ...unread, ...left, ...problems, ...read.problems],
    },
  };
}

/** Tools read their settings even if git ignores the files. */
async function loadToolFiles(
  sight: SourceView,
): Promise<{ site: ProjectFiles; manifests: ReadonlyMap<string, ProjectManifest> }> {
  const { manifests } = await readProjectManifests(sight);
  return { site: new ProjectFiles(excludeTenonFolders([...sight.paths, ...sight.ignored]), manifests), manifests };
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

async function readProjectManifests(
  sight: SourceView,
): Promise<{ manifests: Map<string, ProjectManifest>; problems: string[] }> {
  const all = excludeTenonFolders(sight.paths).filter(
    (path) => isManifestName(getPathName(path)) && isProjectPath(path),
  );
  const wanted = all.toSorted((a, b) => measurePathDepth(a) - measurePathDepth(b)).slice(0, MOST_READ_MANIFESTS);
  const manifests = new Map<string, ProjectManifest>();
  for (const [path, found] of await sight.read(wanted)) {
    if (found.kind === "text") manifests.set(path, parseProjectManifest(getPathName(path), found.text, parseTomlText));
  }
  const problems =
    all.length > wanted.length
      ? [
          `There are ${all.length} manifests, and ${MOST_READ_MANIFESTS} are read: name the folders of the stacks in ${CONFIG_PATH}`,
        ]
      : [];
  return { manifests, problems };
}

const measurePathDepth = (path: string): number => path.split("/").length;

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
      problems.push(`${sanitizeText(path)} decides what checks do, but ${UNREADABLE_FILE_REASONS[found.kind]}`);
      return [];
    }
    const manifest = manifests.get(path) ?? parseProjectManifest(getPathName(path), found.text, parseTomlText);
    const said = parts && manifest.tree !== undefined ? formatControlParts(manifest.tree, parts) : undefined;
    // Shows every script in full: a shortened line could hide a command.
    const scripts = [...manifest.scripts].map(([name, line]) => `${name}: ${line}`);
    return [
      {
        path,
        hash: digest(said ?? found.text),
        ...(said === undefined || !parts ? {} : { part: parts.join(", ") }),
        ...(scripts.length > 0 ? { shown: scripts } : {}),
      },
    ];
  });
  return { control, problems };
}
