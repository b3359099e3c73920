import { normalizeSearchTerm } from "#kernel/model/search/search-terms.ts";
import { isTestPath } from "../scan/test-files.ts";
import { splitNameParts } from "../query/code-search-terms.ts";
import { capitalizeText } from "./entity-names.ts";
import { getParentFolder, getScannedFileName } from "./file-selection.ts";
import type { PublicSymbol } from "./public-surface.ts";

/** One thing that the product offers, with the symbols that prove it, most important first. */
export interface Capability {
  readonly title: string;
  readonly symbols: readonly PublicSymbol[];
  readonly tests: readonly string[];
}

const MAX_CAPABILITIES = 28;
const MIN_TERM_GROUP = 2;
const MAX_TERM_GROUP = 14;

interface CapabilityGroup {
  /** From the outside in: folder, file, class. */
  readonly place: readonly string[];
  readonly term?: string;
  readonly symbols: readonly PublicSymbol[];
  readonly weight: number;
}

export function groupCapabilities(
  symbols: readonly PublicSymbol[],
  tests: ReadonlyMap<string, string>,
  most = MAX_CAPABILITIES,
): Capability[] {
  const used = countIdentifierUse(symbols, tests);
  const holders = new Map([...Map.groupBy(symbols, ({ name }) => name)].map(([name, own]) => [name, own.length]));
  // A method or function that many classes or files define does not characterize any of them.
  const weighted = symbols.map((each) => {
    const repeats = isHolderKind(each.kind) ? 1 : (holders.get(each.name) ?? 1);
    return { ...each, weight: (each.weight + (used.get(each.name) ?? 0)) / repeats ** 1.5 };
  });
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
  const byFile = Map.groupBy(weighted, ({ path }) => path);
  const fine = [...byFile].flatMap(([path, own]) => splitFileGroup(path, own, total / most));
  const merged = mergeToBudget(fine, most);
  const areas = Map.groupBy(merged, (group) => formatArea(group));
  return merged.map((group) => createCapability(group, tests, (areas.get(formatArea(group)) ?? []).length === 1));
}

/** Up to 1.5 for a name that many test files use. */
function countIdentifierUse(symbols: readonly PublicSymbol[], tests: ReadonlyMap<string, string>) {
  const wanted = new Set(symbols.map(({ name }) => name));
  const counts = new Map<string, number>();
  for (const text of tests.values())
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g)))
      if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Map([...counts].map(([name, n]) => [name, Math.min(1.5, Math.log2(1 + n) / 2)]));
}

/** Classes with their members, families of classes, names with a word in common, then single functions. */
function splitFileGroup(path: string, symbols: readonly PublicSymbol[], share: number): CapabilityGroup[] {
  const folder = getParentFolder(path);
  const families = groupFamilies(symbols);
  const owners = Map.groupBy(symbols, ({ owner, name, kind }) => {
    const own = owner !== "" ? owner : isHolderKind(kind) ? name : "";
    return families.get(own) ?? own;
  });
  return [...owners].flatMap(([owner, own]) => {
    const place = [folder, path, owner];
    const weight = own.reduce((sum, each) => sum + each.weight, 0);
    if (owner !== "" && (weight < 1.5 * share || own.length < MIN_SPLIT_MEMBERS)) return [createGroup(place, own)];
    const shared = new Set(splitTerms(`${owner} ${describeFileName(path)}`));
    return splitByTerm(own, shared).map(([term, group]) => createGroup(place, group, term));
  });
}

const MIN_SPLIT_MEMBERS = 8;
const ERROR_NAME = /(?:Error|Exception|Warning|Fault)$/;

/** Classes of one file by their family: errors, else the base that at least three share, else a common last word. */
function groupFamilies(symbols: readonly PublicSymbol[]): Map<string, string> {
  const classes = symbols.filter(({ owner, kind }) => owner === "" && isHolderKind(kind));
  const inFile = new Map(classes.map((each) => [each.name, each]));
  const rootOf = ({ name, supertypes }: PublicSymbol, depth = 0): string => {
    if (ERROR_NAME.test(name) || supertypes.some((base) => ERROR_NAME.test(base))) return "errors";
    const [base] = supertypes;
    const above = base === undefined ? undefined : inFile.get(base);
    return above && depth < 9 ? rootOf(above, depth + 1) : (base ?? name);
  };
  const byRoot = Map.groupBy(classes, (each) => rootOf(each));
  const families = [...byRoot].filter(([root, own]) => own.length >= MIN_FAMILY || root === "errors");
  return new Map(families.flatMap(([root, own]) => own.map(({ name }): [string, string] => [name, root])));
}

const MIN_FAMILY = 3;

const isHolderKind = (kind: string): boolean => /^(?:class|interface|type)$/.test(kind);

