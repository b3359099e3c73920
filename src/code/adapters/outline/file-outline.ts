import type { CodeComponent, CodeImport, CodeOutline } from "../../model/index/code-outline.ts";
import { findSpanForLine } from "../../model/index/code-outline.ts";
import { createLineCounter, listLineStarts } from "../../model/scan/code-scan.ts";
import { findSpecTags } from "../../model/scan/spec-tags.ts";
import { findTestCases } from "../../model/scan/test-cases.ts";
import { findTestSections } from "../../model/scan/test-files.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../syntax/parsed-code.ts";
import { scanParsedCode } from "../syntax/code-scan.ts";
import { findComponentLead, type LocatedComponent, findComponents } from "./component-finder.ts";
import * as docs from "./doc-text.ts";
import type { LanguageOutline } from "./language-outline.ts";
import { hashComponents, hashNormalText, type HashRoot } from "./normal-hash.ts";
import { findFileRoutes } from "../../model/survey/source-routes.ts";
import { cOutline, cppOutline } from "../languages/c-outline.ts";
import { csharpOutline } from "../languages/csharp-outline.ts";
import { goOutline } from "../languages/go-outline.ts";
import { javaOutline } from "../languages/java-outline.ts";
import { phpOutline } from "../languages/php-outline.ts";
import { pythonOutline } from "../languages/python-outline.ts";
import { rubyOutline } from "../languages/ruby-outline.ts";
import { rustOutline } from "../languages/rust-outline.ts";
import { typescriptOutline } from "../languages/typescript-outline.ts";

const LONGEST_COMPONENT_NAME = 200;

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
    doc: docs.extractFileDoc(code, language, docstrings, named[0]?.whole),
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
    const own = found.shared === undefined ? whole : node;
    const end = code.end(own);
    const { from: begin = own, body = code.child(node, "body"), docstring = NO_NODE } = found;
    const said = comments.map((each) => code.said(each));
    return {
      kind: found.kind,
      name: docs.truncateText(found.name, LONGEST_COMPONENT_NAME),
      within,
      // Callers see the overloads. The last one usually takes the most arguments; the implementation is not callable.
      signature:
        overload === undefined
          ? docs.formatSignatureText(code, begin, body === NO_NODE ? end : code.start(body), found.shared)
          : docs.formatSignatureText(code, overload, code.end(overload)),
      doc:
        docstring === NO_NODE
          ? docs.extractCommentText(said, language.doc)
          : docs.extractDocstringText(code.said(docstring)),
      line: lineOf(start),
      lastLine: lineOf(Math.max(start, end - 1)),
      start,
      end,
      isExported,
      hash: hashes[at] ?? "",
    };
  });
}

const MOST_USED_NAMES = 500;

/** The names each component uses, each once. A use inside a nested component counts for that one only. */
function collectUsedNames(
  code: ParsedCode,
  named: readonly LocatedComponent[],
  uses: Iterable<readonly [NodeIndex, string]>,
): string[][] {
  const found = named.map(() => new Set<string>());
  const ends = named.map(({ found: { shared }, node, whole }) => code.next(shared === undefined ? whole : node));
  const open: number[] = [];
  let next = 0;
  const close = (node: NodeIndex): void => {
    while (open.length > 0 && (ends[open.at(-1) ?? 0] ?? 0) <= node) open.pop();
  };
  for (const [node, use] of uses) {
    for (let one = named[next]; one !== undefined && one.first <= node; one = named[++next]) {
      close(one.first);
      open.push(next);
    }
    close(node);
    const inner = found[open.at(-1) ?? -1];
    if (inner === undefined || inner.size >= MOST_USED_NAMES) continue;
    // Turns `expect(a).toBe` into `expect().toBe`.
    let name = use;
    for (let depth = 0; depth < 3 && name.includes("("); depth++) name = name.replace(/\([^()]+\)/g, "()");
    if (USED_NAME.test(name)) inner.add(name);
  }
  return found.map((each) => [...each]);
}

