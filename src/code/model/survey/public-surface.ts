import tables from "./survey-tables.json" with { type: "json" };
import type { CodeComponent, CodeOutline } from "../index/code-outline.ts";
import { createComponentRefs } from "../index/code-outline.ts";
import { listSupertypes } from "../index/supertypes.ts";
import { classifyFileRole } from "./file-roles.ts";
import { getParentFolder, getScannedFileName } from "./file-selection.ts";

/** A symbol that users of the product can use. `owner` is its class or object. */
export interface PublicSymbol extends Pick<CodeComponent, "kind" | "name" | "doc" | "line"> {
  readonly path: string;
  readonly ref: string;
  readonly owner: string;
  readonly supertypes: readonly string[];
  readonly weight: number;
}

export interface SurfaceSources {
  readonly outlines: ReadonlyMap<string, CodeOutline>;
  readonly texts: ReadonlyMap<string, string>;
}

/** The symbols of product code that the package offers: by its entry files where it has some, else all exports. */
export function listPublicSymbols({ outlines, texts }: SurfaceSources): PublicSymbol[] {
  const written = [...outlines].filter(([path, { by }]) => by === "grammar" && classifyFileRole(path) === "product");
  // Declarations repeat the code, if the code is here.
  const code = written.filter(([path]) => !DECLARATION_FILE.test(path));
  const isScript = code.some(([, { language }]) => SCRIPT_LANGUAGE.test(language));
  const found = listOfferedSymbols(isScript ? code : written, texts);
  if (!isScript || found.filter(({ owner }) => owner === "").length >= THIN_SURFACE) return found;
  // Code that builds its objects at run time shows little. Declarations beside it, if any, list its exports.
  const declared = written.filter(([path]) => !code.some(([other]) => other === path));
  const stated = listOfferedSymbols([...code, ...declared], texts).filter(({ path }) => DECLARATION_FILE.test(path));
  return stated.length > found.length ? [...found, ...stated] : found;
}

const SCRIPT_LANGUAGE = /^(?:javascript|typescript|tsx)$/;
/** Symbols at the top. */
const THIN_SURFACE = 8;

function listOfferedSymbols(
  product: readonly (readonly [string, CodeOutline])[],
  texts: ReadonlyMap<string, string>,
): PublicSymbol[] {
  const surface = findEntrySurface(product, texts);
  return product.flatMap(([path, outline]) => {
    const offered = surface(path, outline.language);
    if (offered === undefined || isInternalPath(path, offered)) return [];
    return listFileSymbols(path, outline, texts.get(path) ?? "", offered);
  });
}

/** `names` are offered at the entry. If `isAll`, the file offers its other exports too. */
interface OfferedNames {
  readonly names: ReadonlySet<string>;
  readonly isAll: boolean;
}

const INTERNAL_PATH =
  /(?:^|\/)(?:internals?|private|_[^/]*|impl|backport|vendor(?:ed)?|polyfills?)(?:\/|\.\w+$)|(?:^|\/)(?:\w*utils?|helpers?|compat|shims?|constants?|common|version|__version__|types?\.d|doc|docs|certs|packages|help)\.\w+$/i;

const isInternalPath = (path: string, { names }: OfferedNames): boolean =>
  names.size === 0 && INTERNAL_PATH.test(path.replace(/(?:^|\/)__(?:init|main)__\.py$/, ""));

