import type { ComponentKind } from "../index/code-outline.ts";
import { extractFirstParagraph, MAX_SUMMARY_LENGTH, formatOneLine, truncateSummary } from "./summary-text.ts";

export interface SummarySubject {
  readonly kind: ComponentKind | "file" | "spec" | "doc";
  readonly name: string;
  readonly within?: string;
  readonly signature?: string;
  /** A doc comment, or the text of a spec or a section. */
  readonly doc?: string;
  readonly language?: string;
  readonly members?: readonly string[];
}

export interface SummaryRecord {
  readonly text: string;
  readonly hash: string;
  readonly source: "model" | "agent" | "manual";
}

/**
 * A manual summary wins. A summary by a model or agent counts while the subject is unchanged. Otherwise derives one
 * from the subject itself: its doc comment or signature.
 */
export function chooseSummary(
  subject: SummarySubject & { readonly hash: string },
  kept?: SummaryRecord,
): { readonly text: string; readonly source: SummaryRecord["source"] | "itself" } {
  const holds = kept !== undefined && (kept.source === "manual" || kept.hash === computeSubjectVersion(subject));
  return holds ? { text: kept.text, source: kept.source } : { text: deriveSummary(subject), source: "itself" };
}

/**
 * A different version makes a stored summary stale. It includes the doc comment, which the hash of a component ignores.
 */
export const computeSubjectVersion = ({
  kind,
  hash,
  doc = "",
}: Pick<SummarySubject, "kind" | "doc"> & { readonly hash: string }): string =>
  kind === "file" || kind === "spec" || kind === "doc" ? hash : `${hash}.${computeFnvChecksum(doc)}`;

/** FNV-1a. It only detects changed doc comments, so collisions are harmless. */
function computeFnvChecksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/** Summarizes without a model. Never empty. */
export function deriveSummary(subject: SummarySubject): string {
  const words = extractFirstParagraph(subject.doc ?? "");
  const isTitled = subject.kind === "spec" || subject.kind === "doc";
  if (words === "") return truncateSummary(isTitled ? formatSubjectTitle(subject) : describeSubject(subject));
  return truncateSummary(
    isTitled && !words.startsWith(subject.name) ? `${formatSubjectTitle(subject)}: ${words}` : words,
  );
}

const MAX_NAMED_MEMBERS = 5;

const formatSubjectTitle = ({ name, kind }: SummarySubject): string =>
  formatOneLine(name).replace(/[\s:.]+$/, "") || formatKindLabel(kind);

/** `Function`, `Class`; a document is indexed by section. */
const formatKindLabel = (kind: SummarySubject["kind"]): string =>
  kind === "doc" ? "Section" : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;

function describeSubject(subject: SummarySubject): string {
  switch (subject.kind) {
    case "function":
    case "method":
      return describeCallable(subject);
    case "file":
      return `${formatLanguageName(subject)}${formatMemberNames(subject) || ` in ${quoteCodeSpan(subject.name)}`}.`;
    case "constant":
    case "type":
      return describeNamedValue(subject);
    case "class":
    case "doc":
    case "interface":
    case "module":
    case "route":
    case "spec":
      return `${formatNamedKind(subject)}${formatMemberNames(subject)}.`;
  }
}

/** Tries all parameters, then the first three, then none. */
function describeCallable({ kind, name, within = "", signature = "" }: SummarySubject): string {
  const { takes, gives } = parseCallSignature(signature, name);
  const forms = [takes, takes && [...takes.slice(0, 3), "…"], takes && ["…"]].map((names) => {
    const call = formatNamedKind({ kind, name: names ? `${name}(${names.join(", ")})` : name, within });
    return `${call}${gives === undefined ? "" : `: gives ${quoteCodeSpan(gives)}`}.`;
  });
  return forms.find((form) => Array.from(form).length <= MAX_SUMMARY_LENGTH) ?? `${formatNamedKind({ kind, name })}.`;
}

