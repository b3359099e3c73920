import { loadReceiptChains } from "#checking/operations/gate/receipt-files.ts";
import {
  createDecisionSection,
  createSpecSection,
  extractDocumentSections,
} from "#code/model/index/indexed-content.ts";
import { formatTagName, type TagTarget } from "#code/model/scan/spec-tags.ts";
import { findSpecIdMentions } from "#code/model/trace/id-mentions.ts";
import { type CriterionContent, formatSortedJson, type TracedRequirement } from "#code/model/trace/requirement-text.ts";
import type { TraceableItem } from "#code/model/trace/traceable-ids.ts";
import type { IndexableText, RequirementReferences, RequirementSource } from "#code/operations/ports/requirements.ts";
import type { SourceView } from "#git/operations/ports/git-files.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import { requireTraceId, splitTraceId, type TraceId } from "#kernel/model/ids/trace-id.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { readArtifactText } from "#planning/operations/change/artifact-files.ts";
import { isWorkflowId } from "#kernel/model/workflow-id.ts";
import {
  BUSINESS_RULES_PATH,
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  getChangeArtifactPath,
  getFeatureDesignPath,
  getSpecPath,
  PROJECT_SPEC_PATHS,
  REQUIREMENTS_PATH,
  type WorkspacePath,
} from "#kernel/model/workspace-paths.ts";
import { type DecisionId, readDecisionHead } from "#planning/model/adr/decision-record.ts";
import { findSpecBook, SPEC_BOOK_PATHS } from "#planning/model/living-spec/delta-merge.ts";
import { listLiveRequirements, listLiveRules } from "#planning/model/project/project-document.ts";
import { getWorkflowFlow } from "#planning/model/workflow/workflow-record.ts";
import { listWorkspaceDecisions, readDecisionFileText } from "#planning/operations/adr/decision-files.ts";
import { loadTemplateLines } from "#planning/operations/context/context-snapshot.ts";
import { listSpecFiles } from "#planning/operations/spec/list-specs.ts";
import { parseListedSpec } from "#planning/operations/spec/spec-files.ts";
import { WORKFLOW_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { checkDesign } from "../model/feature/design-check.ts";
import { qualifyCriterionId } from "../model/feature/design-criteria.ts";
import {
  createDocumentItems,
  createFeatureItem,
  createSpecItem,
  extractSpecContent,
  type SpecContent,
} from "../model/traceable-items.ts";
import type { RoadmapEngine } from "./engine.ts";
import { loadFeatureRecords } from "./feature/feature-records.ts";

type RequirementEngine = Pick<RoadmapEngine, "store" | "yaml" | "digest" | "assets" | "checkout">;

export function createRequirementSource(engine: RequirementEngine): RequirementSource {
  /** A damaged record must not hide the others. */
  const readTolerantly = <T>(read: (tree: StoreTree) => T): Promise<T> =>
    engine.store.read((tree) => read(createTolerantTree(tree, () => undefined)));
  return {
    async traceable() {
      const { specs, items, features } = await readTolerantly(readTraceableDocuments);
      const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
      const known = readings.map(({ id, path, kind, document }) => createSpecItem({ id, path, kind }, document?.spec));
      return {
        // A project document overrides the ids that a change will add.
        ids: new Map([...items.toReversed(), ...known, ...features].map((each) => [each.id, each])),
        ...(features.length === 0 ? {} : { features: new Set(features.map(({ id }) => id)) }),
      };
    },
    read: (ids, view) => readRequirements(engine, [...new Set(ids)], view),
    references: (target) => readTolerantly((tree) => collectReferences(tree, engine, target)),
    texts: () => engine.store.read((tree) => listIndexableTexts(tree, engine)),
    implementedFeatures: () =>
      readTolerantly((tree) =>
        [...loadFeatureRecords(tree).found]
          .filter(([, { phase }]) => phase === "implementation-complete")
          .map(([name]) => name),
      ),
    featureStages: async () => getWorkflowFlow("feature").stages.map(({ name }) => name),
  };
}

function readTraceableDocuments(tree: StoreTree) {
  const changed = tree
    .names(CHANGES_FOLDER)
    .filter(isChangeId)
    .flatMap((id) => (["spec", "tasks"] as const).map((stage) => getChangeArtifactPath(CHANGES_FOLDER, id, stage)));
  const listItems = (kind: "requirement" | "rule", paths: readonly WorkspacePath[]): TraceableItem[] =>
    paths.flatMap((path) => createDocumentItems(kind, path, readArtifactText(tree, path) ?? ""));
  const { found } = loadFeatureRecords(tree);
  return {
    specs: listSpecFiles(tree).specs,
    items: [
      ...listItems("requirement", [REQUIREMENTS_PATH, ...changed]),
      ...listItems("rule", [BUSINESS_RULES_PATH, ...changed]),
    ],
    // A feature with a damaged record still counts.
    features: tree
      .names(FEATURE_FOLDER)
      .filter(isFeatureName)
      .map((name) => createFeatureItem(name, found.get(name), tree.text(getFeatureDesignPath(name)))),
  };
}

async function readRequirements(engine: RequirementEngine, ids: readonly TraceId[], view: SourceView | undefined) {
  const named = [...new Set(ids.map((id) => splitTraceId(id).spec))];
  const [specs, features] = [named.filter(isWorkflowId), named.filter(isFeatureName)];
  const books = [REQUIREMENTS_PATH, BUSINESS_RULES_PATH];
  const paths = [...books, ...specs.map(getSpecPath), ...features.map(getFeatureDesignPath)];
  const files = [...((await view?.read(paths)) ?? [])];
  const texts = new Map<string, string | undefined>(
    view
      ? files.map(([path, file]) => [path, file.kind === "text" ? file.text : undefined])
      : await engine.store.read((tree) => paths.map((path) => [path, tree.text(path)] as const)),
  );
  const found = new Map<string, TracedRequirement>();
  for (const name of features)
    for (const { criteria } of checkDesign(texts.get(getFeatureDesignPath(name)) ?? "").specs)
      for (const { id: criterion, text } of criteria) {
        const id = requireTraceId(qualifyCriterionId(name, criterion));
        const known = { id, path: getFeatureDesignPath(name), isBinding: true, text };
        found.set(id, { ...known, spec_hash: engine.digest(text), form: { kind: "none" } });
      }
  const said = new Map<string, SpecContent>();
  for (const id of specs) {
    const path = getSpecPath(id);
    const text = texts.get(path);
    const { document } = text === undefined ? {} : await parseListedSpec(engine, { id, path, text });
    if (document) said.set(id, extractSpecContent(document.spec));
  }
  const items = new Map(
    [
      ...listLiveRequirements(texts.get(REQUIREMENTS_PATH) ?? ""),
      ...listLiveRules(texts.get(BUSINESS_RULES_PATH) ?? ""),
    ].map(({ id, text }) => [id, text]),
  );
  return new Map(ids.map((id) => [id, found.get(id) ?? createRequirement(engine, id, items, said)]));
}

function createRequirement(
  { digest }: RequirementEngine,
  id: TraceId,
  items: ReadonlyMap<string, string>,
  specs: ReadonlyMap<string, SpecContent>,
): TracedRequirement {
  const { spec, criterion } = splitTraceId(id);
  const said = specs.get(spec);
  const one = criterion === undefined ? undefined : said?.criteria.get(criterion);
  const item = items.get(id);
  if (said && isWorkflowId(spec)) {
    const rest = { id, path: getSpecPath(spec), isBinding: said.isBinding };
    if (criterion === undefined) {
      const { summary } = said.rest;
      const [key, text] =
        "summary" in said.rest ? ["summary", typeof summary === "string" ? summary : ""] : ["title", said.title];
      return { ...rest, text, spec_hash: digest(formatSortedJson(said.rest)), form: { kind: "spec", key } };
    }
    if (one !== undefined) {
      const form = { kind: "criterion", criterion, said: one } as const;
      return { ...rest, text: formatCriterionContent(one), spec_hash: digest(formatSortedJson(one)), form };
    }
  } else if (item !== undefined) {
    const text = item.replace(/\s+/g, " ").trim();
    const path = SPEC_BOOK_PATHS[findSpecBook(id)];
    return { id, path, isBinding: true, text, spec_hash: digest(text), form: { kind: "item" } };
  }
  return { id, text: "", isBinding: false, form: { kind: "none" } };
}

function formatCriterionContent(said: CriterionContent): string {
  if (typeof said === "string") return said;
  const part = (name: string): string[] => (typeof said[name] === "string" ? [`${name} ${said[name]}`] : []);
  return ["given", "when", "then"].flatMap(part).join(", ");
}

function collectReferences(tree: StoreTree, engine: RequirementEngine, target: TagTarget): RequirementReferences {
  const isOwn = (id: string): boolean => id === target.spec;
  const workflow = tree.kept(WORKFLOW_SPACE).get(target.spec);
  const name = formatTagName(target);
  const receipts = loadReceiptChains(tree, engine).chains.flatMap(({ chain }) =>
    chain.receipts.flatMap(({ receipt: { id, gate, at, spec_ids, criteria } }) => {
      const own = criteria.filter((each) => each === name || each.startsWith(`${name}.`));
      const isCovering = target.criterion === undefined ? spec_ids.includes(target.spec) : own.length > 0;
      return isCovering ? [{ id, gate, at, criteria: own }] : [];
    }),
  );
  return {
    workflows: workflow
      ? [{ id: workflow.id, kind: workflow.kind, stage: workflow.current_stage, status: workflow.status }]
      : [],
    receipts: receipts.toReversed(),
    docs: PROJECT_SPEC_PATHS.flatMap((path) =>
      findSpecIdMentions(tree.text(path) ?? "", isOwn).map(({ line }) => ({ path, line })),
    ),
    decisions: listWorkspaceDecisions(tree).flatMap(({ ref, id, path }) => {
      const text = tree.text(path) ?? "";
      const isNamed = findSpecIdMentions(text, isOwn).length > 0 || workflow?.adr === id;
      return isNamed ? [{ ref, path, ...readDecisionTitle(id, text) }] : [];
    }),
  };
}

function readDecisionTitle(id: DecisionId, text: string): { title?: string } {
  try {
    return { title: readDecisionHead(id, text).title };
  } catch {
    return {};
  }
}

function listIndexableTexts(tree: StoreTree, engine: RequirementEngine): IndexableText[] {
  const specs = listSpecFiles(tree).specs.map(({ id, path, text }): IndexableText => {
    const sections = async () => [createSpecSection(id, text, (await engine.yaml()).read(text).tree)];
    return { path, text, kind: "spec", sections };
  });
  const books = [REQUIREMENTS_PATH, BUSINESS_RULES_PATH].flatMap((path): IndexableText[] => {
    const text = tree.text(path);
    if (text === undefined) return [];
    const sections = async () => extractDocumentSections(path, text, await loadTemplateLines(engine));
    return [{ path, text, kind: "spec", sections }];
  });
  const decisions = listWorkspaceDecisions(tree).map((place): IndexableText => {
    const text = readDecisionFileText(tree, place);
    return { path: place.path, text, kind: "doc", sections: () => [createDecisionSection(place.ref, text)] };
  });
  return [...specs, ...books, ...decisions];
}
