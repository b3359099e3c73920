import type { ComponentKind } from "../index/code-outline.ts";
import { extractFirstParagraph, MAX_SUMMARY_LENGTH, formatOneLine, truncateSummary } from "./summary-text.ts";
import { capitalizeText } from "../survey/entity-names.ts";

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

export type SummaryRecord = Readonly<{ text: string; hash: string; source: "model" | "agent" | "manual" }>;

/** A manual summary wins; one by a model or agent counts while the subject is unchanged. */
export function chooseSummary(subject: SummarySubject & { readonly hash: string }, kept?: SummaryRecord) {
  const holds = kept !== undefined && (kept.source === "manual" || kept.hash === computeSubjectVersion(subject));
  return holds ? { text: kept.text, source: kept.source } : { text: deriveSummary(subject), source: "itself" as const };
}

/** Includes the doc comment, which a component's hash ignores. Collisions of FNV-1a are harmless here. */
export function computeSubjectVersion({
  kind,
  hash,
  doc = "",
}: Pick<SummarySubject, "kind" | "doc"> & { hash: string }) {
  if (kind === "file" || kind === "spec" || kind === "doc") return hash;
  let sum = 0x811c9dc5;
  for (let i = 0; i < doc.length; i++) sum = Math.imul(sum ^ doc.charCodeAt(i), 0x01000193);
  return `${hash}.${(sum >>> 0).toString(16).padStart(8, "0")}`;
}

/** Summarizes without a model. Never empty. */
export function deriveSummary(subject: SummarySubject): string {
  const { kind, doc = "" } = subject;
  const isFieldList = kind === "spec" && doc.startsWith("schema_version: ");
  if (isFieldList) return truncateSummary(readSpecSummary(doc) ?? formatSubjectTitle(subject));
  const words = extractFirstParagraph(kind === "doc" ? doc.replaceAll(/<!--[^]*?-->/g, "") : doc);
  const isTitled = subject.kind === "spec" || subject.kind === "doc";
  if (words === "") return truncateSummary(isTitled ? formatSubjectTitle(subject) : describeSubject(subject));
  return truncateSummary(
    isTitled && !words.startsWith(subject.name) ? `${formatSubjectTitle(subject)}: ${words}` : words,
  );
}

/** A spec is indexed as its fields, one after another: `summary: …`. A text may have several lines. */
function readSpecSummary(fields: string): string | undefined {
  for (const name of ["summary", "description"]) {
    const [, text = ""] = new RegExp(`^${name}: (.+(?:\\n(?!\\w+: ).*)*)`, "m").exec(fields) ?? [];
    const words = extractFirstParagraph(text);
    if (words !== "") return words;
  }
  return undefined;
}

const MAX_NAMED_MEMBERS = 5;

const formatSubjectTitle = ({ name, kind }: SummarySubject): string =>
  formatOneLine(name).replace(/[\s:.]+$/, "") || formatKindLabel(kind);

/** A document is indexed by section. */
const formatKindLabel = (kind: SummarySubject["kind"]): string => (kind === "doc" ? "Section" : capitalizeText(kind));

function describeSubject(subject: SummarySubject): string {
  const { kind, name, within = "", signature = "", language = "" } = subject;
  if (kind === "function" || kind === "method") {
    const { takes, gives } = parseCallSignature(signature, name);
    // All parameters, then the first three, then none.
    const forms = [takes, takes && [...takes.slice(0, 3), "…"], takes && ["…"]].map((names) => {
      const call = formatNamedKind({ kind, name: names ? `${name}(${names.join(", ")})` : name, within });
      return `${call}${gives === undefined ? "" : `: gives ${quoteCodeSpan(gives)}`}.`;
    });
    return forms.find((form) => Array.from(form).length <= MAX_SUMMARY_LENGTH) ?? `${formatNamedKind({ kind, name })}.`;
  }
  if (kind === "constant" || kind === "type") {
    const at = signature.indexOf(name);
    const behind = at === -1 ? "" : signature.slice(at + name.length);
    const assigned = /(?:^|[^=!<>])=(?![=>])\s*(.+)$/s.exec(behind)?.[1] ?? /^\s*:\s*(.+)$/s.exec(behind)?.[1];
    const value = formatOneLine(assigned ?? "");
    return `${formatNamedKind(subject)}${value === "" ? "" : `: ${quoteCodeSpan(value.replace(/;$/, ""))}`}.`;
  }
  const members = formatMemberNames(subject);
  if (kind !== "file") return `${formatNamedKind(subject)}${members}.`;
  return `${language === "" ? "File" : capitalizeText(language)}${members || ` in ${quoteCodeSpan(name)}`}.`;
}

