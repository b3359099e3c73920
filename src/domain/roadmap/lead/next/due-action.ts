import type { FeatureRecord } from "../../../feature/record.ts";
import type { Action, ActionId } from "../action.ts";
import { capId, waveOfHead } from "../ids.ts";
import type { Lead } from "../state.ts";
import { viewOf } from "../view.ts";
import { costOf, dueNow, roomIn } from "./cap.ts";
import { dueOf, dueOfAll, dueOfReview, dueOfWaves } from "./due.ts";

export function dueAction(lead: Lead, id: ActionId): Action | undefined {
  if (id === capId(lead)) return dueNow(lead).actions.find((action) => action.id === id);
  const action = candidate(lead, id);
  return action && costOf(action) <= roomIn(lead) ? action : undefined;
}

export function isWithheld(lead: Lead, id: ActionId): boolean {
  const action = candidate(lead, id);
  return action !== undefined && costOf(action) > roomIn(lead);
}

function candidate(lead: Lead, id: ActionId): Action | undefined {
  return candidates(lead, id).find((action) => action.id === id);
}

function candidates(lead: Lead, id: ActionId): readonly Action[] {
  const head = id.slice(0, Math.max(0, id.indexOf("/")));
  const reviewing = [...lead.reviews].flatMap(([key, review]) =>
    key.startsWith(`${head}/`) ? dueOfReview(lead, key, review) : [],
  );
  if (head === "all") return [...reviewing, ...dueOfAll(lead)];
  const view = viewOf(lead);
  const wave = waveOfHead(head);
  if (wave !== undefined) return [...reviewing, ...dueOfWaves(view).actions];
  const record = lead.features.get(head as FeatureRecord["feature_name"]);
  return record ? [...reviewing, ...dueOf(view, record).actions] : [];
}
