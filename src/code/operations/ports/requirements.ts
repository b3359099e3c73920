import type { FeatureName } from "#kernel/model/ids/feature-name.ts";
import type { TraceId } from "#kernel/model/ids/trace-id.ts";
import type { SourceView } from "#git/operations/ports/git-files.ts";
import type { TextSection } from "../../model/index/indexed-content.ts";
import type { TagTarget } from "../../model/scan/spec-tags.ts";
import type { TracedRequirement } from "../../model/trace/requirement-text.ts";
import type { TraceableIds } from "../../model/trace/traceable-ids.ts";
import type { IndexedText } from "./code-index.ts";

/** A document of Tenon that belongs in the index. */
export interface IndexableText {
  readonly path: string;
  readonly text: string;
  readonly kind: IndexedText["kind"];
  readonly sections: () => readonly TextSection[] | Promise<readonly TextSection[]>;
}

/** Records of the workspace that name a requirement. */
export interface RequirementReferences {
  readonly workflows: { readonly id: string; readonly kind: string; readonly stage: string; readonly status: string }[];
  /** Newest first. */
  readonly receipts: { readonly id: string; readonly gate: string; readonly at: string; readonly criteria: string[] }[];
  readonly docs: { readonly path: string; readonly line: number }[];
  readonly decisions: { readonly ref: string; readonly path: string; readonly title?: string }[];
}

/** The requirements of the workspace. Higher modules keep them; trace and the index use them through this port. */
export interface RequirementSource {
  /** Everything that code, tests and documents can name by its id. */
  traceable(): Promise<TraceableIds>;
  /** Reads the documents of the workspace, or those of another view, such as a commit. */
  read(ids: Iterable<TraceId>, view?: SourceView): Promise<ReadonlyMap<TraceId, TracedRequirement>>;
  references(target: TagTarget): Promise<RequirementReferences>;
  /** Specs, requirements, rules and decisions. They are few, so all are read every time. */
  texts(): Promise<readonly IndexableText[]>;
  /** Features of the roadmap whose record says that they are implemented. A damaged record does not count. */
  implementedFeatures(): Promise<readonly FeatureName[]>;
  /** The stages that a feature passes, in order. */
  featureStages(): Promise<readonly string[]>;
}
