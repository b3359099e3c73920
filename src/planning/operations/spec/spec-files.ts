import type { SpecStatus } from "../../model/spec/field-shapes.ts";
import { getSpecKind, readSpecTree, type SpecReadResult } from "../../model/spec/spec-reader.ts";
import type { LocatedNode, YamlEdit, YamlValue } from "#kernel/model/yaml-tree.ts";
import { applyYamlEdit, convertYamlValue, findYamlNode, readYamlText } from "#kernel/model/yaml-tree.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import { type WorkspacePath, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import type { ListedSpec, SpecListing } from "./list-specs.ts";
import type { LocatedProblem } from "../change/change-inspection.ts";
import { renderTemplate } from "#kernel/model/template.ts";

export interface SpecFileReading extends SpecReadResult {
  readonly id: WorkflowId;
  readonly path: WorkspacePath;
  readonly text: string;
  readonly hash: string;
}

type SpecReaderEngine = Pick<PlanningEngine, "yaml" | "digest">;

/** Undefined for a missing spec. Parses after the store read, so as not to hold it up. */
export async function readSpecFile(
  engine: SpecReaderEngine,
  tree: StoreTree,
  id: WorkflowId,
): Promise<SpecFileReading | undefined> {
  const path = getSpecPath(id);
  const text = tree.text(path);
  return text === undefined ? undefined : parseListedSpec(engine, { id, path, text });
}

export async function parseListedSpec(
  engine: SpecReaderEngine,
  { id, path, text }: ListedSpec,
): Promise<SpecFileReading> {
  const { tree, problems } = (await engine.yaml()).read(text);
  const known = { id, path, text, hash: engine.digest(text) };
  if (tree) return { ...known, ...readSpecTree(tree, id) };
  const broken = problems.map((problem) => ({ ...problem, field: "" }));
  return { ...known, kind: getSpecKind(id), problems: broken, aliases: [], edits: [] };
}

export async function inspectSpecFiles(
  engine: SpecReaderEngine,
  { specs, strays }: SpecListing,
): Promise<LocatedProblem[]> {
  const readings = await Promise.all(specs.map((spec) => parseListedSpec(engine, spec)));
  const found = readings.flatMap(({ path, problems }) =>
    problems.map(({ problem, line }) => ({ path, problem, line })),
  );
  return [...strays, ...found];
}

export async function updateSpecStatus(
  engine: Pick<PlanningEngine, "yaml">,
  text: string,
  status: SpecStatus,
  dates: { readonly updated: string; readonly resolved?: string | undefined },
  trace: Readonly<Record<string, readonly string[]>> = {},
): Promise<string> {
  const yaml = await engine.yaml();
  const { tree } = yaml.read(text);
  if (!tree) return text;
  const days = Object.entries(dates).flatMap(([key, day]): [string, string][] => (day ? [[key, day]] : []));
  return yaml.edit(text, [
    createFieldEdit(tree, [], "status", status),
    ...createGroupEdits(tree, "trace", Object.entries(trace)),
    ...createGroupEdits(tree, "metadata", days),
  ]);
}

/** Writes who decided a research and where the decision is recorded into its spec. */
export function recordSpecDecision(
  yaml: YamlEditor,
  text: string,
  decision: { readonly option: string; readonly approved_by?: string | undefined; readonly adr: string },
): string {
  const { tree } = yaml.read(text);
  if (!tree) return text;
  const fields = Object.entries(decision).flatMap(([key, value]): [string, string][] => (value ? [[key, value]] : []));
  const known = findYamlNode(tree, ["trace", "decisions"]);
  const before = known?.kind === "sequence" ? known.items.flatMap((item) => readYamlText(item) ?? []) : [];
  const decisions = [...new Set([...before, decision.adr])];
  return yaml.edit(text, [
    ...createGroupEdits(tree, "decision", fields),
    ...createGroupEdits(tree, "trace", [["decisions", decisions]]),
  ]);
}

function createGroupEdits(
  tree: LocatedNode,
  group: string,
  fields: readonly (readonly [string, YamlValue])[],
): YamlEdit[] {
  if (fields.length === 0) return [];
  const hasGroup = findYamlNode(tree, [group])?.kind === "mapping";
  return hasGroup
    ? fields.map(([key, value]) => createFieldEdit(tree, [group], key, value))
    : [createFieldEdit(tree, [], group, Object.fromEntries(fields))];
}

function createFieldEdit(tree: LocatedNode, at: readonly string[], key: string, value: YamlValue): YamlEdit {
  const place = [...at, key];
  return findYamlNode(tree, place) ? { kind: "replace", at: place, value } : { kind: "insert", at, key, value };
}

/** Undefined if it already is canonical, or if the new text does not parse into the expected document. */
export function rewriteSpecText(
  yaml: YamlEditor,
  { text, edits }: Pick<SpecFileReading, "text" | "edits">,
): string | undefined {
  const { tree } = yaml.read(text);
  if (!tree || edits.length === 0) return undefined;
  const edited = yaml.edit(text, edits);
  const after = yaml.read(edited).tree;
  const meant = JSON.stringify(convertYamlValue(edits.reduce(applyYamlEdit, tree)));
  return after && JSON.stringify(convertYamlValue(after)) === meant ? edited : undefined;
}

const MIN_SUMMARY_LENGTH = 20;
const SUMMARY_PLACEHOLDER = "… say in a sentence or two what it is, for whom and why";

export interface SpecTemplateValues {
  readonly title: string;
  readonly summary?: string;
  readonly timebox?: string;
  readonly at: string;
}

export async function renderSpecTemplate(
  engine: Pick<PlanningEngine, "assets">,
  id: WorkflowId,
  { title, summary = "", timebox = "2h", at }: SpecTemplateValues,
): Promise<string> {
  const kind = getSpecKind(id);
  const template = await engine.assets.text(`templates/spec/${kind === "bug" ? "bugfix" : kind}`);
  return renderTemplate(template, {
    id,
    // JSON strings are valid YAML for any content.
    title: JSON.stringify(title.trim()),
    summary: JSON.stringify(summary.trim().length < MIN_SUMMARY_LENGTH ? SUMMARY_PLACEHOLDER : summary.trim()),
    timebox: JSON.stringify(timebox),
    at: JSON.stringify(at),
  });
}
