import type { CodeComponent, CodeImport, CodeOutline } from "#domain/indexing/outline.ts";
import { lineCounter } from "#domain/scan/lines.ts";
import type { Look } from "#domain/scan/look.ts";
import { tagsIn } from "#domain/scan/tags.ts";
import { testCasesIn } from "#domain/scan/test-cases.ts";
import { testPartsIn } from "#domain/scan/test-files.ts";
import { type Code, NONE, type Place } from "../code.ts";
import { lookAt } from "../look.ts";
import { before } from "./before.ts";
import { type Named, namedIn } from "./named.ts";
import { docOfFile } from "./head.ts";
import { LANGUAGES } from "./known.ts";
import type { LanguageOutline } from "./language.ts";
import { hashesOf, type Root } from "./normal.ts";
import { withRoutes } from "./routes.ts";
import { usesOf } from "./uses.ts";
import { cut, docstringWords, signatureOf, wordsOf } from "./words.ts";

const MOST_NAME = 200;

export function plainOutline(look: Look, text: string): CodeOutline {
  const { language, by, isWhole } = look;
  const lines = text.split("\n").length;
  return { language, by, isWhole, lines, doc: "", components: [], imports: [], tags: tagsIn(look), tests: [] };
}

export function outlineOf(grammar: string, code: Code, path: string): CodeOutline {
  const { look, callPlaces, docstrings } = lookAt(grammar, code);
  const language = LANGUAGES[grammar];
  const parts = testPartsIn(look).map(({ line, lastLine }) => ({ line, lastLine }));
  const rest = {
    tags: tagsIn(look),
    tests: testCasesIn(look),
    lines: code.text.split("\n").length,
    ...(parts.length > 0 ? { testParts: parts } : {}),
  };
  const head = { language: grammar, by: "grammar", isWhole: code.isWhole } as const;
  if (language === undefined) return { ...head, doc: "", components: [], imports: [], ...rest };
  const lineOf = lineCounter(code.text);
  const { named, imports, uses } = namedIn(code, language);
  for (const [at, place] of callPlaces.entries())
    if ((uses.get(place) ?? "") === "") uses.set(place, look.calls[at]?.text ?? "");
  const inOrder = [...uses].toSorted(([one], [other]) => one - other);
  const used = usesOf(code, named, inOrder);
  const statements = new Set([...docstrings].map((string) => code.parent(string)));
  const components = componentsOf(code, language, named, statements).map((each, at) => ({
    ...each,
    calls: used[at] ?? [],
  }));
  return {
    ...head,
    doc: docOfFile(code, language, docstrings, named[0]?.whole),
    components: withRoutes(code, language, path, components, inOrder),
    imports: imports.map(({ place, ...each }): CodeImport => ({ ...each, line: lineOf(code.start(place)) })),
    ...rest,
  };
}

function componentsOf(
  code: Code,
  language: LanguageOutline,
  named: readonly Named[],
  skipped: ReadonlySet<Place>,
): Omit<CodeComponent, "calls">[] {
  const lineOf = lineCounter(code.text);
  const placed = named.map((each) => ({ ...each, ...before(code, each.whole, language) }));
  const roots = placed.map(({ found, node, whole, marks }): Root => ({
    nodes: [...marks, found.hashed ?? (found.shared === undefined ? whole : node)],
    words: `${found.shared ?? ""} ${found.name}`,
  }));
  const hashes = hashesOf(code, language.normal, roots, skipped);
  return placed.map(({ found, node, whole, within, isExported, comments, marks, start }, at) => {
    const overload = marks.findLast((mark) => language.belongs?.(code, mark, whole) === true);
    const end = code.end(found.shared === undefined ? whole : node);
    return {
      kind: found.kind,
      name: cut(found.name, MOST_NAME),
      within,
      // Callers see the overloads. The last one usually takes the most arguments; the implementation is not callable.
      signature:
        overload === undefined ? signature(code, node, whole, found) : signatureOf(code, overload, code.end(overload)),
      doc:
        found.docstring === undefined || found.docstring === NONE
          ? wordsOf(
              comments.map((each) => code.said(each)),
              language.doc,
            )
          : docstringWords(code.said(found.docstring)),
      line: lineOf(start),
      lastLine: lineOf(Math.max(start, end - 1)),
      start,
      end,
      isExported,
      hash: hashes[at] ?? "",
    };
  });
}

function signature(code: Code, node: Place, whole: Place, { from, body, shared }: Named["found"]): string {
  const inner = body ?? code.child(node, "body");
  const begin = from ?? (shared === undefined ? whole : node);
  const end = inner === NONE ? code.end(shared === undefined ? whole : node) : code.start(inner);
  return signatureOf(code, begin, end, shared);
}
