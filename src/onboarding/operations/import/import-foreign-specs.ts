import type * as z from "zod";
import { IMPORT_OUTCOMES } from "../../model/import/import-source.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { OnboardingEngine } from "../engine.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { createHoofyConflictFault, hideOwnFolder, HOOFY_MOVE_STEPS } from "./hoofy-conflict.ts";
import { findImportLayouts, type DetectedLayout, prepareImportItems } from "./import-sources.ts";
import { planImport, type PreparedLayout } from "./plan-import.ts";
import type { ImportOutputSchema } from "./schema.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import type { Page } from "#kernel/model/page.ts";

type ImportOutput = z.infer<typeof ImportOutputSchema>;
type ImportPlanner = (tree: Parameters<typeof planImport>[0]) => ReturnType<typeof planImport>;

export const importForeignSpecs = defineOperation({
  id: "importing.take",
  effect: "append",
  isLong: true,
  mayBePlain: true,
  input: async () => (await import("./schema.ts")).ImportInputSchema,
  output: async () => (await import("./schema.ts")).ImportOutputSchema,
  async run(engine: OnboardingEngine, { sources, from, apply = false }) {
    const all = await findImportLayouts(engine, sources?.length ? sources : [undefined], from);
    const blocking = all.find(isHoofyConflict);
    if (apply && blocking) throw createHoofyConflictFault("Nothing was imported.");
    const [config, at] = [await engine.assets.text("templates/config"), engine.clock.now()];
    const prepared: PreparedLayout[] = [];
    for (const seen of all) prepared.push({ seen, items: await prepareImportItems(engine, seen) });
    const plan: ImportPlanner = (tree) => planImport(tree, prepared, { at, config });
    // Plans as if the user had already moved the blocking folder.
    const looked = await engine.store.read((tree) => plan(blocking ? hideOwnFolder(tree) : tree));
    // With nothing to write, the ledger export is not written either.
    const { rows, notes, made } =
      apply && looked.steps.length > 0 ? await commitImport(engine, plan, looked.steps.length) : looked.result;
    return {
      applied: apply,
      asked: { ...(sources ? { sources } : {}), ...(from ? { from } : {}) },
      layouts: all.map(({ layout, folder, files, unread }) => ({ layout, folder, files: files.size + unread.length })),
      files: [...rows],
      counts: countImportOutcomes([...rows]),
      work: all.flatMap(({ found, nameOf }) =>
        found.work.map(({ from: path, ...work }) => ({ path: nameOf(path), ...work })),
      ),
      made: [...made],
      notes: [...notes],
      ...(blocking ? { in_the_way: blocking.folder } : {}),
    };
  },
  page: (output) => formatImportPage(output),
});

/** Number of files above which writing reports progress. */
const MANY_IMPORT_STEPS = 50;

function commitImport(engine: OnboardingEngine, plan: ImportPlanner, steps: number) {
  if (steps > MANY_IMPORT_STEPS) engine.progress.tell(`writing ${steps} files`);
  return commitStoreWrite(engine, plan);
}

function countImportOutcomes(rows: ImportOutput["files"]): ImportOutput["counts"] {
  const count = (outcome: string): number =>
    rows.filter((row) => row.outcome === outcome).reduce((total, { files = 1 }) => total + files, 0);
  return Object.fromEntries(IMPORT_OUTCOMES.map((outcome) => [outcome, count(outcome)])) as ImportOutput["counts"];
}

const isHoofyConflict = ({ layout, folder }: DetectedLayout): boolean => layout === "hoofy" && folder === "sdd";

type ImportPageOutput = z.infer<typeof ImportOutputSchema>;

/** More rows are unreadable; `--json` has them all. */
const MAX_IMPORT_ROWS = 200;