const EVERYTHING: OfferedNames = { names: new Set(), isAll: true };
const RUST_PRIVATE_TEST = /^pub(?!\()/;

function findEntrySurface(product: readonly (readonly [string, CodeOutline])[], texts: ReadonlyMap<string, string>) {
  const reexports = listScriptReexports(product, texts);
  const python = listPythonExports(product, texts);
  return (path: string, language: string): OfferedNames | undefined => {
    if (SCRIPT_LANGUAGE.test(language)) return reexports === undefined ? EVERYTHING : reexports.get(path);
    if (language === "python") return python(path);
    if (language === "rust") return findRustOffer(path, texts);
    if (language === "go" && /^package main\b/m.test(texts.get(path) ?? "")) return undefined;
    return EVERYTHING;
  };
}

/** Names that `__init__.py` imports from its own package. Without any, every module is part of the surface. */
function listPythonExports(product: readonly (readonly [string, CodeOutline])[], texts: ReadonlyMap<string, string>) {
  const packages = product.filter(([path]) => getScannedFileName(path) === "__init__.py");
  const roots = packages.filter(([path]) => !texts.has(`${getParentFolder(getParentFolder(path))}/__init__.py`));
  const byModule = new Map<string, Set<string>>();
  for (const [path, { imports }] of roots) {
    const folder = getParentFolder(path);
    const own = `${getScannedFileName(folder)}.`;
    for (const { specifier, names } of imports) {
      const module = specifier.startsWith(own) ? specifier.slice(own.length) : /^\.([\w.]*)$/.exec(specifier)?.[1];
      if (module === undefined) continue;
      const add = (key: string, name?: string) => {
        const known = byModule.get(`${folder}/${key.replaceAll(".", "/")}`) ?? new Set();
        byModule.set(`${folder}/${key.replaceAll(".", "/")}`, name === undefined ? known : known.add(name));
      };
      for (const name of names) {
        if (module === "") add(name);
        else add(module, name);
      }
    }
  }
  return (path: string): OfferedNames | undefined => {
    const module = path.replace(/(?:\/__init__)?\.py$/, "");
    const own = [...byModule].flatMap(([key, names]) =>
      key === module || key.startsWith(`${module}/`) ? [...names] : [],
    );
    const names = new Set(byModule.get(module) ?? own);
    return { names, isAll: names.size === 0 };
  };
}

const SCRIPT_REEXPORT =
  /\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*["']([^"'\n]+)["']|\bexports(?:\.[\w$]+)?\s*=\s*(?:module\.exports\s*=\s*)?(?:require\(\s*["']([^"'\n]+)["']\s*\)|([\w$]+)\s*[;\n]|new\s+([\w$]+))/g;
const SCRIPT_BINDING =
  /\b(?:var|let|const|import)\s+(?:type\s+)?([\w$]+|(?:[\w$]+\s*,\s*)?\{[^}]*\})\s*(?:=\s*require\(\s*|from\s*)["'](\.[^"'\n]*)["']/g;
/** What a declaration imports is part of the contract that it states. */
const DECLARATION_FILE = /\.d\.[cm]?ts$/;
const SCRIPT_ENDINGS = [
  ".ts",
  ".tsx",
  ".js",
  ".mjs",
  ".cjs",
  ".mts",
  ".jsx",
  "/index.ts",
  "/index.js",
  "/index.mjs",
  ".d.ts",
];

/** Follows re-exports from the entry files. Undefined if the package names no entry file that is in the repository. */
function listScriptReexports(product: readonly (readonly [string, CodeOutline])[], texts: ReadonlyMap<string, string>) {
  const paths = new Set(product.map(([path]) => path));
  const outlines = new Map(product);
  const entries = [...texts].flatMap(([path, text]) =>
    getScannedFileName(path) === "package.json" && classifyFileRole(path) === "product"
      ? listPackageEntries(getParentFolder(path), text, paths)
      : [],
  );
  if (entries.length === 0) return undefined;
  const offered = new Map<string, Set<string>>();
  const open = [...new Set(entries)].map((path): [string, boolean] => [path, true]);
  while (open.length > 0) {
    const [path = ""] = open.shift() ?? [];
    if (offered.has(path)) continue;
    offered.set(path, new Set());
    const text = texts.get(path) ?? "";
    const bound = new Map<string, string>();
    for (const [, names = "", from = ""] of text.matchAll(SCRIPT_BINDING))
      for (const name of names.match(/[\w$]+(?=\s*(?:,|\}|$))/g) ?? []) bound.set(name, from);
    const listed = /\b(?:export|exports\s*=|export\s+default)\s*\{([^}]*)\}/g;
    const members = [...text.matchAll(listed)].flatMap(([, list = ""]) => list.match(/[\w$]+/g) ?? []);
    const isBarrel =
      DECLARATION_FILE.test(path) || outlines.get(path)?.components.every(({ isExported }) => !isExported) === true;
    const found = [...text.matchAll(SCRIPT_REEXPORT)].map(
      ([, from, required, name, made]) => from ?? required ?? bound.get(name ?? made ?? ""),
    );
    const inherited = [...text.matchAll(/\b(?:Object\.create\(|extends\s)\s*([\w$]+)/g)].map(([, name = ""]) => name);
    // A class or default that a file exports may extend or wrap what it imports.
    const wrapped = isBarrel
      ? [...bound.values()]
      : [...members, ...inherited].flatMap((name) => bound.get(name) ?? []);
    for (const from of [...found, ...wrapped]) {
      const target = from === undefined ? undefined : resolveScriptPath(path, from, paths);
      if (target !== undefined) open.push([target, false]);
    }
  }
  return new Map([...offered.keys()].map((path) => [path, { names: new Set([path]), isAll: true }]));
}

