import fs from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";

export interface CheckoutPlaces {
  readonly working: string;
  readonly checkout: string;
  /** Tracked and untracked files of the repository that are not ignored, relative to `working`. */
  readonly paths: () => Promise<readonly string[]>;
}

/** Composer's loader finds the project beside its own real path, so these parts of `vendor` are copied. */
const COMPOSER_LOADER = ["autoload.php", "composer", "bin"];

export async function linkBorrowedFolder(from: string, to: string, places: CheckoutPlaces): Promise<string[]> {
  if (basename(to) === "node_modules") return linkInstalledPackages(from, to, places);
  if (!fs.existsSync(join(from, "composer", "autoload_real.php"))) {
    fs.symlinkSync(from, to);
    return [];
  }
  fs.mkdirSync(to);
  for (const name of fs.readdirSync(from)) {
    if (!COMPOSER_LOADER.includes(name)) fs.symlinkSync(join(from, name), join(to, name));
    else fs.cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
  }
  return [];
}

/**
 * Links a folder of installed packages into a checkout. A workspace of npm, pnpm or Yarn links its own packages there:
 * those lead to the checkout instead of the working files. Returns changed packages for which that is impossible,
 * because others import them as built, in a folder that git ignores.
 */
async function linkInstalledPackages(from: string, to: string, places: CheckoutPlaces): Promise<string[]> {
  const names = fs.readdirSync(from);
  const scopes = names.filter((name) => name.startsWith("@") && fs.lstatSync(join(from, name)).isDirectory());
  const scoped = scopes.flatMap((scope) => fs.readdirSync(join(from, scope)).map((name) => join(scope, name)));
  const own = new Map(
    [...names, ...scoped].flatMap((name) => {
      const folder = findWorkspaceFolder(join(from, name), places.working);
      return folder === undefined ? [] : [[name, folder] as const];
    }),
  );
  if (own.size === 0) {
    fs.symlinkSync(from, to);
    return [];
  }
  const opened = new Set([...own.keys()].map(dirname).filter((scope) => scope !== "."));
  const all = [...names.filter((name) => !opened.has(name)), ...scoped.filter((name) => opened.has(dirname(name)))];
  fs.mkdirSync(to);
  for (const scope of opened) fs.mkdirSync(join(to, scope));
  const leaks: string[] = [];
  for (const name of all) {
    const folder = own.get(name);
    if (folder === undefined) {
      fs.symlinkSync(join(from, name), join(to, name));
      continue;
    }
    const isBuilt = await isUsedAsBuilt(folder, places);
    if (isBuilt && (await hasChanged(folder, places))) leaks.push(folder);
    fs.symlinkSync(join(isBuilt ? places.working : places.checkout, folder), join(to, name));
  }
  return leaks;
}

/** The folder that a link leads to, if it is part of the repository and not itself installed. */
function findWorkspaceFolder(link: string, working: string): string | undefined {
  if (!fs.lstatSync(link).isSymbolicLink() || !fs.existsSync(link)) return undefined;
  const folder = relative(working, fs.realpathSync(link));
  const parts = folder.split(sep);
  return folder === "" || parts[0] === ".." || parts.includes("node_modules") ? undefined : folder;
}

/** Whether the manifest names an entry that git ignores. */
async function isUsedAsBuilt(folder: string, { working, checkout, paths }: CheckoutPlaces): Promise<boolean> {
  const manifest = readManifest(join(checkout, folder, "package.json"));
  const entries = ["main", "module", "exports", "bin"].flatMap((key) => listStrings(manifest[key]));
  const lacking = entries
    .map((entry) => join(folder, entry))
    .filter(
      (path) => !path.includes("*") && !fs.existsSync(join(checkout, path)) && fs.existsSync(join(working, path)),
    );
  const known = new Set(lacking.length > 0 ? await paths() : []);
  return lacking.some((path) => fs.statSync(join(working, path)).isFile() && !known.has(path));
}

function readManifest(file: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return typeof manifest === "object" && manifest !== null ? { ...manifest } : {};
  } catch {
    return {};
  }
}

function listStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listStrings) : [];
}

async function hasChanged(folder: string, { working, checkout, paths }: CheckoutPlaces): Promise<boolean> {
  const own = (await paths()).filter((path) => path.startsWith(`${folder}/`));
  const isCode = (path: string): boolean => !/\.(?:test|spec)\.\w+$|\/(?:tests?|__tests__)\//.test(path);
  return own.some((path) => isCode(path) && !hasSameBytes(join(working, path), join(checkout, path)));
}

function hasSameBytes(one: string, other: string): boolean {
  try {
    return fs.readFileSync(one).equals(fs.readFileSync(other));
  } catch {
    return fs.existsSync(one) === fs.existsSync(other);
  }
}