const WEAK_TERMS = new Set(
  "get set is has add make creat new to from with init default on do run of for the and all by in at as use not no type name valu up can into a an remov updat find handl process".split(
    " ",
  ),
);

const splitTerms = (name: string): string[] =>
  splitNameParts(name)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1)
    .map(normalizeSearchTerm);

function splitByTerm(
  symbols: readonly PublicSymbol[],
  shared: ReadonlySet<string>,
): [string | undefined, PublicSymbol[]][] {
  const terms = new Map(
    symbols.map((each) => [
      each,
      new Set(splitTerms(each.name).filter((term) => !shared.has(term) && !WEAK_TERMS.has(term))),
    ]),
  );
  let open = [...symbols];
  const groups: [string | undefined, PublicSymbol[]][] = [];
  for (;;) {
    const counts = new Map<string, number>();
    for (const each of open) for (const term of terms.get(each) ?? []) counts.set(term, (counts.get(term) ?? 0) + 1);
    const [best] = [...counts]
      .filter(([, n]) => n >= MIN_TERM_GROUP && n <= MAX_TERM_GROUP)
      .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    if (!best) break;
    const [term] = best;
    groups.push([term, open.filter((each) => terms.get(each)?.has(term))]);
    open = open.filter((each) => terms.get(each)?.has(term) !== true);
  }
  return [...groups, ...open.map((each): [undefined, PublicSymbol[]] => [undefined, [each]])];
}

function createGroup(place: readonly string[], symbols: readonly PublicSymbol[], term?: string): CapabilityGroup {
  const sorted = symbols.toSorted((one, other) => other.weight - one.weight || one.line - other.line);
  const weight = sorted.reduce((sum, each, i) => sum + each.weight / (1 + i / 2), 0);
  return { place, symbols: sorted, weight, ...(term === undefined ? {} : { term }) };
}

/**
 * Joins the lightest group with a neighbour of the same class, else file, else folder: the one that shares the rarest word
 * with it, else the lightest.
 */
function mergeToBudget(groups: readonly CapabilityGroup[], most: number): CapabilityGroup[] {
  const open = [...groups];
  const words = new Map(groups.map((group) => [group, listGroupWords(group)]));
  const uses = new Map<string, number>();
  for (const own of words.values()) for (const word of own) uses.set(word, (uses.get(word) ?? 0) + 1);
  const rateNearness = (one: CapabilityGroup, other: CapabilityGroup): number => {
    const theirs = words.get(other) ?? new Set();
    const shared = [...(words.get(one) ?? [])].filter((word) => theirs.has(word));
    return Math.max(0, ...shared.map((word) => 1 / (uses.get(word) ?? 1)));
  };
  const target = Math.min(most, Math.max(5, Math.ceil(groups.length * 0.6)));
  while (open.length > 1) {
    open.sort((one, other) => one.weight - other.weight);
    const [light] = open;
    if (!light || (open.length <= target && light.weight >= MIN_CAPABILITY_WEIGHT)) break;
    const depth = [3, 2, 1, 0].find((n) => open.some((each) => each !== light && isSamePlace(each, light, n))) ?? 0;
    const around = open.filter((each) => each !== light && isSamePlace(each, light, depth));
    const [near] = around.toSorted((one, other) => rateNearness(light, other) - rateNearness(light, one));
    if (!near) break;
    if (depth === 0 && open.length <= target) break;
    open.splice(open.indexOf(near), 1);
    const place = light.place.slice(0, depth);
    const heavy = near.weight >= light.weight ? near : light;
    const keepsTerm = depth === heavy.place.length && light.weight < heavy.weight / 3;
    const joined = createGroup(place, [...near.symbols, ...light.symbols], keepsTerm ? heavy.term : undefined);
    words.set(joined, new Set([...(words.get(near) ?? []), ...(words.get(light) ?? [])]));
    open[0] = joined;
  }
  return open.toSorted((one, other) => other.weight - one.weight);
}

/** Words of its classes and functions. Those of the folder say nothing about neighbours. */
function listGroupWords({ place, symbols }: CapabilityGroup): Set<string> {
  const shared = new Set(splitTerms(getScannedFileName(place[0] ?? "")));
  const tops = symbols.filter(({ owner }) => owner === "");
  const names = (tops.length > 0 ? tops : symbols).map(({ name }) => name);
  return new Set(names.flatMap(splitTerms).filter((term) => !shared.has(term) && !WEAK_TERMS.has(term)));
}

const MIN_CAPABILITY_WEIGHT = 1.2;

const isSamePlace = (one: CapabilityGroup, other: CapabilityGroup, depth: number): boolean =>
  one.place.length >= depth &&
  other.place.length >= depth &&
  one.place.slice(0, depth).every((part, i) => part === other.place[i]);

const MAX_CAPABILITY_TESTS = 3;

