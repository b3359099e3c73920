import type { SpecStatus } from "#domain/spec/yaml/common-fields.ts";
import type { SpecProblem } from "#domain/spec/yaml/conform.ts";
import type { Edit } from "#domain/spec/yaml/edit.ts";
import { type Located, nodeAt } from "#domain/spec/yaml/located.ts";
import { type ReadSpec, readSpec, specKind } from "#domain/spec/yaml/read.ts";
import type { WorkflowId } from "#domain/workflow/id.ts";
import { type Path, specFile } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { Tree } from "../ports/store.ts";
import type { Yaml } from "../ports/yaml.ts";
import type { ShelvedSpec } from "./shelf.ts";

export interface SpecReading extends ReadSpec {
  readonly id: WorkflowId;
  readonly path: Path;
  readonly text: string;
  readonly hash: string;
}

type Reader = Pick<Engine, "yaml" | "digest">;

/**
 * Returns undefined for a missing spec. The text is parsed after the store read, so that parsing does not hold it up.
 */
export async function readSpecDocument(engine: Reader, tree: Tree, id: WorkflowId): Promise<SpecReading | undefined> {
  const path = specFile(id);
  const text = tree.text(path);
  return text === undefined ? undefined : readShelvedSpec(engine, { id, path, text });
}

export async function readShelvedSpec(engine: Reader, spec: ShelvedSpec): Promise<SpecReading> {
  return readWith(await engine.yaml(), engine, spec);
}

function readWith(yaml: Yaml, { digest }: Pick<Engine, "digest">, { id, path, text }: ShelvedSpec): SpecReading {
  const { tree, problems } = yaml.read(text);
  const known = { id, path, text, hash: digest(text) };
  if (tree) return { ...known, ...readSpec(tree, id) };
  const broken: SpecProblem[] = problems.map((problem) => ({ ...problem, field: "" }));
  return { ...known, kind: specKind(id), problems: broken, aliases: [], edits: [] };
}

export async function writeStatus(
  engine: Pick<Engine, "yaml">,
  text: string,
  status: SpecStatus,
  dates: { readonly updated: string; readonly resolved?: string },
): Promise<string> {
  const yaml = await engine.yaml();
  const { tree } = yaml.read(text);
  if (!tree) return text;
  const days: [string, string][] = Object.entries(dates).filter(([, day]) => day !== undefined);
  const isThere = nodeAt(tree, ["metadata"])?.kind === "mapping";
  const metadata: Edit[] = isThere
    ? days.map(([key, day]) => saying(tree, ["metadata"], key, day))
    : [saying(tree, [], "metadata", Object.fromEntries(days))];
  return yaml.edit(text, [saying(tree, [], "status", status), ...metadata]);
}

function saying(
  tree: Located,
  at: readonly string[],
  key: string,
  value: string | Readonly<Record<string, string>>,
): Edit {
  const place = [...at, key];
  return nodeAt(tree, place) ? { kind: "replace", at: place, value } : { kind: "insert", at, key, value };
}
