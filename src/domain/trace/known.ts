import type { Defined } from "../document/defined.ts";
import { checkDesign } from "../feature/design.ts";
import type { FeatureName } from "../feature/name.ts";
import type { FeatureRecord, Phase } from "../feature/record.ts";
import type { Spec, SpecKind } from "../spec/yaml/read.ts";
import type { SpecStatus } from "../spec/yaml/common-fields.ts";
import { liveRequirements, liveRules } from "../project/document.ts";
import { isFeature, type Said } from "../scan/tags.ts";
import { featureDesign, featureRecord } from "../workspace/path.ts";

/** An acceptance criterion as it is named everywhere else: `AC-1`, or `S1.AC2` of a feature of the roadmap. */
interface KnownCriterion {
  readonly id: string;
  readonly text: string;
}

/** Something that code, tests and documents can say they belong to. */
export interface Known {
  readonly id: string;
  /** `roadmap` for a feature of the roadmap, whose design is its spec. */
  readonly kind: SpecKind | "requirement" | "rule" | "roadmap";
  readonly title: string;
  readonly path: string;
  readonly line: number;
  /** Of a spec that can be read. */
  readonly status?: SpecStatus;
  /** Nothing where they cannot be told, because the spec cannot be read. */
  readonly criteria?: readonly KnownCriterion[];
  /** Where the spec says that it is found again, as it is written there. */
  readonly trace: Readonly<Record<"code" | "tests" | "docs" | "decisions", readonly string[]>>;
}

/** Every id that something defines. */
export interface KnownIds {
  readonly ids: ReadonlyMap<string, Known>;
  /** The features of the roadmap by name; nothing where there is no roadmap, so that nobody can say what is one. */
  readonly features?: ReadonlySet<string>;
}

const NOWHERE: Known["trace"] = { code: [], tests: [], docs: [], decisions: [] };
const LONGEST = 200;

/** What a spec document defines; of one that cannot be read only that it is there. */
export function knownSpec(file: { id: string; path: string; kind: SpecKind }, spec: Spec | undefined): Known {
  const { id, path, kind } = file;
  if (!spec) return { id, path, kind, line: 1, title: "", trace: NOWHERE };
  const { status, trace } = spec;
  const title = spec.type === "research" ? spec.topic : spec.title;
  return { id, path, kind, line: 1, title, status, criteria: criteriaOf(spec), trace: { ...NOWHERE, ...trace } };
}

/** A bug's criteria have no numbers of their own: they count by their order. */
function criteriaOf(spec: Spec): KnownCriterion[] {
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

/** What the design of a feature of the roadmap defines; before there is one, only that the feature is there. */
export function knownFeature(name: FeatureName, record: FeatureRecord | undefined, design: string | undefined): Known {
  const { specs, files } = checkDesign(design ?? "");
  const phase = record?.phase === "blocked" ? record.blocked_info?.blocked_at_phase : record?.phase;
  return {
    id: name,
    kind: "roadmap",
    path: design === undefined ? featureRecord(name) : featureDesign(name),
    line: 1,
    title: (record?.description ?? "").replace(/\s+/g, " ").slice(0, LONGEST),
    ...(phase === undefined ? {} : { status: STATUSES[phase] }),
    ...(design === undefined
      ? {}
      : { criteria: specs.flatMap(({ criteria }) => criteria.map(({ id, text }) => ({ id, text }))) }),
    trace: { ...NOWHERE, code: files },
  };
}

/** The requirements or rules that a document of the project defines, without what it has given up. */
export function knownItems(kind: "requirement" | "rule", path: string, markdown: string): Known[] {
  const known = ({ id, line, text }: Defined): Known => ({
    id,
    kind,
    path,
    line,
    title: text.slice(0, LONGEST),
    criteria: [],
    trace: NOWHERE,
  });
  return (kind === "rule" ? liveRules(markdown) : liveRequirements(markdown)).map(known);
}

/** `AUTH-001`, `AUTH-001.AC-2`, `FR-001`, `user-login.S1.AC2`; nothing for what cannot be an id. */
export function parseTraceId(text: string): Said | undefined {
  const match =
    /^([A-Z][A-Z0-9]{0,31}-[0-9]{3,6})(?:[.:#/](AC-[0-9]{1,4}))?$/.exec(text) ??
    /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(S[0-9]{1,4}\.AC[0-9]{1,4}))?$/.exec(text);
  if (!match) return undefined;
  const [, spec = "", criterion] = match;
  return { spec, ...(criterion === undefined ? {} : { criterion }) };
}

/** Whether somebody can tell that nothing defines it: a roadmap's features only where there is a roadmap. */
export function isUnknown({ ids, features }: KnownIds, { spec }: Said): boolean {
  return isFeature(spec) ? features?.has(spec) === false : !ids.has(spec);
}

/** Whether the spec is there, and has no such criterion. */
export function lacksCriterion({ ids }: KnownIds, { spec, criterion }: Said): boolean {
  const criteria = ids.get(spec)?.criteria;
  return criterion !== undefined && criteria !== undefined && !criteria.some(({ id }) => id === criterion);
}
