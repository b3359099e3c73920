import { excludeSections, parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import { extractDistinctiveTerms } from "../change/distinctive-terms.ts";

export interface KnownDecision {
  /** `ADR-0001`, or `<change>/ADR-001`. */
  readonly ref: string;
  readonly path: string;
  readonly title: string;
  readonly status: string;
  readonly superseded_by?: string | undefined;
  readonly decision: string;
  readonly rejected: string;
}

/** A change that removes or replaces the subject of a decision uses one of these words. */
const REPLACING_PATTERN =
  /\b(?:instead of|in place of|rather than|replac(?:e|es|ing)|drop(?:s|ping)?|remov(?:e|es|ing)|without|no longer|stop(?:s|ping)?|abandon(?:s|ing)?|get(?:s|ting)? rid of|migrat(?:e|es|ing)|switch(?:es|ing)?|mov(?:e|es|ing) (?:away |off )?(?:from|to)|revert(?:s|ing)?)\b/i;
const NEGATION_PATTERN = /\b(?:no|not|never|without|avoid|cannot|forbid|don['’]t|isn['’]t|won['’]t)\b/i;
/** "over MongoDB" and "not MongoDB" agree with a decision against MongoDB. */
const REJECTED_PHRASE =
  /\b(?:instead of|rather than|away from|over|from|not|no|never|without|than|drop|remove|replace)\s+(?:the\s+|an?\s+)?[\p{L}\p{N}-]+/giu;
const TITLE_REJECTION =
  /\b(?:over|instead of|rather than|not)\s+(.{2,60}?)(?=\s+(?:for|in|as|to|when|where)\b|[.,;:]|$)/i;
/** The name of an alternative ends where its reason begins. */
const ALTERNATIVE_NAME =
  /^\s*(?:[-*+]|\d{1,3}[.)])?\s*[*_`]{0,3}(.{2,60}?)[*_`]{0,3}(?:\s*[:,;.(–—]|\s+-\s|\s+(?:because|since|as|would|is|was|are|were|due|needs?|adds?|has)\b|$)/;
const MAX_ALTERNATIVE_WORDS = 4;
const MIN_SHARED_TERMS = 2;
const MAX_QUOTED_DECISION = 160;

/** One fact per accepted decision that a sentence of the change seems to contradict. */
export function describeContradictions(said: readonly string[], decisions: readonly KnownDecision[]): string[] {
  const sentences = said.flatMap(splitSentences);
  return decisions.flatMap((decision) => {
    if (decision.status !== "accepted") return [];
    const why = findContradiction(sentences, decision);
    if (why === undefined) return [];
    const decided = sanitizeText(decision.decision, MAX_QUOTED_DECISION).replace(/[.\s]+$/, "");
    const head = `${decision.ref} (accepted), "${sanitizeText(decision.title, 120)}", decided: ${decided}.`;
    return [`${head} This change seems to contradict it: ${why}. Keep to it, or record a decision that supersedes it.`];
  });
}

function findContradiction(sentences: readonly string[], { title, decision, rejected }: KnownDecision) {
  const [against] = [TITLE_REJECTION.exec(title)?.[1]].flatMap((text) => text ?? []);
  const subject = extractDistinctiveTerms(against === undefined ? title : title.replace(against, " "));
  const about = new Set([...subject.keys(), ...extractDistinctiveTerms(decision).keys()]);
  const names = [
    ...(against === undefined ? [] : [{ name: against, isTitle: true }]),
    ...listAlternativeNames(rejected).map((name) => ({ name, isTitle: false })),
  ];
  const isRuledOut = NEGATION_PATTERN.test(title) && against === undefined;
  for (const sentence of sentences) {
    const terms = new Set(extractDistinctiveTerms(sentence).keys());
    const shared = [...subject.keys()].filter((term) => terms.has(term));
    const isSubject = subject.size > 0 && shared.length >= Math.min(MIN_SHARED_TERMS, subject.size);
    const replacing = REPLACING_PATTERN.exec(sentence)?.[0];
    if (isRuledOut) {
      if (isSubject && !NEGATION_PATTERN.test(sentence)) return "the decision rules that out";
      continue;
    }
    if (isSubject && replacing !== undefined) return `it has "${replacing}"`;
    const wanted = sentence.replace(REJECTED_PHRASE, " ");
    const wantedTerms = new Set(extractDistinctiveTerms(wanted).keys());
    for (const { name, isTitle } of names) {
      const own = [...extractDistinctiveTerms(name).keys()].filter((term) => isTitle || !about.has(term));
      if (own.length === 0 || !own.every((term) => wantedTerms.has(term))) continue;
      const isNamed = isTitle && /\p{Lu}/u.test(name) && wanted.includes(name);
      const isAbout = [...about].some((term) => terms.has(term) && !own.includes(term));
      if (isNamed || isAbout) return `it names "${name}", which was rejected`;
    }
  }
  return undefined;
}

const listAlternativeNames = (rejected: string): string[] =>
  rejected.split(/\r?\n/).flatMap((line) => {
    const name = ALTERNATIVE_NAME.exec(line)?.[1]?.trim() ?? "";
    return name !== "" && name.split(/\s+/).length <= MAX_ALTERNATIVE_WORDS ? [name] : [];
  });

/** Leaves out text that excludes work. A sentence may run over several lines. */
function splitSentences(text: string): string[] {
  const lines = excludeSections(parseProseLines(text), ["Out of scope"]).map((line) => line.text);
  return lines
    .join("\n")
    .replace(/\n(?!\s*(?:[-*+#>|]|\d{1,4}[.)]|\n|$))/g, " ")
    .split(/\n+|(?<=[.!?;])\s+/)
    .filter((sentence) => sentence.trim() !== "");
}
