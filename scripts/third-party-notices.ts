import fs from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

export const NOTICES_FILE = "THIRD_PARTY_NOTICES";

interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly texts: readonly string[];
}

const PACKAGE_FOLDER = /^(?:[\w-]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/** Folders of the packages whose code is in the output. An input that tree shaking dropped does not count. */
export function listBundledFolders(metafiles: readonly Metafile[]): string[] {
  const inputs = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap((output) =>
      Object.entries(output.inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path]) => path),
    ),
  );
  return [...new Set(inputs.flatMap((path) => PACKAGE_FOLDER.exec(path)?.[1] ?? []))];
}

/** Licences require their text in every copy, so a package without one fails the build. */
export function createNotices(folders: readonly string[]): string {
  const packages = new Map(folders.map(readBundledPackage).map((found) => [`${found.name} ${found.version}`, found]));
  const sections = [...packages]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { license, texts }]) => `${"=".repeat(80)}\n${title} (${license})\n\n${texts.join("\n\n")}\n`);
  return `Tenon contains code of these packages. Their licences follow.\n\n${sections.join("\n")}`;
}

function readBundledPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(fs.readFileSync(join(folder, "package.json"), "utf8"));
  const own = fs.readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  // For packages that ship no licence text, or only part of it.
  const added = join(import.meta.dirname, "licences", `${String(name).replace("/", "+")}.txt`);
  const files = [...own.map((file) => join(folder, file)), ...(fs.existsSync(added) ? [added] : [])];
  if (files.length === 0) throw new Error(`${name} ships no licence text. Add it as ${added}.`);
  return { name, version, license, texts: files.map((file) => fs.readFileSync(file, "utf8").trim()) };
}
