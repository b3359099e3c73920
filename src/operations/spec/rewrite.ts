import { applyYamlEdit } from "#domain/spec/yaml/edit.ts";
import { convertYamlValue } from "#domain/spec/yaml/located.ts";
import type { YamlEditor } from "../ports/yaml.ts";
import type { SpecFileReading } from "./read.ts";

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
