import { Fault } from "#domain/fault.ts";
import type { LayoutContents, ImportLayout, LayoutReader, LeftOutFile, LayoutFile } from "#domain/importing/found.ts";
import { LAYOUT_READERS } from "#domain/importing/layouts.ts";
import { redactPrivateText } from "#domain/memory/private.ts";
import { convertYamlValue } from "#domain/spec/yaml/located.ts";
import { quote } from "#domain/quote.ts";
import type { Engine } from "../engine.ts";
import type { ForeignFile, ForeignFolder } from "../ports/foreign.ts";
import { throwIfCancelled } from "../ports/runner.ts";
import type { SourceContent } from "../ports/source.ts";

/** Bytes. A larger file was not written by hand. */
const MAX_IMPORT_FILE_BYTES = 512 * 1024;
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

interface ImportSourceFile {
  readonly name: string;
  readonly sha256: string;
  readonly masked: readonly string[];
}

export interface DetectedLayout {
  readonly layout: ImportLayout;
  /** Its name in reports: `.kiro`, `old/sdd`. */
  readonly folder: string;
  readonly found: LayoutContents;
  readonly unread: readonly LeftOutFile[];
  /** Keyed by the reader's path. */
  readonly files: ReadonlyMap<string, ImportSourceFile>;
  /** Converts a reader's path to its name in reports. */
  readonly nameOf: (path: string) => string;
}

type LayoutSearchServices = Pick<Engine, "foreign" | "secrets" | "digest" | "yaml" | "progress">;

/** Finds and reads the files of other tools. It writes nothing and follows no links. */
export async function findImportLayouts(
  engine: LayoutSearchServices,
  sources: readonly (string | undefined)[],
  from: ImportLayout | undefined,
): Promise<DetectedLayout[]> {
  const seen: DetectedLayout[] = [];
  for (const said of sources) {
    const folder = await engine.foreign.folder(said);
    const here = await findFolderLayouts(engine, folder, from, said !== undefined);
    if (here.length === 0 && said !== undefined) throw createNoLayoutFault(said, from);
    seen.push(...here.filter((each) => !isRepeatedLayout(each, seen)));
  }
  return seen;
}

/** A folder named together with its parent counts once. Two folders may share a name but hold different files. */
function isRepeatedLayout({ layout, files }: DetectedLayout, earlier: readonly DetectedLayout[]): boolean {
  const markOf = ({ name, sha256 }: ImportSourceFile): string => `${sha256} ${name}`;
  const told = new Set(
    earlier.filter((each) => each.layout === layout).flatMap((each) => [...each.files.values()].map(markOf)),
  );
  return files.size > 0 && [...files.values()].every((file) => told.has(markOf(file)));
}

async function findFolderLayouts(
  engine: LayoutSearchServices,
  folder: ForeignFolder,
  from: ImportLayout | undefined,
  isNamed: boolean,
): Promise<DetectedLayout[]> {
  const readers = LAYOUT_READERS.filter(({ layout }) => from === undefined || layout === from);
  const files = await folder.list(readers.flatMap(({ folders }) => folders));
  const seen: DetectedLayout[] = [];
  for (const reader of readers) {
    const roots = await findLayoutRoots(reader, folder, files);
    const own = files.filter(({ path }) => reader.isOwn(path) && roots.some((root) => path.startsWith(`${root}/`)));
    if (own.length > 0 && reader.isThere(own.map(({ path }) => path)))
      seen.push(await readDetectedLayout(engine, { folder, reader, own, prefix: "", roots }));
  }
  // The workspace itself is not another tool's folder.
  if (seen.length > 0 || !isNamed || folder.label === "") return seen;
  // Our own folder has specs and documents too. Only Hoofy uses the same folder name.
  return readAsToolFolder(
    engine,
    folder,
    folder.isOurs ? readers.filter(({ layout }) => layout === "hoofy") : readers,
    from,
  );
}

async function readAsToolFolder(
  engine: LayoutSearchServices,
  folder: ForeignFolder,
  readers: readonly LayoutReader[],
  from: ImportLayout | undefined,
): Promise<DetectedLayout[]> {
  const all = await folder.list();
  const paths = all.map(({ path }) => path);
  for (const reader of readers) {
    const as = reader.selfIn(paths) ?? (from === reader.layout ? reader.folders[0] : undefined);
    if (as === undefined) continue;
    const own = all.map((file) => ({ ...file, path: `${as}/${file.path}` })).filter(({ path }) => reader.isOwn(path));
    if (own.length > 0) return [await readDetectedLayout(engine, { folder, reader, own, prefix: `${as}/`, roots: [] })];
  }
  return [];
}