const formatNamedKind = ({ kind, name, within = "" }: Pick<SummarySubject, "kind" | "name" | "within">): string =>
  `${formatKindLabel(kind)} ${quoteCodeSpan(name)}${within === "" ? "" : ` of ${quoteCodeSpan(within)}`}`;

function formatMemberNames({ members = [] }: SummarySubject): string {
  if (members.length === 0) return "";
  const more = members.length - MAX_NAMED_MEMBERS;
  const named = members.slice(0, more > 0 ? MAX_NAMED_MEMBERS : members.length).map(quoteCodeSpan);
  return ` with ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

const quoteCodeSpan = (text: string): string => `\`${formatOneLine(text).replaceAll("`", "'")}\``;

const EMPTY_RESULT_TYPE = /^(?:void|None|\(\)|undefined|Unit|Promise<void>|Task)?$/;
const LEADING_MODIFIERS =
  /^(?:(?:export|default|declare|public|protected|private|internal|static|final|abstract|virtual|override|sealed|async|extern|inline|constexpr|const|unsafe|synchronized|native|partial|readonly|pub(?:\([^()]*\))?|template\s*<[^<>]*>|\[\[[^\]]*\]\]|@\w+(?:\([^()]*\))?)\s+)+/;
const DECLARATION_KEYWORD = /^(?:function\*?|func|fn|def|fun|sub|get|set|class|async|new)$/;

/** `takes`: parameter names; missing without a parameter list. */
function parseCallSignature(signature: string, name: string): { takes?: string[]; gives?: string } {
  const open = findParameterList(signature, name);
  const close = open === undefined ? undefined : findClosingBracket(signature, open);
  if (open === undefined || close === undefined) return {};
  // Go is the only language with `func` where the type follows the name without a separator.
  const isGo = /^func\b/.test(signature);
  const parameters = splitOutsideBrackets(signature.slice(open + 1, close), ",");
  const takes = parameters.flatMap((each) => parseParameterName(each, isGo) ?? []);
  const gives = parseResultType(signature, name, close).replace(/\s+/g, " ").trim();
  return { takes, ...(EMPTY_RESULT_TYPE.test(gives) ? {} : { gives }) };
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
    const count = (sign: string): number => signature.slice(0, at).split(sign).length;
    const isOutside = count("(") === count(")") && count("[") === count("]") && count("{") === count("}");
    if (!/[\w$]/.test(before) && !/[\w$]/.test(after) && isOutside) return at;
  }
  return undefined;
}

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

function parseResultType(signature: string, name: string, close: number): string {
  const rest = signature
    .slice(close + 1)
    .replace(/\s*(?:=>|\{|\bwhere\b|\bthrows\b|\bnoexcept\b).*$/s, "")
    .trim()
    .replace(/[;:]$/, "")
    .trim();
  const said = /^(?::|->)\s*(.+)$/s.exec(rest)?.[1] ?? (/^func\b/.test(signature) ? rest : "");
  if (said !== "") return said;
  const before = signature
    .slice(0, findNameOffset(signature, name) ?? 0)
    .replace(LEADING_MODIFIERS, "")
    .trim();
  const isType = !/[=.]$/.test(before) && !before.split(/\s+/).some((word) => DECLARATION_KEYWORD.test(word));
  return isType ? before.replace(/\s*(?:\w+(?:<[^<>]*>)?::)+$/, "") : "";
}
