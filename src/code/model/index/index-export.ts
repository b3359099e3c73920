import { compareTexts } from "#kernel/model/text-format.ts";
import { type PlainYamlNode, formatPlainYaml } from "#kernel/model/plain-yaml.ts";

/** Version of the format below. An export with another version is outdated. */
export const EXPORT_SCHEMA_VERSION = 2;

export interface ExportedComponent {
  readonly key: string;
  readonly kind: string;
  readonly path: string;
  readonly ref: string;
  readonly line: number;
  readonly summary: string;
  readonly uses: readonly string[];
}

export interface ExportedSpec {
  readonly id: string;
  readonly title: string;
  readonly status?: string | undefined;
  readonly summary: string;
  /** Locations as `src/auth.ts:12`. */
  readonly trace: Readonly<Record<"code" | "tests" | "docs", readonly string[]>>;
}

export interface ExportedDocument {
  readonly path: string;
  readonly summary: string;
  /** Time of the last commit that touched it, if that is recent. */
  readonly updated?: string | undefined;
}

export interface ExportedFile {
  readonly path: string;
  readonly summary: string;
  readonly specs: readonly string[];
}

interface ExportedQuery {
  readonly question: string;
  readonly answer: string;
  readonly sources: readonly string[];
  readonly at: string;
}

export interface ExportedChange {
  readonly timestamp: string;
  readonly hash: string;
  readonly message: string;
  readonly files: readonly { readonly path: string }[];
  readonly insertions: number;
  readonly deletions: number;
  readonly specs: readonly string[];
}

export interface IndexExportData {
  readonly generated: string;
  readonly tool: string;
  readonly project?: string | undefined;
  readonly components: readonly ExportedComponent[];
  readonly specs: readonly ExportedSpec[];
  readonly docs: readonly ExportedDocument[];
  readonly code: readonly ExportedFile[];
  readonly queries: readonly ExportedQuery[];
  readonly changes: readonly ExportedChange[];
  readonly all: Readonly<Record<"components" | "specs" | "docs" | "code", number>>;
}

export const EXPORT_LIMITS = { components: 300, specs: 200, docs: 200, code: 300, queries: 20, changes: 20 } as const;
const MAX_EXPORTED_LIST = 20;

/** Formats the index in the v2 shape for people and scripts. Tenon never reads it back. */
export function formatIndexExport(material: IndexExportData): string {
  const components = material.components.slice(0, EXPORT_LIMITS.components).toSorted(compareComponentLocations);
  const ids = createComponentIds(components);
  const specs = material.specs.slice(0, EXPORT_LIMITS.specs);
  const docs = material.docs.slice(0, EXPORT_LIMITS.docs);
  const code = material.code.slice(0, EXPORT_LIMITS.code);
  return formatPlainYaml({
    meta: {
      generated: material.generated,
      version: `${EXPORT_SCHEMA_VERSION}.0`,
      schema_version: EXPORT_SCHEMA_VERSION,
      tool: `tenon ${material.tool}`,
      project_name: material.project ?? null,
      left_out: {
        components: material.all.components - components.length,
        specs: material.all.specs - specs.length,
        docs: material.all.docs - docs.length,
        code: material.all.code - code.length,
      },
    },
    components: components.map(({ key, kind, path, line, summary, uses }) => ({
      id: ids.get(key) ?? key,
      type: kind,
      path: `${path}:${line}`,
      summary,
      dependencies: limitUniqueTexts(uses.flatMap((used) => ids.get(used) ?? [])),
    })),
    specs: specs.map(formatSpecNode),
    docs: docs.map(({ path, summary, updated }) => ({
      path,
      type: classifyDocumentPath(path),
      summary,
      ...(updated === undefined ? {} : { last_updated: updated }),
    })),
    code: code.map(({ path, summary, specs: served }) => ({
      path,
      components: limitUniqueTexts(
        components.filter((each) => each.path === path).flatMap(({ key }) => ids.get(key) ?? []),
      ),
      specs: limitUniqueTexts(served),
      summary,
    })),
    queries: Object.fromEntries(
      material.queries
        .slice(0, EXPORT_LIMITS.queries)
        .map(({ question, answer, sources, at }) => [
          question,
          { answer, sources: limitUniqueTexts(sources.map((source) => ids.get(source) ?? source)), last_updated: at },
        ]),
    ),
    changes: material.changes.slice(0, EXPORT_LIMITS.changes).map(formatChangeNode),
  });
}

const formatSpecNode = ({ id, title, status, summary, trace }: ExportedSpec): PlainYamlNode => ({
  id,
  title,
  status: status ?? null,
  summary,
  trace: {
    code: limitUniqueTexts(trace.code),
    tests: limitUniqueTexts(trace.tests),
    docs: limitUniqueTexts(trace.docs),
  },
});

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

const compareComponentLocations = (a: ExportedComponent, b: ExportedComponent): number =>
  compareTexts(a.path, b.path) || a.line - b.line || compareTexts(a.ref, b.ref);

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

/**
 * Readable ids: `comp-auth-validate-token` is `validateToken` in a file of `src/auth`; a second one ends in `-2`. Ids
 * follow the order of the components, so the same code gets the same ids.
 */
export function createComponentIds(
  components: readonly { readonly key: string; readonly path: string; readonly ref: string }[],
): ReadonlyMap<string, string> {
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
  const name = parts.map(formatKebabCase).filter(Boolean).join("-").slice(0, MAX_COMPONENT_ID).replace(/-+$/, "");
  return `comp-${name || "unnamed"}`;
}

const formatKebabCase = (text: string): string =>
  text
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1-")
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