function listPackageEntries(folder: string, text: string, paths: ReadonlySet<string>): string[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return [];
  }
  const named = collectStrings(manifest, ["main", "module", "exports", "bin", "source", "types"]);
  const base = folder === "" ? "" : `${folder}/`;
  const usual = ["src/index", "index", "lib/index", "src/main", "source/index"];
  const found = named.flatMap((each) => {
    const plain = each.replace(/^\.\//, "");
    const source = plain
      .replace(/^(?:dist|build|lib|out|esm|cjs)\/(?:(?:esm|cjs|types|src)\/)*/, "src/")
      .replace(/\.d\.ts$|\.\w+$/, "");
    return (
      resolveScriptPath(`${base}x`, `./${plain}`, paths) ?? resolveScriptPath(`${base}x`, `./${source}`, paths) ?? []
    );
  });
  return found.length > 0
    ? found
    : usual.flatMap((each) => resolveScriptPath(`${base}x`, `./${each}`, paths) ?? []).slice(0, 1);
}

function collectStrings(value: unknown, keys?: readonly string[]): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (keys?.includes(key) === false ? [] : collectStrings(each)));
}

function resolveScriptPath(from: string, specifier: string, paths: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const parts = getParentFolder(from).split("/").filter(Boolean);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  const plain = parts.join("/");
  const bare = plain.replace(/\.[cm]?jsx?$/, "");
  return [
    plain,
    ...SCRIPT_ENDINGS.flatMap((end) => [`${plain}${end}`, `${bare}${end}`]),
    ...(plain === "" ? ["index.js", "index.ts"] : []),
  ].find((each) => paths.has(each));
}

/** A private module offers only what its parent re-exports. */
function findRustOffer(path: string, texts: ReadonlyMap<string, string>): OfferedNames | undefined {
  if (/(?:^|\/)src\/(?:main\.rs$|bin\/)/.test(path)) return undefined;
  const module = /([^/]+?)(?:\/mod)?\.rs$/.exec(path)?.[1] ?? "";
  const folder = getParentFolder(path.replace(/\/mod\.rs$/, ".rs"));
  const parent =
    ["lib.rs", "mod.rs"].map((name) => texts.get(`${folder}/${name}`)).find((text) => text !== undefined) ??
    texts.get(`${folder}.rs`);
  if (module === "lib" || parent === undefined || !new RegExp(`^\\s*mod ${module};`, "m").test(parent))
    return EVERYTHING;
  const used = [
    ...parent.matchAll(new RegExp(`pub use (?:crate::|self::)?${module}::(?:\\w+::)*(\\{[^}]*\\}|\\w+|\\*)`, "g")),
  ];
  const names = new Set(used.flatMap(([, list = ""]) => list.match(/\w+|\*/g) ?? []));
  return names.size === 0 ? undefined : { names, isAll: names.has("*") };
}

