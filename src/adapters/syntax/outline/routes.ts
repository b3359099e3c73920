import { createHash } from "node:crypto";
import type { Finding } from "#domain/adopt/finding.ts";
import { routesIn } from "#domain/adopt/routes.ts";
import { type CodeComponent, findSpanForLine } from "#domain/indexing/outline.ts";
import { lineCounter } from "#domain/scan/lines.ts";
import { type Code, NONE, type Place } from "../code.ts";
import type { LanguageOutline } from "./language.ts";
import { hashesOf } from "./normal.ts";
import { cut, signatureOf } from "./words.ts";

const MOST_NAME = 200;
const MOST_ROUTES = 2_000;

export function withRoutes(
  code: Code,
  language: LanguageOutline,
  path: string,
  components: readonly CodeComponent[],
  uses: readonly (readonly [Place, string])[],
): readonly CodeComponent[] {
  const found = routesIn(path, code.text).slice(0, MOST_ROUTES);
  if (found.length === 0) return components;
  const starts = lineStarts(code.text);
  const routes = found.map((finding) => placed(code, finding, starts, components));
  const roots = routes.filter(({ node }) => node !== NONE).toSorted((one, other) => one.node - other.node);
  const hashes = hashesOf(
    code,
    language.normal,
    roots.map(({ node, finding }) => ({ nodes: [node], words: finding.name })),
    new Set(),
  );
  const byRoute = new Map(roots.map((route, at) => [route, hashes[at] ?? ""]));
  const lineOf = lineCounter(code.text);
  const all = [
    ...components,
    ...routes.map((route) => component(code, route, { hash: byRoute.get(route), uses, lineOf })),
  ];
  return all.toSorted((one, other) => one.start - other.start || other.end - one.end);
}

interface Placed {
  readonly finding: Finding;
  readonly handler: CodeComponent | undefined;
  readonly node: Place;
  readonly start: number;
  readonly end: number;
}

function placed(code: Code, finding: Finding, starts: readonly number[], components: readonly CodeComponent[]): Placed {
  const at = starts[finding.line - 1] ?? 0;
  const line = code.text.slice(at, starts[finding.line] ?? code.text.length).trimEnd();
  const start = at + (line.length - line.trimStart().length);
  const handler = MARK.test(line) ? findSpanForLine(components, finding.line) : undefined;
  const node = handler === undefined ? nodeFrom(code, start) : NONE;
  return { finding, handler, node, start, end: node === NONE ? at + line.length : code.end(node) };
}

/** A decorator, an attribute, or a function named after the HTTP method. */
const MARK = /^\s*(?:@|\[|#\[|export\b)/;

/** The outermost node that begins at an offset; none for a token, as in the middle of a call chain. */
function nodeFrom(code: Code, start: number): Place {
  let [low, high] = [0, code.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code.start(middle) < start) low = middle + 1;
    else high = middle;
  }
  while (low < code.count && HOLDS.test(code.type(low))) low++;
  return low < code.count && code.start(low) === start && code.isNamed(low) ? low : NONE;
}

const HOLDS = /^(?:program|module|source_file|compilation_unit|translation_unit|body_statement|block_body|block)$/;

interface Told {
  readonly hash: string | undefined;
  readonly uses: readonly (readonly [Place, string])[];
  readonly lineOf: (at: number) => number;
}

function component(
  code: Code,
  { finding, handler, node, start, end }: Placed,
  { hash, uses, lineOf }: Told,
): CodeComponent {
  const said = code.text.slice(start, end);
  const name = cut(finding.name, MOST_NAME);
  const called = handler?.name ?? finding.says;
  return {
    kind: "route",
    name,
    within: "",
    signature: node === NONE ? cut(said, 300) : signatureOf(code, node, Math.min(end, endOfLine(code.text, start))),
    doc: "",
    line: lineOf(start),
    lastLine: lineOf(Math.max(start, end - 1)),
    start,
    end,
    isExported: true,
    hash: hash ?? digest(`${finding.name} ${handler?.hash ?? said}`),
    calls: called === undefined ? usedIn(code, node, uses) : [called],
  };
}

/** The names an inline handler uses. The first use is the call that declares the route. */
function usedIn(code: Code, node: Place, uses: readonly (readonly [Place, string])[]): string[] {
  if (node === NONE) return [];
  const inside = uses.filter(([place, name]) => place >= node && place < code.next(node) && name !== "");
  return [...new Set(inside.slice(1).map(([, name]) => name))];
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
