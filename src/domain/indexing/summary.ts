import type { ComponentKind } from "./outline.ts";
import { calledBy } from "./summary/call.ts";
import { firstWords } from "./summary/doc-words.ts";
import { LONGEST_SUMMARY, oneLineOf, summaryText } from "./summary/one-line.ts";

export interface Subject {
  readonly kind: ComponentKind | "file" | "spec" | "doc";
  readonly name: string;
  readonly within?: string;
  readonly signature?: string;
  /** A doc comment, or the text of a spec or a section. */
  readonly doc?: string;
  readonly language?: string;
  readonly members?: readonly string[];
}

export interface KeptSummary {
  readonly text: string;
  readonly hash: string;
  readonly source: "model" | "agent" | "manual";
}

export interface Summed {
  readonly text: string;
  /** `itself`: derived from the subject, not written by a person or model. */
  readonly source: KeptSummary["source"] | "itself";
}

/**
 * A manual summary wins. A summary by a model or agent counts while the subject is unchanged. Otherwise derives one
 * from the doc comment or signature.
 */
export function summaryOf(subject: Subject & { readonly hash: string }, kept?: KeptSummary): Summed {
  const holds = kept !== undefined && (kept.source === "manual" || kept.hash === versionOf(subject));
  return holds ? { text: kept.text, source: kept.source } : { text: summaryFrom(subject), source: "itself" };
}

/**
 * A different version makes a stored summary stale. It includes the doc comment, which the hash of a component ignores.
 */
export const versionOf = ({
  kind,
  hash,
  doc = "",
}: Pick<Subject, "kind" | "doc"> & { readonly hash: string }): string =>
  kind === "file" || kind === "spec" || kind === "doc" ? hash : `${hash}.${checksum(doc)}`;

/** FNV-1a. It only detects changed doc comments, so collisions are harmless. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

/** Summarizes without a model. Never empty. */
export function summaryFrom(subject: Subject): string {
  const words = firstWords(subject.doc ?? "");
  const isTitled = subject.kind === "spec" || subject.kind === "doc";
  if (words === "") return summaryText(isTitled ? titleOf(subject) : told(subject));
  return summaryText(isTitled && !words.startsWith(subject.name) ? `${titleOf(subject)}: ${words}` : words);
}

const MOST_NAMED = 5;

const titleOf = ({ name, kind }: Subject): string => oneLineOf(name).replace(/[\s:.]+$/, "") || KINDS[kind];

const KINDS: Readonly<Record<Subject["kind"], string>> = {
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

function told(subject: Subject): string {
  switch (subject.kind) {
    case "function":
    case "method":
      return toldCall(subject);
    case "file":
      return `${languageOf(subject)}${namesOf(subject) || ` in ${code(subject.name)}`}.`;
    case "constant":
    case "type":
      return toldValue(subject);
    case "class":
    case "interface":
    case "module":
    case "route":
    case "spec":
    case "doc":
      return `${KINDS[subject.kind]} ${code(subject.name)}${place(subject)}${namesOf(subject)}.`;
  }
}

/** Tries all parameters, then the first three, then none. */
function toldCall({ kind, name, within = "", signature = "" }: Subject): string {
  const { takes, gives } = calledBy(signature, name);
  const forms = [takes, takes && [...takes.slice(0, 3), "…"], takes && ["…"]].map((names) => {
    const call = code(names ? `${name}(${names.join(", ")})` : name);
    const whose = within === "" ? "" : ` of ${code(within)}`;
    return `${KINDS[kind]} ${call}${whose}${gives === undefined ? "" : `: gives ${code(gives)}`}.`;
  });
  return forms.find((form) => Array.from(form).length <= LONGEST_SUMMARY) ?? `${KINDS[kind]} ${code(name)}.`;
}

function toldValue({ kind, name, within = "", signature = "" }: Subject): string {
  const at = signature.indexOf(name);
  const behind = at === -1 ? "" : signature.slice(at + name.length);
  const value = oneLineOf(
    /(?:^|[^=!<>])=(?![=>])\s*(.+)$/s.exec(behind)?.[1] ?? /^\s*:\s*(.+)$/s.exec(behind)?.[1] ?? "",
  );
  const whole = `${KINDS[kind]} ${code(name)}${place({ within })}`;
  return value === "" ? `${whole}.` : `${whole}: ${code(value.replace(/;$/, ""))}.`;
}

const place = ({ within = "" }: Pick<Subject, "within">): string => (within === "" ? "" : ` of ${code(within)}`);

function namesOf({ members = [] }: Subject): string {
  if (members.length === 0) return "";
  const more = members.length - MOST_NAMED;
  const named = members.slice(0, more > 0 ? MOST_NAMED : members.length).map(code);
  return ` with ${[...named, ...(more > 0 ? [`${more} more`] : [])].join(", ").replace(/, ([^,]*)$/, " and $1")}`;
}

const languageOf = ({ language = "" }: Subject): string =>
  language === "" ? "File" : `${language.charAt(0).toUpperCase()}${language.slice(1)}`;

const code = (text: string): string => `\`${oneLineOf(text).replaceAll("`", "'")}\``;
