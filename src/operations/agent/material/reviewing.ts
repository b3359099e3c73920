import type { RoadmapRole } from "#domain/agent/role.ts";
import type { AgentWork } from "#domain/roadmap/lead/action.ts";
import type { OpenReview } from "#domain/roadmap/lead/state.ts";
import { createDecisionMaterial, createInspectionMaterial, createIntentMaterial } from "./auditing.ts";
import type { RoleMaterial, BriefSource } from "./gathering.ts";
import { createKnowledgeMaterial } from "./knowledge.ts";
import { listScopeFeatures, createHistoryMaterial, createScopeMaterial, createScopeValues } from "./scope.ts";
import { createSteeringPaths } from "./steering.ts";

type ReviewWork = Extract<AgentWork, { of: "review" }>;

/** Inspectors get the scope and its history. Auditors also get the inspections, the user's intent and the decisions. */
export function gatherReviewMaterial({ tree, lead }: BriefSource, role: RoadmapRole, work: ReviewWork): RoleMaterial {
  const review = getOpenReview(lead.reviews.get(work.review), work.review);
  const isAuditor = role.startsWith("auditor-");
  const scope = createScopeMaterial(lead, review, isAuditor ? 4 : 1);
  const history = createHistoryMaterial(review);
  const steering = createSteeringPaths(tree, 5);
  if (!isAuditor) {
    const learned = createKnowledgeMaterial(tree, role, listScopeFeatures(lead, review.scope));
    return { values: createScopeValues(review), material: [...scope, ...history, ...learned, ...steering] };
  }
  return {
    values: createScopeValues(review),
    material: [
      ...createIntentMaterial(tree),
      ...createInspectionMaterial(review),
      ...history,
      ...createDecisionMaterial(tree),
      ...scope,
      ...steering,
    ],
  };
}

function getOpenReview(review: OpenReview | undefined, key: string): OpenReview {
  if (!review) throw new Error(`The action names the review ${key}, which is not open.`);
  return review;
}
