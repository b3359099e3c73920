import type * as z from "zod";
import { Fault } from "#domain/fault.ts";
import { beginFeature } from "#domain/feature/begin.ts";
import { isFeatureName, nameFrom, parseFeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { quote } from "#domain/quote.ts";
import type { LeadEvent } from "#domain/roadmap/lead/event.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { operation } from "../operation.ts";
import { feedLead } from "../roadmap/apply.ts";
import { dueIn, duePoints, NEXT } from "../roadmap/managing/due.ts";
import { takeApplied } from "../roadmap/managing/refused.ts";
import { leadIn } from "../roadmap/shelf.ts";
import { chooseFeature } from "./choose.ts";
import type { Design, DesignBegun } from "./schema.ts";
import { standingFacts, standingOf } from "./view.ts";

type Input = z.infer<typeof Design>;
type Output = z.infer<typeof DesignBegun>;

export const design = operation<Input, Output>({
  id: "feature.design",
  effect: "append",
  input: async () => (await import("./schema.ts")).Design,
  output: async () => (await import("./schema.ts")).DesignBegun,
  async run(engine, input) {
    const at = engine.clock.now();
    const seen = await engine.store.read((tree) => leadIn(tree, engine));
    const asked = decided(seen, input, at);
    if (asked.question !== undefined) return shown(asked, seen);
    let done = asked;
    const { lead, applied } = await feedLead(engine, (tree, now) => {
      done = decided(now, input, at);
      const events = done.question === undefined ? done.events : [];
      return { events, steps: [] };
    });
    takeApplied(applied);
    return shown(done, lead);
  },
  page({ passed, feature, mode, question, notes, due, waiting }) {
    if (!passed) {
      return {
        title: question ?? "",
        facts: standingFacts(feature),
        points: notes,
        next: [{ operation: "feature.design", input: { feature: feature.name, confirm: true } }],
      };
    }
    return {
      title: `${feature.name} ${TITLES[mode]}.`,
      facts: standingFacts(feature),
      points: [...notes, ...duePoints({ due, waiting })],
      next: NEXT,
    };
  },
  isRefusal: ({ passed }) => !passed,
});

const TITLES: Readonly<Record<Output["mode"], string>> = {
  new: "has begun; its design is due",
  first: "is to be designed",
  again: "is to be designed anew",
};

interface Decided {
  readonly record: FeatureRecord;
  readonly mode: Output["mode"];
  readonly events: readonly LeadEvent[];
  /** What the user has to agree to first. */
  readonly question?: string;
}
