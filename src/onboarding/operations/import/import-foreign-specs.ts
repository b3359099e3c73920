import type * as z from "zod";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createHoofyConflictFault, hideOwnFolder, HOOFY_MOVE_STEPS } from "./hoofy-conflict.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { findImportLayouts, prepareImportItems } from "./import-sources.ts";
import { planImport, type PreparedLayout } from "./plan-import.ts";
import type { ImportOutputSchema } from "./schema.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { loadArtifactForms } from "#planning/operations/change/artifact-templates.ts";
import { storeWorkBaseline } from "#planning/operations/workflow/attributed-work.ts";
import { keepBaselineRef } from "#planning/operations/workflow/workflow-snapshots.ts";
import type { Page } from "#kernel/model/page.ts";

type ImportOutput = z.infer<typeof ImportOutputSchema>;

export const importForeignSpecs = defineOperation({
  id: "importing.take",
  effect: "append",
  isLong: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).ImportInputSchema,
  output: async () => (await import("./schema.ts")).ImportOutputSchema,
  async run(engine: OnboardingEngine, { sources, from, apply = false }) {
    const all = await findImportLayouts(engine, sources?.length ? sources : [undefined], from);
    const blocking = all.find(({ layout, folder }) => layout === "hoofy" && folder === "sdd");
    if (apply && blocking) throw createHoofyConflictFault("Nothing was imported.");
    const at = engine.clock.now();
    const prepared: PreparedLayout[] = [];
    for (const seen of all) prepared.push({ seen, items: await prepareImportItems(engine, seen) });
    const around = await loadImportSurroundings(engine);
    const plan = (tree: StoreTree) => planImport(tree, prepared, at, around);
    // Plans as if the user had already moved the blocking folder.
    const looked = await engine.store.read((tree) => plan(blocking ? hideOwnFolder(tree) : tree));
    // With nothing to write, the ledger export is not written either.
    const isWritten = apply && looked.steps.length > 0;
    if (isWritten && looked.steps.length > MANY_IMPORT_STEPS)
      engine.progress.tell(`writing ${looked.steps.length} files`);
    const isBegun = isWritten && looked.result.changes.length > 0;
    const baseline = isBegun ? await storeWorkBaseline(engine) : undefined;
    const begin = (tree: StoreTree) => planImport(tree, prepared, at, { ...around, baseline });
    const { rows, notes, made, changes } = isWritten ? await commitStoreWrite(engine, begin) : looked.result;
    if (baseline) for (const { id } of changes) await keepBaselineRef(engine, id, baseline.commit);
    const count = (outcome: ImportOutput["files"][number]["outcome"]): number =>
      rows.filter((row) => row.outcome === outcome).reduce((total, { files = 1 }) => total + files, 0);
    return {
      applied: apply,
      asked: { ...(sources ? { sources } : {}), ...(from ? { from } : {}) },
      layouts: all.map(({ layout, folder, files, unread }) => ({ layout, folder, files: files.size + unread.length })),
      files: rows,
      counts: {
        taken: count("taken"),
        carried: count("carried"),
        left: count("left"),
        collision: count("collision"),
        before: count("before"),
      },
      work: all.flatMap(({ found, nameOf }) =>
        found.work.map(({ from: path, ...work }) => ({ path: nameOf(path), ...work })),
      ),
      changes,
      made,
      notes,
      ...(blocking ? { in_the_way: blocking.folder } : {}),
    };
  },
  page: (output) => formatImportPage(output),
});

const loadImportSurroundings = async (engine: OnboardingEngine) => ({
  template: await engine.assets.text("templates/config"),
  forms: await loadArtifactForms(engine),
  digest: engine.digest,
  head: await engine.source.head(),
  baseline: undefined,
});

const MANY_IMPORT_STEPS = 50;

/** More rows are unreadable; `--json` has them all. */
const MAX_IMPORT_ROWS = 200;

