import { Fault } from "#domain/fault.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { ControlFile } from "#domain/stack/definitions.ts";
import { type Control, partsOf } from "#domain/stack/detect/control.ts";
import { plan } from "#domain/stack/detect/definitions-of.ts";
import { isOurs } from "#domain/stack/detect/detection.ts";
import { Site } from "#domain/stack/detect/site.ts";
import { nameOf } from "#domain/stack/folder.ts";
import type { Manifest } from "#domain/stack/manifest/manifest.ts";
import { isManifest, readManifest } from "#domain/stack/manifest/read-manifest.ts";
import { type Config, DEFAULT_CONFIG } from "#domain/workspace/config.ts";
import { CONFIG_PATH } from "#domain/workspace/path.ts";
import type { AssetStore } from "#operations/engine.ts";
import type { SourceView, SourceFiles, SourceContent } from "#operations/ports/source.ts";
import type { StackDefinitions, StackSurvey } from "#operations/ports/stacks.ts";
import type { YamlEditor } from "#operations/ports/yaml.ts";
import { steeringConftests, withNamed } from "./named-files.ts";
import { readProfiles, UNREAD } from "./profiles.ts";
import { readToml } from "./toml.ts";

interface Needs {
  readonly source: Pick<SourceFiles, "at">;
  readonly assets: AssetStore;
  readonly yaml: YamlEditor;
  readonly digest: (text: string) => string;
  readonly readSettings: (text: string) => Promise<Config>;
}

/** The manifests nearest to the top are read. */
const MOST_MANIFESTS = 1_000;
const PARTS = ["gates", "stack"];

/** Reads the files on every call: they change while a server runs. */
export function stacksIn(needs: Needs): StackDefinitions {
  return {
    async definitions(commit) {
      const sight = await needs.source.at(commit);
      return sight && (await survey(needs, sight)).definitions;
    },
    async onWorkingFiles(commit) {
      const [then, now] = [await needs.source.at(commit), await needs.source.at()];
      return then && now && (await survey(needs, then, now)).definitions;
    },
    async survey() {
      const sight = await needs.source.at();
      return survey(needs, sight ?? { paths: [], ignored: [], read: async () => new Map() });
    },
  };
}

/** Surveys one file view. The files that decide how checks behave come from `now`. */
async function survey(needs: Needs, sight: SourceView, now: SourceView = sight): Promise<StackSurvey> {
  const { config, problems: wrong } = await settings(needs, sight);
  const { profiles, texts, problems: unread } = await readProfiles(needs.assets, needs.yaml, sight);
  const { manifests, problems: left } = await readManifests(sight);
  const site = new Site(ours(sight.paths), manifests);
  const tools = now === sight && now.ignored.length === 0 ? { site, manifests } : await toolsSite(now);
  const { detections, stacks, control, problems } = plan(site, profiles, config.stack, tools.site);
  const isPytest = stacks.some(({ checks }) => checks.some(({ tool }) => tool === "pytest"));
  const wanted = [
    ...(await withNamed(now, tools.site, control)),
    ...(isPytest ? await steeringConftests(now, tools.site, control) : []),
  ];
  const read = await hashed(needs, now, wanted, tools.manifests);
  const own = [...texts].map(([path, text]) => ({ path, hash: needs.digest(text) }));
  return {
    detections,
    profiles,
    definitions: {
      // With an invalid setting or profile the intended checks are unknown, so none run.
      stacks: wrong.length + unread.length > 0 ? [] : stacks,
      gates: config.gates,
      control: [...settingsControl(needs, config), ...own, ...read.control],
      problems: [...wrong, ...unread, ...left, ...problems, ...read.problems],
    },
  };
}

/** Tools read their settings even if git ignores the files. */
async function toolsSite(sight: SourceView): Promise<{ site: Site; manifests: ReadonlyMap<string, Manifest> }> {
  const { manifests } = await readManifests(sight);
  return { site: new Site(ours([...sight.paths, ...sight.ignored]), manifests), manifests };
}

const ours = (paths: readonly string[]): string[] => paths.filter((path) => !/^\.?sdd\//.test(path));

async function settings(needs: Needs, sight: SourceView): Promise<{ config: Config; problems: string[] }> {
  const found = (await sight.read([CONFIG_PATH])).get(CONFIG_PATH);
  if (found === undefined || found.kind === "missing") return { config: DEFAULT_CONFIG, problems: [] };
  if (found.kind !== "text") return { config: DEFAULT_CONFIG, problems: [`${CONFIG_PATH}: ${UNREAD[found.kind]}`] };
  try {
    return { config: await needs.readSettings(found.text), problems: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { config: DEFAULT_CONFIG, problems: [`${error.what} ${error.why.replace(/\.$/, "")}`] };
  }
}

function settingsControl({ digest }: Needs, config: Config): ControlFile[] {
  const said = partsOf(config, PARTS) ?? "";
  if (said === partsOf(DEFAULT_CONFIG, PARTS)) return [];
  const waived = Object.entries(config.gates.waived).map(
    ([check, why]) => `waived ${check}: ${sanitizeText(why ?? "", 200)}`,
  );
  const shown = waived.length > 0 ? { shown: waived } : {};
  return [{ path: CONFIG_PATH, hash: digest(said), part: PARTS.join(", "), ...shown }];
}

async function readManifests(sight: SourceView): Promise<{ manifests: Map<string, Manifest>; problems: string[] }> {
  const all = ours(sight.paths).filter((path) => isManifest(nameOf(path)) && isOurs(path));
  const wanted = all.toSorted((a, b) => depth(a) - depth(b)).slice(0, MOST_MANIFESTS);
  const manifests = new Map<string, Manifest>();
  for (const [path, found] of await sight.read(wanted)) {
    if (found.kind === "text") manifests.set(path, readManifest(nameOf(path), found.text, readToml));
  }
  const problems =
    all.length > wanted.length
      ? [
          `There are ${all.length} manifests, and ${MOST_MANIFESTS} are read: name the folders of the stacks in ${CONFIG_PATH}`,
        ]
      : [];
  return { manifests, problems };
}

const depth = (path: string): number => path.split("/").length;

async function hashed(
  { digest }: Needs,
  sight: SourceView,
  wanted: readonly Control[],
  manifests: ReadonlyMap<string, Manifest>,
): Promise<{ control: ControlFile[]; problems: string[] }> {
  const problems: string[] = [];
  const standing = await sight.read([...new Set(wanted.map(({ path }) => path))]);
  const control = wanted.flatMap(({ path, parts }): ControlFile[] => {
    const found: SourceContent = standing.get(path) ?? { kind: "missing" };
    if (found.kind === "missing") return [];
    if (found.kind !== "text") {
      problems.push(`${sanitizeText(path)} decides what checks do, but ${UNREAD[found.kind]}`);
      return [];
    }
    const manifest = manifests.get(path) ?? readManifest(nameOf(path), found.text, readToml);
    const said = parts && manifest.tree !== undefined ? partsOf(manifest.tree, parts) : undefined;
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
