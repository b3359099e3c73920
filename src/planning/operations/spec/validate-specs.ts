import type * as z from "zod";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { limitShownProblems } from "#kernel/model/verdict.ts";
import { isSpecOfKind, listSpecProblems, computeWeightedTotals } from "../../model/spec/spec-checks.ts";
import type { SpecDepth } from "../../model/spec/field-shapes.ts";
import { parseWorkflowId, type WorkflowId } from "#kernel/model/workflow-id.ts";
import { SPEC_FILE_FOLDER, getSpecPath } from "#kernel/model/workspace-paths.ts";
import { commitStoreWrite } from "#store/operations/engine.ts";
import type { PlanningEngine } from "../engine.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { defineOperation } from "#kernel/operations/operation.ts";
import { parseListedSpec, type SpecFileReading, rewriteSpecText } from "./spec-files.ts";
import type { ValidateSpecsOutput } from "./schema.ts";
import { listSpecFiles, type SpecListing } from "./list-specs.ts";

type SpecValidationView = z.infer<typeof ValidateSpecsOutput>["specs"][number];

export const validateSpecsOperation = defineOperation({
  id: "spec.validate",
  effect: "change",
  input: async () => (await import("./schema.ts")).ValidateSpecsInput,
  output: async () => (await import("./schema.ts")).ValidateSpecsOutput,
  async run(engine: PlanningEngine, { id, depth, fix = false }) {
    const wantedId = id === undefined ? undefined : parseWorkflowId(id);
    // Unreadable files are listed as strays. If the requested spec is unreadable, the fault is thrown.
    const unreadable: SpecListing["strays"] = [];
    const shelf = await engine.store.read((tree) =>
      listSpecFiles(
        createTolerantTree(tree, (path, problem, fault) => {
          if (wantedId !== undefined && path === getSpecPath(wantedId)) throw fault;
          unreadable.push({ path, problem });
        }),
      ),
    );
    const wanted =
      wantedId === undefined
        ? { specs: shelf.specs, strays: [...shelf.strays, ...unreadable] }
        : selectSpec(shelf, wantedId);
    const known = new Set<string>(shelf.specs.map((spec) => spec.id));
    const readings = await Promise.all(wanted.specs.map((spec) => parseListedSpec(engine, spec)));
    const rewritten = fix ? await rewriteSpecFiles(engine, readings) : new Map<string, SpecFileReading>();
    const specs = readings.map((reading) => {
      const now = rewritten.get(reading.path);
      const view = createSpecView(now ?? reading, depth, known);
      if (now) return { ...view, older: [...reading.aliases], rewritten: true };
      const [older] = fix ? reading.aliases : [];
      const problem = "Its old forms could not be rewritten; change them by hand.";
      return older ? { ...view, problems: [...view.problems, { problem, line: older.line }] } : view;
    });
    const passed = wanted.strays.length === 0 && specs.every((spec) => spec.problems.length === 0);
    return { passed, specs, strays: wanted.strays };
  },
  page({ passed, specs, strays }) {
    const problems = strays.length + specs.reduce((total, spec) => total + spec.problems.length, 0);
    const old = specs.filter((spec) => spec.older.length > 0 && !spec.rewritten);
    const [only, second] = old;
    const nothing = specs.length + strays.length === 0;
    return {
      title: nothing
        ? `No specs in ${SPEC_FILE_FOLDER}.`
        : passed
          ? `Valid: ${formatCount(specs.length, "spec")}.`
          : `${formatCount(problems, "problem")} in ${formatCount(specs.length, "spec")}.`,
      points: [...strays.map(({ path, problem }) => `${path}: ${problem}`), ...specs.flatMap(formatSpecPoints)],
      next: only ? [{ operation: "spec.validate", input: { ...(second ? {} : { id: only.id }), fix: true } }] : [],
    };
  },
  isRefusal: (output) => !output.passed,
});

function formatSpecPoints({ path, problems, older, rewritten, totals = [] }: SpecValidationView): string[] {
  const [first] = older;
  const ranked = totals.map(({ option, total }) => `${sanitizeText(option, 60)} ${total}`).join(", ");
  return [
    ...problems.map(({ problem, line }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
    ...(rewritten ? [`${path}: ${formatCount(older.length, "place")} rewritten in the current form.`] : []),
    ...(first && !rewritten
      ? [
          `${path}: ${formatCount(older.length, "place")} in an old form; line ${first.line}: ${first.from} → ${first.to}.`,
        ]
      : []),
    ...(ranked === "" ? [] : [`${path}: weighted totals: ${ranked}.`]),
  ];
}

function selectSpec(shelf: SpecListing, id: WorkflowId): SpecListing {
  const specs = shelf.specs.filter((spec) => spec.id === id);
  if (specs.length > 0) return { specs, strays: [] };
  throw new Fault("spec.unknown", {
    what: `Unknown spec ${id}.`,
    why: `${SPEC_FILE_FOLDER} has no file ${id}.yaml.`,
    fix: { operation: "spec.validate" },
  });
}

function createSpecView(reading: SpecFileReading, asked: SpecDepth | undefined, known: ReadonlySet<string>) {
  const { id, path, kind, document, partial, aliases } = reading;
  const status = (document ?? partial)?.spec.status ?? "draft";
  const depth = asked ?? (status === "draft" ? "draft" : "complete");
  const all = listSpecProblems(reading, depth, known);
  const totals = document && isSpecOfKind("research", document) ? computeWeightedTotals(document.spec) : [];
  return {
    id,
    path,
    kind,
    status: document?.spec.status,
    depth,
    problems: limitShownProblems(all),
    older: [...aliases],
    rewritten: false,
    totals: totals.some(({ total }) => total > 0) ? totals : undefined,
  };
}

/** Writes specs whose canonical form has the same content. Files changed meanwhile are left alone. */
async function rewriteSpecFiles(engine: PlanningEngine, readings: readonly SpecFileReading[]) {
  const yaml = await engine.yaml();
  const fresh = readings.flatMap((reading) => {
    const text = rewriteSpecText(yaml, reading);
    return text === undefined ? [] : [{ reading, text }];
  });
  if (fresh.length === 0) return new Map();
  const written = await commitStoreWrite(engine, (tree) => {
    const same = fresh.filter(({ reading }) => tree.text(reading.path) === reading.text);
    return {
      steps: same.map(({ reading, text }) => ({ kind: "document" as const, path: reading.path, text })),
      occurrences: same.map(({ reading }) => ({
        kind: "spec.rewritten",
        subject: reading.id,
        data: { path: reading.path },
      })),
      result: same,
    };
  });
  const again = written.map(({ reading, text }) => parseListedSpec(engine, { ...reading, text }));
  return new Map((await Promise.all(again)).map((reading) => [reading.path, reading]));
}
