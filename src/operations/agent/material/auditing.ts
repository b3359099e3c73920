import type { Material } from "#domain/agent/brief.ts";
import { extractSectionText } from "#domain/document/section.ts";
import { isOfSession, type LoggedDecision, readDecisions } from "#domain/handover/decisions.ts";
import { readSession } from "#domain/handover/session.ts";
import { rollCall } from "#domain/review/rollcall.ts";
import type { OpenReview } from "#domain/roadmap/lead/state.ts";
import { SPEC_RATIONALE, userIntent } from "#domain/steering/product.ts";
import { DECISIONS_PATH, HANDOVER_SESSION_PATH, getSteeringFilePath } from "#domain/workspace/path.ts";
import { createTolerantTree } from "../../forgiving-tree.ts";
import type { StoreTree } from "../../ports/store.ts";
import { inspectionLines } from "./findings.ts";
import { document, inside, list } from "./pieces.ts";

const PRODUCT = getSteeringFilePath("product.md");
const INTENT = "User Intent";
const LATEST = 12;

export function inspectionMaterial(review: OpenReview): Material {
  const { reported, missing, awaited } = rollCall(review);
  const lost = [...missing, ...awaited];
  const said = lost.length === 0 ? "Nobody is missing." : `Missing: ${lost.join(", ")}. Nobody looked from there.`;
  const names = reported.length === 0 ? "nobody" : reported.join(", ");
  return [
    { label: "Roll call", remark: `Reported: ${names}. ${said}` },
    ...reported.flatMap((name) =>
      list(`Inspector ${name}`, inspectionLines(review.inspections[name] ?? NOTHING), {
        rank: 1,
        share: 1.2 / reported.length,
        unit: "line",
        where: "the report of that inspector, which whoever started you has handed in",
      }),
    ),
  ];
}

const NOTHING = { scope: "", findings: [], notes: [] };

/** The user's intent verbatim, or a remark that it is missing. */
export function intentMaterial(tree: StoreTree): Material {
  const product = tree.text(PRODUCT);
  if (product === undefined) return [{ label: INTENT, remark: withoutIntent(`There is no ${inside(PRODUCT)}`) }];
  const { vision, success_criteria, anti_goals } = userIntent(product);
  if (vision === "" && success_criteria.length + anti_goals.length === 0)
    return [{ label: INTENT, remark: withoutIntent(`${inside(PRODUCT)} does not say yet what the user wants`) }];
  return [
    ...document(INTENT, PRODUCT, extractSectionText(product, INTENT), { rank: 1, share: 0.25 }),
    ...document(SPEC_RATIONALE, PRODUCT, extractSectionText(product, SPEC_RATIONALE), { rank: 3, share: 0.1 }),
  ];
}

const withoutIntent = (why: string): string =>
  `${why}, so point 7 cannot be checked. Judge by the descriptions of the features, and say in NOTES that the intent is not written down.`;

export function decisionMaterial(tree: StoreTree): Material {
  const meant = exceptionsMaterial(tree);
  const log = tree.text(DECISIONS_PATH);
  if (log === undefined)
    return [...meant, { label: "Decisions", remark: `None are recorded: there is no ${inside(DECISIONS_PATH)}.` }];
  const all = readDecisions(log).toReversed();
  const isException = ({ type }: LoggedDecision): boolean => type === "STEERING_EXCEPTION";
  const told = all.filter((each) => !isException(each) && !isOfSession(each)).slice(0, LATEST);
  const of = { unit: "decision", where: inside(DECISIONS_PATH) };
  return [
    ...meant,
    ...list("Steering exceptions, the latest first", all.filter(isException).map(toldOf), {
      rank: 2,
      share: 0.15,
      ...of,
    }),
    ...list("Latest decisions", told.map(toldOf), { rank: 4, share: 0.1, ...of }),
  ];
}

/** An unreadable session page does not stop a review. */
function exceptionsMaterial(tree: StoreTree): Material {
  const text = createTolerantTree(tree, () => undefined).text(HANDOVER_SESSION_PATH) ?? "";
  return document("Steering exceptions that sessions left", HANDOVER_SESSION_PATH, readSession(text).exceptions, {
    rank: 2,
    share: 0.1,
  });
}

function toldOf({ number, type, summary, decision, reason, steeringRef }: LoggedDecision): string {
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
