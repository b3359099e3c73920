import type { CriterionContent } from "#code/model/trace/requirement-text.ts";
import type { TraceableItem } from "#code/model/trace/traceable-ids.ts";
import { listEvidenceLinks, stripEvidence } from "#kernel/model/document/id-references.ts";
import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import { getFeatureDesignPath, getFeatureRecordPath } from "#kernel/model/workspace-paths.ts";
import { listLiveRequirements, listLiveRules } from "#planning/model/project/project-document.ts";
import type { AnySpec, SpecKind } from "#planning/model/spec/spec-reader.ts";
import { checkDesign } from "./feature/design-check.ts";
import type { FeaturePhase, FeatureRecord } from "./feature/feature-record.ts";

const EMPTY_TRACE: TraceableItem["trace"] = { code: [], tests: [], docs: [], decisions: [] };
const MAX_ITEM_TITLE = 200;

/** An unreadable spec yields only its id and path. */
export function createSpecItem(
  file: { readonly id: string; readonly path: string; readonly kind: SpecKind },
  spec: AnySpec | undefined,
): TraceableItem {
  if (!spec) return { ...file, line: 1, title: "", trace: EMPTY_TRACE };
  return {
    ...file,
    line: 1,
    title: getSpecTitle(spec),
    status: spec.status,
    criteria: [...listSpecCriteria(spec)].map(([id, said]) => {
      if (typeof said === "string") return { id, text: said };
      const read = (part: string): string => (typeof said[part] === "string" ? said[part] : "");
      return { id, text: `Given ${read("given")}, when ${read("when")}, then ${read("then")}` };
    }),
    trace: { ...EMPTY_TRACE, ...spec.trace },
  };
}

const getSpecTitle = (spec: AnySpec): string => (spec.type === "research" ? spec.topic : spec.title);

/** Criteria of a bug have no ids, so they are numbered in order. */
function listSpecCriteria(spec: AnySpec): ReadonlyMap<string, CriterionContent> {
  if (spec.type === "feature")
    return new Map(spec.acceptance_criteria.map(({ id, ...said }) => [id, said as Readonly<Record<string, unknown>>]));
  if (spec.type !== "bug") return new Map();
  return new Map(spec.fix_approach.acceptance_criteria.map((said, i) => [`AC-${i + 1}`, said]));
}

const PHASE_STATUSES: Readonly<Record<Exclude<FeaturePhase, "blocked">, string>> = {
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
  const items = kind === "rule" ? listLiveRules(markdown) : listLiveRequirements(markdown);
  return items.map(({ id, line, text }) => {
    const trace = { ...EMPTY_TRACE, code: listEvidenceLinks(text), tests: listEvidenceLinks(text, "tests") };
    return { id, kind, path, line, title: stripEvidence(text).slice(0, MAX_ITEM_TITLE), criteria: [], trace };
  });
}

export type SpecContent = ReturnType<typeof extractSpecContent>;

/** Status, priority and dependencies are not requirements on code. */
const NON_BINDING_FIELDS = new Set(
  "acceptance_criteria trace metadata status priority owner tags notes risks dependencies".split(" "),
);

/** `rest`: all other fields, without criteria and status. */
export function extractSpecContent(spec: AnySpec) {
  const criteria = listSpecCriteria(spec);
  const fields = Object.entries(spec).filter(([name]) => !NON_BINDING_FIELDS.has(name));
  const rest: Record<string, unknown> = Object.fromEntries(fields);
  const isBinding = spec.status !== "draft" && criteria.size > 0;
  if (spec.type === "bug") {
    const { acceptance_criteria: _, risks: __, ...fix_approach } = spec.fix_approach;
    rest["fix_approach"] = fix_approach;
  }
  return { isBinding, title: getSpecTitle(spec), rest, criteria };
}
