import { extractSectionText } from "#kernel/model/document/markdown-document.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import type { StoreTree } from "#store/operations/ports/store.ts";
import { createTolerantTree } from "#store/operations/tolerant-tree.ts";
import { getViewName, type RoadmapRole } from "../../model/agent/agent-roles.ts";
import { type BriefMaterial, quoteForeignName } from "../../model/agent/brief-composition.ts";
import type { FeatureRecord } from "../../model/feature/feature-record.ts";
import { isSessionDecision, type LoggedDecision, parseDecisionLog } from "../../model/handover/decision-log.ts";
import { parseSessionDocument } from "../../model/handover/session-document.ts";
import type { Lead, OpenReview, WorkOf } from "../../model/lead/lead-state.ts";
import { formatReviewScope } from "../../model/review/review-report.ts";
import { listScopeFiles } from "../../model/review/review-scope.ts";
import { listAgreements } from "../../model/review/consensus.ts";
import { callInspectorRoll } from "../../model/review/stored-review.ts";
import { readUserIntent, SPEC_RATIONALE_HEADING } from "../../model/steering/product-document.ts";
import { getFeatureWave, getLeadView, isAloneInWave } from "../../model/lead/lead-view.ts";
import { listImplementationFiles, listScopeFeatures } from "../lead/lead-store.ts";
import {
  type BriefSource,
  createDocumentPiece,
  createFindingsPiece,
  createKnowledgeMaterial,
  createListPiece,
  createSteeringList,
  createTextPiece,
  formatFindingRow,
  formatInlinePath,
  formatInspectionLines,
  formatLoggedDecision,
  type PieceWeight,
  type RoleMaterial,
  sortBySeverity,
} from "./brief-pieces.ts";

/** Inspectors get the scope and its history. Auditors also get the inspections, the user's intent and the decisions. */
export function gatherReviewMaterial(source: BriefSource, role: RoadmapRole, work: WorkOf<"review">): RoleMaterial {
  const { tree, lead } = source;
  const review = lead.reviews.get(work.review);
  if (!review) throw new Error(`The action names the review ${work.review}, which is not open.`);
  const isAuditor = role.startsWith("auditor-");
  const looked = listScopeFeatures(lead, review.scope);
  const scope = createScopeMaterial(lead, review, looked, isAuditor ? 4 : 1);
  const history = createHistoryMaterial(review);
  const steering = createSteeringList(tree, 5);
  const met = listMetFiles(lead, review);
  const changes = [
    ...createTextPiece("Changed since that review", review.delta?.diff ?? "", "the files", [1, 0.5]),
    ...createListPiece("Files of other features", met.files, "file", "the designs", [3, 0.15]),
  ];
  const material = isAuditor
    ? [
        ...createIntentMaterial(tree),
        ...createInspectionMaterial(review),
        ...history,
        ...createDecisionMaterial(tree),
        ...changes,
        ...scope,
        ...steering,
      ]
    : [...changes, ...scope, ...history, ...createKnowledgeMaterial(tree, role, looked), ...steering];
  const { batch, of, tracked, mended, delta } = review;
  const views = work.views?.map(getViewName) ?? [];
  const tasks = review.scope.of === "feature" ? (review.scope.tasks ?? []) : [];
  const values = {
    scope: formatReviewScope(review.scope),
    wave: String(review.scope.of === "wave" ? review.scope.wave : (met.wave ?? "")),
    views: views.join(", "),
    viewLine: views.length > 0 ? `VIEW:${views[0]}` : "",
    isPanel: views.length > 1,
    isAlone: met.files.length > 0,
    since: delta?.batch ?? "",
    isSingle: review.scope.of === "feature",
    isWave: review.scope.of === "wave",
    isAll: review.scope.of === "all",
    isConsensus: review.inspectors.some((name) => getViewName(name) !== name),
    isBroad: review.scope.of !== "feature",
    isRepeated: tracked.length + mended.length > 0,
    tasks: quoteForeignName(tasks.join(", ")),
    batch,
    hash: sanitizeText(of, 20),
  };
  return { values, material };
}

/** A feature alone in its wave, or revised later, has no cross-check: its review reads where it meets others. */
function listMetFiles(lead: Lead, { kind, scope }: OpenReview): { wave?: number; files: readonly string[] } {
  const wave = scope.of === "feature" ? lead.features.get(scope.feature)?.roadmap?.wave : undefined;
  const isOwn = ({ feature_name }: FeatureRecord): boolean => scope.of === "feature" && scope.feature === feature_name;
  const view = getLeadView(lead);
  if (kind !== "impl" || !lead.run.isOn || wave === undefined) return { files: [] };
  const isReopened = lead.waves.get(wave)?.reopened === true;
  if (!isReopened && !isAloneInWave(view, wave)) return { files: [] };
  const others = view.order.filter(
    (record) => record.phase !== "blocked" && (isReopened || getFeatureWave(record) <= wave) && !isOwn(record),
  );
  return { wave, files: listImplementationFiles(others) };
}

const PRODUCT_PAGE = paths.getSteeringFilePath("product.md");
const INTENT_HEADING = "User Intent";

function createInspectionMaterial(review: OpenReview): BriefMaterial {
  const { reported, missing, awaited } = callInspectorRoll(review);
  const lost = [...missing, ...awaited];
  const said =
    lost.length === 0 ? "No inspector is missing." : `Missing: ${lost.join(", ")}. Those inspections were not done.`;
  const names = reported.length === 0 ? "nobody" : reported.join(", ");
  const where = "the report of that inspector, handed in with this action";
  return [
    { label: "Roll call", remark: `Reported: ${names}. ${said}` },
    ...createListPiece(
      "Agreement",
      listAgreements(review)
        .toSorted((one, other) => other.count / other.of - one.count / one.of)
        .map(({ finding, count, of }) => `${count} of ${of}: ${formatFindingRow(finding)}`),
      "finding",
      "the inspections",
      [1, 0.3],
    ),
    ...reported.flatMap((name) => {
      const inspection = review.inspections[name] ?? { scope: "", findings: [], notes: [] };
      const weight = [1, 1.2 / reported.length] as const;
      return createListPiece(`Inspector ${name}`, formatInspectionLines(inspection), "line", where, weight);
    }),
  ];
}

