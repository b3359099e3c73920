/** Words in which users choose, besides the name of the choice. */
const CHOICE_WORDS: Readonly<Record<string, RegExp>> = {
  approve: /\b(?:yes|yep|yeah|ok|okay|sure|agreed?|fine|sounds good|go ahead|do it|approved?|accept(?:ed)?)\b/,
  reject:
    /\b(?:no|nope|reject(?:ed)?|decline[ds]?|refuse[ds]?|leave it out|drop it|(?:leave|keep) (?:it|them|that|things) as (?:it|they) (?:is|are))\b/,
  except: /\b(?:except(?:ion)?|only here|just (?:this|here)|not here|this once)\b/,
  continue: /\b(?:yes|yep|yeah|ok|okay|sure|go on|go ahead|carry on|continue|proceed|keep going|next)\b/,
  stop: /\b(?:stop|halt|pause|no|nope|enough|that is it)\b/,
  proceed: /\b(?:yes|ok|okay|proceed|continue|go on|go ahead|commit anyway|anyway)\b/,
  abort: /\b(?:abort|cancel|stop|quit|give up)\b/,
  fix: /\b(?:fix|mend|repair|retry|try again|again|another (?:try|go))\b/,
  skip: /\b(?:skip|leave it|drop it|without it|let it go|do without)\b/,
  raise: /\b(?:raise|increase|more|up to|extend|go on|continue)\b|\d\s*[km]?\b/,
  "re-review": /\b(?:re-?review|review(?: it)? again|look again)\b/,
  "re-implement": /\b(?:re-?implement|rebuild|re-?build|build(?: it)? again|implement(?: it)? again)\b/,
  accept: /\b(?:accept(?:ed)?|yes|ok|okay|keep it)\b/,
  review: /\b(?:review|no|check it)\b/,
};

const NEGATION = /\b(?:not|don't|dont|do not|never|rather than|instead of|isn't|won't|unless|but)\b/;

/** `No, we never do that`: after a plain no, a denial is its reason. */
const REASONED_NO = /^(?:no|nope|reject(?:ed)?) ?[,.;:!–—] ?(?!.*\b(?:mind|objections?|problem|worries|matter)\b)(.+)$/;

/** Undefined if the words fit no choice or several, or deny one: then Tenon asks again. */
export function matchAnswerChoice(choices: readonly string[], said: string): string | undefined {
  const text = said.trim().toLowerCase().replace(/[’`]/g, "'").replace(/\s+/g, " ");
  const exact = choices.find((choice) => choice === text.replace(/[.!"']+/g, "").trim());
  if (exact !== undefined) return exact;
  if (text === "" || text.includes("?")) return undefined;
  const [, reason] = (choices.includes("reject") && REASONED_NO.exec(text)) || [];
  const hasOther = choices.some((choice) => CHOICE_WORDS[choice]?.test(reason ?? ""));
  if (reason !== undefined && (!hasOther || CHOICE_WORDS["reject"]?.test(reason))) return "reject";
  if (NEGATION.test(text)) return undefined;
  const named = choices.filter((choice) => new RegExp(`(?<![\\w-])${choice}(?![\\w-])`).test(text));
  const meant = named.length > 0 ? named : choices.filter((choice) => CHOICE_WORDS[choice]?.test(text));
  return meant.length === 1 ? meant[0] : undefined;
}
