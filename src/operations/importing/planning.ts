import { Fault } from "#domain/fault.ts";
import { formatImportManifest, parseImportManifest } from "#domain/importing/manifest.ts";
import { IMPORT_MANIFEST_PATH } from "#domain/workspace/path.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import { planFoundationSteps } from "../workspace/init.ts";
import { ImportDraft, type ImportRow } from "./draft.ts";
import { placeImportedFeatures } from "./features.ts";
import type { DetectedLayout } from "./looking.ts";
import {
  placeImportedAdr,
  placeImportedDecisions,
  placeImportedDocument,
  placeImportedKnowledge,
  placeKnowledgeIndex,
  placeImportedSession,
  placeImportedSpec,
  placeImportedSpecFile,
  placeImportedSteering,
} from "./placing.ts";
import type { PreparedItem } from "./preparing.ts";
import { placeProjectDocuments } from "./project.ts";

export interface PreparedLayout {
  readonly seen: DetectedLayout;
  readonly items: readonly PreparedItem[];
}

export interface ImportPlanResult {
  readonly rows: readonly ImportRow[];
  readonly notes: readonly string[];
  readonly made: readonly string[];
}

export function planImport(
  tree: StoreTree,
  prepared: readonly PreparedLayout[],
  { at, config }: { readonly at: string; readonly config: string },
): StorePlan<ImportPlanResult> {
  const before = parseImportManifest(tree.text(IMPORT_MANIFEST_PATH));
  if (!before) throw createBadManifestFault();
  const draft = new ImportDraft(tree, before, at);
  for (const { seen, items } of prepared) {
    for (const item of items) placeImportItem(draft, seen, item);
    for (const { path, why, files } of [...seen.found.left, ...seen.unread]) draft.leave(seen, path, why, files);
  }
  const all = prepared.flatMap(({ seen, items }) => items.map((item) => ({ seen, item })));
  placeImportedFeatures(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "feature" ? [{ seen, feature: item }] : [])),
  );
  placeProjectDocuments(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "project" ? [{ seen, document: item }] : [])),
  );
  placeKnowledgeIndex(
    draft,
    all.flatMap(({ item }) => (item.kind === "knowledge" ? [item] : [])),
  );
  const { manifest, steps } = draft;
  const begun = manifest ? planFoundationSteps(tree, config) : [];
  if (manifest) draft.step({ kind: "document", path: IMPORT_MANIFEST_PATH, text: formatImportManifest(manifest) });
  const records = steps.filter(({ kind }) => kind === "record");
  return {
    // Records come last, because they confirm the other files.
    steps: [...begun, ...steps.filter(({ kind }) => kind !== "record"), ...records],
    occurrences: [...draft.occurrences, ...createImportEvents(draft.rows)],
    counters: draft.counters,
    keeps: draft.keeps,
    result: {
      rows: draft.rows.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      notes: draft.notes,
      made: begun.map(({ path }) => path),
    },
  };
}

/** Features and project documents depend on each other, so they are placed together. */
function placeImportItem(draft: ImportDraft, seen: DetectedLayout, item: PreparedItem): void {
  if (item.kind === "feature" || item.kind === "project" || draft.isKnown(seen, item.from)) return;
  switch (item.kind) {
    case "spec":
      return placeImportedSpec(draft, seen, item);
    case "spec-file":
      return placeImportedSpecFile(draft, seen, item);
    case "steering":
      return placeImportedSteering(draft, seen, item);
    case "adr":
      return placeImportedAdr(draft, seen, item);
    case "decisions":
      return placeImportedDecisions(draft, seen, item);
    case "knowledge":
      return placeImportedKnowledge(draft, seen, item);
    case "session":
      return placeImportedSession(draft, seen, item);
    case "document":
      return placeImportedDocument(draft, seen, item);
  }
}

function createImportEvents(rows: readonly ImportRow[]) {
  const taken = rows.filter(({ outcome }) => outcome === "taken" || outcome === "carried");
  return [...Map.groupBy(taken, ({ layout }) => layout)].map(([layout, files]) => ({
    kind: "importing.taken",
    subject: layout,
    data: { files: files.length },
  }));
}

function createBadManifestFault(): Fault {
  return new Fault("import.bad-manifest", {
    what: "Nothing was imported.",
    why: `${IMPORT_MANIFEST_PATH} cannot be read, so what was taken before is not known.`,
    fix: `git checkout -- ${IMPORT_MANIFEST_PATH}`,
  });
}
