import type { SpecStatus } from "../../model/spec/field-shapes.ts";
import {
  type SpecProblem,
  type SpecReadResult,
  readSpecTree,
  getSpecKind,
  type SpecKind,
} from "../../model/spec/spec-reader.ts";
import {
  type YamlEdit,
  type LocatedNode,
  findYamlNode,
  applyYamlEdit,
  convertYamlValue,
} from "#kernel/model/yaml-tree.ts";
import type { WorkflowId } from "#kernel/model/workflow-id.ts";
import { type WorkspacePath, getSpecPath } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import type { YamlEditor } from "#kernel/operations/ports/yaml.ts";
import type { ListedSpec } from "./list-specs.ts";
import { renderTemplate } from "#kernel/model/template.ts";

export interface SpecFileReading extends SpecReadResult {
  readonly id: WorkflowId;
  readonly path: WorkspacePath;
  readonly text: string;
  readonly hash: string;
}

type SpecReaderEngine = Pick<PlanningEngine, "yaml" | "digest">;

/**
 * Returns undefined for a missing spec. The text is parsed after the store read, so that parsing does not hold it up.
 */
export async function readSpecFile(
  engine: SpecReaderEngine,
  tree: StoreTree,
  id: WorkflowId,
): Promise<SpecFileReading | undefined> {
  const path = getSpecPath(id);
  const text = tree.text(path);
  return text === undefined ? undefined : parseListedSpec(engine, { id, path, text });
}

export async function parseListedSpec(engine: SpecReaderEngine, spec: ListedSpec): Promise<SpecFileReading> {
  return parseSpecText(await engine.yaml(), engine, spec);
}

function parseSpecText(
  yaml: YamlEditor,
  { digest }: Pick<PlanningEngine, "digest">,
  { id, path, text }: ListedSpec,
): SpecFileReading {
  const { tree, problems } = yaml.read(text);
  const known = { id, path, text, hash: digest(text) };
  if (tree) return { ...known, ...readSpecTree(tree, id) };
  const broken: SpecProblem[] = problems.map((problem) => ({ ...problem, field: "" }));
  return { ...known, kind: getSpecKind(id), problems: broken, aliases: [], edits: [] };
}

export async function updateSpecStatus(
  engine: Pick<PlanningEngine, "yaml">,
  text: string,
  status: SpecStatus,
  dates: { readonly updated: string; readonly resolved?: string },
): Promise<string> {
  const yaml = await engine.yaml();
  const { tree } = yaml.read(text);
  if (!tree) return text;
  const days: [string, string][] = Object.entries(dates).filter(([, day]) => day !== undefined);
  const isThere = findYamlNode(tree, ["metadata"])?.kind === "mapping";
  const metadata: YamlEdit[] = isThere
    ? days.map(([key, day]) => createFieldEdit(tree, ["metadata"], key, day))
    : [createFieldEdit(tree, [], "metadata", Object.fromEntries(days))];
  return yaml.edit(text, [createFieldEdit(tree, [], "status", status), ...metadata]);
}

function createFieldEdit(
  tree: LocatedNode,
  at: readonly string[],
  key: string,
  value: string | Readonly<Record<string, string>>,
): YamlEdit {
  const place = [...at, key];
  return findYamlNode(tree, place) ? { kind: "replace", at: place, value } : { kind: "insert", at, key, value };
}

/**
 * The spec in canonical form. Undefined if it already is, or if the rewritten text does not parse into the expected
 * document.
 */
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

const SPEC_TEMPLATES = { feature: "feature", bug: "bugfix", research: "research" } as const satisfies Record<
  SpecKind,
  string
>;

const MIN_SUMMARY_LENGTH = 20;
export const SUMMARY_PLACEHOLDER = "… say in a sentence or two what it is, for whom and why";

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
  const template = await engine.assets.text(`templates/spec/${SPEC_TEMPLATES[getSpecKind(id)]}`);
  return renderTemplate(template, {
    id,
    // JSON strings are valid YAML for any content.
    title: JSON.stringify(title.trim()),
    summary: JSON.stringify(summary.trim().length < MIN_SUMMARY_LENGTH ? SUMMARY_PLACEHOLDER : summary.trim()),
    timebox: JSON.stringify(timebox),
    at: JSON.stringify(at),
  });
}
