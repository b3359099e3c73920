import { isTestPath } from "#domain/scan/test-path.ts";
import type { Outline } from "#domain/indexing/outline.ts";
import type { TraceId, TracedSymbol } from "#domain/trace/acceptance.ts";
import { asFunction } from "#domain/trace/as-function.ts";
import { symbolsIn, type Place, placesIn, withoutHoles } from "#domain/trace/symbols.ts";
import type { NameReader } from "#domain/trace/test-names.ts";
import { plainForm } from "#domain/trace/plain-form.ts";
import type { Engine } from "../../engine.ts";

export interface Seen extends TracedSymbol {
  readonly id: TraceId;
  readonly line: number;
  readonly lastLine: number;
}

type Looker = Pick<Engine, "syntax" | "digest">;

export async function seenIn(engine: Looker, path: string, text: string, names: NameReader): Promise<Seen[]> {
  const outline = await engine.syntax.outline(path, text);
  return outline ? carried(engine, path, text, outline, names) : [];
}

export async function seenInAll(
  engine: Looker,
  files: ReadonlyMap<string, string>,
  names: NameReader,
): Promise<ReadonlyMap<string, readonly Seen[]>> {
  async function* texts() {
    for (const [path, text] of files) yield { path, text };
  }
  const found = new Map<string, readonly Seen[]>();
  for await (const { path, outline } of engine.syntax.outlines(texts()))
    if (outline) found.set(path, await carried(engine, path, files.get(path) ?? "", outline, names));
  return found;
}

async function carried(
  engine: Looker,
  path: string,
  text: string,
  outline: Outline,
  names: NameReader,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const { id, role, place, holes } of symbolsIn(outline, isTestPath(path), names)) {
    const hash = await hashOf(engine, { path, text, language: outline.language }, place, holes);
    const [line, lastLine] = place ? [place.line, place.lastLine] : [1, outline.lines];
    seen.push({ id, path, ref: place?.ref ?? "", role, hash, line, lastLine });
  }
  return seen;
}

interface File {
  readonly path: string;
  readonly text: string;
  readonly language: string;
}

/** Uses the syntax tree if possible, else the normalized text. */
async function hashOf(
  engine: Looker,
  { path, text, language }: File,
  place: Place | undefined,
  holes: readonly Place[],
): Promise<string> {
  if (place?.hash !== undefined && holes.length === 0) return place.hash;
  if (place?.hash !== undefined) {
    const rest = await engine.syntax.outline(path, withoutHoles(text, holes));
    const same = rest && placesIn(rest).find((each) => each.line === place.line && each.ref === place.ref);
    return same?.hash ?? place.hash;
  }
  const part = place ? linesOf(text, place) : text;
  const wrapped = place && asFunction(language, part);
  const outline = wrapped === undefined ? undefined : await engine.syntax.outline(path, wrapped);
  const [whole] = outline?.isWhole === true ? outline.components : [];
  if (whole) return whole.hash;
  const comments = (await engine.syntax.look(path, part))?.comments ?? [];
  return engine.digest(plainForm(part, comments)).slice(0, 32);
}

export const linesOf = (text: string, { line, lastLine }: Pick<Seen, "line" | "lastLine">): string =>
  text
    .split("\n")
    .slice(line - 1, lastLine)
    .join("\n");

export async function textsAt(
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
