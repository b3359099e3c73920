/** One file of an earlier commit. `after` is undefined if it is gone. */
export interface KeptFile {
  readonly path: string;
  readonly before: string;
  readonly after: string | undefined;
}

type KeptRule = (before: string, after: string) => string | undefined;

const RECEIPT_LINES: KeptRule = (before, after) =>
  after.startsWith(before.trimEnd()) ? undefined : "lost or changed receipts; Tenon only adds them";

const ARCHIVED: KeptRule = (before, after) =>
  normalizeLineEnds(before) === normalizeLineEnds(after) ? undefined : "was edited; archived work does not change";

/** `tenon adr status` changes the status in the head, and adds a line to the history. */
const DECISION: KeptRule = (before, after) => {
  const [old, now] = [before, after].map(splitDecision);
  if (!old || !now || old.status === "proposed") return undefined;
  if (old.content !== now.content) return "was edited after the decision; record a new one that supersedes it";
  if (old.status === now.status || now.history.length > old.history.length) return undefined;
  return "got another status by hand; `tenon adr status` changes it";
};

/** The user's answers and waivers are written into a review later. What reviewers found is not. */
const REVIEW: KeptRule = (before, after) => {
  const [old, now] = [before, after].map(listReviewFacts);
  const countWaivers = (text: string): number => text.match(/^\s*-?\s*waived:/gm)?.length ?? 0;
  if (old === now || countWaivers(after) > countWaivers(before)) return undefined;
  return "got other findings or another verdict by hand";
};

const SEALED: KeptRule = () => undefined;

/** Records that Tenon never removes. The first pattern counts. */
const KEPT_RECORDS: readonly (readonly [RegExp, KeptRule])[] = [
  [/^sdd\/(?:receipts\/[^/]+\.jsonl|(?:changes|history|features)\/[^/]+\/receipts\.jsonl)$/, RECEIPT_LINES],
  [/^sdd\/(?:adrs|(?:changes|history)\/[^/]+\/adrs)\/[^/]+\.md$/, DECISION],
  [/^sdd\/history\/[^/]+\/change\.json$/, SEALED],
  [/^sdd\/history\//, ARCHIVED],
  [/^sdd\/(?:features\/[^/]+\/)?reviews\/[^/]+\.yaml$/, REVIEW],
  [/^sdd\/(?:trace|approvals)\/[^/]+\.json$/, SEALED],
];

export const isKeptRecord = (path: string): boolean => KEPT_RECORDS.some(([pattern]) => pattern.test(path));

/** The problem of a record that an earlier commit has. Undefined if Tenon itself may have written it so. */
export function judgeKeptRecord({ path, before, after }: KeptFile): string | undefined {
  const [, rule] = KEPT_RECORDS.find(([pattern]) => pattern.test(path)) ?? [];
  if (!rule) return undefined;
  return after === undefined ? "was removed" : rule(before, after);
}

/** Where an archived change keeps a file of an open one. */
export const getArchivedPath = (path: string): string | undefined =>
  path.startsWith("sdd/changes/") ? path.replace("sdd/changes/", "sdd/history/") : undefined;

/** The record whose removal explains that of a file: a feature takes its reviews and receipts along. */
export const getOwnerRecord = (path: string): string | undefined => {
  const [, name] = /^sdd\/features\/([^/]+)\//.exec(path) ?? [];
  return name === undefined ? undefined : `sdd/features/${name}/spec.yaml`;
};

const normalizeLineEnds = (text: string): string => text.replaceAll("\r\n", "\n").trimEnd();

function splitDecision(text: string) {
  const whole = normalizeLineEnds(text);
  const end = whole.search(/^## /m);
  const [head, body] = end < 0 ? [whole, ""] : [whole.slice(0, end), whole.slice(end)];
  const at = body.lastIndexOf("## Status history");
  const kept = head.replace(/^- (?:Status|Superseded by): .*\n/gm, "");
  return {
    status: /^- Status: (\w+)/m.exec(head)?.[1],
    content: `${kept}${(at < 0 ? body : body.slice(0, at)).trimEnd()}`,
    history: at < 0 ? "" : body.slice(at),
  };
}

const listReviewFacts = (text: string): string =>
  (text.match(/^\s*-?\s*(?:verdict|computed|severity|C|H|M|L|id|problem|description):.*$/gm) ?? []).join("\n");
