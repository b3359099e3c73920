import type { BriefMaterial } from "#domain/agent/brief.ts";
import type { FeatureName } from "#domain/feature/name.ts";
import type { FeatureRecord } from "#domain/feature/record.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { Lead } from "#domain/roadmap/lead/state.ts";
import type { TemplateValues } from "#domain/template.ts";
import { getFeatureRecordPath } from "#domain/workspace/path.ts";
import type { StoreTree } from "../../ports/store.ts";
import type { YamlEditor } from "../../ports/yaml.ts";
import { formatInlinePath, createTextPiece } from "./pieces.ts";

export interface BriefSource {
  readonly tree: StoreTree;
  readonly lead: Lead;
  readonly yaml: YamlEditor;
  readonly templates: Readonly<Record<"design" | "research" | "tasks", string>>;
}

export interface RoleMaterial {
  readonly values: TemplateValues;
  readonly material: BriefMaterial;
}

/** The Lead creates actions from records, so the record exists. */
export function getActionRecord({ features }: Lead, name: FeatureName): FeatureRecord {
  const record = features.get(name);
  if (!record) throw new Error(`The action names ${name}, which has no record.`);
  return record;
}

export function createFeatureMaterial(record: FeatureRecord): BriefMaterial {
  const { feature_name, description, version, roadmap } = record;
  const builds = roadmap?.dependencies.length
    ? ` It builds on ${sanitizeText(roadmap.dependencies.join(", "), 600)}.`
    : "";
  const skipped = roadmap?.skipped.length
    ? ` The user let go of ${sanitizeText(roadmap.skipped.join(", "), 600)}: do without.`
    : "";
  const placed = roadmap === null ? " It stands alone." : ` Wave ${roadmap.wave} of the roadmap.${builds}${skipped}`;
  return [
    { label: "The feature", remark: `\`${feature_name}\`, version ${version}.${placed}` },
    ...createTextPiece("What it is for", description, {
      rank: 1,
      share: 0.2,
      where: formatInlinePath(getFeatureRecordPath(feature_name)),
    }),
  ];
}
