import { type TraceLocation, collectTraceLocations } from "../../model/trace/trace-locations.ts";
import {
  type TraceableIds,
  type TraceableItem,
  createFeatureItem,
  createDocumentItems,
  createSpecItem,
} from "../../model/trace/traceable-ids.ts";
import { createTestNameReader, findSpecIdMentions } from "../../model/trace/id-mentions.ts";
import type { CodeEngine } from "../engine.ts";
import { refreshCodeIndex } from "../index/refresh-index.ts";
import type { CodeIndex, IndexedTestRow } from "../ports/code-index.ts";
import { isChangeId } from "#kernel/model/stages/change-stages.ts";
import { isFeatureName } from "#kernel/model/ids/feature-name.ts";
import {
  BUSINESS_RULES_PATH,
  getChangeArtifactPath,
  CHANGES_FOLDER,
  FEATURE_FOLDER,
  getFeatureDesignPath,
  type WorkspacePath,
  REQUIREMENTS_PATH,
} from "#kernel/model/workspace-paths.ts";
import { loadFeatureRecords } from "#roadmap/operations/feature/feature-records.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { parseListedSpec } from "#planning/operations/spec/spec-files.ts";
import { listSpecFiles, type ListedSpec } from "#planning/operations/spec/list-specs.ts";
import { blankAutoSections } from "../../model/docs/auto-sections.ts";
import { isTestData } from "../../model/scan/test-files.ts";

export interface TraceData {
  readonly index: CodeIndex;
  readonly known: TraceableIds;
  readonly carriers: readonly TraceLocation[];
  readonly tests: readonly IndexedTestRow[];
}

/**
 * Refreshes the index first. Other processes can write the index file, so a check that decides must read the files
 * again.
 */
export async function gatherTraceData(engine: CodeEngine): Promise<TraceData> {
  const { index } = await refreshCodeIndex(engine);
  const known = await loadTraceableIds(engine);
  const [tags, tests] = [await index.tags(), await index.tests()];
  const carriers = collectTraceLocations({ tags, tests }, createTestNameReader(known.ids.keys()));
  return { index, known, carriers, tests };
}

export async function loadTraceableIds(engine: Pick<CodeEngine, "store" | "yaml" | "digest">): Promise<TraceableIds> {
  const { specs, items, features } = await engine.store.read((tree) =>
    readTraceableDocuments(createTolerantTree(tree, () => undefined)),
  );
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const known = readings.map(({ id, path, kind, document }) => createSpecItem({ id, path, kind }, document?.spec));
  return {
    // A project document overrides the ids that a change will add.
    ids: new Map([...items.toReversed(), ...known, ...features].map((each) => [each.id, each])),
    ...(features.length === 0 ? {} : { features: new Set(features.map(({ id }) => id)) }),
  };
}

interface TraceableDocuments {
  readonly specs: readonly ListedSpec[];
  readonly items: readonly TraceableItem[];
  readonly features: readonly TraceableItem[];
}

function readTraceableDocuments(tree: StoreTree): TraceableDocuments {
  const changed = tree
    .names(CHANGES_FOLDER)
    .filter(isChangeId)
    .map((id) => getChangeArtifactPath(CHANGES_FOLDER, id, "spec"));
  const items = (kind: "requirement" | "rule", paths: readonly WorkspacePath[]): TraceableItem[] =>
    paths.flatMap((path) => createDocumentItems(kind, path, tree.text(path) ?? ""));
  return {
    specs: listSpecFiles(tree).specs,
    items: [
      ...items("requirement", [REQUIREMENTS_PATH, ...changed]),
      ...items("rule", [BUSINESS_RULES_PATH, ...changed]),
    ],
    features: listFeatureItems(tree),
  };
}

/** A feature with a damaged record still counts. */
function listFeatureItems(tree: StoreTree): TraceableItem[] {
  const { found } = loadFeatureRecords(tree);
  return tree
    .names(FEATURE_FOLDER)
    .filter(isFeatureName)
    .map((name) => createFeatureItem(name, found.get(name), tree.text(getFeatureDesignPath(name))));
}

export interface NamingDocument {
  readonly path: string;
  readonly line: number;
}

const DOCUMENT_PATH = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i;
const MAX_DOCUMENT_BYTES = 512 * 1024;
const MAX_SCANNED_DOCUMENTS = 5_000;

export async function findNamingDocuments(
  { source }: Pick<CodeEngine, "source">,
  isKnown: (id: string) => boolean,
): Promise<ReadonlyMap<string, readonly NamingDocument[]>> {
  const found = new Map<string, NamingDocument[]>();
  const files = (await source.files()).filter(
    ({ path, bytes }) => DOCUMENT_PATH.test(path) && bytes <= MAX_DOCUMENT_BYTES,
  );
  for (const { path } of files.filter((file) => !isTestData(file.path)).slice(0, MAX_SCANNED_DOCUMENTS)) {
    const text = (await source.text(path, MAX_DOCUMENT_BYTES)) ?? "";
    for (const { id, line } of findSpecIdMentions(blankAutoSections(text), isKnown)) {
      const told = found.get(id) ?? [];
      told.push({ path, line });
      found.set(id, told);
    }
  }
  return found;
}
