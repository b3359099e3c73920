import type { FeatureRecord } from "../../../feature/record.ts";
import type { LeadAction, ActionId } from "../action.ts";
import { createCapQuestionId, parseWaveHead } from "../ids.ts";
import type { Lead } from "../state.ts";
import { getLeadView } from "../view.ts";
import { estimateActionCost, listAffordableWork, getFreeTokens } from "./cap.ts";
import { listFeatureWork, listGeneralQuestions, listReviewWork, listWaveWork } from "./due.ts";

export function findPendingAction(lead: Lead, id: ActionId): LeadAction | undefined {
  if (id === createCapQuestionId(lead)) return listAffordableWork(lead).actions.find((action) => action.id === id);
  const action = findCandidateAction(lead, id);
  return action && estimateActionCost(action) <= getFreeTokens(lead) ? action : undefined;
}

export function isWithheldAction(lead: Lead, id: ActionId): boolean {
  const action = findCandidateAction(lead, id);
  return action !== undefined && estimateActionCost(action) > getFreeTokens(lead);
}

function findCandidateAction(lead: Lead, id: ActionId): LeadAction | undefined {
  return listCandidateActions(lead, id).find((action) => action.id === id);
}

function listCandidateActions(lead: Lead, id: ActionId): readonly LeadAction[] {
  const head = id.slice(0, Math.max(0, id.indexOf("/")));
  const reviewing = [...lead.reviews].flatMap(([key, review]) =>
    key.startsWith(`${head}/`) ? listReviewWork(lead, key, review) : [],
  );
  if (head === "all") return [...reviewing, ...listGeneralQuestions(lead)];
  const view = getLeadView(lead);
  const wave = parseWaveHead(head);
  if (wave !== undefined) return [...reviewing, ...listWaveWork(view).actions];
  const record = lead.features.get(head as FeatureRecord["feature_name"]);
  return record ? [...reviewing, ...listFeatureWork(view, record).actions] : [];
}
