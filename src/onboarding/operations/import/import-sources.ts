import { Fault } from "#kernel/model/fault.ts";
import {
  readLayout,
  type LayoutContents,
  type ImportLayout,
  type LayoutReader,
  type LeftOutFile,
  type LayoutFile,
  type ForeignDocument,
  type ForeignFeature,
  type ForeignItem,
  type ForeignSpec,
  type ForeignSpecFile,
} from "../../model/import/import-source.ts";
import { LAYOUT_READERS } from "../../model/import/layout-readers.ts";
import { redactPrivateText } from "#kernel/model/private-text.ts";
import { convertYamlValue, findYamlNode } from "#kernel/model/yaml-tree.ts";
import { quote, sanitizeText } from "#kernel/model/text-format.ts";
import type { OnboardingEngine } from "../engine.ts";
import type { ForeignFile, ForeignFolder } from "../ports/external-files.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import type { SourceContent } from "#git/operations/ports/git-files.ts";
import { checkDesign, checkResearchDocument } from "#roadmap/model/feature/design-check.ts";
import type { TaskGroupRecord } from "#roadmap/model/feature/feature-record.ts";
import { checkTaskPlan, serializeTaskPlan, createTaskStatusEdits } from "#roadmap/model/feature/task-plan.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import { formatImportedSpec } from "../../model/import/imported-output.ts";
import { checkSpecDocument } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { parseWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { rewriteSpecText, SUMMARY_PLACEHOLDER } from "#planning/operations/spec/spec-files.ts";

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

type LayoutSearchServices = Pick<OnboardingEngine, "foreign" | "secrets" | "digest" | "yaml" | "progress">;

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
  return { layout: reader.layout, folder: shown, found: readLayout(reader, texts), unread, files, nameOf };
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

/** A design with research that is valid in our form, and its tasks if they are valid too. */
interface ValidDesign {
  readonly design: string;
  readonly research: string;
  readonly hash: string;
  readonly files: readonly string[];
  readonly tasks?: { readonly text: string; readonly hash: string; readonly groups: readonly TaskGroupRecord[] };
}

export interface PreparedFeature extends ForeignFeature {
  readonly held?: ValidDesign;
  readonly unheld?: string;
}

interface PreparedSpecFile extends ForeignSpecFile {
  readonly id: WorkflowId;
  readonly note?: string;
}

export type PreparedItem = Exclude<ForeignItem, ForeignFeature | ForeignSpecFile> | PreparedFeature | PreparedSpecFile;

export async function prepareImportItems(
  engine: Pick<OnboardingEngine, "yaml" | "digest" | "progress">,
  { found, nameOf, layout }: DetectedLayout,
) {
  const yaml = await engine.yaml();
  const items: PreparedItem[] = [];
  for (const [i, item] of found.items.entries()) {
    throwIfCancelled(engine.progress);
    if (i > 0 && i % 50 === 0) engine.progress.tell(`${layout}: checking`, i, found.items.length);
    items.push(prepareImportItem(yaml, engine, item, nameOf(item.from)));
  }
  return items;
}

function prepareImportItem(
  yaml: YamlEditor,
  engine: Pick<OnboardingEngine, "digest">,
  item: ForeignItem,
  name: string,
): PreparedItem {
  if (item.kind === "spec") return validateForeignSpec(yaml, item);
  if (item.kind === "spec-file") return convertSpecFile(yaml, item, name);
  if (item.kind === "feature") return { ...item, ...validateFeatureDocuments(yaml, engine, item) };
  return item;
}

const TRIAL_SPEC_ID = parseWorkflowId("FEAT-001");

function validateForeignSpec(yaml: YamlEditor, spec: ForeignSpec): ForeignSpec | ForeignDocument {
  const at = "2026-01-01T00:00:00Z";
  const { tree, problems } = yaml.read(
    formatImportedSpec(TRIAL_SPEC_ID, spec, { source: spec.from, at, open: SUMMARY_PLACEHOLDER }),
  );
  const [problem] = tree ? readSpecTree(tree, TRIAL_SPEC_ID).problems : problems;
  return problem ? { kind: "document", from: spec.from, text: spec.text, why: explainUnfitSpec(problem) } : spec;
}

const explainUnfitSpec = ({ problem }: Problem): string => `it does not fit a spec: ${sanitizeText(problem, 200)}`;

/** Rewrites older YAML forms and drops a status that only a gate can give. */
function convertSpecFile(yaml: YamlEditor, item: ForeignSpecFile, name: string): PreparedSpecFile | ForeignDocument {
  const id = parseWorkflowId(item.id);
  const document = (problem: Problem): ForeignDocument => ({
    kind: "document",
    from: item.from,
    text: item.text,
    why: `${explainUnfitSpec(problem)}${problem.line === undefined ? "" : ` (line ${problem.line})`}`,
  });
  const { tree, problems } = yaml.read(item.text);
  if (!tree) return document(problems[0] ?? { problem: "It says nothing." });
  const reading = readSpecTree(tree, id);
  if (!reading.document) return document(reading.problems[0] ?? { problem: "It cannot be read." });
  const text = rewriteSpecText(yaml, { text: item.text, edits: reading.edits }) ?? item.text;
  const { spec } = reading.document;
  const isWhole = checkSpecDocument(reading.document, "complete", new Set([id])).length === 0;
  const status = spec.status === "draft" || !isWhole ? "draft" : "specified";
  const stated = setSpecStatus(yaml, text, status);
  const [problem] = readSpecTree(yaml.read(stated).tree ?? tree, id).problems;
  if (problem) return document(problem);
  const doubt = spec.status === status ? {} : { note: `its status ${spec.status} is not believed: it is ${status}` };
  return { ...item, id, text: `# Imported from ${sanitizeText(name, 300)}.\n${stated}`, ...doubt };
}

function setSpecStatus(yaml: YamlEditor, text: string, status: string): string {
  const { tree } = yaml.read(text);
  if (!tree || !findYamlNode(tree, ["status"])) return text;
  return yaml.edit(text, [{ kind: "replace", at: ["status"], value: status }]);
}

/** Whether a feature's documents would be accepted from an Architect. */
function validateFeatureDocuments(
  yaml: YamlEditor,
  { digest }: Pick<OnboardingEngine, "digest">,
  { parts }: ForeignFeature,
): Pick<PreparedFeature, "held" | "unheld"> {
  const textOf = (as: string): string | undefined => parts.find((part) => part.as === as)?.text;
  const [design, research, tasks] = [textOf("design"), textOf("research"), textOf("tasks")];
  if (design === undefined) return parts.length === 0 ? {} : { unheld: "there is no design" };
  const checked = checkDesign(design);
  const [problem] = checked.problems;
  if (problem) return { unheld: `the design is not in our form: ${sanitizeText(problem.problem, 160)}` };
  if (research === undefined) return { unheld: "there is no research.md beside the design" };
  const [other] = checkResearchDocument(research).problems;
  if (other) return { unheld: `the research is not in our form: ${sanitizeText(other.problem, 160)}` };
  const plan = tasks === undefined ? undefined : validateTaskPlan(yaml, digest, tasks, checked);
  return { held: { design, research, hash: digest(design), files: checked.files, ...(plan ? { tasks: plan } : {}) } };
}

function validateTaskPlan(
  yaml: YamlEditor,
  digest: OnboardingEngine["digest"],
  text: string,
  design: ReturnType<typeof checkDesign>,
): ValidDesign["tasks"] {
  const { tree } = yaml.read(text);
  if (!tree) return undefined;
  const { problems, groups } = checkTaskPlan(tree, design, []);
  if (problems.length > 0 || groups.length === 0) return undefined;
  const pending = groups.map((group) => ({ ...group, status: "pending" as const }));
  const edits = createTaskStatusEdits(
    tree,
    new Map(pending.flatMap(({ tasks, status }) => tasks.map((id) => [id, status]))),
  );
  return { text: yaml.edit(text, edits), hash: digest(serializeTaskPlan(tree)), groups: pending };
}