function createIntentMaterial(tree: StoreTree): BriefMaterial {
  const product = tree.text(PRODUCT_PAGE);
  const remarkMissing = (why: string): BriefMaterial => {
    const remark = `${why}, so point 7 cannot be checked. Judge by the descriptions of the features, and say in NOTES that the intent is not written down.`;
    return [{ label: INTENT_HEADING, remark }];
  };
  if (product === undefined) return remarkMissing(`There is no ${formatInlinePath(PRODUCT_PAGE)}`);
  const { vision, success_criteria, anti_goals } = readUserIntent(product);
  if (vision === "" && success_criteria.length + anti_goals.length === 0)
    return remarkMissing(`${formatInlinePath(PRODUCT_PAGE)} does not say yet what the user wants`);
  const createSection = (heading: string, weight: PieceWeight): BriefMaterial =>
    createDocumentPiece(heading, PRODUCT_PAGE, extractSectionText(product, heading), weight);
  return [...createSection(INTENT_HEADING, [1, 0.25]), ...createSection(SPEC_RATIONALE_HEADING, [3, 0.1])];
}

function createDecisionMaterial(tree: StoreTree): BriefMaterial {
  const where = formatInlinePath(paths.DECISIONS_PATH);
  // An unreadable session page does not stop a review.
  const session = createTolerantTree(tree, () => undefined).text(paths.HANDOVER_SESSION_PATH) ?? "";
  const left = parseSessionDocument(session).exceptions;
  const meant = createDocumentPiece(
    "Steering exceptions that sessions left",
    paths.HANDOVER_SESSION_PATH,
    left,
    [2, 0.1],
  );
  const log = tree.text(paths.DECISIONS_PATH);
  if (log === undefined) return [...meant, { label: "Decisions", remark: `None are recorded: there is no ${where}.` }];
  const all = parseDecisionLog(log).toReversed();
  const isException = ({ type }: LoggedDecision): boolean => type === "STEERING_EXCEPTION";
  const exceptions = all.filter(isException).map(formatLoggedDecision);
  const others = all.filter((each) => !isException(each) && !isSessionDecision(each));
  const latest = others.slice(0, 12).map(formatLoggedDecision);
  return [
    ...meant,
    ...createListPiece("Steering exceptions, the latest first", exceptions, "decision", where, [2, 0.15]),
    ...createListPiece("Latest decisions", latest, "decision", where, [4, 0.1]),
  ];
}

function createScopeMaterial(lead: Lead, review: OpenReview, looked: readonly FeatureRecord[], rank: number) {
  const { kind, scope } = review;
  const roadmap = formatInlinePath(paths.ROADMAP_PATH);
  const records =
    scope.of === "feature" ? paths.getFeatureRecordPath(scope.feature) : `${paths.FEATURE_FOLDER}/*/spec.yaml`;
  const basis = scope.of === "feature" ? looked.flatMap((record) => record.roadmap?.dependencies ?? []) : [];
  const later =
    scope.of === "wave" ? [...lead.features.values()].filter((each) => (each.roadmap?.wave ?? 0) > scope.wave) : [];
  const inScope = looked.map(formatFeatureOverview);
  const planned = later.map(formatFeatureOverview);
  const files = listScopeFiles(kind, looked, scope);
  const designs = basis.map(paths.getFeatureDesignPath);
  const [folder, source] = [formatInlinePath(paths.FEATURE_FOLDER), `the records (${formatInlinePath(records)})`];
  return [
    ...createListPiece("Features in scope", inScope, "feature", folder, [rank + 1, 0.25]),
    ...createListPiece("Files to look at", files, "file", source, [rank, 0.3]),
    ...createListPiece("Designs that it builds on", designs, "design", roadmap, [rank + 2, 0.1]),
    ...createListPiece("Planned for later waves, and not there yet", planned, "feature", roadmap, [rank + 2, 0.15]),
  ];
}

function createHistoryMaterial({ scope, tracked, mended }: OpenReview): BriefMaterial {
  const path = scope.of === "feature" ? paths.getFeatureReviewPath(scope.feature, "*") : paths.getReviewPath("*");
  const where = `the reviews before this one (${formatInlinePath(path)})`;
  const open = tracked.filter((finding) => finding.waived === undefined);
  const waived = sortBySeverity(tracked.filter((finding) => finding.waived !== undefined));
  const waivers = waived.map((finding) => `${formatFindingRow(finding)}\nWaived: ${finding.waived}`);
  const waivedLabel = "Waived by the user: findings with the same text no longer count";
  return [
    ...createFindingsPiece("Open since earlier reviews", open, where, [1, 0.25]),
    ...createListPiece(waivedLabel, waivers, "finding", where, [2, 0.15]),
    ...createFindingsPiece("Fixed since earlier reviews: must not come back", mended, where, [2, 0.2]),
  ];
}

export function formatFeatureOverview({ feature_name, description, phase, version, roadmap }: FeatureRecord): string {
  const placed = roadmap === null ? "" : `, wave ${roadmap.wave}`;
  const needs = roadmap?.dependencies.length ? `, builds on ${roadmap.dependencies.join(" and ")}` : "";
  return `${feature_name} (${version}, ${phase}${placed}${needs}): ${sanitizeText(description, 200)}`;
}
