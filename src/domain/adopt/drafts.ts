import { parseRequirementItems } from "../project/requirements.ts";
import { renderDesignDraft } from "./draft/design.ts";
import { type DraftedRequirement, draftCodeRequirements, renderRequirementsDraft } from "./draft/requirements.ts";
import { renderBusinessRulesDraft } from "./draft/rules.ts";
import type { RepositorySurvey } from "./survey.ts";

export interface AdoptionDrafts {
  readonly requirements: string;
  readonly business_rules: string;
  readonly design: string;
}

export const DRAFT_HEADER =
  "> A draft that `tenon adopt` made from the code. Each line names its evidence and a confidence. Review it, then take this line out.";

/**
 * Drafts the three documents from the code. `present` is the existing requirements document: the design then uses its
 * ids and finds a requirement by its evidence, even after edits.
 */
export function draftAdoptionDocuments(
  survey: RepositorySurvey,
  name: string,
  present: string | undefined,
): AdoptionDrafts {
  const draft = draftCodeRequirements(survey);
  const all = [...draft.must, ...draft.should, ...draft.qualities];
  return {
    requirements: renderRequirementsDraft(survey, draft, DRAFT_HEADER),
    business_rules: renderBusinessRulesDraft(survey, DRAFT_HEADER),
    design: renderDesignDraft(
      survey,
      present === undefined ? all : matchExistingRequirements(all, present),
      name,
      DRAFT_HEADER,
    ),
  };
}

function matchExistingRequirements(drafted: readonly DraftedRequirement[], present: string): DraftedRequirement[] {
  const standing = parseRequirementItems(present);
  return drafted.flatMap((draft) => {
    const links = /evidence: ([^;]+);/.exec(draft.evidence)?.[1] ?? draft.evidence;
    const same = standing.filter(({ text }) => text.includes(`evidence: ${links}`));
    // One line of code may prove several requirements; then the full text decides.
    const own = same.length > 1 ? same.filter(({ text }) => text === draft.text) : same;
    return own.map(({ id }) => ({ ...draft, id }));
  });
}
