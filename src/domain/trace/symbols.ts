import { type Component, type Outline, refsOf } from "../indexing/outline.ts";
import { idOfTag, type Role, type TraceId } from "./acceptance.ts";
import type { NameReader } from "./test-names.ts";

export interface Place {
  readonly ref: string;
  readonly line: number;
  readonly lastLine: number;
  /** Missing if the syntax tree has none. Then the text is hashed. */
  readonly hash: string | undefined;
  readonly isTest: boolean;
  readonly isExported: boolean;
  readonly isOutermost: boolean;
}

export interface Carrying {
  readonly id: TraceId;
  readonly role: Role;
  /** Missing if the tag covers the whole file, because nothing in it has a name. */
  readonly place?: Place;
  /** Nested spans with their own tags. Their code does not count here. */
  readonly holes: readonly Place[];
}

type Seen = Pick<Outline, "components" | "tests" | "tags" | "imports">;

const ABOVE = 3;

/** Tests come first: a function that is a test counts as a test. */
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

const isAlone = (component: Component, tests: Seen["tests"]): boolean =>
  tests.filter(({ line, lastLine }) => component.line <= line && component.lastLine >= lastLine).length === 1;

/**
 * A tag belongs to the innermost span around it, or to the next one right below. A tag at the head of a file covers its
 * exports, or its tests, unless they have their own tag. In a file without named parts it covers the file.
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
  // A tag above the imports belongs to the file.
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

export function withoutHoles(text: string, holes: readonly Pick<Place, "line" | "lastLine">[]): string {
  if (holes.length === 0) return text;
  const isHole = (line: number): boolean => holes.some((hole) => line >= hole.line && line <= hole.lastLine);
  return text
    .split("\n")
    .map((line, i) => (isHole(i + 1) ? "" : line))
    .join("\n");
}
