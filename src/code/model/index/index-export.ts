import { compareTexts } from "#kernel/model/text-format.ts";
import { type PlainYamlNode, formatPlainYaml } from "#kernel/model/plain-yaml.ts";

/** Version of the format below. An export with another version is outdated. */
export const EXPORT_SCHEMA_VERSION = 2;

type ExportedComponent = Readonly<{ key: string; kind: string; path: string; ref: string; line: number }>;

type ExportedSpec = Readonly<Record<"id" | "title" | "summary", string> & { status?: string | undefined }> &
  Readonly<{ trace: Readonly<Record<"code" | "tests" | "docs", readonly string[]>> }>;

type ExportedChange = Readonly<Record<"timestamp" | "hash" | "message", string>> &
  Readonly<{ files: readonly { path: string }[]; insertions: number; deletions: number; specs: readonly string[] }>;

/** A document has the time of the last commit that touched it, if that is recent. */
export interface IndexExportData {
  readonly generated: string;
  readonly tool: string;
  readonly project?: string | undefined;
  readonly components: readonly (ExportedComponent & Readonly<{ summary: string; uses: readonly string[] }>)[];
  readonly specs: readonly ExportedSpec[];
  readonly docs: readonly Readonly<{ path: string; summary: string; updated?: string | undefined }>[];
  readonly code: readonly Readonly<{ path: string; summary: string; specs: readonly string[] }>[];
  readonly queries: readonly Readonly<{ question: string; answer: string; sources: readonly string[]; at: string }>[];
  readonly changes: readonly ExportedChange[];
  readonly all: Readonly<Record<"components" | "specs" | "docs" | "code", number>>;
}

export const EXPORT_LIMITS = { components: 300, specs: 200, docs: 200, code: 300, queries: 20, changes: 20 } as const;
const MAX_EXPORTED_LIST = 20;

/** Formats the index in the v2 shape for people and scripts. Tenon never reads it back. */
export function formatIndexExport(material: IndexExportData): string {
  const components = material.components
    .slice(0, EXPORT_LIMITS.components)
    .toSorted((a, b) => compareTexts(a.path, b.path) || a.line - b.line || compareTexts(a.ref, b.ref));
  const ids = createComponentIds(components);
  const specs = material.specs.slice(0, EXPORT_LIMITS.specs);
  const docs = material.docs.slice(0, EXPORT_LIMITS.docs);
  const code = material.code.slice(0, EXPORT_LIMITS.code);
  const { all } = material;
  return formatPlainYaml({
    meta: {
      generated: material.generated,
      version: `${EXPORT_SCHEMA_VERSION}.0`,
      schema_version: EXPORT_SCHEMA_VERSION,
      tool: `tenon ${material.tool}`,
      project_name: material.project ?? null,
      left_out: {
        components: all.components - components.length,
        specs: all.specs - specs.length,
        docs: all.docs - docs.length,
        code: all.code - code.length,
      },
    },
    components: components.map(({ key, kind, path, line, summary, uses }) => ({
      id: ids.get(key) ?? key,
      type: kind,
      path: `${path}:${line}`,
      summary,
      dependencies: limitUniqueTexts(uses.flatMap((used) => ids.get(used) ?? [])),
    })),
    specs: specs.map(({ id, title, status, summary, trace }) => {
      const [inCode, tests, inDocs] = [trace.code, trace.tests, trace.docs].map(limitUniqueTexts);
      const links = { code: inCode ?? [], tests: tests ?? [], docs: inDocs ?? [] };
      return { id, title, status: status ?? null, summary, trace: links };
    }),
    docs: docs.map(({ path, summary, updated }) => {
      const dated = updated === undefined ? {} : { last_updated: updated };
      return { path, type: classifyDocumentPath(path), summary, ...dated };
    }),
    code: code.map(({ path, summary, specs: served }) => {
      const own = components.filter((each) => each.path === path).flatMap(({ key }) => ids.get(key) ?? []);
      return { path, components: limitUniqueTexts(own), specs: limitUniqueTexts(served), summary };
    }),
    queries: Object.fromEntries(
      material.queries.slice(0, EXPORT_LIMITS.queries).map(({ question, answer, sources, at }) => {
        const used = limitUniqueTexts(sources.map((source) => ids.get(source) ?? source));
        return [question, { answer, sources: used, last_updated: at }];
      }),
    ),
    changes: material.changes.slice(0, EXPORT_LIMITS.changes).map(formatChangeNode),
  });
}

const formatChangeNode = (change: ExportedChange): PlainYamlNode => ({
  timestamp: change.timestamp,
  commit_hash: change.hash.slice(0, 12),
  message: change.message,
  files_changed: limitUniqueTexts(change.files.map(({ path }) => path)),
  insertions: change.insertions,
  deletions: change.deletions,
  spec_id: change.specs[0] ?? null,
  ...(change.specs.length > 1 ? { spec_ids: change.specs } : {}),
});

const limitUniqueTexts = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts)].slice(0, MAX_EXPORTED_LIST);

const DOCUMENT_TYPES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)readme\.\w+$|(?:^|[/-])overview(?:[/.-])/i, "overview"],
  [/(?:^|\/)(?:adrs?|decisions)\//i, "decision"],
  [/(?:^|[/-])(?:architecture|design)(?:[/.-])/i, "architecture"],
  [/(?:^|[/-])(?:api|reference)(?:[/.-])/i, "api"],
  [/(?:^|[/-])features?\//i, "feature"],
  [/(?:^|[/-])(?:guides?|tutorials?|how-?to)(?:[/.-])/i, "guide"],
  [/(?:^|[/-])(?:build|deploy|release)(?:[/.-])/i, "build"],
];

export const classifyDocumentPath = (path: string): string =>
  DOCUMENT_TYPES.find(([pattern]) => pattern.test(path))?.[1] ?? "other";

const GENERIC_FOLDERS = new Set(["", ".", "src", "lib", "app", "source", "pkg", "packages", "internal", "cmd", "main"]);
const MAX_COMPONENT_ID = 80;

/** `comp-auth-validate-token` is `validateToken` in `src/auth`. Ids follow the order, so equal code gets equal ids. */
export function createComponentIds(components: readonly Pick<ExportedComponent, "key" | "path" | "ref">[]) {
  const met = new Set<string>();
  return new Map(
    components.map(({ key, path, ref }) => {
      const name = formatComponentId(path, ref);
      let id = name;
      for (let nth = 2; met.has(id); nth++) id = `${name}-${nth}`;
      met.add(id);
      return [key, id] as const;
    }),
  );
}

function formatComponentId(path: string, ref: string): string {
  const folder = path.split("/").at(-2) ?? "";
  const parts = [...(GENERIC_FOLDERS.has(folder.toLowerCase()) ? [] : [folder]), ref.replace(/~\d+$/, "")];
  const name = parts
    .join(" ")
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1-")
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+/, "");
  return `comp-${name.slice(0, MAX_COMPONENT_ID).replace(/-+$/, "") || "unnamed"}`;
}
