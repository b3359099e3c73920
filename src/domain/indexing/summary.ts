import type { ComponentKind } from "./outline.ts";
import { parseCallSignature } from "./summary/call.ts";
import { extractFirstParagraph } from "./summary/doc-words.ts";
import { MAX_SUMMARY_LENGTH, formatOneLine, truncateSummary } from "./summary/one-line.ts";

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

export interface CurrentSummary {
  readonly text: string;
  /** `itself`: derived from the subject, not written by a person or model. */
  readonly source: SummaryRecord["source"] | "itself";
}

/**
 * A manual summary wins. A summary by a model or agent counts while the subject is unchanged. Otherwise derives one
 * from the doc comment or signature.
 */
export function chooseSummary(
  subject: SummarySubject & { readonly hash: string },
  kept?: SummaryRecord,
): CurrentSummary {
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
  formatOneLine(name).replace(/[\s:.]+$/, "") || SUBJECT_KIND_LABELS[kind];

const SUBJECT_KIND_LABELS: Readonly<Record<SummarySubject["kind"], string>> = {
  function: "Function",
  class: "Class",
  method: "Method",
  interface: "Interface",
  type: "Type",
  constant: "Constant",
  module: "Module",
  route: "Route",
  file: "File",
  spec: "Spec",
  doc: "Section",
};

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
    case "interface":
    case "module":
    case "route":
    case "spec":
    case "doc":
      return `${SUBJECT_KIND_LABELS[subject.kind]} ${quoteCodeSpan(subject.name)}${formatContainerSuffix(subject)}${formatMemberNames(subject)}.`;
  }
}

/** Tries all parameters, then the first three, then none. */
function describeCallable({ kind, name, within = "", signature = "" }: SummarySubject): string {
  const { takes, gives } = parseCallSignature(signature, name);
  const forms = [takes, takes && [...takes.slice(0, 3), "…"], takes && ["…"]].map((names) => {
    const call = quoteCodeSpan(names ? `${name}(${names.join(", ")})` : name);
    const whose = within === "" ? "" : ` of ${quoteCodeSpan(within)}`;
    return `${SUBJECT_KIND_LABELS[kind]} ${call}${whose}${gives === undefined ? "" : `: gives ${quoteCodeSpan(gives)}`}.`;
  });
  return (
    forms.find((form) => Array.from(form).length <= MAX_SUMMARY_LENGTH) ??
    `${SUBJECT_KIND_LABELS[kind]} ${quoteCodeSpan(name)}.`
  );
}

function describeNamedValue({ kind, name, within = "", signature = "" }: SummarySubject): string {
  const at = signature.indexOf(name);
  const behind = at === -1 ? "" : signature.slice(at + name.length);
  const value = formatOneLine(
    /(?:^|[^=!<>])=(?![=>])\s*(.+)$/s.exec(behind)?.[1] ?? /^\s*:\s*(.+)$/s.exec(behind)?.[1] ?? "",
  );
  const whole = `${SUBJECT_KIND_LABELS[kind]} ${quoteCodeSpan(name)}${formatContainerSuffix({ within })}`;
  return value === "" ? `${whole}.` : `${whole}: ${quoteCodeSpan(value.replace(/;$/, ""))}.`;
}

const formatContainerSuffix = ({ within = "" }: Pick<SummarySubject, "within">): string =>
  within === "" ? "" : ` of ${quoteCodeSpan(within)}`;

function formatMemberNames({ members = [] }: SummarySubject): string {
  if (members.length === 0) return "";
  const more = members.length - MAX_NAMED_MEMBERS;
  const named = members.slice(0, more > 0 ? MAX_NAMED_MEMBERS : members.length).map(quoteCodeSpan);
  return ` with ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

const formatLanguageName = ({ language = "" }: SummarySubject): string =>
  language === "" ? "File" : `${language.charAt(0).toUpperCase()}${language.slice(1)}`;

const quoteCodeSpan = (text: string): string => `\`${formatOneLine(text).replaceAll("`", "'")}\``;
