import { Fault } from "#domain/fault.ts";
import { manifestYaml, readManifest } from "#domain/importing/manifest.ts";
import { IMPORT_MANIFEST_PATH } from "#domain/workspace/path.ts";
import type { StorePlan, StoreTree } from "../ports/store.ts";
import { planFoundationSteps } from "../workspace/init.ts";
import { ImportDraft, type Row } from "./draft.ts";
import { placeFeatures } from "./features.ts";
import type { Seen } from "./looking.ts";
import {
  placeAdr,
  placeDecisions,
  placeDocument,
  placeKnowledge,
  placeKnowledgeIndex,
  placeSession,
  placeSpec,
  placeSpecFile,
  placeSteering,
} from "./placing.ts";
import type { PreparedItem } from "./preparing.ts";
import { placeProject } from "./project.ts";

export interface Prepared {
  readonly seen: Seen;
  readonly items: readonly PreparedItem[];
}

export interface Planned {
  readonly rows: readonly Row[];
  readonly notes: readonly string[];
  readonly made: readonly string[];
}

export function planImport(
  tree: StoreTree,
  prepared: readonly Prepared[],
  { at, config }: { readonly at: string; readonly config: string },
): StorePlan<Planned> {
  const before = readManifest(tree.text(IMPORT_MANIFEST_PATH));
  if (!before) throw unreadable();
  const draft = new ImportDraft(tree, before, at);
  for (const { seen, items } of prepared) {
    for (const item of items) placeItem(draft, seen, item);
    for (const { path, why, files } of [...seen.found.left, ...seen.unread]) draft.leave(seen, path, why, files);
  }
  const all = prepared.flatMap(({ seen, items }) => items.map((item) => ({ seen, item })));
  placeFeatures(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "feature" ? [{ seen, feature: item }] : [])),
  );
  placeProject(
    draft,
    all.flatMap(({ seen, item }) => (item.kind === "project" ? [{ seen, document: item }] : [])),
  );
  placeKnowledgeIndex(
    draft,
    all.flatMap(({ item }) => (item.kind === "knowledge" ? [item] : [])),
  );
  const { manifest, steps } = draft;
  const begun = manifest ? planFoundationSteps(tree, config) : [];
  if (manifest) draft.step({ kind: "document", path: IMPORT_MANIFEST_PATH, text: manifestYaml(manifest) });
  const records = steps.filter(({ kind }) => kind === "record");
  return {
    // Records come last, because they confirm the other files.
    steps: [...begun, ...steps.filter(({ kind }) => kind !== "record"), ...records],
    occurrences: [...draft.occurrences, ...told(draft.rows)],
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
function placeItem(draft: ImportDraft, seen: Seen, item: PreparedItem): void {
  if (item.kind === "feature" || item.kind === "project" || draft.isKnown(seen, item.from)) return;
  switch (item.kind) {
    case "spec":
      return placeSpec(draft, seen, item);
    case "spec-file":
      return placeSpecFile(draft, seen, item);
    case "steering":
      return placeSteering(draft, seen, item);
    case "adr":
      return placeAdr(draft, seen, item);
    case "decisions":
      return placeDecisions(draft, seen, item);
    case "knowledge":
      return placeKnowledge(draft, seen, item);
    case "session":
      return placeSession(draft, seen, item);
    case "document":
      return placeDocument(draft, seen, item);
  }
}

function told(rows: readonly Row[]) {
  const taken = rows.filter(({ outcome }) => outcome === "taken" || outcome === "carried");
  return [...Map.groupBy(taken, ({ layout }) => layout)].map(([layout, files]) => ({
    kind: "importing.taken",
    subject: layout,
    data: { files: files.length },
  }));
}

function unreadable(): Fault {
  return new Fault("import.bad-manifest", {
    what: "Nothing was imported.",
    why: `${IMPORT_MANIFEST_PATH} cannot be read, so what was taken before is not known.`,
    fix: `git checkout -- ${IMPORT_MANIFEST_PATH}`,
  });
}
