import { createHash } from "node:crypto";
import type { CodeFinding } from "#domain/adopt/finding.ts";
import { findFileRoutes } from "#domain/adopt/routes.ts";
import { type CodeComponent, findSpanForLine } from "#domain/indexing/outline.ts";
import { createLineCounter } from "#domain/scan/lines.ts";
import { type ParsedCode, NO_NODE, type NodeIndex } from "../code.ts";
import type { LanguageOutline } from "./language.ts";
import { hashComponents } from "./normal.ts";
import { truncateText, formatSignatureText } from "./words.ts";

const LONGEST_ROUTE_NAME = 200;
const MOST_ROUTES_PER_FILE = 2_000;

export function mergeRouteComponents(
  code: ParsedCode,
  language: LanguageOutline,
  path: string,
  components: readonly CodeComponent[],
  uses: readonly (readonly [NodeIndex, string])[],
): readonly CodeComponent[] {
  const found = findFileRoutes(path, code.text).slice(0, MOST_ROUTES_PER_FILE);
  if (found.length === 0) return components;
  const starts = listRouteLineStarts(code.text);
  const routes = found.map((finding) => locateRoute(code, finding, starts, components));
  const roots = routes.filter(({ node }) => node !== NO_NODE).toSorted((one, other) => one.node - other.node);
  const hashes = hashComponents(
    code,
    language.normal,
    roots.map(({ node, finding }) => ({ nodes: [node], words: finding.name })),
    new Set(),
  );
  const byRoute = new Map(roots.map((route, at) => [route, hashes[at] ?? ""]));
  const lineOf = createLineCounter(code.text);
  const all = [
    ...components,
    ...routes.map((route) => buildRouteComponent(code, route, { hash: byRoute.get(route), uses, lineOf })),
  ];
  return all.toSorted((one, other) => one.start - other.start || other.end - one.end);
}

interface LocatedRoute {
  readonly finding: CodeFinding;
  readonly handler: CodeComponent | undefined;
  readonly node: NodeIndex;
  readonly start: number;
  readonly end: number;
}

function locateRoute(
  code: ParsedCode,
  finding: CodeFinding,
  starts: readonly number[],
  components: readonly CodeComponent[],
): LocatedRoute {
  const at = starts[finding.line - 1] ?? 0;
  const line = code.text.slice(at, starts[finding.line] ?? code.text.length).trimEnd();
  const start = at + (line.length - line.trimStart().length);
  const handler = ROUTE_ANNOTATION_LINE.test(line) ? findSpanForLine(components, finding.line) : undefined;
  const node = handler === undefined ? findNodeStartingAtOffset(code, start) : NO_NODE;
  return { finding, handler, node, start, end: node === NO_NODE ? at + line.length : code.end(node) };
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

interface RouteContext {
  readonly hash: string | undefined;
  readonly uses: readonly (readonly [NodeIndex, string])[];
  readonly lineOf: (at: number) => number;
}

function buildRouteComponent(
  code: ParsedCode,
  { finding, handler, node, start, end }: LocatedRoute,
  { hash, uses, lineOf }: RouteContext,
): CodeComponent {
  const said = code.text.slice(start, end);
  const name = truncateText(finding.name, LONGEST_ROUTE_NAME);
  const called = handler?.name ?? finding.says;
  return {
    kind: "route",
    name,
    within: "",
    signature:
      node === NO_NODE
        ? truncateText(said, 300)
        : formatSignatureText(code, node, Math.min(end, findLineEnd(code.text, start))),
    doc: "",
    line: lineOf(start),
    lastLine: lineOf(Math.max(start, end - 1)),
    start,
    end,
    isExported: true,
    hash: hash ?? hashRouteText(`${finding.name} ${handler?.hash ?? said}`),
    calls: called === undefined ? listHandlerUses(code, node, uses) : [called],
  };
}

/** The names an inline handler uses. The first use is the call that declares the route. */
function listHandlerUses(code: ParsedCode, node: NodeIndex, uses: readonly (readonly [NodeIndex, string])[]): string[] {
  if (node === NO_NODE) return [];
  const inside = uses.filter(([place, name]) => place >= node && place < code.next(node) && name !== "");
  return [...new Set(inside.slice(1).map(([, name]) => name))];
}

const hashRouteText = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function listRouteLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
