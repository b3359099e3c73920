import type { CodeImport } from "../../model/index/code-outline.ts";
import type { GrammarVocabulary, NodeIndex, ParsedCode } from "../syntax/parsed-code.ts";
import { memoizeByObject, NO_NODE } from "../syntax/parsed-code.ts";
import { DEEPEST_NESTING } from "../syntax/code-scan.ts";
import type { ComponentScope, EnclosingComponent, FoundComponent, LanguageOutline } from "./language-outline.ts";
import { indexTableByType } from "./language-outline.ts";

export interface LocatedComponent {
  readonly found: FoundComponent;
  readonly node: NodeIndex;
  readonly whole: NodeIndex;
  readonly first: NodeIndex;
  readonly within: string;
  readonly isExported: boolean;
}

const MOST_COMPONENTS = 20_000;
const MOST_COMPONENTS_PER_NODE = 200;

interface OpenScope {
  readonly end: NodeIndex;
  readonly around: EnclosingComponent;
  readonly isOpen: boolean;
  readonly depth: number;
}

const getLanguageTables = memoizeByObject(
  (words: GrammarVocabulary, { components, imports, calls }: LanguageOutline) => ({
    components: indexTableByType(words, components),
    imports: indexTableByType(words, imports),
    calls: indexTableByType(words, calls),
  }),
);

export function findComponents(code: ParsedCode, language: LanguageOutline) {
  const table = getLanguageTables(code.words, language);
  const named: LocatedComponent[] = [];
  const imports: (Omit<CodeImport, "line"> & { readonly place: NodeIndex })[] = [];
  const uses = new Map<NodeIndex, string>();
  const nest = createScopeStack(code, language);
  for (let node = 0; node < code.count; node++) {
    const id = code.typeId(node);
    const used = table.calls[id]?.(code, node);
    if (used !== undefined) uses.set(node, used);
    const asked = table.imports[id]?.(code, node);
    if (asked !== undefined) for (const each of asked) imports.push({ ...each, place: node });
    const read = table.components[id];
    if (read === undefined || named.length >= MOST_COMPONENTS) continue;
    const outer = nest.around(node);
    if (outer.depth >= DEEPEST_NESTING) continue;
    const found = read(code, node, outer.around);
    if (found === undefined) continue;
    if ("scope" in found) {
      nest.open(node, found, outer.isOpen);
      continue;
    }
    const all = [found]
      .flat()
      .slice(0, MOST_COMPONENTS_PER_NODE)
      .filter(({ name }) => name !== "");
    for (const each of all) named.push(nest.place(each, node, outer));
    const [first] = all;
    // The contents of a function are never exported.
    const isOpen = named.at(-1)?.isExported === true && !/^(?:function|method)$/.test(first?.kind ?? "");
    if (first !== undefined) nest.open(node, { scope: first.name, ...first }, isOpen);
  }
  return { named, imports, uses };
}

function createScopeStack(code: ParsedCode, { exports, isListAll = false, marks = [] }: LanguageOutline) {
  const exported = exports?.(code) ?? new Set();
  const isComplete = isListAll && exported.size > 0;
  const scopes: OpenScope[] = [];
  const around = (node: NodeIndex): OpenScope => {
    while (scopes.length > 0 && (scopes.at(-1)?.end ?? 0) <= node) scopes.pop();
    return scopes.at(-1) ?? TOP_SCOPE;
  };
  const open = (
    node: NodeIndex,
    inner: ComponentScope & Pick<Partial<FoundComponent>, "within">,
    isOpen: boolean,
  ): void => {
    const outer = around(node);
    const name = joinQualifiedName(inner.within ?? outer.around.name, inner.scope);
    const here = { kind: inner.kind ?? outer.around.kind, name };
    scopes.push({ end: code.next(node), around: here, isOpen, depth: outer.depth + 1 });
  };
  const place = (found: FoundComponent, node: NodeIndex, outer: OpenScope): LocatedComponent => {
    const within = found.within ?? outer.around.name;
    const isListed = within === "" && exported.has(found.name);
    const isOwn = found.isExported && !(isComplete && within === "");
    const whole = found.whole ?? node;
    let first = found.shared === undefined ? whole : node;
    if (marks.length > 0)
      for (let at = findPreviousSibling(code, first); at !== NO_NODE; at = findPreviousSibling(code, at)) {
        if (marks.includes(code.type(at))) first = at;
        else if (!code.isComment(at)) break;
      }
    return { found, node, whole, first, within, isExported: outer.isOpen && (isOwn || isListed) };
  };
  return { around, open, place };
}

