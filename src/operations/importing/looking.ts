import { Fault } from "#domain/fault.ts";
import type { Found, Layout, LayoutReader, Left, SourceText } from "#domain/importing/found.ts";
import { READERS } from "#domain/importing/layouts.ts";
import { redactPrivateText } from "#domain/memory/private.ts";
import { convertYamlValue } from "#domain/spec/yaml/located.ts";
import { quote } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import type { ForeignFile, ForeignFolder } from "../ports/foreign.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import type { SourceContent } from "../ports/source.ts";

/** Bytes. A larger file was not written by hand. */
const LARGEST = 512 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;

interface ReadFile {
  readonly name: string;
  readonly sha256: string;
  readonly masked: readonly string[];
}

export interface Seen {
  readonly layout: Layout;
  /** Its name in reports: `.kiro`, `old/sdd`. */
  readonly folder: string;
  readonly found: Found;
  readonly unread: readonly Left[];
  /** Keyed by the reader's path. */
  readonly files: ReadonlyMap<string, ReadFile>;
  /** Converts a reader's path to its name in reports. */
  readonly nameOf: (path: string) => string;
}

type Looking = Pick<Engine, "foreign" | "secrets" | "digest" | "yaml" | "progress">;

/** Finds and reads the files of other tools. It writes nothing and follows no links. */
export async function lookForLayouts(
  engine: Looking,
  sources: readonly (string | undefined)[],
  from: Layout | undefined,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const said of sources) {
    const folder = await engine.foreign.folder(said);
    const here = await layoutsIn(engine, folder, from, said !== undefined);
    if (here.length === 0 && said !== undefined) throw nothingIn(said, from);
    seen.push(...here.filter((each) => !isWithin(each, seen)));
  }
  return seen;
}

/** A folder named together with its parent counts once. Two folders may share a name but hold different files. */
function isWithin({ layout, files }: Seen, earlier: readonly Seen[]): boolean {
  const markOf = ({ name, sha256 }: ReadFile): string => `${sha256} ${name}`;
  const told = new Set(
    earlier.filter((each) => each.layout === layout).flatMap((each) => [...each.files.values()].map(markOf)),
  );
  return files.size > 0 && [...files.values()].every((file) => told.has(markOf(file)));
}

async function layoutsIn(
  engine: Looking,
  folder: ForeignFolder,
  from: Layout | undefined,
  isNamed: boolean,
): Promise<Seen[]> {
  const readers = READERS.filter(({ layout }) => from === undefined || layout === from);
  const files = await folder.list(readers.flatMap(({ folders }) => folders));
  const seen: Seen[] = [];
  for (const reader of readers) {
    const roots = await rootsOf(reader, folder, files);
    const own = files.filter(({ path }) => reader.isOwn(path) && roots.some((root) => path.startsWith(`${root}/`)));
    if (own.length > 0 && reader.isThere(own.map(({ path }) => path)))
      seen.push(await read(engine, { folder, reader, own, prefix: "", roots }));
  }
  // The workspace itself is not another tool's folder.
  if (seen.length > 0 || !isNamed || folder.label === "") return seen;
  // Our own folder has specs and documents too. Only Hoofy uses the same folder name.
  return itself(engine, folder, folder.isOurs ? readers.filter(({ layout }) => layout === "hoofy") : readers, from);
}

async function itself(
  engine: Looking,
  folder: ForeignFolder,
  readers: readonly LayoutReader[],
  from: Layout | undefined,
): Promise<Seen[]> {
  const all = await folder.list();
  const paths = all.map(({ path }) => path);
  for (const reader of readers) {
    const as = reader.selfIn(paths) ?? (from === reader.layout ? reader.folders[0] : undefined);
    if (as === undefined) continue;
    const own = all.map((file) => ({ ...file, path: `${as}/${file.path}` })).filter(({ path }) => reader.isOwn(path));
    if (own.length > 0) return [await read(engine, { folder, reader, own, prefix: `${as}/`, roots: [] })];
  }
  return [];
}

/** The tool's folders. For ambiguous names, only those that the tool's own record confirms. */
async function rootsOf(
  reader: LayoutReader,
  folder: ForeignFolder,
  files: readonly ForeignFile[],
): Promise<readonly string[]> {
  if (!reader.rootsIn) return reader.folders;
  const marks = new Map<string, string>();
  for (const { path } of files.filter((file) => file.kind === "file" && reader.isMarker?.(file.path))) {
    const standing = await folder.read(path, LARGEST);
    if (standing.kind === "text") marks.set(path, standing.text);
  }
  return reader.rootsIn(marks);
}

interface Reading {
  readonly folder: ForeignFolder;
  readonly reader: LayoutReader;
  readonly own: readonly ForeignFile[];
  /** Prefix that the reader sees before the folder's paths. */
  readonly prefix: string;
  readonly roots: readonly string[];
}

async function read(engine: Looking, { folder, reader, own, prefix, roots }: Reading): Promise<Seen> {
  const label = folder.label === "" ? "" : `${folder.label}/`;
  const nameOf = (path: string): string => `${label}${path.slice(prefix.length)}`;
  const texts: SourceText[] = [];
  const files = new Map<string, ReadFile>();
  const unread: Left[] = [];
  let bytes = 0;
  for (const [i, { path, kind }] of own.entries()) {
    throwIfCancelled(engine.progress);
    if (i > 0 && i % 50 === 0) engine.progress.tell(`${reader.layout}: reading`, i, own.length);
    const standing = kind === "file" ? await folder.read(path.slice(prefix.length), LARGEST) : { kind };
    const text = standing.kind === "text" && bytes <= MOST_BYTES ? standing.text : undefined;
    if (text === undefined) {
      unread.push({ path, why: bytes > MOST_BYTES ? "there is too much before it" : WHY_NOT[standing.kind] });
      continue;
    }
    bytes += text.length;
    const { text: safe, found } = await engine.secrets.mask(redactPrivateText(withoutMark(text)).text);
    texts.push({ path, text: safe, ...(await dataIn(engine, path, safe)) });
    files.set(path, { name: nameOf(path), sha256: engine.digest(text), masked: [...found].toSorted() });
  }
  const top = roots.find((each) => own.some(({ path }) => path.startsWith(`${each}/`))) ?? "";
  const shown = prefix === "" ? `${label}${top}` : folder.label || ".";
  return { layout: reader.layout, folder: shown, found: reader.read(texts), unread, files, nameOf };
}

const WHY_NOT: Readonly<Record<SourceContent["kind"] | ForeignFile["kind"], string>> = {
  link: "it is a link, and links are not followed",
  other: "it is no file",
  large: `it has more than ${LARGEST} bytes`,
  binary: "it is not text in UTF-8",
  missing: "it cannot be read",
  text: "there is too much before it",
  file: "it cannot be read",
};

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

/** Feature records are YAML, which only the engine can parse. */
async function dataIn({ yaml }: Looking, path: string, text: string): Promise<{ readonly data?: unknown }> {
  if (!path.endsWith("/spec.yaml")) return {};
  const { tree } = (await yaml()).read(text);
  return tree ? { data: convertYamlValue(tree) } : {};
}

function nothingIn(said: string, from: Layout | undefined): Fault {
  return new Fault("import.nothing-there", {
    what: "Nothing was imported.",
    why: `${quote(said, 200)} holds no files of ${from ?? READERS.map(({ layout }) => layout).join(", ")}.`,
    fix: { operation: "importing.take" },
  });
}