function describeNamedValue({ kind, name, within = "", signature = "" }: SummarySubject): string {
  const at = signature.indexOf(name);
  const behind = at === -1 ? "" : signature.slice(at + name.length);
  const value = formatOneLine(
    /(?:^|[^=!<>])=(?![=>])\s*(.+)$/s.exec(behind)?.[1] ?? /^\s*:\s*(.+)$/s.exec(behind)?.[1] ?? "",
  );
  const whole = formatNamedKind({ kind, name, within });
  return value === "" ? `${whole}.` : `${whole}: ${quoteCodeSpan(value.replace(/;$/, ""))}.`;
}

const formatNamedKind = ({ kind, name, within = "" }: Pick<SummarySubject, "kind" | "name" | "within">): string =>
  `${formatKindLabel(kind)} ${quoteCodeSpan(name)}${within === "" ? "" : ` of ${quoteCodeSpan(within)}`}`;

function formatMemberNames({ members = [] }: SummarySubject): string {
  if (members.length === 0) return "";
  const more = members.length - MAX_NAMED_MEMBERS;
  const named = members.slice(0, more > 0 ? MAX_NAMED_MEMBERS : members.length).map(quoteCodeSpan);
  return ` with ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

const formatLanguageName = ({ language = "" }: SummarySubject): string =>
  language === "" ? "File" : `${language.charAt(0).toUpperCase()}${language.slice(1)}`;

const quoteCodeSpan = (text: string): string => `\`${formatOneLine(text).replaceAll("`", "'")}\``;

const EMPTY_RESULT_TYPE = /^(?:void|None|\(\)|undefined|Unit|Promise<void>|Task)$/;
const LEADING_MODIFIER =
  /^(?:export|default|declare|public|protected|private|internal|static|final|abstract|virtual|override|sealed|async|extern|inline|constexpr|const|unsafe|synchronized|native|partial|readonly|pub(?:\([^()]*\))?|template\s*<[^<>]*>|\[\[[^\]]*\]\]|@\w+(?:\([^()]*\))?)\s+/;
const DECLARATION_KEYWORD = /^(?:function\*?|func|fn|def|fun|sub|get|set|class|async|new)$/;

/** `takes`: parameter names; missing without a parameter list. */
function parseCallSignature(signature: string, name: string): { takes?: string[]; gives?: string } {
  const open = findParameterList(signature, name);
  if (open === undefined) return {};
  const close = findClosingBracket(signature, open);
  if (close === undefined) return {};
  // Go is the only language with `func` where the type follows the name without a separator.
  const isGo = /^func\b/.test(signature);
  const takes = splitOutsideBrackets(signature.slice(open + 1, close), ",").flatMap(
    (each) => parseParameterName(each, isGo) ?? [],
  );
  const gives = parseResultType(signature, name, close);
  return { takes, ...(gives === undefined || EMPTY_RESULT_TYPE.test(gives) ? {} : { gives }) };
}

/** The list follows the name, its type parameters, or the `=` of an arrow function. */
function findParameterList(signature: string, name: string): number | undefined {
  const at = findNameOffset(signature, name);
  if (at === undefined) return undefined;
  let next = skipWhitespace(signature, at + name.length);
  if (signature[next] === "?" || signature[next] === "!") next = skipWhitespace(signature, next + 1);
  if (signature[next] === "<" || (signature[next] === "[" && /^func\b/.test(signature))) {
    next = skipWhitespace(signature, (findClosingBracket(signature, next) ?? next) + 1);
  }
  if (signature[next] === "(") return next;
  const arrow = /^\s*(?::[^=]+)?=\s*(?:async\s+)?(?:function\s*\*?\s*\w*\s*)?(?:<[^<>]*>\s*)?\(/.exec(
    signature.slice(next),
  );
  return arrow ? next + arrow[0].length - 1 : undefined;
}

/** Finds the name as a whole word outside brackets; a receiver may precede it: `func (s *Session) Login`. */
function findNameOffset(signature: string, name: string): number | undefined {
  if (name === "") return undefined;
  for (let at = signature.indexOf(name); at !== -1; at = signature.indexOf(name, at + 1)) {
    const [before, after] = [signature[at - 1] ?? " ", signature[at + name.length] ?? " "];
    if (!/[\w$]/.test(before) && !/[\w$]/.test(after) && isOutsideBrackets(signature.slice(0, at))) return at;
  }
  return undefined;
}

const isOutsideBrackets = (before: string): boolean =>
  ["()", "[]", "{}"].every((pair) => countCharacter(before, pair.charAt(0)) === countCharacter(before, pair.charAt(1)));

const countCharacter = (text: string, sign: string): number => text.split(sign).length - 1;

const skipWhitespace = (text: string, from: number): number => from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);

