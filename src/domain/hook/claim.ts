import { type AtWork, workOf } from "../workflow/fold.ts";

const SUBJECTS =
  "(?:all |the |every |unit |integration |existing |new )*(?:tests?|test suite|suite|checks?|gates?|build)";
/** Words by which agents say that work is done. None asks, hopes or denies. */
const CLAIMS: readonly RegExp[] = [
  new RegExp(
    `\\b${SUBJECTS}(?: cases?)?(?: are| is| now| all| still| have| has)* (?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\\b`,
  ),
  /\b(?:\d+ (?:of \d+ )?|everything |all )(?:passed|passes|passing)\b/,
  /\b(?:implementation|feature|fix|work|task|change|bug|it|everything|all)(?: tasks)?(?: is| are| has been| have been)? (?:now |all |fully |successfully )*(?:done|complete|completed|finished|implemented|fixed|working|ready to (?:merge|ship))\b/,
  /\bi(?:'ve|’ve| have) (?:now |successfully |fully )*(?:finished|completed|implemented|fixed)\b/,
  /\b(?:successfully|fully) (?:implemented|completed|fixed)\b/,
  /^\W*(?:all )?(?:done|finished|completed?)\b/,
];
const DENIALS =
  /\b(?:not|no|n't|cannot|never|isn't|aren't|once|when|if|until|before|after|unless|should|will|would|to be|whether|remain(?:s|ing)?|fail(?:s|ed|ing)?|yet|please|make sure|need(?:s)?)\b|n[’']t\b|\?/;

/** Whether a text says that work is done or that tests pass. */
export function claimsDone(text: string): boolean {
  const sentences = text
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .toLowerCase()
    .split(/(?<=[.!?])\s+|\n+/);
  return sentences.some((sentence) => !DENIALS.test(sentence) && CLAIMS.some((claim) => claim.test(sentence)));
}

/** Work that a session could claim to be done although its gate has not passed. */
export interface Unproven {
  readonly id: string;
  readonly stage: string;
  /** Whether the gate was never tried. */
  readonly isUntried: boolean;
}

/** Where the session's workflow stands without a receipt; nothing where its gate has passed, or it has none. */
export function unprovenWork(session: string, atWork: AtWork): Unproven | undefined {
  const id = workOf(session, atWork);
  const record = id === undefined ? undefined : atWork.workflows.get(id);
  if (record === undefined) return undefined;
  const last = record.gates.findLast(({ stage }) => stage === record.current_stage);
  if (last?.passed === true) return undefined;
  return { id: record.id, stage: record.current_stage, isUntried: last === undefined };
}
