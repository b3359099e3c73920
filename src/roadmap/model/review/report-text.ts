const SEVERITY_WORDS: Readonly<Record<string, string>> = {
  critical: "C",
  crit: "C",
  c: "C",
  high: "H",
  h: "H",
  medium: "M",
  moderate: "M",
  med: "M",
  m: "M",
  low: "L",
  l: "L",
};
const EMPTY_TEXT =
  /^(?:no |none|nothing|keine?|n\/?a\b|aucun|ninguno)?(?:further |new |open )?(?:issues?|findings?|notes?|problems?)?(?: (?:were |was )?(?:found|identified|detected|to report|to add))?(?: (?:at|of|with) (?:any |severity |level |critical|high|medium|low|and|or|[, ])+)?$/i;
export const RULE_LINE = /^[\s|:]*(?:[-*_=][\s|:]*){3,}$/;
export const MARKUP = /[*_`"'“”„«»‘’]+/g;
/** Closing words that no report means as a finding. */
export const CLOSING_LINE =
  /^(?:end\b|let me know|please|i hope|hope|thanks?\b|thank you|(?:best|kind|warm|viele|beste|freundliche)[\p{L} ]*(?:regards|wishes|gr(?:ü|ue)(?:ß|ss)e)\b|cheers|danke|merci|gracias|overall|in summary|summary|conclusion|recommendation|(?:totals?|counts?)\b|i recommend|#+ (?:summary|conclusion|recommendations?)\b|everything else\b|[—–]\s*\p{L}[\p{L} .-]{0,30}$)/iu;

/** A report on one line, whose client sent `\n` as two letters. */
export const splitEscapedLines = (text: string): string =>
  /\S\s*[\r\n]\s*\S|^\s*[{[]/.test(text) || !/\\n[A-Z][A-Za-z_ ]{2,}:/.test(text)
    ? text
    : text.replace(/(?:\\r)?\\n/g, "\n");

/** Hyphens and blanks that only look like those of the form. */
export const plainTypography = (text: string): string =>
  text
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/[\u00a0\u202f]/g, " ")
    .replace(/[\u200b\u2060]/g, "");

export const trimMarkup = (text: string): string => text.replace(/^[\s*_`"'“”„«»‘’]+|[\s*_`"'“”„«»‘’]+$/g, "");
export const trimBullet = (text: string): string => text.trim().replace(/^(?:(?:[-*+•–]|\d+[.)])\s+)+/, "");
export const isEmptyText = (text: string): boolean =>
  EMPTY_TEXT.test(
    text
      .replace(/なし|無し|[无無]|[\s.!()*_|–—-]+/g, " ")
      .replace(/ +/g, " ")
      .trim(),
  );

/** The letter of a severity, without brackets, marks and symbols around its name. */
export const readSeverity = (text: string): string | undefined =>
  SEVERITY_WORDS[
    text
      .replace(/\(\w*\d\)/g, "")
      .replace(/\P{L}+/gu, "")
      .toLowerCase()
  ];

/** `src/a.ts, line 3`, `.\src\a.ts:3` and `[src/a.ts](src/a.ts#L3)` in their form. */
export const formatLocation = (text: string): string =>
  text
    .replace(/^\[([^\]]+)\]\([^)]*\)$/, "$1")
    .replace(/^(?:\.\\)?(?:[\w@.-]+\\)+[\w@.-]+(?=[:#]|$)/, (path) => path.replaceAll("\\", "/").replace(/^\.\//, ""))
    .replace(/(?<=\w)[\u2010\u2011](?=\w)/g, "-")
    .replace(/(?:,? \(?lines? |#L)(\d+)(?:\s*[-–]\s*L?(\d+))?\)?$/i, (_, from: string, to?: string) =>
      to === undefined ? `:${from}` : `:${from}-${to}`,
    );

const readLocation = (text: string): string =>
  formatLocation(trimMarkup(formatLocation(text.trim()).replace(/[`"“”„«»]/g, "")));

const LIST_SEPARATOR = /\s*(?:[,&/]|\band\b)\s*/;

/** A field of a row without its markup: `interface, test` are two names, `sdd/steering/tech.md` is `tech.md`. */
export function tidyRowField(name: string, said: string): string {
  const plain = trimMarkup(said);
  if (name === "severity") return readSeverity(said) ?? plain;
  if (name === "location") return readLocation(said);
  if (name === "sources" || name === "agents") return plain.split(LIST_SEPARATOR).join("+");
  if (name === "file") return plain.replace(/^(?:\.\/)?sdd\/steering\//, "");
  return name === "category" ? plain : said.trim();
}

export const escapeField = (text: string): string => text.replace(/(?<!\\)\|/g, "\\|").trim();

/** The cells between bars, without the edges of a table. */
export const splitCells = (said: string): string[] =>
  said
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((part) => part.trim());

/** The only JSON value of a text: in its own fence, or the text from its first bracket to its last. */
export function findJsonValue(text: string): { readonly value: unknown; readonly source: string } | undefined {
  const fenced = [...text.matchAll(/^[ \t]*(?:`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*(?:`{3,}|~{3,})/gm)];
  const inFences = fenced.map(([, inner = ""]) => inner).filter((inner) => /^\s*[{[]/.test(inner));
  const bare = /^[ \t]*(?:\{[\s\S]*\}|\[\s*\{[\s\S]*\])/m.exec(text)?.[0];
  const source = inFences.length === 0 ? bare : inFences.length === 1 ? inFences[0] : undefined;
  if (source === undefined) return undefined;
  try {
    return { value: JSON.parse(source) as unknown, source };
  } catch {
    return undefined;
  }
}
