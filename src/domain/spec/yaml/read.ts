import type { WorkflowId } from "../../workflow/id.ts";
import { type Bug, BUG } from "./bug.ts";
import { type Alias, canonical } from "./canonical.ts";
import { conform, type SpecProblem } from "./conform.ts";
import type { Edit } from "./edit.ts";
import { type Feature, FEATURE } from "./feature.ts";
import { lineAt, type Located, nameOf, nodeAt, type Place, textOf } from "./located.ts";
import { type Research, RESEARCH } from "./research.ts";
import type { RecordShape } from "./shape.ts";
import { quote } from "../../quote.ts";

export type SpecKind = "feature" | "bug" | "research";
export type Spec = Feature | Bug | Research;

export const SCHEMAS: Readonly<Record<SpecKind, RecordShape>> = { feature: FEATURE, bug: BUG, research: RESEARCH };

/** The id determines the kind: `BUG-042` is a bug, `RES-001` research, any other id a feature. */
export function specKind(id: WorkflowId): SpecKind {
  if (id.startsWith("BUG-")) return "bug";
  return id.startsWith("RES-") ? "research" : "feature";
}

/** A valid draft with the tree that knows its lines. */
export interface SpecDocument<Kind extends Spec = Spec> {
  readonly spec: Kind;
  readonly tree: Located;
}

export interface ReadSpec {
  readonly kind: SpecKind;
  readonly document?: SpecDocument;
  readonly problems: readonly SpecProblem[];
  readonly aliases: readonly Alias[];
  readonly edits: readonly Edit[];
}

export function readSpec(located: Located, fileId: WorkflowId): ReadSpec {
  const kind = specKind(fileId);
  const { tree, edits, aliases } = canonical(located, SCHEMAS[kind]);
  const { value, problems } = conform(tree, SCHEMAS[kind], "draft");
  const all = [...problems, ...wrongName(tree, fileId), ...twins(tree), ...strayReferences(tree)];
  return {
    kind,
    ...(all.length === 0 ? { document: { spec: value as Spec, tree } } : {}),
    problems: all.toSorted((a, b) => a.line - b.line),
    aliases,
    edits,
  };
}

export const problemAt = (tree: Located, place: Place, problem: string): SpecProblem => ({
  problem,
  line: lineAt(tree, place),
  field: nameOf(place),
});

function wrongName(tree: Located, fileId: WorkflowId): SpecProblem[] {
  const id = textOf(nodeAt(tree, ["id"]));
  if (id === undefined || id === fileId) return [];
  return [problemAt(tree, ["id"], `The id is ${quote(id, 40)}, but the file is called ${fileId}.yaml.`)];
}

const NUMBERED = ["user_stories", "acceptance_criteria", "test_scenarios"] as const;

function twins(tree: Located): SpecProblem[] {
  return NUMBERED.flatMap((field) => {
    const seen = new Set<string>();
    return idsIn(tree, field).flatMap(({ id, place }) => {
      const isTwin = seen.has(id);
      seen.add(id);
      return isTwin ? [problemAt(tree, place, `${quote(id, 40)} is there twice.`)] : [];
    });
  });
}

/** A criterion may name a story, and a scenario names criteria. Both must exist. */
function strayReferences(tree: Located): SpecProblem[] {
  const known = (field: (typeof NUMBERED)[number]) => new Set(idsIn(tree, field).map(({ id }) => id));
  const [stories, criteria] = [known("user_stories"), known("acceptance_criteria")];
  const named = [
    ...itemsOf(tree, ["acceptance_criteria"]).map((place) => ({ place: [...place, "story"], among: stories })),
    ...itemsOf(tree, ["test_scenarios"])
      .flatMap((place) => itemsOf(tree, [...place, "covers"]))
      .map((place) => ({ place, among: criteria })),
  ];
  return named.flatMap(({ place, among }) => {
    const id = textOf(nodeAt(tree, place));
    if (id === undefined || among.has(id)) return [];
    return [problemAt(tree, place, `${quote(id, 40)} is named, but it is not in this spec.`)];
  });
}

function itemsOf(tree: Located, place: Place): Place[] {
  const node = nodeAt(tree, place);
  return node?.kind === "sequence" ? node.items.map((_, i) => [...place, i]) : [];
}

function idsIn(tree: Located, field: string): { readonly id: string; readonly place: Place }[] {
  return itemsOf(tree, [field]).flatMap((item) => {
    const place = [...item, "id"];
    const id = textOf(nodeAt(tree, place));
    return id === undefined ? [] : [{ id, place }];
  });
}