const USED_NAME = /^(?!\()[\p{L}\p{N}_$@#.:!?()[\]<>&*\\-]+$/u;

const LONGEST_ROUTE_NAME = 200;
const MOST_ROUTES_PER_FILE = 2_000;

function mergeRouteComponents(
  code: ParsedCode,
  language: LanguageOutline,
  path: string,
  components: readonly CodeComponent[],
  uses: readonly (readonly [NodeIndex, string])[],
): readonly CodeComponent[] {
  const found = findFileRoutes(path, code.text).slice(0, MOST_ROUTES_PER_FILE);
  if (found.length === 0) return components;
  const starts = listLineStarts(code.text);
  const lineOf = createLineCounter(code.text, starts);
  const routes = found.map((finding) => {
    const at = starts[finding.line - 1] ?? 0;
    const line = code.text.slice(at, starts[finding.line] ?? code.text.length).trimEnd();
    const start = at + (line.length - line.trimStart().length);
    const handler = ROUTE_ANNOTATION_LINE.test(line) ? findSpanForLine(components, finding.line) : undefined;
    const node = handler === undefined ? findNodeStartingAtOffset(code, start) : NO_NODE;
    return { ...finding, handler, node, start, end: node === NO_NODE ? at + line.length : code.end(node) };
  });
  const inOrder = routes.filter(({ node }) => node !== NO_NODE).toSorted((one, other) => one.node - other.node);
  const roots = inOrder.map(({ node, name }): HashRoot => ({ nodes: [node], words: name }));
  const hashes = hashComponents(code, language.normal, roots, new Set());
  const byRoute = new Map(inOrder.map((route, at) => [route, hashes[at] ?? ""]));
  const built = routes.map((route): CodeComponent => {
    const { name, handler, node, start, end } = route;
    const said = code.text.slice(start, end);
    const lineLength = said.split("\n", 1)[0]?.length ?? 0;
    const called = handler?.name ?? route.says;
    // The first use in an inline handler is the call that declares the route.
    const listInlineUses = (): string[] => {
      const inside = uses.filter(([place, use]) => place >= node && place < code.next(node) && use !== "");
      return [...new Set(inside.slice(1).map(([, use]) => use))];
    };
    return {
      kind: "route",
      name: docs.truncateText(name, LONGEST_ROUTE_NAME),
      within: "",
      signature:
        node === NO_NODE ? docs.truncateText(said, 300) : docs.formatSignatureText(code, node, start + lineLength),
      doc: "",
      line: lineOf(start),
      lastLine: lineOf(Math.max(start, end - 1)),
      start,
      end,
      isExported: true,
      hash: byRoute.get(route) ?? hashNormalText(`${name} ${handler?.hash ?? said}`),
      calls: called === undefined ? listInlineUses() : [called],
    };
  });
  return [...components, ...built].toSorted((one, other) => one.start - other.start || other.end - one.end);
}

/** A decorator, an attribute, or a function named after the HTTP method. */
const ROUTE_ANNOTATION_LINE = /^\s*(?:@|\[|#\[|export\b)/;

/** The outermost node that begins at an offset; none for a token, as in the middle of a call chain. */
function findNodeStartingAtOffset(code: ParsedCode, start: number): NodeIndex {
  let [low, high] = [0, code.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code.start(middle) < start) low = middle + 1;
    else high = middle;
  }
  while (low < code.count && STATEMENT_HOLDER_TYPE.test(code.type(low))) low++;
  return low < code.count && code.start(low) === start && code.isNamed(low) ? low : NO_NODE;
}

const STATEMENT_HOLDER_TYPE =
  /^(?:program|module|source_file|compilation_unit|translation_unit|body_statement|block_body|block)$/;

const OUTLINES_BY_GRAMMAR: Readonly<Partial<Record<string, LanguageOutline>>> = {
  c: cOutline,
  cpp: cppOutline,
  csharp: csharpOutline,
  go: goOutline,
  java: javaOutline,
  javascript: typescriptOutline,
  php: phpOutline,
  python: pythonOutline,
  ruby: rubyOutline,
  rust: rustOutline,
  tsx: typescriptOutline,
  typescript: typescriptOutline,
};
