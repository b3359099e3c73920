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
import { checkSpecDocument } from "#planning/model/spec/spec-checks.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { parseWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import { rewriteSpecText } from "#planning/operations/spec/spec-files.ts";

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
  const told = new Set<string>();
  for (const said of sources) {
    const folder = await engine.foreign.folder(said);
    const here = await findFolderLayouts(engine, folder, from, said !== undefined);
    if (here.length === 0 && said !== undefined) {
      throw new Fault("import.nothing-there", {
        what: "Nothing was imported.",
        why: `${quote(said, 200)} holds no files of ${from ?? LAYOUT_READERS.map(({ layout }) => layout).join(", ")}.`,
        fix: { operation: "importing.take" },
      });
    }
    // A folder named together with its parent counts once. Two folders may share a name but hold different files.
    const marked = here.map((each) => ({
      each,
      marks: [...each.files.values()].map(({ name, sha256 }) => `${each.layout} ${sha256} ${name}`),
    }));
    const fresh = marked.filter(({ marks }) => marks.length === 0 || !marks.every((mark) => told.has(mark)));
    seen.push(...fresh.map(({ each }) => each));
    for (const mark of marked.flatMap(({ marks }) => marks)) told.add(mark);
  }
  return seen;
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
      seen.push(await readDetectedLayout(engine, folder, reader, own, roots));
  }
  // The workspace itself is not another tool's folder.
  if (seen.length > 0 || !isNamed || folder.label === "") return seen;
  // The folder may be a tool's own. Tenon's has specs and documents too; only Hoofy uses the same folder name.
  const all = await folder.list();
  const paths = all.map(({ path }) => path);
  for (const reader of readers) {
    if (folder.isOurs && reader.layout !== "hoofy") continue;
    const as = reader.selfIn(paths) ?? (from === reader.layout ? reader.folders[0] : undefined);
    if (as === undefined) continue;
    const own = all.map((file) => ({ ...file, path: `${as}/${file.path}` })).filter(({ path }) => reader.isOwn(path));
    if (own.length > 0) return [await readDetectedLayout(engine, folder, reader, own, [], `${as}/`)];
  }
  return [];
}

/** The tool's folders. For ambiguous names, only those that the tool's own record confirms. */
async function findLayoutRoots(reader: LayoutReader, folder: ForeignFolder, files: readonly ForeignFile[]) {
  if (!reader.rootsIn) return reader.folders;
  const marks = new Map<string, string>();
  for (const { path } of files.filter((file) => file.kind === "file" && reader.isMarker?.(file.path))) {
    const standing = await folder.read(path, MAX_IMPORT_FILE_BYTES);
    if (standing.kind === "text") marks.set(path, standing.text);
  }
  return reader.rootsIn(marks);
}

/** The reader sees `prefix` before the folder's paths. */
async function readDetectedLayout(
  engine: LayoutSearchServices,
  folder: ForeignFolder,
  reader: LayoutReader,
  own: readonly ForeignFile[],
  roots: readonly string[],
  prefix = "",
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
        why: bytes > MAX_IMPORT_BYTES ? "the import is too large" : UNREAD_FILE_REASONS[standing.kind],
      });
      continue;
    }
    bytes += text.length;
    const { text: safe, found } = await engine.secrets.mask(redactPrivateText(text.replace(/^\uFEFF/, "")).text);
    // Feature records are YAML, which only the engine can parse.
    const tree = path.endsWith("/spec.yaml") ? (await engine.yaml()).read(safe).tree : undefined;
    texts.push({ path, text: safe, ...(tree ? { data: convertYamlValue(tree) } : {}) });
    files.set(path, { name: nameOf(path), sha256: engine.digest(text), masked: [...found].toSorted() });
  }
  const top = roots.find((each) => own.some(({ path }) => path.startsWith(`${each}/`))) ?? "";
  const shown = prefix === "" ? `${label}${top}` : folder.label || ".";
  return { layout: reader.layout, folder: shown, found: readLayout(reader, texts), unread, files, nameOf };
}

const UNREAD_FILE_REASONS: Readonly<Record<SourceContent["kind"] | ForeignFile["kind"], string>> = {
  link: "it is a link, which Tenon does not follow",
  other: "it is not a file",
  large: `it has more than ${MAX_IMPORT_FILE_BYTES} bytes`,
  binary: "it is not text in UTF-8",
  missing: "it cannot be read",
  text: "the import is too large",
  file: "it cannot be read",
};

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
    if (item.kind === "spec-file") items.push(convertSpecFile(yaml, item, nameOf(item.from)));
    else if (item.kind === "feature") items.push({ ...item, ...validateFeatureDocuments(yaml, engine.digest, item) });
    else items.push(item);
  }
  return items;
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
  if (!tree) return document(problems[0] ?? { problem: "It is empty." });
  const reading = readSpecTree(tree, id);
  if (!reading.document) return document(reading.problems[0] ?? { problem: "It cannot be read." });
  const text = rewriteSpecText(yaml, { text: item.text, edits: reading.edits }) ?? item.text;
  const { spec } = reading.document;
  const isWhole = checkSpecDocument(reading.document, "complete", new Set([id])).length === 0;
  const status = spec.status === "draft" || !isWhole ? "draft" : "specified";
  const current = yaml.read(text).tree;
  const hasStatus = current && findYamlNode(current, ["status"]);
  const stated = hasStatus ? yaml.edit(text, [{ kind: "replace", at: ["status"], value: status }]) : text;
  const [problem] = readSpecTree(yaml.read(stated).tree ?? tree, id).problems;
  if (problem) return document(problem);
  const doubt = spec.status === status ? {} : { note: `its status ${spec.status} is not used: it becomes ${status}` };
  return { ...item, id, text: `# Imported from ${sanitizeText(name, 300)}.\n${stated}`, ...doubt };
}

/** Whether a feature's documents would be accepted from an Architect. */
function validateFeatureDocuments(yaml: YamlEditor, digest: OnboardingEngine["digest"], { parts }: ForeignFeature) {
  const textOf = (as: string): string | undefined => parts.find((part) => part.as === as)?.text;
  const [design, research, tasks] = [textOf("design"), textOf("research"), textOf("tasks")];
  if (design === undefined) return parts.length === 0 ? {} : { unheld: "there is no design" };
  const checked = checkDesign(design);
  const [problem] = checked.problems;
  if (problem) return { unheld: `the design is not in Tenon's form: ${sanitizeText(problem.problem, 160)}` };
  if (research === undefined) return { unheld: "there is no research.md beside the design" };
  const [other] = checkResearchDocument(research).problems;
  if (other) return { unheld: `the research is not in Tenon's form: ${sanitizeText(other.problem, 160)}` };
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
  const statuses = new Map(pending.flatMap(({ tasks, status }) => tasks.map((id) => [id, status])));
  const edits = createTaskStatusEdits(tree, statuses);
  return { text: yaml.edit(text, edits), hash: digest(serializeTaskPlan(tree)), groups: pending };
}
