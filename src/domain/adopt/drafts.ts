import { parseRequirementItems } from "../project/requirements.ts";
import { renderDesign } from "./draft/design.ts";
import { type Drafted, draftRequirements, renderRequirements } from "./draft/requirements.ts";
import { renderRules } from "./draft/rules.ts";
import type { Survey } from "./survey.ts";

export interface Drafts {
  readonly requirements: string;
  readonly business_rules: string;
  readonly design: string;
}

export const HEADER =
  "> A draft that `tenon adopt` made from the code. Each line names its evidence and a confidence. Review it, then take this line out.";

/**
 * Drafts the three documents from the code. `present` is the existing requirements document: the design then uses its
 * ids and finds a requirement by its evidence, even after edits.
 */
export function draftAll(survey: Survey, name: string, present: string | undefined): Drafts {
  const draft = draftRequirements(survey);
  const all = [...draft.must, ...draft.should, ...draft.qualities];
  return {
    requirements: renderRequirements(survey, draft, HEADER),
    business_rules: renderRules(survey, HEADER),
    design: renderDesign(survey, present === undefined ? all : known(all, present), name, HEADER),
  };
}

function known(drafted: readonly Drafted[], present: string): Drafted[] {
  const standing = parseRequirementItems(present);
  return drafted.flatMap((draft) => {
    const links = /evidence: ([^;]+);/.exec(draft.evidence)?.[1] ?? draft.evidence;
    const same = standing.filter(({ text }) => text.includes(`evidence: ${links}`));
    // One line of code may prove several requirements; then the full text decides.
    const own = same.length > 1 ? same.filter(({ text }) => text === draft.text) : same;
    return own.map(({ id }) => ({ ...draft, id }));
  });
}
