import { sanitizeText } from "#kernel/model/text-format.ts";
import { getActionAgentPath, getFeatureReviewPath, getReviewPath } from "#kernel/model/workspace-paths.ts";
import { SESSION_SPACE } from "#planning/operations/workflow/ledger-spaces.ts";
import { resolveCallSession } from "#planning/operations/workflow/workflow-runtime.ts";
import type { ReviewScope } from "../../model/lead/lead-state.ts";
import { parseStoredReview } from "../../model/review/stored-review.ts";
import type { RoadmapEngine } from "../engine.ts";
import { readLead } from "../lead/lead-store.ts";

/** The session that calls, and the agent that took the action. */
export async function readReporter(engine: RoadmapEngine, action: string) {
  const { agent, session } = await engine.store.read((tree) => ({
    agent: tree.text(getActionAgentPath(action)),
    session: resolveCallSession(engine, undefined, tree.kept(SESSION_SPACE)),
  }));
  return { session, ...(agent === undefined ? {} : { agent: sanitizeText(agent.trim(), 200) }) };
}

function formatReviewCommand(kind: string, scope: ReviewScope): string {
  const words = scope.of === "feature" ? scope.feature : scope.of === "wave" ? `--wave ${scope.wave}` : "--cross-check";
  return `tenon ${["review", kind, words].join(" ")}`;
}

/** Reviews that features and waves rely on, if one session and agent sent all their reports. */
export async function findOneReporterReviews(engine: RoadmapEngine) {
  const { features, waves } = await readLead(engine);
  const relied = [
    ...[...features.values()].flatMap(({ feature_name: name, reviews }) =>
      [reviews.design, reviews.implementation].flatMap((ref) => (ref ? [getFeatureReviewPath(name, ref.batch)] : [])),
    ),
    ...[...waves.values()].flatMap((wave) =>
      [wave.cross_check, wave.dead_code].flatMap((ref) => (ref ? [getReviewPath(ref.batch)] : [])),
    ),
  ];
  return engine.store.read((tree) =>
    relied.flatMap((path) => {
      const review = parseStoredReview(tree.text(path) ?? "");
      if ("problems" in review || !review.one_reporter) return [];
      const { session = "", agent } = review.reports?.[0] ?? {};
      const who = agent === undefined ? `session ${session}` : `agent ${agent} of session ${session}`;
      const problem = `${who} sent every report of this review, the audit too, so nobody checked them. Review again with one agent for each role: ${formatReviewCommand(review.kind, review.scope)}`;
      return [{ path, problem }];
    }),
  );
}
