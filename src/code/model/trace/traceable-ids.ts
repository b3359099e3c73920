import { isFeatureTag, type TagTarget } from "../scan/spec-tags.ts";

/** An item that code, tests and documents can name by its id. */
export interface TraceableItem {
  readonly id: string;
  /** `roadmap`: a roadmap feature, whose design is its spec. */
  readonly kind: "feature" | "bug" | "research" | "requirement" | "rule" | "roadmap";
  readonly title: string;
  readonly path: string;
  readonly line: number;
  readonly status?: string;
  /** `AC-1`, or `S1.AC2` of a roadmap feature. */
  readonly criteria?: readonly { readonly id: string; readonly text: string }[];
  readonly trace: Readonly<Record<"code" | "tests" | "docs" | "decisions", readonly string[]>>;
}

export interface TraceableIds {
  readonly ids: ReadonlyMap<string, TraceableItem>;
  /** Roadmap features by name; missing without a roadmap, because features cannot be checked then. */
  readonly features?: ReadonlySet<string>;
}

/** `AUTH-001`, `AUTH-001.AC-2`, `FR-001`, `user-login.S1.AC2`; nothing for other text. */
export function parseTraceReference(text: string): TagTarget | undefined {
  const match =
    /^([A-Z][A-Z0-9]{0,31}-[0-9]{3,6})(?:[.:#/](AC-[0-9]{1,4}))?$/.exec(text) ??
    /^([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.(S[0-9]{1,4}\.AC[0-9]{1,4}))?$/.exec(text);
  if (!match) return undefined;
  const [, spec = "", criterion] = match;
  return { spec, ...(criterion === undefined ? {} : { criterion }) };
}

/** A feature counts as unknown only if there is a roadmap. */
export function isUnknownId({ ids, features }: TraceableIds, { spec }: TagTarget): boolean {
  return isFeatureTag(spec) ? features?.has(spec) === false : !ids.has(spec);
}

export function isMissingCriterion({ ids }: TraceableIds, { spec, criterion }: TagTarget): boolean {
  const criteria = ids.get(spec)?.criteria;
  return criterion !== undefined && criteria !== undefined && !criteria.some(({ id }) => id === criterion);
}