const BORING_NAMES = new Set(tables.boringNames.split(" "));

function listFileSymbols(
  path: string,
  outline: CodeOutline,
  text: string,
  { names, isAll }: OfferedNames,
): PublicSymbol[] {
  const { components, language } = outline;
  const refs = createComponentRefs(components);
  const open = new Set<string>();
  const found = new Map<string, PublicSymbol>();
  for (const [i, each] of components.entries()) {
    const { kind, name, within, signature, doc, line } = each;
    const full = within === "" ? name : `${within}.${name}`;
    const isPublic =
      each.isExported && isPublicSignature(language, kind, signature) && !/^(?:_|#|constructor$)/.test(name);
    const isConstructor = within !== "" && (within === name || within.endsWith(`.${name}`));
    if (!isPublic || isConstructor || BORING_NAMES.has(name) || isTestPart(outline, line)) continue;
    const isMember = within !== "" && !(language === "rust" && kind !== "method" && !open.has(within));
    const isHolder = kind === "module" || /^(?:class|interface|type)$/.test(kind);
    if (!isMember && !isAll && !names.has(name)) continue;
    if (isMember && !open.has(within) && !isLooseOwner(outline, within)) continue;
    if (isHolder || kind === "constant") open.add(full);
    if (kind === "module" || (kind === "constant" && !isApiConstant(each, components)) || kind === "route") continue;
    const weight = weighSymbol(each, isMember, names.has(name));
    if (
      !found.has(full) &&
      !/@deprecated|^\s*deprecated\b|@(?:api\s+)?private\b|@internal\b|#\[doc\(hidden\)\]/i.test(doc)
    )
      found.set(full, {
        path,
        ref: refs[i] ?? full,
        owner: within,
        kind,
        name,
        doc,
        line,
        weight,
        supertypes: listSupertypes(language, signature),
      });
  }
  return text === "" ? [] : [...found.values()];
}

const isTestPart = ({ testParts = [] }: CodeOutline, line: number): boolean =>
  testParts.some((part) => line >= part.line && line <= part.lastLine);

/** The owner of a member that no component declares here: `res` of `res.send = function`, the type of a Go receiver. */
const isLooseOwner = ({ components, language }: CodeOutline, within: string): boolean => {
  const name = within.slice(within.lastIndexOf(".") + 1);
  const owner = components.find((each) => each.name === name);
  if (owner === undefined) return !/^_|[a-z]\w*\.\w+\./.test(within);
  return owner.isExported && owner.kind !== "function" && isPublicSignature(language, owner.kind, owner.signature);
};

/** A constant is an offer if it is an object with members, or an alias of something else. */
const isApiConstant = ({ name, within, signature }: CodeComponent, components: readonly CodeComponent[]): boolean =>
  components.some((each) => each.within === (within === "" ? name : `${within}.${name}`)) ||
  /\b(?:require\(|\w+\.\w+\s*;?$)/.test(signature);

function isPublicSignature(language: string, kind: string, signature: string): boolean {
  if (language === "rust")
    return RUST_PRIVATE_TEST.test(signature.replace(/^(?:#\[[^\]]*\]\s*)+/, "")) || kind === "type";
  if (language === "java" || language === "csharp") return /\bpublic\b/.test(signature);
  return language === "php" ? !/\b(?:private|protected)\b/.test(signature) : true;
}

function weighSymbol({ kind, doc, line, lastLine }: CodeComponent, isMember: boolean, isNamed: boolean): number {
  const ofKind = /^(?:interface|type|constant)$/.test(kind) ? 0.5 : 1;
  const ofDoc = Math.min(1.5, doc.length / 200);
  const ofSize = Math.min(1, (lastLine - line) / 60);
  return (ofKind + ofDoc + ofSize + (isNamed ? 1 : 0)) * (isMember ? 0.5 : 1);
}
