import { type PlainYamlNode, formatPlainYaml, parsePlainYaml } from "#kernel/model/plain-yaml.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { createYamlNode } from "#kernel/model/yaml-tree.ts";
import { parseUserStory } from "#planning/model/spec/criterion-sentence.ts";
import { deriveIdPrefix } from "#planning/model/workflow/workflow-lifecycle.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import type { ForeignCriterion, ForeignSpec, ImportLayout } from "./import-source.ts";
import { createSlug } from "#kernel/model/slug.ts";
import { type WorkspacePath, getImportedPath } from "#kernel/model/workspace-paths.ts";

export interface ImportProvenance {
  readonly source: string;
  readonly at: string;
  /** Placeholder for a missing summary. */
  readonly open: string;
}

/** Shorter summaries count as missing. */
const MIN_IMPORTED_SUMMARY = 20;

/** Formats a spec in our form. It is always a draft and adds nothing to its source. */
export function formatImportedSpec(id: WorkflowId, found: ForeignSpec, { source, at, open }: ImportProvenance): string {
  const fields: { [key: string]: PlainYamlNode } = {
    schema_version: 2,
    id,
    type: "feature",
    title: found.title,
    status: "draft",
    summary: found.summary.trim().length < MIN_IMPORTED_SUMMARY ? open : found.summary.trim(),
    ...createListField("user_stories", found.stories.map(createStoryNode)),
    ...createListField("acceptance_criteria", found.criteria.map(createCriterionNode)),
    ...createListField("success_criteria", found.success ?? []),
    ...(found.rest === undefined ? {} : { notes: formatSpecNotes(found) }),
    metadata: { created: at, updated: at },
  };
  return `# Imported from ${sanitizeText(source, 300)}.\n${formatPlainYaml(fields)}`;
}

/** The prefix of its id. The prefixes of bugs and research would change its kind. */
export function chooseSpecPrefix({ title }: Pick<ForeignSpec, "title">): string {
  const prefix = deriveIdPrefix("feature", title);
  return prefix === "BUG" || prefix === "RES" ? "FEAT" : prefix;
}

const createListField = (name: string, list: readonly PlainYamlNode[]): { [key: string]: PlainYamlNode } =>
  list.length === 0 ? {} : { [name]: list };

function createStoryNode(sentence: string, i: number): PlainYamlNode {
  const parts = parseUserStory(createYamlNode(sentence, 1)) as { readonly [key: string]: string };
  return { id: `US-${i + 1}`, ...parts };
}

function createCriterionNode({ story, given, when, outcome, notes }: ForeignCriterion, i: number): PlainYamlNode {
  const said = [
    ["id", `AC-${i + 1}`],
    ["story", story === undefined ? undefined : `US-${story}`],
    ["given", given],
    ["when", when],
    ["then", outcome],
    ["notes", notes],
  ] as const;
  return Object.fromEntries(said.filter(([, text]) => text !== undefined && text !== "")) as {
    [key: string]: PlainYamlNode;
  };
}

const formatSpecNotes = ({ rest = "" }: ForeignSpec): string => rest.replace(/\r\n?/g, "\n");

/** Folder prefixes that repeat the tool's name. */
const LAYOUT_FOLDERS: Readonly<Record<ImportLayout, RegExp>> = {
  hoofy: /^(?:sdd|docs\/specs|docs)\//,
  "spec-drive": /^\.spec-drive\//,
  "sync-sdd": /^(?:\.claude\/sdd|\.sdd)\//,
  "spec-kit": /^\.specify\//,
  openspec: /^openspec\//,
  kiro: /^\.kiro\//,
};

const SAFE_FILE_NAME = /^[\p{L}\p{N}_][\p{L}\p{N} _.@+=,()-]{0,98}(?<![ .])$|^[\p{L}\p{N}_]$/u;
const DEVICE_FILE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Target of a file that is carried over unchanged: `sdd/imported/kiro/specs/login/design.md`. */
export function getCarriedPath(layout: ImportLayout, path: string): WorkspacePath {
  const parts = path.replace(LAYOUT_FOLDERS[layout], "").split("/");
  return getImportedPath(layout, parts.map(sanitizeFileName));
}

function sanitizeFileName(said: string): string {
  const name = said.replace(/^\.+/, "");
  if (SAFE_FILE_NAME.test(name) && !DEVICE_FILE_NAME.test(name)) return name.normalize("NFC");
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0].toLowerCase() ?? "";
  return `${createSlug(name.slice(0, name.length - ending.length), "file")}${ending}`;
}

export interface ImportManifestEntry {
  readonly source: string;
  readonly sha256: string;
  readonly at: string;
  readonly to: readonly string[];
}

export type ImportManifest = ReadonlyMap<string, ImportManifestEntry>;

const IMPORT_MANIFEST_NOTICE =
  "# What tenon import took over, so that it is not taken twice. Remove an entry to have its file taken again.\n";

/** The same entries give the same bytes, so that two branches with different imports merge. */
export function formatImportManifest(manifest: ImportManifest): string {
  const files = [...manifest.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1));
  return `${IMPORT_MANIFEST_NOTICE}${formatPlainYaml({ version: 1, files: files.map((each) => ({ ...each })) })}`;
}

/** Returns undefined for an invalid manifest: earlier imports are unknown then. */
export function parseImportManifest(text: string | undefined): ImportManifest | undefined {
  if (text === undefined) return new Map();
  const read = parsePlainYaml(text);
  const files = "value" in read ? read.value["files"] : undefined;
  if (!Array.isArray(files)) return undefined;
  const entries = (files as readonly unknown[]).map(parseImportManifestEntry);
  const known = entries.flatMap((entry) => (entry ? [[entry.source, entry] as const] : []));
  return known.length === entries.length ? new Map(known) : undefined;
}

function parseImportManifestEntry(value: unknown): ImportManifestEntry | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { source, sha256, at, to } = value as Readonly<Record<string, unknown>>;
  const isWhole = [source, sha256, at].every((text) => typeof text === "string") && Array.isArray(to);
  return isWhole ? (value as ImportManifestEntry) : undefined;
}
