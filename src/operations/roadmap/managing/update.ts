import { formatCount } from "#domain/count.ts";
import { Fault } from "#domain/fault.ts";
import { quote } from "#domain/quote.ts";
import { plannedIn } from "#domain/roadmap/graph.ts";
import type { Effect } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { type Difference, impactOfAll, roadmapDifferences, updateOf, type Wanted } from "#domain/roadmap/update.ts";
import type { Engine } from "../../engine.ts";
import { feedWhole } from "./whole.ts";
import { readLead } from "../shelf.ts";
import { answer, type Input, type Output } from "./answer.ts";
import { featuresAside } from "./aside.ts";
import { contradictions } from "./contradictions.ts";
import { added, beginningNow, wantedIn } from "./planned.ts";
import { refuseNone } from "./run.ts";

const ALL = "all";

export async function update(engine: Engine, input: Input): Promise<Output> {
  const before = await readLead(engine);
  refuseNone(before);
  const wanted = wantedBy(before, input);
  const found = roadmapDifferences(before, wanted);
  const chosen = input.apply ?? [];
  refuseUnknown(found, chosen);
  const names = wanted.map(({ name }) => name);
  const doubts = await engine.store.read((tree) => contradictions(tree, before, names));
  if (found.length === 0 || chosen.length === 0) return { ...proposed(before, found, input), notes: doubts };
  const isChosen = (id: string): boolean => chosen.includes(ALL) || chosen.includes(id);
  const begin = await beginningNow(engine);
  const { lead } = await feedWhole(engine, (tree, now) => {
    const events = updateOf(now, wantedBy(now, input), isChosen, (feature, wave) => added(feature, wave, begin));
    const removed = events.flatMap((event) => (event.kind === "feature-removed" ? [event.feature] : []));
    return {
      events,
      steps: featuresAside(tree, removed),
      effects:
        events.length === 0
          ? []
          : [
              told(
                found.filter(({ id }) => isChosen(id)),
                input.reason,
              ),
            ],
    };
  });
  const left = roadmapDifferences(lead, wantedBy(lead, input));
  const isMadeUp = ({ id }: Difference): boolean => isChosen(id) && !left.some((each) => each.id === id);
  return answer(lead, {
    action: "update",
    said: `${formatCount(found.filter(isMadeUp).length, "difference")} made up for; ${left.length} left.`,
    differences: [
      ...found.filter(({ id }) => isChosen(id)).map((each) => shown(each, isMadeUp(each))),
      ...left.filter(({ id }) => !isChosen(id)).map((each) => shown(each, false)),
    ],
    notes: doubts,
    next: [{ operation: "roadmap.manage" }, { operation: "roadmap.next" }],
  });
}

/** Without a request, compares the roadmap with itself: only its own inconsistencies remain. */
function wantedBy(lead: Lead, { features }: Input): Wanted[] {
  if (features !== undefined) return wantedIn(lead, features);
  return plannedIn(lead.features.values()).map((feature) => ({ description: "", ...feature }));
}

function proposed(lead: Lead, found: readonly Difference[], { features }: Input): Output {
  const wanted = features === undefined ? {} : { features };
  const isAny = found.length > 0;
  return answer(lead, {
    action: "update",
    said: isAny
      ? `${formatCount(found.length, "difference")}, impact ${impactOfAll(found)}. Nothing is changed yet.`
      : "The roadmap is as it should be.",
    differences: found.map((each) => shown(each, false)),
    next: isAny ? [{ operation: "roadmap.manage", input: { action: "update", ...wanted, apply: [ALL] } }] : [],
  });
}

const shown = ({ id, feature, what, impact }: Difference, applied: boolean): Output["differences"][number] => ({
  id,
  feature,
  says: what,
  impact,
  applied,
});

const told = (chosen: readonly Difference[], reason = "Asked for by the user."): Effect => ({
  kind: "decision",
  type: "DIRECTION_CHANGE",
  summary: `The roadmap is changed: ${formatCount(chosen.length, "difference")}`,
  context: "roadmap update",
  decision: chosen.map(({ what }) => what).join(" "),
  reason,
  impact: `${impactOfAll(chosen)}: ${[...new Set(chosen.map(({ feature }) => feature))].join(", ")}`,
  source: "user instruction",
});

function refuseUnknown(found: readonly Difference[], chosen: readonly string[]): void {
  const unknown = chosen.find((id) => id !== ALL && !found.some((each) => each.id === id));
  if (unknown === undefined) return;
  throw new Fault("roadmap.unknown-difference", {
    what: "Nothing was changed.",
    why: `No difference has the id ${quote(unknown, 80)}.`,
    fix: { operation: "roadmap.manage", input: { action: "update" } },
  });
}
