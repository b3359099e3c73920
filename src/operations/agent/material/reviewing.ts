import type { Role } from "#domain/agent/role.ts";
import type { Work } from "#domain/roadmap/lead/action.ts";
import type { OpenReview } from "#domain/roadmap/lead/state.ts";
import { decisionMaterial, inspectionMaterial, intentMaterial } from "./auditing.ts";
import type { Gathered, Ground } from "./gathering.ts";
import { knowledgeMaterial } from "./knowledge.ts";
import { featuresIn, historyMaterial, scopeMaterial, scopeValues } from "./scope.ts";
import { steeringPaths } from "./steering.ts";

type Reviewing = Extract<Work, { of: "review" }>;

/** Inspectors get the scope and its history. Auditors also get the inspections, the user's intent and the decisions. */
export function forReview({ tree, lead }: Ground, role: Role, work: Reviewing): Gathered {
  const review = openReview(lead.reviews.get(work.review), work.review);
  const isAuditor = role.startsWith("auditor-");
  const scope = scopeMaterial(lead, review, isAuditor ? 4 : 1);
  const history = historyMaterial(review);
  const steering = steeringPaths(tree, 5);
  if (!isAuditor) {
    const learned = knowledgeMaterial(tree, role, featuresIn(lead, review.scope));
    return { values: scopeValues(review), material: [...scope, ...history, ...learned, ...steering] };
  }
  return {
    values: scopeValues(review),
    material: [
      ...intentMaterial(tree),
      ...inspectionMaterial(review),
      ...history,
      ...decisionMaterial(tree),
      ...scope,
      ...steering,
    ],
  };
}

function openReview(review: OpenReview | undefined, key: string): OpenReview {
  if (!review) throw new Error(`The action names the review ${key}, which is not open.`);
  return review;
}
