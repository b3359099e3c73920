import { openGitSession } from "#adapters/source/repository.ts";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createAssetFiles } from "#adapters/assets/assets.ts";
import { createGitSource } from "#adapters/source/source.ts";
import { builtIn } from "#adapters/stack/profiles.ts";
import { stacksIn } from "#adapters/stack/stacks.ts";
import { readToml } from "#adapters/stack/toml.ts";
import { parseWorkspaceSettings } from "#adapters/workspace/settings.ts";
import { yamlAdapter } from "#adapters/yaml/yaml.ts";
import { Site } from "#domain/stack/detect/site.ts";
import { isManifest, readManifest } from "#domain/stack/manifest/read-manifest.ts";
import { inheritAll } from "#domain/stack/profile/inherit.ts";
import type { StackDefinitions } from "#operations/ports/stacks.ts";

export const assets = createAssetFiles(new URL("assets/", pathToFileURL(`${process.cwd()}/`)));

/** The profiles that ship. */
export const shipped = inheritAll(await builtIn(assets, yamlAdapter), []).profiles;

/** Files by path, as a site. */
export function siteOf(files: Readonly<Record<string, string>>): Site {
  const manifests = Object.entries(files).flatMap(([path, text]) => {
    const name = path.split("/").at(-1) ?? "";
    return isManifest(name) ? [[path, readManifest(name, text, readToml)] as const] : [];
  });
  return new Site(Object.keys(files).toSorted(), new Map(manifests));
}

/** The real thing, on a real folder. */
export const stacksAt = (root: string): StackDefinitions =>
  stacksIn({
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
