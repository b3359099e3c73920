import type { SpecStatus } from "#domain/spec/yaml/common-fields.ts";
import type { SpecProblem } from "#domain/spec/yaml/conform.ts";
import type { YamlEdit } from "#domain/spec/yaml/edit.ts";
import { type LocatedNode, findYamlNode } from "#domain/spec/yaml/located.ts";
import { type SpecReadResult, readSpecTree, getSpecKind } from "#domain/spec/yaml/read.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import { type WorkspacePath, getSpecPath } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { StoreTree } from "../ports/store.ts";
import type { YamlEditor } from "../ports/yaml.ts";
import type { ListedSpec } from "./shelf.ts";

export interface SpecFileReading extends SpecReadResult {
  readonly id: WorkflowId;
  readonly path: WorkspacePath;
  readonly text: string;
  readonly hash: string;
}

type SpecReaderEngine = Pick<Engine, "yaml" | "digest">;

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
  { digest }: Pick<Engine, "digest">,
  { id, path, text }: ListedSpec,
): SpecFileReading {
  const { tree, problems } = yaml.read(text);
  const known = { id, path, text, hash: digest(text) };
  if (tree) return { ...known, ...readSpecTree(tree, id) };
  const broken: SpecProblem[] = problems.map((problem) => ({ ...problem, field: "" }));
  return { ...known, kind: getSpecKind(id), problems: broken, aliases: [], edits: [] };
}

export async function updateSpecStatus(
  engine: Pick<Engine, "yaml">,
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