const TOP_SCOPE: OpenScope = { end: 0, around: { kind: undefined, name: "" }, isOpen: true, depth: 0 };
const LONGEST_QUALIFIED_NAME = 500;
const joinQualifiedName = (around: string, name: string): string => {
  if (around.length + name.length > LONGEST_QUALIFIED_NAME)
    return around === "" ? name.slice(0, LONGEST_QUALIFIED_NAME) : around;
  return around === "" ? name : `${around}.${name}`;
};

/** A file may have a hundred thousand comments above one function. */
const MOST_LEADING_SIBLINGS = 400;

export function findComponentLead(
  code: ParsedCode,
  whole: NodeIndex,
  { marks = [], bodies = [], belongs }: LanguageOutline,
) {
  const found = { comments: [] as NodeIndex[], marks: [] as NodeIndex[] };
  let [start, last] = [code.start(whole), whole];
  for (let count = 0; count < MOST_LEADING_SIBLINGS; count++) {
    const sibling = findPreviousSibling(code, last);
    if (sibling === NO_NODE && bodies.includes(code.type(code.parent(last)))) {
      last = code.parent(last);
      continue;
    }
    if (sibling === NO_NODE) break;
    if (code.type(sibling) === ";" && belongs !== undefined) {
      last = sibling;
      continue;
    }
    const isComment = code.isComment(sibling);
    const isMark = !isComment && (marks.includes(code.type(sibling)) || belongs?.(code, sibling, whole) === true);
    const said = code.said(sibling);
    // A `/** … */` block documents the next component, even across a blank line. At the start of a file it documents
    // the file.
    const isDocBlock = said.startsWith("/**") && !SELF_CONTAINED_TAG.test(said);
    const head = code.text.slice(0, Math.min(200, code.start(sibling)));
    const isApart = found.comments.length === 0 && isDocBlock && !FILE_START.test(head);
    if (!isMark && !(isComment && isCommentDirectlyAbove(code, sibling, start, isApart ? 3 : 2))) break;
    found[isMark ? "marks" : "comments"].unshift(sibling);
    [start, last] = [code.start(sibling), sibling];
  }
  return { start, ...found };
}

export function findPreviousSibling(code: ParsedCode, node: NodeIndex): NodeIndex {
  const parent = code.parent(node);
  if (parent === NO_NODE) return NO_NODE;
  let at = node - 1;
  while (at > parent && code.parent(at) !== parent) at = code.parent(at);
  return at > parent ? at : NO_NODE;
}

const SELF_CONTAINED_TAG = /@(?:typedef|callback|module|file|fileoverview|overview|license|packageDocumentation)\b/;
const FILE_START = /^(?:#![^\n]*)?[\s;]*(?:(["'])use strict\1[\s;]*)?$/;

function isCommentDirectlyAbove(code: ParsedCode, comment: NodeIndex, start: number, lines: number): boolean {
  const { text } = code;
  // A `//!` or `/*!` comment documents the file or the enclosing module.
  if (/^\/[/*]!/.test(text.slice(code.start(comment), code.start(comment) + 3))) return false;
  const end = code.start(comment) + code.said(comment).trimEnd().length;
  const between = text.slice(end, start);
  if (between.length > 1000 || between.split("\n").length > lines) return false;
  const lineStart = text.lastIndexOf("\n", code.start(comment) - 1) + 1;
  return code.start(comment) - lineStart < 1000 && text.slice(lineStart, code.start(comment)).trim() === "";
}