function formatImportPage(output: ImportOutput): Page {
  const { applied, layouts, files, work, made, notes, in_the_way } = output;
  const shown = files.slice(0, MAX_IMPORT_ROWS);
  const hidden = files.length - shown.length;
  const masked = files.filter((row) => row.masked);
  return {
    title: formatImportTitle(output),
    facts: layouts.map(
      ({ layout, folder, files: n }) => [layout, `${formatCount(n, "file")} in ${sanitizeText(folder, 200)}`] as const,
    ),
    table: {
      columns: ["file", "", "as", "to, or why not"],
      rows: shown.map(({ path, outcome, as = "", to, why, files: n }) => [
        n === undefined ? path : `${path} (${n})`,
        outcome,
        as,
        [...(to.length > 0 ? [to.join(", ")] : []), ...(why === undefined ? [] : [why])].join("; "),
      ]),
    },
    points: [
      ...(hidden > 0 ? [`${formatCount(hidden, "more file")}: --json lists them all.`] : []),
      ...made.map((path) => `${path} ${applied ? "written" : "would be written"}, which makes the folder a workspace`),
      ...masked.map(({ path, masked: kinds = [] }) => `${path}: masked what looks like a secret: ${kinds.join(", ")}.`),
      ...work.map(
        ({ path, description, type, size }) =>
          `${path} was in progress${type ? ` as a ${[size, type].filter(Boolean).join(" ")}` : ""}: ${sanitizeText(description, 120)}`,
      ),
      ...notes,
      ...(in_the_way ? [HOOFY_CONFLICT_NOTE] : []),
    ],
    next: suggestImportSteps(output),
  };
}

const HOOFY_CONFLICT_NOTE = "Hoofy's sdd/ is where Tenon keeps its own files. Move it first, then import it.";

function formatImportTitle({ applied, layouts, counts }: ImportOutput): string {
  if (layouts.length === 0) return "No files of another tool were found here.";
  const { taken, carried, left, collision, before } = counts;
  if (taken + carried === 0) {
    const why = [
      ...(before > 0 ? [`${formatCount(before, "file")} imported before`] : []),
      ...(collision > 0 ? [`${formatCount(collision, "file")} blocked by existing files`] : []),
      ...(left > 0 ? [`${left} left`] : []),
    ];
    return `Nothing to import: ${why.join(", ")}.`;
  }
  const rest = [
    ...(carried > 0 ? [`${carried} carried over as ${carried === 1 ? "a document" : "documents"}`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    ...(collision > 0 ? [`${collision} blocked by existing files`] : []),
    ...(before > 0 ? [`${before} imported before`] : []),
  ];
  const what = [`${formatCount(taken, "file")} taken`, ...rest].join(", ");
  return applied ? `Imported: ${what}.` : `To be imported: ${what}. Nothing was written.`;
}

function suggestImportSteps(output: ImportOutput): NonNullable<Page["next"]> {
  const { applied, asked, layouts, counts, files, work, changes, in_the_way } = output;
  if (in_the_way) return [...HOOFY_MOVE_STEPS];
  if (layouts.length === 0) return [{ operation: "adopt.bootstrap" }];
  if (!applied && counts.taken + counts.carried > 0)
    return [{ operation: "importing.take", input: { ...asked, apply: true } }];
  const [feature] = files
    .flatMap(({ to }) => to)
    .flatMap((path) => /^sdd\/features\/([^/]+)\/spec\.yaml$/.exec(path)?.[1] ?? []);
  const hasSpecs = files.some(({ to }) => to.some((path) => path.startsWith("sdd/specs/")));
  return [
    { operation: "workspace.validate" },
    ...(hasSpecs ? [{ operation: "spec.validate" }] : []),
    ...changes.slice(0, 3).map(({ id }) => ({ operation: "change.status", input: { change_id: id } })),
    ...(feature === undefined ? [] : [{ operation: "feature.design", input: { feature } }]),
    ...work.slice(0, 3).map(({ description, type, size }) => ({
      operation: "change.start",
      input: { ...(type && size ? { type, size } : {}), description: sanitizeText(description, 200) },
    })),
  ];
}
