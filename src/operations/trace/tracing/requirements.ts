import { criterionId } from "#domain/feature/criteria.ts";
import { checkDesign } from "#domain/feature/design.ts";
import { type FeatureName, isFeatureName } from "#domain/feature/name.ts";
import { listLiveRequirements, listLiveRules } from "#domain/project/document.ts";
import { findSpecBook, SPEC_BOOK_PATHS } from "#domain/spec/books.ts";
import { partsOf, readTraceId, type TraceId } from "#domain/trace/acceptance.ts";
import type { Covered } from "#domain/trace/drift.ts";
import { type CriterionSaid, oneForm, type Said, saidBy } from "#domain/trace/said.ts";
import { isWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import {
  BUSINESS_RULES_PATH,
  getFeatureDesignPath,
  type WorkspacePath,
  REQUIREMENTS_PATH,
  getSpecPath,
} from "#domain/workspace/path.ts";
import type { Engine } from "../../engine.ts";
import { parseListedSpec } from "../../spec/read.ts";

export interface Requirement extends Covered {
  readonly id: TraceId;
  readonly text: string;
  readonly path?: string;
  readonly form:
    | { readonly kind: "item" }
    | { readonly kind: "criterion"; readonly criterion: string; readonly said: CriterionSaid }
    | { readonly kind: "spec"; readonly key: string }
    | { readonly kind: "none" };
}

type Reader = Pick<Engine, "store" | "yaml" | "digest">;
type Texts = (path: WorkspacePath) => string | undefined;

export async function requirementsOf(
  engine: Reader,
  ids: Iterable<TraceId>,
): Promise<ReadonlyMap<TraceId, Requirement>> {
  const wanted = [...new Set(ids)];
  const texts = await engine.store.read((tree) => new Map(documentsOf(wanted).map((path) => [path, tree.text(path)])));
  return requirementsIn(engine, wanted, (path) => texts.get(path));
}

export const documentsOf = (ids: readonly TraceId[]): WorkspacePath[] => [
  REQUIREMENTS_PATH,
  BUSINESS_RULES_PATH,
  ...specsOf(ids).map(getSpecPath),
  ...featuresOf(ids).map(getFeatureDesignPath),
];

const specsOf = (ids: readonly TraceId[]): WorkflowId[] =>
  [...new Set(ids.map((id) => partsOf(id).spec))].filter(isWorkflowId);

const featuresOf = (ids: readonly TraceId[]): FeatureName[] =>
  [...new Set(ids.map((id) => partsOf(id).spec))].filter(isFeatureName);

/** Reads documents from elsewhere, such as a commit. */
export async function requirementsIn(
  engine: Pick<Engine, "yaml" | "digest">,
  ids: readonly TraceId[],
  textAt: Texts,
): Promise<ReadonlyMap<TraceId, Requirement>> {
  const items = new Map(
    [...listLiveRequirements(textAt(REQUIREMENTS_PATH) ?? ""), ...listLiveRules(textAt(BUSINESS_RULES_PATH) ?? "")].map(
      ({ id, text }) => [id, text],
    ),
  );
  const said = new Map<string, Said>();
  for (const id of specsOf(ids)) {
    const path = getSpecPath(id);
    const text = textAt(path);
    const { document } = text === undefined ? {} : await parseListedSpec(engine, { id, path, text });
    if (document) said.set(id, saidBy(document.spec));
  }
  const designs = featuresOf(ids).flatMap((name) => designed(engine, name, textAt(getFeatureDesignPath(name)) ?? ""));
  const ofRoadmap = new Map<string, Requirement>(designs.map((each) => [each.id, each]));
  return new Map(ids.map((id) => [id, ofRoadmap.get(id) ?? requirement(engine, id, items, said)]));
}

function designed({ digest }: Pick<Engine, "digest">, name: FeatureName, design: string): Requirement[] {
  return checkDesign(design).specs.flatMap(({ criteria }) =>
    criteria.map(({ id, text }): Requirement => ({
      id: readTraceId(criterionId(name, id)),
      path: getFeatureDesignPath(name),
      isBinding: true,
      text,
      spec_hash: digest(text),
      form: { kind: "none" },
    })),
  );
}

function requirement(
  { digest }: Pick<Engine, "digest">,
  id: TraceId,
  items: ReadonlyMap<string, string>,
  specs: ReadonlyMap<string, Said>,
): Requirement {
  const { spec, criterion } = partsOf(id);
  const said = specs.get(spec);
  const item = items.get(id);
  if (said !== undefined && isWorkflowId(spec)) {
    const path = getSpecPath(spec);
    const rest = { id, path, isBinding: said.isBinding };
    if (criterion === undefined) {
      const [key, text] =
        "summary" in (said.rest as object) ? ["summary", saidIn(said.rest, "summary")] : ["title", said.title];
      return { ...rest, text, spec_hash: digest(oneForm(said.rest)), form: { kind: "spec", key } };
    }
    const one = said.criteria.get(criterion);
    if (one !== undefined)
      return {
        ...rest,
        text: inWords(one),
        spec_hash: digest(oneForm(one)),
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

function saidIn(rest: unknown, key: string): string {
  const value = (rest as Readonly<Record<string, unknown>>)[key];
  return typeof value === "string" ? value : "";
}

function inWords(said: CriterionSaid): string {
  if (typeof said === "string") return said;
  const part = (name: string): string[] => (typeof said[name] === "string" ? [`${name} ${said[name]}`] : []);
  return ["given", "when", "then"].flatMap(part).join(", ");
}
