import { idsIn, isFeature, type Said, storiesIn } from "../scan/tags.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Splits between cases, around digits, and after an abbreviation: `AUTH001Refuses`. */
const SEAM = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/;
const LONGEST = 8;
const NUMBER = /^[0-9]{1,4}$/;

export type NameReader = (name: string) => Said[];

/**
 * Reads ids from test names. Only existing ids count, because `UTF-008` and `ISO-8601` look like ids too. A sentence
 * uses the normal spelling; an identifier may use `test_auth_001_ac_2` or `TestAUTH001_AC2`.
 */
export function readerOfNames(known: Iterable<string>): NameReader {
  // Feature names are plain words that test names contain by chance. Only their criteria count.
  const all = [...known];
  const ids = new Set(all.filter((id) => !isFeature(id)));
  const features = new Set(all.filter(isFeature));
  const byTokens = new Map([...ids].map((id) => [keyOf(tokensOf(id.replace("-", "_"))), id]));
  return (name) => {
    const found: Said[] = [];
    for (const part of name.split(" > ")) {
      const [outer, second] = [...new Set(found.map(({ spec }) => spec))];
      const around = second === undefined ? outer : undefined;
      const own = IDENTIFIER.test(part) ? inIdentifier(part, byTokens, around) : inSentence(part, ids, around);
      found.push(...own);
    }
    const stories = features.size === 0 ? [] : storiesIn(name).filter(({ spec }) => features.has(spec));
    return unique([...found, ...stories]);
  };
}

const LEADING = /^[^A-Za-z0-9]*(?=AC-[0-9])/;

/** `AUTH-001 AC-2: refuses`. In a suite that names one spec, `AC-2: refuses` is enough. */
function inSentence(text: string, ids: ReadonlySet<string>, around: string | undefined): Said[] {
  const said = idsIn(around === undefined ? text : text.replace(LEADING, `${around}.`));
  return said.filter(({ spec }) => ids.has(spec));
}

interface Token {
  readonly text: string;
  readonly isJoined: boolean;
}

const tokensOf = (name: string): Token[] =>
  name
    .split(/[_$]+/)
    .flatMap((word) => word.split(SEAM).flatMap((text, i) => (text === "" ? [] : [{ text, isJoined: i > 0 }])));

const keyOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text.toLowerCase()).join(" ");

function inIdentifier(name: string, known: ReadonlyMap<string, string>, around: string | undefined): Said[] {
  const tokens = tokensOf(name);
  const found: Said[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const id = idAt(tokens, at, known);
    if (id) found.push(...withCriteria(id.spec, tokens, at + id.length));
  }
  if (found.length > 0 || around === undefined) return found;
  const first = /^tests?$/i.test(tokens[0]?.text ?? "") ? 1 : 0;
  return withCriteria(around, tokens, first).filter(({ criterion }) => criterion !== undefined);
}

function idAt(tokens: readonly Token[], at: number, known: ReadonlyMap<string, string>) {
  if (!mayBegin(tokens, at)) return undefined;
  for (let length = LONGEST; length >= 2; length--) {
    const spec = at + length <= tokens.length ? known.get(keyOf(tokens.slice(at, at + length))) : undefined;
    if (spec !== undefined && mayEnd(tokens, at + length)) return { spec, length };
  }
  return undefined;
}

/** `XAuth001` may mean `XAUTH-001`, and `2auth_001` may mean anything. */
function mayBegin(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at]?.isJoined === true ? tokens[at - 1] : undefined;
  return before === undefined || /^[A-Za-z]{2,}$/.test(before.text);
}

/** `auth_001_2` and `auth_001x` mean different ids. */
function mayEnd(tokens: readonly Token[], end: number): boolean {
  const next = tokens[end];
  return next === undefined || (!/^[0-9]/.test(next.text) && (!next.isJoined || /^[A-Z]/.test(next.text)));
}

function withCriteria(spec: string, tokens: readonly Token[], from: number): Said[] {
  const found: Said[] = [];
  for (let at = from; /^ac$/i.test(tokens[at]?.text ?? ""); at += 2) {
    const number = tokens[at + 1]?.text ?? "";
    if (!NUMBER.test(number) || !mayEnd(tokens, at + 2)) break;
    found.push({ spec, criterion: `AC-${number}` });
  }
  return found.length > 0 ? found : [{ spec }];
}

function unique(said: readonly Said[]): Said[] {
  const named = new Map(said.map((each) => [`${each.spec}.${each.criterion ?? ""}`, each]));
  const precise = new Set(said.filter(({ criterion }) => criterion !== undefined).map(({ spec }) => spec));
  return [...named.values()].filter(({ spec, criterion }) => criterion !== undefined || !precise.has(spec));
}
