import { findNamedSpecIds, isFeatureTag, type TagTarget, findStoryCriteria, formatTagName } from "../scan/spec-tags.ts";

const TEST_IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Splits between cases, around digits, and after an abbreviation: `AUTH001Refuses`. */
const ID_TOKEN_BOUNDARY =
  /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])/;
const MAX_ID_TOKENS = 8;
const CRITERION_NUMBER = /^[0-9]{1,4}$/;

export type TestNameReader = (name: string) => TagTarget[];

/** Only existing ids count, because `UTF-008` looks like one. An identifier may use `test_auth_001_ac_2`. */
export function createTestNameReader(known: Iterable<string>): TestNameReader {
  // Feature names are plain words that test names contain by chance. Only their criteria count.
  const all = [...known];
  const ids = new Set(all.filter((id) => !isFeatureTag(id)));
  const features = new Set(all.filter(isFeatureTag));
  const byTokens = new Map([...ids].map((id) => [formatTokenKey(tokenizeTestName(id.replace("-", "_"))), id]));
  return (name) => {
    const found: TagTarget[] = [];
    for (const part of name.split(" > ")) {
      const [outer, second] = [...new Set(found.map(({ spec }) => spec))];
      const around = second === undefined ? outer : undefined;
      if (TEST_IDENTIFIER.test(part)) found.push(...findIdentifierIds(part, byTokens, around));
      else {
        // In a suite that names one spec, `AC-2: refuses` is enough.
        const text = around === undefined ? part : part.replace(LEADING_CRITERION, `${around}.`);
        found.push(...findNamedSpecIds(text).filter(({ spec }) => ids.has(spec)));
      }
    }
    const stories = features.size === 0 ? [] : findStoryCriteria(name).filter(({ spec }) => features.has(spec));
    const named = new Map([...found, ...stories].map((each) => [formatTagName(each), each]));
    const precise = new Set(
      [...named.values()].flatMap(({ spec, criterion }) => (criterion === undefined ? [] : [spec])),
    );
    return [...named.values()].filter(({ spec, criterion }) => criterion !== undefined || !precise.has(spec));
  };
}

const LEADING_CRITERION = /^[^A-Za-z0-9]*(?=AC-[0-9])/;

type NameToken = Readonly<{ text: string; isJoined: boolean }>;

const tokenizeTestName = (name: string): NameToken[] =>
  name.split(/[_$]+/).flatMap((word) => {
    const parts = word.split(ID_TOKEN_BOUNDARY).map((text, i) => ({ text, isJoined: i > 0 }));
    return parts.filter(({ text }) => text !== "");
  });

const formatTokenKey = (tokens: readonly NameToken[]): string => tokens.map(({ text }) => text.toLowerCase()).join(" ");

function findIdentifierIds(name: string, known: ReadonlyMap<string, string>, around: string | undefined): TagTarget[] {
  const tokens = tokenizeTestName(name);
  const found: TagTarget[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const id = matchIdTokens(tokens, at, known);
    if (id) found.push(...parseTokenCriteria(id.spec, tokens, at + id.length));
  }
  if (found.length > 0 || around === undefined) return found;
  const first = /^tests?$/i.test(tokens[0]?.text ?? "") ? 1 : 0;
  return parseTokenCriteria(around, tokens, first).filter(({ criterion }) => criterion !== undefined);
}

/** `XAuth001` may mean `XAUTH-001`, and `2auth_001` may mean anything. */
function matchIdTokens(tokens: readonly NameToken[], at: number, known: ReadonlyMap<string, string>) {
  const before = tokens[at]?.isJoined === true ? tokens[at - 1] : undefined;
  const canBegin = before === undefined || /^[A-Za-z]{2,}$/.test(before.text);
  for (let length = canBegin ? MAX_ID_TOKENS : 0; length >= 2; length--) {
    const spec = at + length <= tokens.length ? known.get(formatTokenKey(tokens.slice(at, at + length))) : undefined;
    if (spec !== undefined && canEndId(tokens, at + length)) return { spec, length };
  }
  return undefined;
}

/** `auth_001_2` and `auth_001x` mean different ids. */
function canEndId(tokens: readonly NameToken[], end: number): boolean {
  const next = tokens[end];
  return next === undefined || (!/^[0-9]/.test(next.text) && (!next.isJoined || /^[A-Z]/.test(next.text)));
}

function parseTokenCriteria(spec: string, tokens: readonly NameToken[], from: number): TagTarget[] {
  const found: TagTarget[] = [];
  for (let at = from; /^ac$/i.test(tokens[at]?.text ?? ""); at += 2) {
    const number = tokens[at + 1]?.text ?? "";
    if (!CRITERION_NUMBER.test(number) || !canEndId(tokens, at + 2)) break;
    found.push({ spec, criterion: `AC-${number}` });
  }
  return found.length > 0 ? found : [{ spec }];
}

type CommitMessage = Readonly<{ subject: string; trailers: string }>;

const NON_SPEC_TRAILER = /^(?:[\w-]+-by|change-id|git-[\w-]+|cc)\s*[:=]/i;
/** Names of standards look like ids and occur in many subjects. */
const STANDARD_NAME = /^(?:AES|ANSI|CVE|CWE|ECMA|EN|FIPS|HTTP|IEC|IEEE|ISO|MD|PEP|RFC|RSA|SHA|TLS|UTF|WCAG)-/;
const COMMIT_SCOPE = /^[a-z]+\(([^()]*)\)!?:/i;

/** From the scope, the subject and the trailers. Ignores the body, which may mention any id. */
export function parseCommitIds({ subject, trailers }: CommitMessage): TagTarget[] {
  const scope = COMMIT_SCOPE.exec(subject)?.[1] ?? "";
  const named = trailers.split("\n").filter((line) => !NON_SPEC_TRAILER.test(line));
  const rest = findNamedSpecIds(subject).filter(({ spec }) => !STANDARD_NAME.test(spec));
  const all = [
    ...findNamedSpecIds(scope),
    ...rest,
    ...named.flatMap((line) => findNamedSpecIds(line.replace(/^[^:=]*[:=]/, ""))),
  ];
  return [...new Map(all.map((said) => [formatTagName(said), said])).values()];
}

export const listCommitSpecs = (message: CommitMessage): string[] => [
  ...new Set(parseCommitIds(message).map(({ spec }) => spec)),
];

/** Emphasis may surround an id. A letter, a digit or a hyphen makes it a different word. */
const SPEC_ID_MENTION = /(?<![A-Za-z0-9-]_{0,2})[A-Z][A-Z0-9]{0,31}-[0-9]{3,6}(?!_*[A-Za-z0-9]|-\w)/g;

export function findSpecIdMentions(text: string, isKnown: (id: string) => boolean): { id: string; line: number }[] {
  const found = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries())
    for (const [id] of line.matchAll(SPEC_ID_MENTION)) if (!found.has(id) && isKnown(id)) found.set(id, at + 1);
  return [...found].map(([id, line]) => ({ id, line }));
}
