import { isTestPath } from "#domain/scan/test-path.ts";
import type { CodeOutline } from "#domain/indexing/outline.ts";
import type { TraceId, TracedSymbol } from "#domain/trace/acceptance.ts";
import { wrapAsFunction } from "#domain/trace/as-function.ts";
import { findTaggedSpans, type TaggableSpan, listTaggableSpans, blankNestedSpans } from "#domain/trace/symbols.ts";
import type { TestNameReader } from "#domain/trace/test-names.ts";
import { normalizeCodeText } from "#domain/trace/plain-form.ts";
import type { Engine } from "../../engine.ts";

export interface LocatedSymbol extends TracedSymbol {
  readonly id: TraceId;
  readonly line: number;
  readonly lastLine: number;
}

type SymbolEngine = Pick<Engine, "syntax" | "digest">;

export async function readFileSymbols(
  engine: SymbolEngine,
  path: string,
  text: string,
  names: TestNameReader,
): Promise<LocatedSymbol[]> {
  const outline = await engine.syntax.outline(path, text);
  return outline ? locateOutlineSymbols(engine, path, text, outline, names) : [];
}

export async function readSymbolsByFile(
  engine: SymbolEngine,
  files: ReadonlyMap<string, string>,
  names: TestNameReader,
): Promise<ReadonlyMap<string, readonly LocatedSymbol[]>> {
  async function* texts() {
    for (const [path, text] of files) yield { path, text };
  }
  const found = new Map<string, readonly LocatedSymbol[]>();
  for await (const { path, outline } of engine.syntax.outlines(texts()))
    if (outline) found.set(path, await locateOutlineSymbols(engine, path, files.get(path) ?? "", outline, names));
  return found;
}

async function locateOutlineSymbols(
  engine: SymbolEngine,
  path: string,
  text: string,
  outline: CodeOutline,
  names: TestNameReader,
): Promise<LocatedSymbol[]> {
  const seen: LocatedSymbol[] = [];
  for (const { id, role, place, holes } of findTaggedSpans(outline, isTestPath(path), names)) {
    const hash = await computeSymbolHash(engine, { path, text, language: outline.language }, place, holes);
    const [line, lastLine] = place ? [place.line, place.lastLine] : [1, outline.lines];
    seen.push({ id, path, ref: place?.ref ?? "", role, hash, line, lastLine });
  }
  return seen;
}

interface SymbolFile {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

/** Uses the syntax tree if possible, else the normalized text. */
async function computeSymbolHash(
  engine: SymbolEngine,
  { path, text, language }: SymbolFile,
  place: TaggableSpan | undefined,
  holes: readonly TaggableSpan[],
): Promise<string> {
  if (place?.hash !== undefined && holes.length === 0) return place.hash;
  if (place?.hash !== undefined) {
    const rest = await engine.syntax.outline(path, blankNestedSpans(text, holes));
    const same = rest && listTaggableSpans(rest).find((each) => each.line === place.line && each.ref === place.ref);
    return same?.hash ?? place.hash;
  }
  const part = place ? sliceSymbolLines(text, place) : text;
  const wrapped = place && wrapAsFunction(language, part);
  const outline = wrapped === undefined ? undefined : await engine.syntax.outline(path, wrapped);
  const [whole] = outline?.isWhole === true ? outline.components : [];
  if (whole) return whole.hash;
  const comments = (await engine.syntax.look(path, part))?.comments ?? [];
  return engine.digest(normalizeCodeText(part, comments)).slice(0, 32);
}

export const sliceSymbolLines = (text: string, { line, lastLine }: Pick<LocatedSymbol, "line" | "lastLine">): string =>
  text
    .split("\n")
    .slice(line - 1, lastLine)
    .join("\n");

export async function readTextFiles(
  engine: Pick<Engine, "source">,
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of new Set(paths)) {
    const text = await engine.source.text(path);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}
