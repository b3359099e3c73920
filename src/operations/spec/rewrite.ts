import { applyEdit } from "#domain/spec/yaml/edit.ts";
import { toPlain } from "#domain/spec/yaml/located.ts";
import type { Yaml } from "../ports/yaml.ts";
import type { SpecReading } from "./read.ts";

/**
 * The text of a spec in the one form; nothing where it has it already, or where it would not say the same any more. What
 * is written must read as the domain says it should, and once written there is nothing left to rewrite.
 */
export function rewriting(yaml: Yaml, { text, edits }: Pick<SpecReading, "text" | "edits">): string | undefined {
  const { tree } = yaml.read(text);
  if (!tree || edits.length === 0) return undefined;
  const edited = yaml.edit(text, edits);
  const after = yaml.read(edited).tree;
  const meant = JSON.stringify(toPlain(edits.reduce(applyEdit, tree)));
  return after && JSON.stringify(toPlain(after)) === meant ? edited : undefined;
}
