import { listTreeEntries, readTreeSection } from "#kernel/model/data-tree.ts";
import { getPathFolder, getPathName, resolveFolderPath } from "#kernel/model/folder-path.ts";
import { parseJsonc } from "#kernel/model/jsonc-parser.ts";

const NODE_SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"];
/** An archive, a folder, a repository, or a package under another name. A version range is none of these. */
const FOREIGN_NODE_SOURCE =
  /^(?:file|link|portal|npm|https?|git[\w+]*|ssh|github|gitlab|bitbucket|gist):|^\.{0,2}\/|^[\w.-]+\/[\w.-]+/;
const FOREIGN_PYTHON_LINE =
  /^\s*(?:-e\s|--editable\b|--(?:extra-)?index-url\b|--find-links\b|-f\s|\.{0,2}\/|file:|git\+|https?:)|\s@\s|\.(?:whl|tar\.gz|zip)\b/;
/** A crate of the workspace has a path. */
const FOREIGN_CRATE = /^[^#]*\b(?:git|registry|registry-index|package)\s*=\s*["']/;
const PYTHON_DIRECT_REFERENCE = /["']([\w.[\]-]+\s*@\s*[^"'\n]+)["']/g;
const PACKAGE_ARCHIVE = /(?:^|[\s:=@])((?:\.{0,2}\/)?[\w@./-]+\.(?:tgz|tar\.gz|whl|zip))(?:$|[\s#;])/;

export const isDependencyManifest = (path: string): boolean =>
  /^(?:package\.json|requirements[\w.-]*\.(?:txt|in)|pyproject\.toml|Cargo\.toml)$/.test(getPathName(path));

/**
 * Dependencies that do not come from the registry under their own name, one per line. Such a dependency may be a test
 * runner that always passes.
 */
export function listForeignPackages(path: string, text: string): string[] {
  const name = getPathName(path);
  if (name === "package.json") {
    const tree = parseJsonc(text);
    return NODE_SECTIONS.flatMap((section) =>
      listTreeEntries(readTreeSection(tree, section)).flatMap(([key, source]) =>
        typeof source === "string" && FOREIGN_NODE_SOURCE.test(source) ? [`${key}: ${source}`] : [],
      ),
    );
  }
  if (name === "Cargo.toml")
    return text
      .split("\n")
      .filter((line) => FOREIGN_CRATE.test(line))
      .map((line) => line.trim());
  if (name === "pyproject.toml") return [...text.matchAll(PYTHON_DIRECT_REFERENCE)].map(([, line = ""]) => line);
  return text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line) && FOREIGN_PYTHON_LINE.test(line))
    .map((line) => line.trim());
}

/** The archives of the repository among them. */
export function listPackageArchives(path: string, packages: readonly string[]): string[] {
  return packages.flatMap((line) => {
    const [, archive] = PACKAGE_ARCHIVE.exec(line.replace(/\bfile:(?:\/\/)?/, " ")) ?? [];
    const place = archive === undefined ? undefined : resolveFolderPath(`${getPathFolder(path)}/${archive}`);
    return place === undefined ? [] : [place];
  });
}
