import type { ChangeRecord } from "#domain/change/record.ts";
import type { Problem } from "#domain/gate/verdict.ts";
import { type Books } from "#domain/spec/books.ts";
import { checkDeltas, type Claim, newIds } from "#domain/spec/check.ts";
import { type Delta, parseDeltas, wordingOf } from "#domain/spec/delta.ts";
import { BUSINESS_RULES, REQUIREMENTS } from "#domain/workspace/path.ts";
import type { Engine } from "../engine.ts";
import { findProjectRecord } from "../project/record.ts";
import { listArchivedChangeSpecIds } from "../project/shelf.ts";
import type { Tree } from "../ports/store.ts";
import { listOpenChanges } from "./census.ts";

export interface DeltaOverlap {
  readonly id: string;
  readonly op: string;
  readonly change: string;
  readonly other_op: string;
}

interface StampedDeltas {
  readonly deltas: readonly Delta[];
  readonly problems: readonly Problem[];
  readonly overlaps: readonly DeltaOverlap[];
}

export const NO_STAMPED_DELTAS: StampedDeltas = { deltas: [], problems: [], overlaps: [] };

/** Characters. Stays below the maximum size of a record. */
const MAX_STAMPED_DELTAS_LENGTH = 400_000;

export const loadSpecBooks = (tree: Tree): Books => ({
  requirements: tree.text(REQUIREMENTS),
  rules: tree.text(BUSINESS_RULES),
});

export function stampSpecDeltas(
  engine: Pick<Engine, "digest">,
  tree: Tree,
  record: ChangeRecord,
  spec: string,
): StampedDeltas {
  const claims = listOtherChangeClaims(tree, record.id);
  // Reading the whole history is slow, so do it only if the spec adds ids.
  const parsed = parseDeltas(spec);
  const hasNew = parsed.deltas.some((delta) => newIds(delta).length > 0);
  const given = hasNew || parsed.loose.length > 0 ? listAssignedSpecIds(tree) : [];
  const { deltas, problems } = checkDeltas(spec, { books: loadSpecBooks(tree), claims, given });
  // A delta with unchanged wording keeps its original base text.
  const earlier = new Map((record.deltas ?? []).map((delta) => [wordingOf(delta), delta]));
  const stamped = deltas.map((delta) => earlier.get(wordingOf(delta)) ?? { ...delta, base: engine.digest(delta.was) });
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

export function replaceChangeDeltas(record: ChangeRecord, deltas: readonly Delta[]): ChangeRecord {
  const { deltas: _, ...rest } = record;
  return deltas.length > 0 ? { ...rest, deltas } : rest;
}

export const describeDeltaOverlap = ({ id, op, change, other_op }: DeltaOverlap): string =>
  `${id} is ${op} here and ${other_op} by the open change ${change}: agree on one text now, for the second to be archived is refused until somebody decides.`;

function listOtherChangeClaims(tree: Tree, own: string): Claim[] {
  return listOpenChanges(tree)
    .filter(({ id }) => id !== own)
    .flatMap(({ id, deltas }) => (deltas ? [{ change: id, deltas }] : []));
}

/** Includes ids that are no longer in a document. */
const listAssignedSpecIds = (tree: Tree): string[] => [
  ...(findProjectRecord(tree)?.ids ?? []),
  ...listArchivedChangeSpecIds(tree),
];