/** The tool's folders. For ambiguous names, only those that the tool's own record confirms. */
async function findLayoutRoots(
  reader: LayoutReader,
  folder: ForeignFolder,
  files: readonly ForeignFile[],
): Promise<readonly string[]> {
  if (!reader.rootsIn) return reader.folders;
  const marks = new Map<string, string>();
  for (const { path } of files.filter((file) => file.kind === "file" && reader.isMarker?.(file.path))) {
    const standing = await folder.read(path, MAX_IMPORT_FILE_BYTES);
    if (standing.kind === "text") marks.set(path, standing.text);
  }
  return reader.rootsIn(marks);
}

interface LayoutReadRequest {
  readonly folder: ForeignFolder;
  readonly reader: LayoutReader;
  readonly own: readonly ForeignFile[];
  /** Prefix that the reader sees before the folder's paths. */
  readonly prefix: string;
  readonly roots: readonly string[];
}

async function readDetectedLayout(
  engine: LayoutSearchServices,
  { folder, reader, own, prefix, roots }: LayoutReadRequest,
): Promise<DetectedLayout> {
  const label = folder.label === "" ? "" : `${folder.label}/`;
  const nameOf = (path: string): string => `${label}${path.slice(prefix.length)}`;
  const texts: LayoutFile[] = [];
  const files = new Map<string, ImportSourceFile>();
  const unread: LeftOutFile[] = [];
  let bytes = 0;
  for (const [i, { path, kind }] of own.entries()) {
    throwIfCancelled(engine.progress);
    if (i > 0 && i % 50 === 0) engine.progress.tell(`${reader.layout}: reading`, i, own.length);
    const standing = kind === "file" ? await folder.read(path.slice(prefix.length), MAX_IMPORT_FILE_BYTES) : { kind };
    const text = standing.kind === "text" && bytes <= MAX_IMPORT_BYTES ? standing.text : undefined;
    if (text === undefined) {
      unread.push({
        path,
        why: bytes > MAX_IMPORT_BYTES ? "there is too much before it" : UNREAD_FILE_REASONS[standing.kind],
      });
      continue;
    }
    bytes += text.length;
    const { text: safe, found } = await engine.secrets.mask(redactPrivateText(stripByteOrderMark(text)).text);
    texts.push({ path, text: safe, ...(await parseFeatureData(engine, path, safe)) });
    files.set(path, { name: nameOf(path), sha256: engine.digest(text), masked: [...found].toSorted() });
  }
  const top = roots.find((each) => own.some(({ path }) => path.startsWith(`${each}/`))) ?? "";
  const shown = prefix === "" ? `${label}${top}` : folder.label || ".";
  return { layout: reader.layout, folder: shown, found: reader.read(texts), unread, files, nameOf };
}

const UNREAD_FILE_REASONS: Readonly<Record<SourceContent["kind"] | ForeignFile["kind"], string>> = {
  link: "it is a link, and links are not followed",
  other: "it is no file",
  large: `it has more than ${MAX_IMPORT_FILE_BYTES} bytes`,
  binary: "it is not text in UTF-8",
  missing: "it cannot be read",
  text: "there is too much before it",
  file: "it cannot be read",
};

const stripByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, "");

/** Feature records are YAML, which only the engine can parse. */
async function parseFeatureData(
  { yaml }: LayoutSearchServices,
  path: string,
  text: string,
): Promise<{ readonly data?: unknown }> {
  if (!path.endsWith("/spec.yaml")) return {};
  const { tree } = (await yaml()).read(text);
  return tree ? { data: convertYamlValue(tree) } : {};
}

function createNoLayoutFault(said: string, from: ImportLayout | undefined): Fault {
  return new Fault("import.nothing-there", {
    what: "Nothing was imported.",
    why: `${quote(said, 200)} holds no files of ${from ?? LAYOUT_READERS.map(({ layout }) => layout).join(", ")}.`,
    fix: { operation: "importing.take" },
  });
}
