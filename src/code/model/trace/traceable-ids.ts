import type { DefinedItem } from "#kernel/model/document/id-references.ts";
import { checkDesign } from "#roadmap/model/feature/design-check.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { FeatureRecord, FeaturePhase } from "#roadmap/model/feature/feature-record.ts";
import type { AnySpec, SpecKind } from "#planning/model/spec/spec-reader.ts";
import type { SpecStatus } from "#planning/model/spec/field-shapes.ts";
import { listLiveRequirements, listLiveRules } from "#planning/model/project/project-document.ts";
import { isFeatureTag, type TagTarget } from "../scan/spec-tags.ts";
import { getFeatureDesignPath, getFeatureRecordPath } from "#kernel/model/workspace-paths.ts";

/** `AC-1`, or `S1.AC2` of a roadmap feature. */
interface TraceableCriterion {
  readonly id: string;
  readonly text: string;
}

/** An item that code, tests and documents can name by its id. */
export interface TraceableItem {
  readonly id: string;
  /** `roadmap`: a roadmap feature, whose design is its spec. */
  readonly kind: SpecKind | "requirement" | "rule" | "roadmap";
  readonly title: string;
  readonly path: string;
  readonly line: number;
  readonly status?: SpecStatus;
  readonly criteria?: readonly TraceableCriterion[];
  readonly trace: Readonly<Record<"code" | "tests" | "docs" | "decisions", readonly string[]>>;
}

export interface TraceableIds {
  readonly ids: ReadonlyMap<string, TraceableItem>;
  /** Roadmap features by name; missing without a roadmap, because features cannot be checked then. */
  readonly features?: ReadonlySet<string>;
}

const EMPTY_TRACE: TraceableItem["trace"] = { code: [], tests: [], docs: [], decisions: [] };
const MAX_ITEM_TITLE = 200;

/** An unreadable spec yields only its id and path. */
export function createSpecItem(
  file: { id: string; path: string; kind: SpecKind },
  spec: AnySpec | undefined,
): TraceableItem {
  const { id, path, kind } = file;
  if (!spec) return { id, path, kind, line: 1, title: "", trace: EMPTY_TRACE };
  const { status, trace } = spec;
  const title = spec.type === "research" ? spec.topic : spec.title;
  return {
    id,
    path,
    kind,
    line: 1,
    title,
    status,
    criteria: listSpecCriteria(spec),
    trace: { ...EMPTY_TRACE, ...trace },
  };
}

/** Criteria of a bug have no ids, so they are numbered in order. */
function listSpecCriteria(spec: AnySpec): TraceableCriterion[] {
  if (spec.type === "feature") {
    return spec.acceptance_criteria.map(({ id, given = "", when = "", then = "" }) => ({
      id,
      text: `Given ${given}, when ${when}, then ${then}`,
    }));
  }
  if (spec.type !== "bug") return [];
  return spec.fix_approach.acceptance_criteria.map((text, i) => ({ id: `AC-${i + 1}`, text }));
}

const PHASE_STATUSES: Readonly<Record<Exclude<FeaturePhase, "blocked">, SpecStatus>> = {
  initialized: "draft",
  "design-generated": "specified",
  "implementation-complete": "implemented",
};

/** Before its design exists, only the feature itself is known. */
export function createFeatureItem(
  name: FeatureName,
  record: FeatureRecord | undefined,
  design: string | undefined,
): TraceableItem {
  const { specs, files } = checkDesign(design ?? "");
  const phase = record?.phase === "blocked" ? record.blocked_info?.blocked_at_phase : record?.phase;
  return {
    id: name,
    kind: "roadmap",
    path: design === undefined ? getFeatureRecordPath(name) : getFeatureDesignPath(name),
    line: 1,
    title: (record?.description ?? "").replace(/\s+/g, " ").slice(0, MAX_ITEM_TITLE),
    ...(phase === undefined ? {} : { status: PHASE_STATUSES[phase] }),
    ...(design === undefined
      ? {}
      : { criteria: specs.flatMap(({ criteria }) => criteria.map(({ id, text }) => ({ id, text }))) }),
    trace: { ...EMPTY_TRACE, code: files },
  };
}

export function createDocumentItems(kind: "requirement" | "rule", path: string, markdown: string): TraceableItem[] {
  const known = ({ id, line, text }: DefinedItem): TraceableItem => ({
    id,
    kind,
    path,
    line,
    title: text.slice(0, MAX_ITEM_TITLE),
    criteria: [],
    trace: EMPTY_TRACE,
  });
  return (kind === "rule" ? listLiveRules(markdown) : listLiveRequirements(markdown)).map(known);
}

/** `AUTH-001`, `AUTH-001.AC-2`, `FR-001`, `user-login.S1.AC2`; nothing for other text. */
export function parseTraceReference(text: string): TagTarget | undefined {
  const match =
    /^([A-Z][A-Z0-9]{0,31}-[0-9]{3,6})(?:[.:#/](AC-[0-9]{1,4}))?$/.exec(text) ??
    /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(S[0-9]{1,4}\.AC[0-9]{1,4}))?$/.exec(text);
  if (!match) return undefined;
  const [, spec = "", criterion] = match;
  return { spec, ...(criterion === undefined ? {} : { criterion }) };
}

/** A feature counts as unknown only if there is a roadmap. */
export function isUnknownId({ ids, features }: TraceableIds, { spec }: TagTarget): boolean {
  return isFeatureTag(spec) ? features?.has(spec) === false : !ids.has(spec);
}

export function isMissingCriterion({ ids }: TraceableIds, { spec, criterion }: TagTarget): boolean {
  const criteria = ids.get(spec)?.criteria;
  return criterion !== undefined && criteria !== undefined && !criteria.some(({ id }) => id === criterion);
}