const BRACKET_PAIRS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** An arrow does not close a bracket. */
function findClosingBracket(text: string, from: number): number | undefined {
  const open: string[] = [];
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? "";
    const isArrow = sign === ">" && /[=-]/.test(text[at - 1] ?? "");
    if (BRACKET_PAIRS[sign] !== undefined && !(sign === "<" && /[\s=<]/.test(text[at + 1] ?? " ")))
      open.push(BRACKET_PAIRS[sign]);
    else if (!isArrow && sign === open.at(-1)) open.pop();
    if (open.length === 0) return at;
  }
  return undefined;
}

function splitOutsideBrackets(text: string, at: string): string[] {
  const parts: string[] = [""];
  for (let i = 0; i < text.length; i++) {
    const end = BRACKET_PAIRS[text[i] ?? ""] === undefined ? undefined : findClosingBracket(text, i);
    if (end !== undefined) {
      parts[parts.length - 1] += text.slice(i, end + 1);
      i = end;
    } else if (text[i] === at) parts.push("");
    else parts[parts.length - 1] += text[i] ?? "";
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** `token: string = ""`, `const char *token`, `string $token`, `token string`, `&self`. */
function parseParameterName(taken: string, isGo: boolean): string | undefined {
  const bare = splitOutsideBrackets(taken, "=")[0] ?? taken;
  if (/^(?:self|cls|this|&?(?:'\w+ )?(?:mut )?self(?:\s*:.*)?|void|\*|\/)$/.test(bare)) return undefined;
  if (/^[{[]/.test(bare)) return "…";
  const php = /(?:\.\.\.)?(\$\w+)/.exec(bare);
  if (php) return php[1];
  const typed =
    /^(?:(?:public|private|protected|readonly|mut|ref|in|out|params|vararg)\s+)*(\.{3}|\*{0,2}|&)?([\w$]+)[?!]?\s*(?::(?!:)|$)/.exec(
      bare,
    );
  if (typed) return `${typed[1] === "..." || typed[1]?.startsWith("*") ? typed[1] : ""}${typed[2] ?? ""}`;
  const words = bare.match(/[\w$]+/g) ?? [];
  return isGo ? words[0] : words.at(-1);
}

function parseResultType(signature: string, name: string, close: number): string | undefined {
  const rest = signature
    .slice(close + 1)
    .replace(/\s*(?:=>|\{|\bwhere\b|\bthrows\b|\bnoexcept\b).*$/s, "")
    .trim()
    .replace(/[;:]$/, "")
    .trim();
  const said = /^(?::|->)\s*(.+)$/s.exec(rest)?.[1];
  if (said !== undefined) return normalizeTypeText(said);
  if (/^func\b/.test(signature) && rest !== "") return normalizeTypeText(rest);
  const before = stripModifiers(signature.slice(0, findNameOffset(signature, name) ?? 0)).trim();
  return before === "" || /[=.]$/.test(before) || before.split(/\s+/).some((word) => DECLARATION_KEYWORD.test(word))
    ? undefined
    : normalizeTypeText(before.replace(/\s*(?:\w+(?:<[^<>]*>)?::)+$/, ""));
}

function stripModifiers(text: string): string {
  const shorter = text.replace(LEADING_MODIFIER, "");
  return shorter === text ? text : stripModifiers(shorter);
}

function normalizeTypeText(type: string): string | undefined {
  const text = type.replace(/\s+/g, " ").trim();
  return text === "" ? undefined : text;
}
