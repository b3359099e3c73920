import { formatCount } from "#domain/count.ts";
import { sanitizeText } from "#domain/quote.ts";
import { parallelismReport } from "#domain/roadmap/parallelism.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { Wanted } from "#domain/roadmap/update.ts";
import { coreFile, pathOf } from "#domain/steering/name.ts";
import { userIntent } from "#domain/steering/product.ts";
import type { Engine } from "../../engine.ts";
import type { StoreTree } from "../../ports/store.ts";
import { feedWhole } from "./whole.ts";
import { readLead } from "../shelf.ts";
import { answer, type Input, type Output, standings } from "./answer.ts";
import { contradictions } from "./contradictions.ts";
import { beginningNow, placedIn, placing, wantedIn } from "./planned.ts";

/** Plans all features in one write. Does nothing if exactly this roadmap already exists. */
export async function create(engine: Engine, { features = [] }: Input): Promise<Output> {
  const before = await readLead(engine);
  if (features.length === 0) return unsaid(before);
  if (!isFree(before, wantedIn(before, features))) return inTheWay(before, features);
  const begin = await beginningNow(engine);
  let steering: Output["next"] = [];
  let doubts: string[] = [];
  const { lead } = await feedWhole(engine, (tree, now) => {
    const wanted = wantedIn(now, features);
    steering = missingVision(tree);
    doubts = contradictions(
      tree,
      now,
      wanted.map(({ name }) => name),
    );
    return { events: isFree(now, wanted) ? placing(now, wanted, begin) : [] };
  });
  return answer(lead, {
    action: "create",
    said: `${saidOf(lead)}.`,
    ...standings(lead),
    parallelism: parallelismReport([...lead.features.values()]),
    notes: [...doubts, ...(steering.length === 0 ? [] : [NO_VISION])],
    next: [
      ...steering,
      { operation: "roadmap.manage", input: { action: "run", plan: true } },
      { operation: "roadmap.manage", input: { action: "run" } },
    ],
  });
}

const NO_VISION = "No vision is written down: without one, and without anti-goals, reviews have little to judge by.";

/**
 * Suggests a steering update if the product page has no vision. The page may already exist, because the plan itself
 * writes to it.
 */
function missingVision(tree: StoreTree): Output["next"] {
  const product = tree.text(pathOf(coreFile("product"))) ?? "";
  return userIntent(product).vision !== ""
    ? []
    : [{ operation: "steering.manage", input: { action: "update", vision: "…" } }];
}

/** `5 features in 3 waves`. */
export function saidOf(lead: Lead): string {
  const placed = placedIn(lead);
  const waves = new Set(placed.map(({ roadmap }) => roadmap?.wave)).size;
  return `${formatCount(placed.length, "feature")} in ${formatCount(waves, "wave")}`;
}

/** True without a roadmap, or if exactly this one exists. */
function isFree(lead: Lead, wanted: readonly Wanted[]): boolean {
  const placed = placedIn(lead);
  if (placed.length === 0) return true;
  return (
    placed.length === wanted.length &&
    wanted.every(({ name, dependencies }) => {
      const there = lead.features.get(name)?.roadmap?.dependencies;
      return there !== undefined && there.toSorted().join() === dependencies.toSorted().join();
    })
  );
}

/** Without features in the request, the agent must ask its user first. */
function unsaid(lead: Lead): Output {
  const there = [...lead.features.values()];
  return answer(lead, {
    action: "create",
    passed: false,
    said: "What shall be built was not said.",
    ...standings(lead),
    notes: [
      "Agree with the user on features: a name as user-login, what it shall do, and the names it depends on.",
      "Foundations, such as models, errors and logging, come first: say foundation of what all others build on.",
      ...(there.length === 0 ? ["There is no feature yet."] : there.map((record) => `There is ${lineOf(record)}`)),
    ],
    next: [
      {
        operation: "roadmap.manage",
        input: {
          action: "create",
          features: [
            { name: "user-model", description: "…" },
            { name: "user-login", description: "…", dependencies: ["user-model"] },
          ],
        },
      },
    ],
  });
}

const lineOf = ({ feature_name: name, description }: { feature_name: string; description: string }): string =>
  `${name}: ${sanitizeText(description, 120)}`;

function inTheWay(lead: Lead, features: NonNullable<Input["features"]>): Output {
  return answer(lead, {
    action: "create",
    passed: false,
    said: `There is a roadmap already: ${saidOf(lead)}.`,
    ...standings(lead),
    notes: ["Change it with update, which shows first what would be otherwise, or delete it. Nothing was written."],
    next: [{ operation: "roadmap.manage", input: { action: "update", features } }],
  });
}
