import type { CodeComponent, CodeImport, CodeOutline } from "#domain/indexing/outline.ts";
import { createLineCounter } from "#domain/scan/lines.ts";
import type { CodeScan } from "#domain/scan/look.ts";
import { findSpecTags } from "#domain/scan/tags.ts";
import { findTestCases } from "#domain/scan/test-cases.ts";
import { findTestSections } from "#domain/scan/test-files.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../code.ts";
import { scanParsedCode } from "../look.ts";
import { findComponentLead } from "./before.ts";
import { type LocatedComponent, findComponents } from "./named.ts";
import { extractFileDoc } from "./head.ts";
import { OUTLINES_BY_GRAMMAR } from "./known.ts";
import type { LanguageOutline } from "./language.ts";
import { hashComponents, type HashRoot } from "./normal.ts";
import { mergeRouteComponents } from "./routes.ts";
import { collectUsedNames } from "./uses.ts";
import { truncateText, extractDocstringText, formatSignatureText, extractCommentText } from "./words.ts";

const LONGEST_COMPONENT_NAME = 200;

export function outlineScanOnly(look: CodeScan, text: string): CodeOutline {
  const { language, by, isWhole } = look;
  const lines = text.split("\n").length;
  return { language, by, isWhole, lines, doc: "", components: [], imports: [], tags: findSpecTags(look), tests: [] };
}

export function outlineParsedCode(grammar: string, code: ParsedCode, path: string): CodeOutline {
  const { look, callPlaces, docstrings } = scanParsedCode(grammar, code);
  const language = OUTLINES_BY_GRAMMAR[grammar];
  const parts = findTestSections(look).map(({ line, lastLine }) => ({ line, lastLine }));
  const rest = {
    tags: findSpecTags(look),
    tests: findTestCases(look),
    lines: code.text.split("\n").length,
    ...(parts.length > 0 ? { testParts: parts } : {}),
  };
  const head = { language: grammar, by: "grammar", isWhole: code.isWhole } as const;
  if (language === undefined) return { ...head, doc: "", components: [], imports: [], ...rest };
  const lineOf = createLineCounter(code.text);
  const { named, imports, uses } = findComponents(code, language);
  for (const [at, place] of callPlaces.entries())
    if ((uses.get(place) ?? "") === "") uses.set(place, look.calls[at]?.text ?? "");
  const inOrder = [...uses].toSorted(([one], [other]) => one - other);
  const used = collectUsedNames(code, named, inOrder);
  const statements = new Set([...docstrings].map((string) => code.parent(string)));
  const components = buildComponents(code, language, named, statements).map((each, at) => ({
    ...each,
    calls: used[at] ?? [],
  }));
  return {
    ...head,
    doc: extractFileDoc(code, language, docstrings, named[0]?.whole),
    components: mergeRouteComponents(code, language, path, components, inOrder),
    imports: imports.map(({ place, ...each }): CodeImport => ({ ...each, line: lineOf(code.start(place)) })),
    ...rest,
  };
}

function buildComponents(
  code: ParsedCode,
  language: LanguageOutline,
  named: readonly LocatedComponent[],
  skipped: ReadonlySet<NodeIndex>,
): Omit<CodeComponent, "calls">[] {
  const lineOf = createLineCounter(code.text);
  const placed = named.map((each) => ({ ...each, ...findComponentLead(code, each.whole, language) }));
  const roots = placed.map(({ found, node, whole, marks }): HashRoot => ({
    nodes: [...marks, found.hashed ?? (found.shared === undefined ? whole : node)],
    words: `${found.shared ?? ""} ${found.name}`,
  }));
  const hashes = hashComponents(code, language.normal, roots, skipped);
  return placed.map(({ found, node, whole, within, isExported, comments, marks, start }, at) => {
    const overload = marks.findLast((mark) => language.belongs?.(code, mark, whole) === true);
    const end = code.end(found.shared === undefined ? whole : node);
    return {
      kind: found.kind,
      name: truncateText(found.name, LONGEST_COMPONENT_NAME),
      within,
      // Callers see the overloads. The last one usually takes the most arguments; the implementation is not callable.
      signature:
        overload === undefined
          ? formatComponentSignature(code, node, whole, found)
          : formatSignatureText(code, overload, code.end(overload)),
      doc:
        found.docstring === undefined || found.docstring === NO_NODE
          ? extractCommentText(
              comments.map((each) => code.said(each)),
              language.doc,
            )
          : extractDocstringText(code.said(found.docstring)),
      line: lineOf(start),
      lastLine: lineOf(Math.max(start, end - 1)),
      start,
      end,
      isExported,
      hash: hashes[at] ?? "",
    };
  });
}

function formatComponentSignature(
  code: ParsedCode,
  node: NodeIndex,
  whole: NodeIndex,
  { from, body, shared }: LocatedComponent["found"],
): string {
  const inner = body ?? code.child(node, "body");
  const begin = from ?? (shared === undefined ? whole : node);
  const end = inner === NO_NODE ? code.end(shared === undefined ? whole : node) : code.start(inner);
  return formatSignatureText(code, begin, end, shared);
}
