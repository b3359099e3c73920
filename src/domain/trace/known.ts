import type { DefinedItem } from "../document/defined.ts";
import { checkDesign } from "../feature/design.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord, Phase } from "../feature/record.ts";
import type { AnySpec, SpecKind } from "../spec/yaml/read.ts";
import type { SpecStatus } from "../spec/yaml/common-fields.ts";
import { listLiveRequirements, listLiveRules } from "../project/document.ts";
import { isFeature, type Said } from "../scan/tags.ts";
import { getFeatureDesignPath, getFeatureRecordPath } from "../workspace/path.ts";

/** `AC-1`, or `S1.AC2` of a roadmap feature. */
interface KnownCriterion {
  readonly id: string;
  readonly text: string;
}

/** An item that code, tests and documents can name by its id. */
export interface Known {
  readonly id: string;
  /** `roadmap`: a roadmap feature, whose design is its spec. */
  readonly kind: SpecKind | "requirement" | "rule" | "roadmap";
  readonly title: string;
  readonly path: string;
  readonly line: number;
  readonly status?: SpecStatus;
  readonly criteria?: readonly KnownCriterion[];
  readonly trace: Readonly<Record<"code" | "tests" | "docs" | "decisions", readonly string[]>>;
}

export interface KnownIds {
  readonly ids: ReadonlyMap<string, Known>;
  /** Roadmap features by name; missing without a roadmap, because features cannot be checked then. */
  readonly features?: ReadonlySet<string>;
}

const NOWHERE: Known["trace"] = { code: [], tests: [], docs: [], decisions: [] };
const LONGEST = 200;

/** An unreadable spec yields only its id and path. */
export function knownSpec(file: { id: string; path: string; kind: SpecKind }, spec: AnySpec | undefined): Known {
  const { id, path, kind } = file;
  if (!spec) return { id, path, kind, line: 1, title: "", trace: NOWHERE };
  const { status, trace } = spec;
  const title = spec.type === "research" ? spec.topic : spec.title;
  return { id, path, kind, line: 1, title, status, criteria: criteriaOf(spec), trace: { ...NOWHERE, ...trace } };
}

/** Criteria of a bug have no ids, so they are numbered in order. */
function criteriaOf(spec: AnySpec): KnownCriterion[] {
  if (spec.type === "feature") {
    return spec.acceptance_criteria.map(({ id, given = "", when = "", then = "" }) => ({
      id,
      text: `Given ${given}, when ${when}, then ${then}`,
    }));
  }
  if (spec.type !== "bug") return [];
  return spec.fix_approach.acceptance_criteria.map((text, i) => ({ id: `AC-${i + 1}`, text }));
}

const STATUSES: Readonly<Record<Exclude<Phase, "blocked">, SpecStatus>> = {
  initialized: "draft",
  "design-generated": "specified",
  "implementation-complete": "implemented",
};

/** Before its design exists, only the feature itself is known. */
export function knownFeature(name: FeatureName, record: FeatureRecord | undefined, design: string | undefined): Known {
  const { specs, files } = checkDesign(design ?? "");
  const phase = record?.phase === "blocked" ? record.blocked_info?.blocked_at_phase : record?.phase;
  return {
    id: name,
    kind: "roadmap",
    path: design === undefined ? getFeatureRecordPath(name) : getFeatureDesignPath(name),
    line: 1,
    title: (record?.description ?? "").replace(/\s+/g, " ").slice(0, LONGEST),
    ...(phase === undefined ? {} : { status: STATUSES[phase] }),
    ...(design === undefined
      ? {}
      : { criteria: specs.flatMap(({ criteria }) => criteria.map(({ id, text }) => ({ id, text }))) }),
    trace: { ...NOWHERE, code: files },
  };
}

export function knownItems(kind: "requirement" | "rule", path: string, markdown: string): Known[] {
  const known = ({ id, line, text }: DefinedItem): Known => ({
    id,
    kind,
    path,
    line,
    title: text.slice(0, LONGEST),
    criteria: [],
    trace: NOWHERE,
  });
  return (kind === "rule" ? listLiveRules(markdown) : listLiveRequirements(markdown)).map(known);
}

/** `AUTH-001`, `AUTH-001.AC-2`, `FR-001`, `user-login.S1.AC2`; nothing for other text. */
export function parseTraceId(text: string): Said | undefined {
  const match =
    /^([A-Z][A-Z0-9]{0,31}-[0-9]{3,6})(?:[.:#/](AC-[0-9]{1,4}))?$/.exec(text) ??
    /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(S[0-9]{1,4}\.AC[0-9]{1,4}))?$/.exec(text);
  if (!match) return undefined;
  const [, spec = "", criterion] = match;
  return { spec, ...(criterion === undefined ? {} : { criterion }) };
}

/** A feature counts as unknown only if there is a roadmap. */
export function isUnknown({ ids, features }: KnownIds, { spec }: Said): boolean {
  return isFeature(spec) ? features?.has(spec) === false : !ids.has(spec);
}

export function lacksCriterion({ ids }: KnownIds, { spec, criterion }: Said): boolean {
  const criteria = ids.get(spec)?.criteria;
  return criterion !== undefined && criteria !== undefined && !criteria.some(({ id }) => id === criterion);
}