export function formatImportPage(output: ImportPageOutput): Page {
  const { applied, layouts, files, work, made, notes, in_the_way } = output;
  const shown = files.slice(0, MAX_IMPORT_ROWS);
  const hidden = files.length - shown.length;
  const masked = files.filter((row) => row.masked);
  return {
    title: formatImportTitle(output),
    facts: layouts.map(
      ({ layout, folder, files: n }) => [layout, `${formatCount(n, "file")} in ${sanitizeText(folder, 200)}`] as const,
    ),
    ...(shown.length === 0
      ? {}
      : {
          table: {
            columns: ["file", "", "as", "to, or why not"],
            rows: shown.map(({ path, outcome, as = "", to, why, files: n }) => [
              n === undefined ? path : `${path} (${n})`,
              outcome,
              as,
              [...(to.length > 0 ? [to.join(", ")] : []), ...(why === undefined ? [] : [why])].join("; "),
            ]),
          },
        }),
    points: [
      ...(hidden > 0 ? [`${formatCount(hidden, "more file")}: --json lists them all.`] : []),
      ...made.map((path) => `${path} ${applied ? "written" : "would be written"}, which makes the folder a workspace`),
      ...masked.map(({ path, masked: kinds = [] }) => `${path}: masked what looks like a secret: ${kinds.join(", ")}.`),
      ...work.map(
        ({ path, description, type, size }) =>
          `${path} was under way${type ? ` as a ${[size, type].filter(Boolean).join(" ")}` : ""}: ${sanitizeText(description, 120)}`,
      ),
      ...notes,
      ...(in_the_way ? [HOOFY_CONFLICT_NOTE] : []),
    ],
    next: suggestImportSteps(output),
  };
}

const HOOFY_CONFLICT_NOTE =
  "Hoofy's sdd/ stands where Tenon keeps its own files: move it first, then import it from there.";

function formatImportTitle({ applied, layouts, counts }: ImportPageOutput): string {
  if (layouts.length === 0) return "No files of another tool were found here.";
  const { taken, carried, left, collision, before } = counts;
  if (taken + carried === 0) {
    const why = [
      ...(before > 0 ? [`${formatCount(before, "file")} taken before`] : []),
      ...(collision > 0 ? [`${formatCount(collision, "file")} in the way of what is there`] : []),
      ...(left > 0 ? [`${left} left`] : []),
    ];
    return `Nothing to take: ${why.join(", ")}.`;
  }
  const rest = [
    ...(carried > 0 ? [`${carried} carried over as ${carried === 1 ? "a document" : "documents"}`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    ...(collision > 0 ? [`${collision} not taken for what is there`] : []),
    ...(before > 0 ? [`${before} taken before`] : []),
  ];
  const what = [`${formatCount(taken, "file")} taken`, ...rest].join(", ");
  return applied ? `Imported: ${what}.` : `To be imported: ${what}. Nothing was written.`;
}

const listImportedFeatures = (files: ImportPageOutput["files"]): string[] =>
  files.flatMap(({ to }) => to.flatMap((path) => /^sdd\/features\/([^/]+)\/spec\.yaml$/.exec(path)?.[1] ?? []));

function suggestImportSteps({
  applied,
  asked,
  layouts,
  counts,
  files,
  work,
  in_the_way,
}: ImportPageOutput): NonNullable<Page["next"]> {
  if (in_the_way) return [...HOOFY_MOVE_STEPS];
  const isSomething = counts.taken + counts.carried > 0;
  if (layouts.length === 0) return [{ operation: "adopt.bootstrap" }];
  if (!applied && isSomething) return [{ operation: "importing.take", input: { ...asked, apply: true } }];
  return [
    { operation: "workspace.validate" },
    { operation: "spec.validate" },
    ...listImportedFeatures(files)
      .slice(0, 1)
      .map((feature) => ({ operation: "feature.design", input: { feature } })),
    ...work.slice(0, 3).map(({ description, type, size }) => ({
      operation: "change.start",
      input: { ...(type && size ? { type, size } : {}), description: sanitizeText(description, 200) },
    })),
  ];
}