function createCapability(group: CapabilityGroup, tests: ReadonlyMap<string, string>, isAlone: boolean): Capability {
  const title = capitalizeText(formatCapabilityTitle(group, isAlone));
  return { title, symbols: group.symbols, tests: findCoveringTests(group, tests) };
}

const describeFileName = (path: string): string => {
  const name = getScannedFileName(path).replace(/(?:\.d)?\.\w+$/, "");
  return /^(?:index|mod|lib|__init__|main)$/.test(name) ? describeFolder(getParentFolder(path)) || name : name;
};

/** `packages/git/src` is `git`. */
const describeFolder = (folder: string): string =>
  folder
    .split("/")
    .findLast((part) => !/^(?:src|lib|source|main|dist|packages?|crates|internal|java|kotlin|)$/.test(part)) ?? "";

const formatWords = (name: string): string =>
  splitNameParts(name.replaceAll(/[-.~]/g, " ")).replace(/\s+/g, " ").trim().toLowerCase();

/** `module.exports = {…}` and its usual aliases. */
export const UNNAMED_OWNER = /^(?:default|exports|proto(?:type)?)$/;

/** The class, else the file, else the folder. `res` in `response.js` is the file. */
function formatArea({ place, symbols }: CapabilityGroup): string {
  const [folder = "", path, owner = ""] = place;
  if (path === undefined) return formatWords(describeFolder(folder));
  const file = formatWords(describeFileName(path));
  const own = owner.slice(owner.lastIndexOf(".") + 1);
  const last = UNNAMED_OWNER.test(own) ? "" : formatWords(own);
  if (owner === "errors") return file.endsWith("s") ? file : "errors";
  return last === "" || place.length < 3 || file.startsWith(last) || symbols.length === 0 ? file : last;
}

function formatCapabilityTitle(group: CapabilityGroup, isAlone: boolean): string {
  const { symbols, term } = group;
  const [first, second] = symbols.filter(({ kind }) => !/^(?:type|interface)$/.test(kind) || symbols.length === 1);
  const area = formatArea(group);
  if (isAlone && symbols.length > 1 && area !== "") return area;
  const common = findCommonWord(symbols);
  if (term === undefined && common !== undefined && common !== normalizeSearchTerm(area))
    return area.split(" ").map(normalizeSearchTerm).includes(common)
      ? area
      : joinArea(area, spellTerm(symbols, common));
  const word = term === undefined ? undefined : spellTerm(symbols, term);
  const names =
    word ?? [...new Set([first, second].flatMap((each) => (each ? formatWords(each.name) : [])))].join(", ");
  return joinArea(area, names) || formatWords(symbols[0]?.name ?? "");
}

const joinArea = (area: string, names: string): string =>
  names === area || area === "" ? names : names === "" ? area : `${area}: ${names}`;

const spellTerm = (symbols: readonly PublicSymbol[], term: string): string =>
  symbols.flatMap(({ name }) => formatWords(name).split(" ")).find((each) => normalizeSearchTerm(each) === term) ??
  term;

/** A word that most of its classes and functions have in their names. */
function findCommonWord(symbols: readonly PublicSymbol[]): string | undefined {
  const tops = symbols.filter(({ owner }) => owner === "");
  if (tops.length < MIN_COMMON) return undefined;
  const counts = Map.groupBy(
    tops.flatMap(({ name }) => [...new Set(splitTerms(name))].filter((term) => !WEAK_TERMS.has(term))),
    (term) => term,
  );
  const [best] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return best !== undefined && best[1].length >= COMMON_SHARE * tops.length ? best[0] : undefined;
}

const MIN_COMMON = 3;
const COMMON_SHARE = 0.7;

/** Tests named for the subject, then tests that use most of its symbols. */
function findCoveringTests({ symbols }: CapabilityGroup, tests: ReadonlyMap<string, string>): string[] {
  const names = symbols.slice(0, 12).map(({ name }) => name);
  const subjects = new Set(
    [...names, ...symbols.map(({ path }) => describeFileName(path))].map((name) =>
      formatWords(name).replaceAll(" ", ""),
    ),
  );
  const scored = [...tests].flatMap(([path, text]) => {
    if (!isTestPath(path)) return [];
    const hits = names.filter((name) =>
      new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(text),
    ).length;
    const stem = formatWords(
      describeFileName(path).replace(/^test_|_?tests?$|\.test$|\.spec$|_spec$|Tests?$/g, ""),
    ).replaceAll(" ", "");
    const isNamed = [...subjects].some((subject) => subject.length > 2 && (stem === subject || stem.endsWith(subject)));
    const score = hits / names.length + (isNamed && hits > 0 ? 1 : 0);
    return hits > 0 ? [{ path, score }] : [];
  });
  return scored
    .toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
    .slice(0, MAX_CAPABILITY_TESTS)
    .map(({ path }) => path);
}
