import type { ChangeRecord } from "#domain/change/record.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { type SpecBooks } from "#domain/spec/books.ts";
import { checkSpecDeltas, type DeltaClaim, listNewIds } from "#domain/spec/check.ts";
import { type SpecDelta, parseSpecDeltas, serializeDelta } from "#domain/spec/delta.ts";
import { BUSINESS_RULES_PATH, REQUIREMENTS_PATH } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { findProjectRecord } from "../project/record.ts";
import { listArchivedChangeSpecIds } from "../project/shelf.ts";
import type { StoreTree } from "../ports/store.ts";
import { listOpenChanges } from "./census.ts";

export interface DeltaOverlap {
  readonly id: string;
  readonly op: string;
  readonly change: string;
  readonly other_op: string;
}

interface StampedDeltas {
  readonly deltas: readonly SpecDelta[];
  readonly problems: readonly Problem[];
  readonly overlaps: readonly DeltaOverlap[];
}

export const NO_STAMPED_DELTAS: StampedDeltas = { deltas: [], problems: [], overlaps: [] };

/** Characters. Stays below the maximum size of a record. */
const MAX_STAMPED_DELTAS_LENGTH = 400_000;

export const loadSpecBooks = (tree: StoreTree): SpecBooks => ({
  requirements: tree.text(REQUIREMENTS_PATH),
  rules: tree.text(BUSINESS_RULES_PATH),
});

export function stampSpecDeltas(
  engine: Pick<Engine, "digest">,
  tree: StoreTree,
  record: ChangeRecord,
  spec: string,
): StampedDeltas {
  const claims = listOtherChangeClaims(tree, record.id);
  // Reading the whole history is slow, so do it only if the spec adds ids.
  const parsed = parseSpecDeltas(spec);
  const hasNew = parsed.deltas.some((delta) => listNewIds(delta).length > 0);
  const given = hasNew || parsed.loose.length > 0 ? listAssignedSpecIds(tree) : [];
  const { deltas, problems } = checkSpecDeltas(spec, { books: loadSpecBooks(tree), claims, given });
  // A delta with unchanged wording keeps its original base text.
  const earlier = new Map((record.deltas ?? []).map((delta) => [serializeDelta(delta), delta]));
  const stamped = deltas.map(
    (delta) => earlier.get(serializeDelta(delta)) ?? { ...delta, base: engine.digest(delta.was) },
  );
  return {
    deltas: stamped,
    problems: [
      ...problems,
      ...(JSON.stringify(stamped).length > MAX_STAMPED_DELTAS_LENGTH
        ? [{ problem: "The deltas are too long for one change: split it." }]
        : []),
    ],
    overlaps: stamped.flatMap(({ op, id }) =>
      claims.flatMap(({ change, deltas: theirs }) =>
        theirs
          .filter((other) => other.id === id || other.to === id)
          .map((other) => ({ id, op, change, other_op: other.op })),
      ),
    ),
  };
}

export function replaceChangeDeltas(record: ChangeRecord, deltas: readonly SpecDelta[]): ChangeRecord {
  const { deltas: _, ...rest } = record;
  return deltas.length > 0 ? { ...rest, deltas } : rest;
}

export const describeDeltaOverlap = ({ id, op, change, other_op }: DeltaOverlap): string =>
  `${id} is ${op} here and ${other_op} by the open change ${change}: agree on one text now, for the second to be archived is refused until somebody decides.`;

function listOtherChangeClaims(tree: StoreTree, own: string): DeltaClaim[] {
  return listOpenChanges(tree)
    .filter(({ id }) => id !== own)
    .flatMap(({ id, deltas }) => (deltas ? [{ change: id, deltas }] : []));
}

/** Includes ids that are no longer in a document. */
const listAssignedSpecIds = (tree: StoreTree): string[] => [
  ...(findProjectRecord(tree)?.ids ?? []),
  ...listArchivedChangeSpecIds(tree),
];
