import { type CodeComponent, type CodeOutline, createComponentRefs } from "../index/code-outline.ts";
import type { TraceId } from "#kernel/model/ids/trace-id.ts";
import { parseTagTraceId, type SymbolRole } from "./trace-acceptance.ts";
import type { TestNameReader } from "./id-mentions.ts";

/** The hash is missing if the syntax tree has none. Then the text is hashed. */
type TaggableSpan = Readonly<{ ref: string; line: number; lastLine: number; hash: string | undefined }> &
  Readonly<Record<"isTest" | "isExported" | "isOutermost", boolean>>;

/** Without a place, the tag covers the whole file. Holes are nested spans with their own tags, not counted here. */
export type TaggedSpan = Readonly<{
  id: TraceId;
  role: SymbolRole;
  place?: TaggableSpan;
  holes: readonly TaggableSpan[];
}>;

type SymbolOutline = Pick<CodeOutline, "components" | "tests" | "tags" | "imports">;

const MAX_TAG_LINES_ABOVE = 3;

/** Tests come first: a function that is a test counts as a test. */
export function listTaggableSpans({ components, tests }: Pick<SymbolOutline, "components" | "tests">): TaggableSpan[] {
  const named = tests.map(({ name, line, lastLine }) => ({ name, within: "", line, lastLine }));
  const refs = createComponentRefs(named);
  const own = createComponentRefs(components);
  const countTests = (around: CodeComponent): number =>
    tests.filter(({ line, lastLine }) => around.line <= line && around.lastLine >= lastLine).length;
  const cases = named.map((test, i): TaggableSpan => {
    const at = components.findIndex(
      (each) => each.line <= test.line && each.lastLine === test.lastLine && countTests(each) === 1,
    );
    const { line, hash } = components[at] ?? { ...test, hash: undefined };
    const ref = (at === -1 ? refs[i] : own[at]) ?? "";
    return { ref, line, lastLine: test.lastLine, hash, isTest: true, isExported: false, isOutermost: true };
  });
  const taken = new Set(cases.flatMap(({ ref, hash }) => (hash === undefined ? [] : [ref])));
  const others = components.flatMap((each, i): TaggableSpan[] => {
    const ref = own[i] ?? each.name;
    if (taken.has(ref)) return [];
    const { line, lastLine, hash, isExported, within } = each;
    return [{ ref, line, lastLine, hash, isTest: false, isExported, isOutermost: within === "" }];
  });
  return [...cases, ...others];
}

/** The innermost span around a tag, or the next one right below. At the head of a file it covers exports or tests. */
export function findTaggedSpans(outline: SymbolOutline, isTestFile: boolean, namedIn: TestNameReader = () => []) {
  const places = listTaggableSpans(outline);
  const named = outline.tests.flatMap(({ name, line }) => namedIn(name).map((said) => ({ ...said, line })));
  const tagged = [...outline.tags, ...named].flatMap(({ line, ...tag }) => {
    const id = parseTagTraceId(tag);
    return id === undefined ? [] : [{ id, place: findSpanAtLine(places, line, outline.imports) }];
  });
  const own = new Set(tagged.flatMap(({ place }) => place ?? []));
  const roleOf = (place?: TaggableSpan): SymbolRole => (isTestFile || place?.isTest === true ? "test" : "code");
  const isInside = (inner: TaggableSpan, outer: TaggableSpan): boolean =>
    inner.line >= outer.line && inner.lastLine <= outer.lastLine && countSpanLines(inner) < countSpanLines(outer);
  const found = tagged.flatMap(({ id, place }): TaggedSpan[] => {
    if (places.length === 0) return [{ id, role: roleOf(), holes: [] }];
    const meant = place ? [place] : selectHeaderSpans(places, own, isTestFile);
    return meant.map((each) => {
      const inside = [...own].filter((other) => isInside(other, each));
      const holes = inside.filter((hole) => !inside.some((other) => isInside(hole, other)));
      return { id, role: roleOf(each), place: each, holes };
    });
  });
  return [...new Map(found.map((each) => [`${each.id} ${each.place?.ref ?? ""} ${each.place?.line}`, each])).values()];
}

function findSpanAtLine(places: readonly TaggableSpan[], line: number, imports: SymbolOutline["imports"]) {
  const [around] = places
    .filter((each) => each.line <= line && each.lastLine >= line)
    .toSorted((a, b) => countSpanLines(a) - countSpanLines(b) || Number(b.isTest) - Number(a.isTest));
  if (around) return around;
  const [below] = places
    .filter((each) => each.line > line && each.line - line <= MAX_TAG_LINES_ABOVE)
    .toSorted((a, b) => a.line - b.line || countSpanLines(b) - countSpanLines(a));
  // A tag above the imports belongs to the file.
  const isHead = below !== undefined && imports.some((each) => each.line > line && each.line < below.line);
  return isHead ? undefined : below;
}

const countSpanLines = ({ line, lastLine }: TaggableSpan): number => lastLine - line;

function selectHeaderSpans(places: readonly TaggableSpan[], own: ReadonlySet<TaggableSpan>, isTestFile: boolean) {
  const kinds = [
    (each: TaggableSpan) => isTestFile && each.isTest,
    (each: TaggableSpan) => !each.isTest && each.isOutermost && each.isExported,
    (each: TaggableSpan) => !each.isTest && each.isOutermost,
  ];
  const all = kinds.map((isKind) => places.filter(isKind)).find((some) => some.length > 0) ?? [];
  return all.filter((each) => !own.has(each));
}

export function blankNestedSpans(text: string, holes: readonly Pick<TaggableSpan, "line" | "lastLine">[]): string {
  if (holes.length === 0) return text;
  const isHole = (line: number): boolean => holes.some((hole) => line >= hole.line && line <= hole.lastLine);
  return text
    .split("\n")
    .map((line, i) => (isHole(i + 1) ? "" : line))
    .join("\n");
}

const wrapInBraces = (body: string): string => `function traced() {\n${body}\n}\n`;
const FUNCTION_WRAPPERS: Readonly<Partial<Record<string, (body: string) => string>>> = {
  javascript: wrapInBraces,
  typescript: wrapInBraces,
  tsx: wrapInBraces,
  php: (body) => `<?php\n${wrapInBraces(body)}`,
  ruby: (body) => `def traced\n${body}\nend\n`,
};

/** The syntax tree hashes only named parts, and `test("…", () => …)` has no name. Nothing where tests are functions. */
export const wrapAsFunction = (language: string, body: string): string | undefined =>
  FUNCTION_WRAPPERS[language]?.(body);

const CODE_TOKEN = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[\p{L}\p{N}_$]+|[^\s]/gu;
const CLOSING_BRACKETS = new Set([")", "]", "}"]);

/** Without comments, layout, kinds of quotes, and the commas and semicolons that formatters add or remove. */
export function normalizeCodeText(text: string, comments: readonly Readonly<{ start: number; end: number }>[]): string {
  let [code, at] = ["", 0];
  for (const { start, end } of comments.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    code += `${text.slice(at, start)} `;
    at = end;
  }
  const tokens = [...(code + text.slice(at)).matchAll(CODE_TOKEN)].map(([token]) => token);
  return tokens
    .filter((token, i) => token !== ";" && !(token === "," && CLOSING_BRACKETS.has(tokens[i + 1] ?? "")))
    .map((token) => (/^'[^"\\]*'$/.test(token) ? `"${token.slice(1, -1)}"` : token))
    .join("\n");
}
