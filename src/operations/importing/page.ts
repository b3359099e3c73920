import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import { HOOFY_MOVE_STEPS } from "./in-the-way.ts";
import type { ImportOutputSchema } from "./schema.ts";

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
