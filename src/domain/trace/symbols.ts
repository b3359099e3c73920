import { type Component, type Outline, refsOf } from "../indexing/outline.ts";
import { idOfTag, type Role, type TraceId } from "./acceptance.ts";
import type { NameReader } from "./test-names.ts";

/** Something in a file that a tag can be about. */
export interface Place {
  readonly ref: string;
  readonly line: number;
  readonly lastLine: number;
  /** Nothing where the syntax tree gives none: then it is made of its text. */
  readonly hash: string | undefined;
  readonly isTest: boolean;
  readonly isExported: boolean;
  readonly isOutermost: boolean;
}

/** A place that carries a requirement. */
export interface Carrying {
  readonly id: TraceId;
  readonly role: Role;
  /** Nothing where the file itself is meant, because nothing in it has a name. */
  readonly place?: Place;
  /** Places inside of it that carry something by a tag of their own: what they do is theirs to answer for. */
  readonly holes: readonly Place[];
}

type Seen = Pick<Outline, "components" | "tests" | "tags" | "imports">;

/** A tag may stand so many lines above what it is about. */
const ABOVE = 3;

/** Tests first: where a function is a test, it is that. */
export function placesIn({ components, tests }: Pick<Seen, "components" | "tests">): Place[] {
  const named = tests.map(({ name, line, lastLine }) => ({ name, within: "", line, lastLine }));
  const refs = refsOf(named);
  const cases = named.map(({ line, lastLine }, i): Place => {
    const same = components.find((each) => each.line <= line && each.lastLine === lastLine && isAlone(each, tests));
    return {
      ref: same === undefined ? (refs[i] ?? "") : refOf(components, same),
      line: same?.line ?? line,
      lastLine,
      hash: same?.hash,
      isTest: true,
      isExported: false,
      isOutermost: true,
    };
  });
  const taken = new Set(cases.flatMap(({ ref, hash }) => (hash === undefined ? [] : [ref])));
  const own = refsOf(components);
  const others = components.flatMap((each, i): Place[] => {
    const ref = own[i] ?? each.name;
    if (taken.has(ref)) return [];
    const { line, lastLine, hash, isExported, within } = each;
    return [{ ref, line, lastLine, hash, isTest: false, isExported, isOutermost: within === "" }];
  });
  return [...cases, ...others];
}

const refOf = (components: readonly Component[], one: Component): string =>
  refsOf(components)[components.indexOf(one)] ?? one.name;

/** Whether it holds one test and not several. */
const isAlone = (component: Component, tests: Seen["tests"]): boolean =>
  tests.filter(({ line, lastLine }) => component.line <= line && component.lastLine >= lastLine).length === 1;

/**
 * What carries which requirement. A tag is about the innermost place around it, or the next that begins right below it.
 * One at the head of a file stands for what the file gives to others, or for its tests, as far as they have no tag of
 * their own; for the file itself where nothing in it has a name.
 */
export function symbolsIn(outline: Seen, isTestFile: boolean, namedIn: NameReader = () => []): Carrying[] {
  const places = placesIn(outline);
  const named = outline.tests.flatMap(({ name, line }) => namedIn(name).map((said) => ({ ...said, line })));
  const tagged = [...outline.tags, ...named].flatMap(({ line, ...tag }) => {
    const id = idOfTag(tag);
    return id === undefined ? [] : [{ id, place: placeAt(places, line, outline.imports) }];
  });
  const own = new Set(tagged.flatMap(({ place }) => place ?? []));
  const roleOf = (place?: Place): Role => (isTestFile || place?.isTest === true ? "test" : "code");
  const found = tagged.flatMap(({ id, place }): Carrying[] => {
    if (places.length === 0) return [{ id, role: roleOf(), holes: [] }];
    const meant = place ? [place] : atTheHead(places, own, isTestFile);
    return meant.map((each) => ({ id, role: roleOf(each), place: each, holes: holesIn(each, own) }));
  });
  return [...new Map(found.map((each) => [`${each.id} ${each.place?.ref ?? ""} ${each.place?.line}`, each])).values()];
}

function placeAt(places: readonly Place[], line: number, imports: Seen["imports"]): Place | undefined {
  const around = places.filter((each) => each.line <= line && each.lastLine >= line);
  if (around.length > 0) return around.toSorted((a, b) => size(a) - size(b) || Number(b.isTest) - Number(a.isTest))[0];
  const below = places
    .filter((each) => each.line > line && each.line - line <= ABOVE)
    .toSorted((a, b) => a.line - b.line || size(b) - size(a))[0];
  // What the file imports stands between its head and its code.
  const isHead = below !== undefined && imports.some((each) => each.line > line && each.line < below.line);
  return isHead ? undefined : below;
}

const size = ({ line, lastLine }: Place): number => lastLine - line;

function atTheHead(places: readonly Place[], own: ReadonlySet<Place>, isTestFile: boolean): Place[] {
  const kinds = [
    (each: Place) => isTestFile && each.isTest,
    (each: Place) => !each.isTest && each.isOutermost && each.isExported,
    (each: Place) => !each.isTest && each.isOutermost,
  ];
  const all = kinds.map((isKind) => places.filter(isKind)).find((some) => some.length > 0) ?? [];
  return all.filter((each) => !own.has(each));
}

function holesIn(place: Place, own: ReadonlySet<Place>): Place[] {
  const inside = [...own].filter(
    (each) => each !== place && each.line >= place.line && each.lastLine <= place.lastLine && size(each) < size(place),
  );
  return inside.filter((each) => !inside.some((other) => other !== each && isWithin(each, other)));
}

const isWithin = (inner: Place, outer: Place): boolean =>
  inner.line >= outer.line && inner.lastLine <= outer.lastLine && size(inner) < size(outer);

/** The text without what stands in the holes; all lines keep their numbers. */
export function withoutHoles(text: string, holes: readonly Pick<Place, "line" | "lastLine">[]): string {
  if (holes.length === 0) return text;
  const isHole = (line: number): boolean => holes.some((hole) => line >= hole.line && line <= hole.lastLine);
  return text
    .split("\n")
    .map((line, i) => (isHole(i + 1) ? "" : line))
    .join("\n");
}
