import type * as z from "zod";
import { checkDesign } from "#domain/feature/design.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { listImpactConsequences, compareDesignVersions } from "#domain/roadmap/impact.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import { getFeatureDesignPath } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import type { FeatureStatusSchema } from "./schema.ts";

type DesignImpactView = NonNullable<z.infer<typeof FeatureStatusSchema>["impact"]>;

const MAX_COMPARED_VERSIONS = 20;

/** Compares the design with its latest different version in git and lists the affected features. */
export async function measureDesignImpact(
  { store, source }: Pick<Engine, "store" | "source">,
  lead: Lead,
  { feature_name: name }: FeatureRecord,
): Promise<DesignImpactView> {
  const path = getFeatureDesignPath(name);
  const now = await store.read((tree) => tree.text(path));
  const before =
    now === undefined ? undefined : (await source.past(path, MAX_COMPARED_VERSIONS)).find(({ text }) => text !== now);
  if (now === undefined || !before) return { class: "NONE", since: null, changes: [], affected: [] };
  const { impact, changes } = compareDesignVersions(checkDesign(before.text).specs, checkDesign(now).specs);
  return {
    class: impact ?? "NONE",
    since: before.commit,
    changes: changes.map(({ kind, id, impact: own }) => `${id} ${kind}, ${own}`),
    affected: listImpactConsequences(lead, name, impact).map(({ feature, reach, follows, why }) => ({
      feature,
      reach,
      follows,
      why,
    })),
  };
}
