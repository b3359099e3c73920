import { applyEdit } from "#domain/spec/yaml/edit.ts";
import { toPlain } from "#domain/spec/yaml/located.ts";
import type { Yaml } from "../ports/yaml.ts";
import type { SpecReading } from "./read.ts";

/**
 * The spec in canonical form. Undefined if it already is, or if the rewritten text does not parse into the expected
 * document.
 */
export function rewriting(yaml: Yaml, { text, edits }: Pick<SpecReading, "text" | "edits">): string | undefined {
  const { tree } = yaml.read(text);
  if (!tree || edits.length === 0) return undefined;
  const edited = yaml.edit(text, edits);
  const after = yaml.read(edited).tree;
  const meant = JSON.stringify(toPlain(edits.reduce(applyEdit, tree)));
  return after && JSON.stringify(toPlain(after)) === meant ? edited : undefined;
}
