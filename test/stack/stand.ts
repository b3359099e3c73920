import { openGitSession } from "#adapters/source/repository.ts";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createAssetFiles } from "#adapters/assets/assets.ts";
import { createGitSource } from "#adapters/source/source.ts";
import { loadBuiltInProfiles } from "#adapters/stack/profiles.ts";
import { createStackSurveyor } from "#adapters/stack/stacks.ts";
import { parseTomlText } from "#adapters/stack/toml.ts";
import { parseWorkspaceSettings } from "#adapters/workspace/settings.ts";
import { yamlAdapter } from "#adapters/yaml/yaml.ts";
import { ProjectFiles } from "#domain/stack/detect/site.ts";
import { isManifestName, parseProjectManifest } from "#domain/stack/manifest/read-manifest.ts";
import { resolveProfileInheritance } from "#domain/stack/profile/inherit.ts";
import type { StackDefinitions } from "#operations/ports/stacks.ts";

export const assets = createAssetFiles(new URL("assets/", pathToFileURL(`${process.cwd()}/`)));

/** The profiles that ship. */
export const shipped = resolveProfileInheritance(await loadBuiltInProfiles(assets, yamlAdapter), []).profiles;

/** Files by path, as a site. */
export function siteOf(files: Readonly<Record<string, string>>): ProjectFiles {
  const manifests = Object.entries(files).flatMap(([path, text]) => {
    const name = path.split("/").at(-1) ?? "";
    return isManifestName(name) ? [[path, parseProjectManifest(name, text, parseTomlText)] as const] : [];
  });
  return new ProjectFiles(Object.keys(files).toSorted(), new Map(manifests));
}

/** The real thing, on a real folder. */
export const stacksAt = (root: string): StackDefinitions =>
  createStackSurveyor({
    source: createGitSource(openGitSession(root, process.env)),
    assets,
    yaml: yamlAdapter,
    readSettings: parseWorkspaceSettings,
    digest: (text) => createHash("sha256").update(text).digest("hex"),
  });

export function put(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(root, path, ".."), { recursive: true });
    fs.writeFileSync(join(root, path), text);
  }
}

export const packageJson = (dependencies: readonly string[], scripts: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ devDependencies: Object.fromEntries(dependencies.map((name) => [name, "1.0.0"])), scripts });
