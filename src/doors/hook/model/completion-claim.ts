import { type ActiveWork, findSessionWork } from "#planning/model/workflow/journal-fold.ts";

const CLAIM_SUBJECTS =
  "(?:all |the |every |unit |integration |existing |new )*(?:tests?|test suite|suite|checks?|gates?|build)";
/** Phrases with which agents announce finished work. Questions, hopes and denials do not match. */
const COMPLETION_CLAIM_PATTERNS: readonly RegExp[] = [
  new RegExp(
    `\\b${CLAIM_SUBJECTS}(?: cases?)?(?: are| is| now| all| still| have| has)* (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\\b`,
  ),
  /\b(?:\d+ (?:of \d+ )?|everything |all )(?:passed|passes|passing)\b/,
  /\b(?:implementation|feature|fix|work|task|change|bug|it|everything|all)(?: tasks)?(?: is| are| has been| have been)? (?:now |all |fully |successfully )*(?:done|complete|completed|finished|implemented|fixed|working|ready to (?:merge|ship))\b/,
  /\bi(?:'ve|’ve| have) (?:now |successfully |fully )*(?:finished|completed|implemented|fixed)\b/,
  /\b(?:successfully|fully) (?:implemented|completed|fixed)\b/,
  /^\W*(?:all )?(?:done|finished|completed?)\b/,
];
const CLAIM_DENIAL_PATTERN =
  /\b(?:not|no|n't|cannot|never|isn't|aren't|once|when|if|until|before|after|unless|should|will|would|to be|whether|remain(?:s|ing)?|fail(?:s|ed|ing)?|yet|please|make sure|need(?:s)?)\b|n[’']t\b|\?/;

export function hasCompletionClaim(text: string): boolean {
  const sentences = text
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .toLowerCase()
    .split(/(?<=[.!?])\s+|\n+/);
  return sentences.some(
    (sentence) =>
      !CLAIM_DENIAL_PATTERN.test(sentence) && COMPLETION_CLAIM_PATTERNS.some((claim) => claim.test(sentence)),
  );
}

/** Undefined if the gate of the session's workflow has passed, or if the session has no workflow. */
export function findUnprovenWork(session: string, atWork: ActiveWork) {
  const id = findSessionWork(session, atWork);
  const record = id === undefined ? undefined : atWork.workflows.get(id);
  if (record === undefined) return undefined;
  const last = record.gates.findLast(({ stage }) => stage === record.current_stage);
  if (last?.passed === true) return undefined;
  return { id: record.id, stage: record.current_stage, isUntried: last === undefined };
}
