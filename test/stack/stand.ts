import { openGitSession } from "#git/adapters/git-repository.ts";
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createAssetFiles } from "#kernel/adapters/asset-files.ts";
import { createGitSource } from "#git/adapters/git-source.ts";
import { loadBuiltInProfiles, createStackSurveyor } from "#checking/adapters/stack/stack-survey.ts";
import { parseWorkspaceSettings } from "#store/adapters/workspace-settings.ts";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { ProjectFiles } from "#checking/model/stack/project-files.ts";
import { isManifestName, parseProjectManifest } from "#checking/model/stack/project-manifest.ts";
import { resolveProfileInheritance } from "#checking/model/stack/stack-profile.ts";
import type { StackDefinitions } from "#checking/operations/ports/stacks.ts";

export const assets = createAssetFiles(new URL("assets/", pathToFileURL(`${process.cwd()}/`)));

/** The profiles that ship. */
export const shipped = resolveProfileInheritance(await loadBuiltInProfiles(assets), []).profiles;

/** Files by path, as a site. */
export function siteOf(files: Readonly<Record<string, string>>): ProjectFiles {
  const manifests = Object.entries(files).flatMap(([path, text]) => {
    const name = path.split("/").at(-1) ?? "";
    return isManifestName(name) ? [[path, parseProjectManifest(name, text)] as const] : [];
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
