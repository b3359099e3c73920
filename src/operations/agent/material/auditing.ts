import type { BriefMaterial } from "#domain/agent/brief.ts";
import { extractSectionText } from "#domain/document/section.ts";
import { isSessionDecision, type LoggedDecision, parseDecisionLog } from "#domain/handover/decisions.ts";
import { parseSessionDocument } from "#domain/handover/session.ts";
import { callInspectorRoll } from "#domain/review/rollcall.ts";
import type { OpenReview } from "#domain/roadmap/lead/state.ts";
import { SPEC_RATIONALE_HEADING, readUserIntent } from "#domain/steering/product.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, getSteeringFilePath } from "#domain/workspace/path.ts";
import { createTolerantTree } from "../../forgiving-tree.ts";
import type { StoreTree } from "../../ports/store.ts";
import { formatInspectionLines } from "./findings.ts";
import { createDocumentPiece, formatInlinePath, createListPiece } from "./pieces.ts";

const PRODUCT_PAGE = getSteeringFilePath("product.md");
const INTENT_HEADING = "User Intent";
const MAX_LATEST_DECISIONS = 12;

export function createInspectionMaterial(review: OpenReview): BriefMaterial {
  const { reported, missing, awaited } = callInspectorRoll(review);
  const lost = [...missing, ...awaited];
  const said = lost.length === 0 ? "Nobody is missing." : `Missing: ${lost.join(", ")}. Nobody looked from there.`;
  const names = reported.length === 0 ? "nobody" : reported.join(", ");
  return [
    { label: "Roll call", remark: `Reported: ${names}. ${said}` },
    ...reported.flatMap((name) =>
      createListPiece(`Inspector ${name}`, formatInspectionLines(review.inspections[name] ?? EMPTY_INSPECTION), {
        rank: 1,
        share: 1.2 / reported.length,
        unit: "line",
        where: "the report of that inspector, which whoever started you has handed in",
      }),
    ),
  ];
}

const EMPTY_INSPECTION = { scope: "", findings: [], notes: [] };

/** The user's intent verbatim, or a remark that it is missing. */
export function createIntentMaterial(tree: StoreTree): BriefMaterial {
  const product = tree.text(PRODUCT_PAGE);
  if (product === undefined)
    return [{ label: INTENT_HEADING, remark: formatMissingIntent(`There is no ${formatInlinePath(PRODUCT_PAGE)}`) }];
  const { vision, success_criteria, anti_goals } = readUserIntent(product);
  if (vision === "" && success_criteria.length + anti_goals.length === 0)
    return [
      {
        label: INTENT_HEADING,
        remark: formatMissingIntent(`${formatInlinePath(PRODUCT_PAGE)} does not say yet what the user wants`),
      },
    ];
  return [
    ...createDocumentPiece(INTENT_HEADING, PRODUCT_PAGE, extractSectionText(product, INTENT_HEADING), {
      rank: 1,
      share: 0.25,
    }),
    ...createDocumentPiece(SPEC_RATIONALE_HEADING, PRODUCT_PAGE, extractSectionText(product, SPEC_RATIONALE_HEADING), {
      rank: 3,
      share: 0.1,
    }),
  ];
}

const formatMissingIntent = (why: string): string =>
  `${why}, so point 7 cannot be checked. Judge by the descriptions of the features, and say in NOTES that the intent is not written down.`;

export function createDecisionMaterial(tree: StoreTree): BriefMaterial {
  const meant = createExceptionMaterial(tree);
  const log = tree.text(DECISIONS_PATH);
  if (log === undefined)
    return [
      ...meant,
      { label: "Decisions", remark: `None are recorded: there is no ${formatInlinePath(DECISIONS_PATH)}.` },
    ];
  const all = parseDecisionLog(log).toReversed();
  const isException = ({ type }: LoggedDecision): boolean => type === "STEERING_EXCEPTION";
  const told = all.filter((each) => !isException(each) && !isSessionDecision(each)).slice(0, MAX_LATEST_DECISIONS);
  const of = { unit: "decision", where: formatInlinePath(DECISIONS_PATH) };
  return [
    ...meant,
    ...createListPiece("Steering exceptions, the latest first", all.filter(isException).map(formatLoggedDecision), {
      rank: 2,
      share: 0.15,
      ...of,
    }),
    ...createListPiece("Latest decisions", told.map(formatLoggedDecision), { rank: 4, share: 0.1, ...of }),
  ];
}

/** An unreadable session page does not stop a review. */
function createExceptionMaterial(tree: StoreTree): BriefMaterial {
  const text = createTolerantTree(tree, () => undefined).text(HANDOVER_SESSION_PATH) ?? "";
  return createDocumentPiece(
    "Steering exceptions that sessions left",
    HANDOVER_SESSION_PATH,
    parseSessionDocument(text).exceptions,
    {
      rank: 2,
      share: 0.1,
    },
  );
}

function formatLoggedDecision({ number, type, summary, decision, reason, steeringRef }: LoggedDecision): string {
  const lines = [
    ["Decision", decision],
    ["Reason", reason],
    ["Steering-ref", steeringRef ?? ""],
  ] as const;
  return [
    `D${number}: ${type} | ${summary}`,
    ...lines.filter(([, said]) => said !== "").map((line) => `- ${line.join(": ")}`),
  ].join("\n");
}
