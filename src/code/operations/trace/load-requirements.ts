import { qualifyCriterionId } from "#roadmap/model/feature/design-criteria.ts";
import { checkDesign } from "#roadmap/model/feature/design-check.ts";
import { type FeatureName, isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { listLiveRequirements, listLiveRules } from "#planning/model/project/project-document.ts";
import { findSpecBook, SPEC_BOOK_PATHS } from "#planning/model/living-spec/delta-merge.ts";
import { splitTraceId, requireTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import type { RequirementState } from "../../model/trace/code-drift.ts";
import {
  type CriterionContent,
  formatSortedJson,
  type SpecContent,
  extractSpecContent,
  formatCriterionDraft,
  formatRequirementDelta,
  type DriftEvidence,
  formatSummaryDraft,
} from "../../model/trace/requirement-text.ts";
import { isWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import {
  BUSINESS_RULES_PATH,
  getFeatureDesignPath,
  type WorkspacePath,
  REQUIREMENTS_PATH,
  getSpecPath,
} from "#kernel/model/workspace-paths.ts";
import type { CodeEngine } from "../engine.ts";
import { parseListedSpec } from "#planning/operations/spec/spec-files.ts";

export interface TracedRequirement extends RequirementState {
  readonly id: TraceId;
  readonly text: string;
  readonly path?: string;
  readonly form:
    | { readonly kind: "item" }
    | { readonly kind: "criterion"; readonly criterion: string; readonly said: CriterionContent }
    | { readonly kind: "spec"; readonly key: string }
    | { readonly kind: "none" };
}

type RequirementEngine = Pick<CodeEngine, "store" | "yaml" | "digest">;
type DocumentTexts = (path: WorkspacePath) => string | undefined;

export async function loadRequirements(
  engine: RequirementEngine,
  ids: Iterable<TraceId>,
): Promise<ReadonlyMap<TraceId, TracedRequirement>> {
  const wanted = [...new Set(ids)];
  const texts = await engine.store.read(
    (tree) => new Map(listRequirementDocuments(wanted).map((path) => [path, tree.text(path)])),
  );
  return readRequirements(engine, wanted, (path) => texts.get(path));
}

export const listRequirementDocuments = (ids: readonly TraceId[]): WorkspacePath[] => [
  REQUIREMENTS_PATH,
  BUSINESS_RULES_PATH,
  ...listWorkflowSpecs(ids).map(getSpecPath),
  ...listRoadmapFeatures(ids).map(getFeatureDesignPath),
];

const listWorkflowSpecs = (ids: readonly TraceId[]): WorkflowId[] =>
  [...new Set(ids.map((id) => splitTraceId(id).spec))].filter(isWorkflowId);

const listRoadmapFeatures = (ids: readonly TraceId[]): FeatureName[] =>
  [...new Set(ids.map((id) => splitTraceId(id).spec))].filter(isFeatureName);

/** Reads documents from elsewhere, such as a commit. */
export async function readRequirements(
  engine: Pick<CodeEngine, "yaml" | "digest">,
  ids: readonly TraceId[],
  textAt: DocumentTexts,
): Promise<ReadonlyMap<TraceId, TracedRequirement>> {
  const items = new Map(
    [...listLiveRequirements(textAt(REQUIREMENTS_PATH) ?? ""), ...listLiveRules(textAt(BUSINESS_RULES_PATH) ?? "")].map(
      ({ id, text }) => [id, text],
    ),
  );
  const said = new Map<string, SpecContent>();
  for (const id of listWorkflowSpecs(ids)) {
    const path = getSpecPath(id);
    const text = textAt(path);
    const { document } = text === undefined ? {} : await parseListedSpec(engine, { id, path, text });
    if (document) said.set(id, extractSpecContent(document.spec));
  }
  const designs = listRoadmapFeatures(ids).flatMap((name) =>
    readDesignCriteria(engine, name, textAt(getFeatureDesignPath(name)) ?? ""),
  );
  const ofRoadmap = new Map<string, TracedRequirement>(designs.map((each) => [each.id, each]));
  return new Map(ids.map((id) => [id, ofRoadmap.get(id) ?? createTracedRequirement(engine, id, items, said)]));
}

function readDesignCriteria(
  { digest }: Pick<CodeEngine, "digest">,
  name: FeatureName,
  design: string,
): TracedRequirement[] {
  return checkDesign(design).specs.flatMap(({ criteria }) =>
    criteria.map(({ id, text }): TracedRequirement => ({
      id: requireTraceId(qualifyCriterionId(name, id)),
      path: getFeatureDesignPath(name),
      isBinding: true,
      text,
      spec_hash: digest(text),
      form: { kind: "none" },
    })),
  );
}

function createTracedRequirement(
  { digest }: Pick<CodeEngine, "digest">,
  id: TraceId,
  items: ReadonlyMap<string, string>,
  specs: ReadonlyMap<string, SpecContent>,
): TracedRequirement {
  const { spec, criterion } = splitTraceId(id);
  const said = specs.get(spec);
  const item = items.get(id);
  if (said !== undefined && isWorkflowId(spec)) {
    const path = getSpecPath(spec);
    const rest = { id, path, isBinding: said.isBinding };
    if (criterion === undefined) {
      const [key, text] =
        "summary" in (said.rest as object)
          ? ["summary", readContentField(said.rest, "summary")]
          : ["title", said.title];
      return { ...rest, text, spec_hash: digest(formatSortedJson(said.rest)), form: { kind: "spec", key } };
    }
    const one = said.criteria.get(criterion);
    if (one !== undefined)
      return {
        ...rest,
        text: formatCriterionContent(one),
        spec_hash: digest(formatSortedJson(one)),
        form: { kind: "criterion", criterion, said: one },
      };
  } else if (item !== undefined) {
    const text = item.replace(/\s+/g, " ").trim();
    return {
      id,
      path: SPEC_BOOK_PATHS[findSpecBook(id)],
      isBinding: true,
      text,
      spec_hash: digest(text),
      form: { kind: "item" },
    };
  }
  return { id, text: "", isBinding: false, form: { kind: "none" } };
}

function readContentField(rest: unknown, key: string): string {
  const value = (rest as Readonly<Record<string, unknown>>)[key];
  return typeof value === "string" ? value : "";
}

function formatCriterionContent(said: CriterionContent): string {
  if (typeof said === "string") return said;
  const part = (name: string): string[] => (typeof said[name] === "string" ? [`${name} ${said[name]}`] : []);
  return ["given", "when", "then"].flatMap(part).join(", ");
}

export function draftRequirementText(
  requirement: TracedRequirement | undefined,
  evidence: readonly DriftEvidence[],
): string | undefined {
  if (requirement?.path === undefined) return undefined;
  const { id, path, text, form } = requirement;
  if (form.kind === "item") return formatRequirementDelta(id, text, evidence);
  if (form.kind === "criterion") return formatCriterionDraft(path, { id: form.criterion, said: form.said }, evidence);
  return form.kind === "spec" ? formatSummaryDraft(path, form.key, text, evidence) : undefined;
}
