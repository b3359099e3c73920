import type { Problem } from "../gate/verdict.ts";
import { quote } from "../quote.ts";
import type { OpenReview } from "../roadmap/lead/state.ts";
import type { AuditResult } from "./finding.ts";
import { isSameFinding, isFindingMentioned, createFindingSignature } from "./likeness.ts";

/**
 * Critical findings of inspectors that the audit does not mention. An auditor may merge one into another finding at its
 * location or explain why it does not hold, but must report it.
 */
export function findUnaccountedCriticals(
  { inspections }: Pick<OpenReview, "inspections">,
  audit: AuditResult,
): Problem[] {
  const verified = audit.verified.map(createFindingSignature);
  const retold = [...audit.removed.map(({ finding }) => finding), ...audit.resolved.map(({ conflict }) => conflict)];
  return Object.entries(inspections).flatMap(([inspector, { findings }]) =>
    findings.flatMap((finding) => {
      const like = createFindingSignature(finding);
      const isTold = verified.some((one) => isSameFinding(one, like) || one.at === like.at);
      if (finding.severity !== "C" || isTold || retold.some((text) => isFindingMentioned(like, text))) return [];
      const { location, description } = finding;
      const what = `The Critical of ${inspector} at ${quote(location, 80)}, ${quote(description)}`;
      return [{ problem: `${what}, is in neither VERIFIED, REMOVED nor RESOLVED.` }];
    }),
  );
}
