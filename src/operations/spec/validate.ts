import type * as z from "zod";
import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { mostPressing } from "#domain/gate/verdict.ts";
import { sanitizeText } from "#domain/quote.ts";
import { isOf, specProblems } from "#domain/spec/yaml/checks.ts";
import { weightedTotals } from "#domain/spec/yaml/research-checks.ts";
import type { Depth } from "#domain/spec/yaml/shape.ts";
import { parseWorkflowId, type WorkflowId } from "#domain/workflow/id.ts";
import { SPEC_FOLDER, specFile } from "#domain/workspace/path.ts";
import { commit, type Engine } from "../engine.ts";
import { forgivingTree } from "../forgiving-tree.ts";
import { operation } from "../operation.ts";
import type { Tree } from "../ports/store.ts";
import { readShelvedSpec, type SpecReading } from "./read.ts";
import { rewriting } from "./rewrite.ts";
import type { SpecValidate, SpecValidation } from "./schema.ts";
import { everySpec, type SpecShelf } from "./shelf.ts";

type Input = z.infer<typeof SpecValidate>;
type Output = z.infer<typeof SpecValidation>;
type View = Output["specs"][number];

export const validateSpecs = operation<Input, Output>({
  id: "spec.validate",
  effect: "change",
  input: async () => (await import("./schema.ts")).SpecValidate,
  output: async () => (await import("./schema.ts")).SpecValidation,
  async run(engine, { id, depth, fix = false }) {
    const wantedId = id === undefined ? undefined : parseWorkflowId(id);
    const shelf = await engine.store.read((tree) => look(tree, wantedId));
    const wanted = wantedId === undefined ? shelf : oneOf(shelf, wantedId);
    const known = new Set<string>(shelf.specs.map((spec) => spec.id));
    const readings = await Promise.all(wanted.specs.map((spec) => readShelvedSpec(engine, spec)));
    const rewritten = fix ? await rewrite(engine, readings) : new Map<string, SpecReading>();
    const specs = readings.map((reading) => {
      const now = rewritten.get(reading.path);
      if (fix && !now && reading.aliases.length > 0) return unwritten(view(reading, depth, known));
      return {
        ...view(now ?? reading, depth, known),
        ...(now ? { older: [...reading.aliases], rewritten: true } : {}),
      };
    });
    const passed = wanted.strays.length === 0 && specs.every((spec) => spec.problems.length === 0);
    return { passed, specs, strays: [...wanted.strays] };
  },
  page({ passed, specs, strays }) {
    const problems = strays.length + specs.reduce((total, spec) => total + spec.problems.length, 0);
    const old = specs.filter((spec) => spec.older.length > 0 && !spec.rewritten);
    const [only, second] = old;
    const nothing = specs.length + strays.length === 0;
    return {
      title: nothing
        ? `There are no specs in ${SPEC_FOLDER}.`
        : passed
          ? `Valid: ${formatCount(specs.length, "spec")}.`
          : `${formatCount(problems, "problem")} in ${formatCount(specs.length, "spec")}.`,
      points: [...strays.map(({ path, problem }) => `${path}: ${problem}`), ...specs.flatMap(points)],
      next: only ? [{ operation: "spec.validate", input: { ...(second ? {} : { id: only.id }), fix: true } }] : [],
    };
  },
  isRefusal: (output) => !output.passed,
});

function points({ path, problems, older, rewritten, totals = [] }: View): string[] {
  const ranked = totals.map(({ option, total }) => `${sanitizeText(option, 60)} ${total}`).join(", ");
  return [
    ...problems.map(({ problem, line }) => `${path}${line ? `:${line}` : ""}: ${problem}`),
    ...(rewritten ? [`${path}: ${formatCount(older.length, "place")} rewritten in the one form.`] : []),
    ...(older.length > 0 && !rewritten
      ? [
          `${path}: ${formatCount(older.length, "place")} in an older form; line ${older[0]?.line}: ${older[0]?.from} → ${older[0]?.to}.`,
        ]
      : []),
    ...(ranked === "" ? [] : [`${path}: weighted totals: ${ranked}.`]),
  ];
}

/** Unreadable files are listed as strays. If the requested spec is unreadable, the fault is thrown. */
function look(tree: Tree, wanted: WorkflowId | undefined): SpecShelf {
  const unreadable: { path: string; problem: string }[] = [];
  const forgiving = forgivingTree(tree, (path, problem, fault) => {
    if (wanted !== undefined && path === specFile(wanted)) throw fault;
    unreadable.push({ path, problem });
  });
  const { specs, strays } = everySpec(forgiving);
  return { specs, strays: [...strays, ...unreadable] };
}

function oneOf(shelf: SpecShelf, id: WorkflowId): SpecShelf {
  const specs = shelf.specs.filter((spec) => spec.id === id);
  if (specs.length > 0) return { specs, strays: [] };
  throw new Fault("spec.unknown", {
    what: `There is no spec ${id}.`,
    why: `${SPEC_FOLDER} has no file ${id}.yaml.`,
    fix: { operation: "spec.validate" },
  });
}

function unwritten(spec: View): View {
  const line = spec.older[0]?.line ?? 1;
  const problem = "Its older forms could not be rewritten in place; change them by hand.";
  return { ...spec, problems: [...spec.problems, { problem, line }] };
}

function view(reading: SpecReading, asked: Depth | undefined, known: ReadonlySet<string>): View {
  const { id, path, kind, document, problems, aliases } = reading;
  const depth = asked ?? (document && document.spec.status !== "draft" ? "complete" : "draft");
  const all = document ? specProblems(document, depth, known) : problems;
  const totals = document && isOf("research", document) ? weightedTotals(document.spec) : [];
  return {
    id,
    path,
    kind,
    ...(document ? { status: document.spec.status } : {}),
    depth,
    problems: mostPressing(all),
    older: [...aliases],
    rewritten: false,
    ...(totals.some(({ total }) => total > 0) ? { totals } : {}),
  };
}

/** Writes specs whose canonical form has the same content. Files changed meanwhile are left alone. */
async function rewrite(engine: Engine, readings: readonly SpecReading[]): Promise<Map<string, SpecReading>> {
  const yaml = await engine.yaml();
  const fresh = readings.flatMap((reading) => {
    const text = rewriting(yaml, reading);
    return text === undefined ? [] : [{ reading, text }];
  });
  if (fresh.length === 0) return new Map();
  const written = await commit(engine, (tree) => {
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
  const again = written.map(({ reading, text }) => readShelvedSpec(engine, { ...reading, text }));
  return new Map((await Promise.all(again)).map((reading) => [reading.path, reading]));
}
