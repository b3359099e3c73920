import type * as z from "zod";
import type { OperationCall } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureStatusSchema } from "./schema.ts";

type ShownFeatureStatus = z.infer<typeof FeatureStatusSchema>;

export function formatFeatureStatusPage(look: ShownFeatureStatus): Page {
  const { name, phase, changelog, history, blocked, fix, impact, due, reviewed } = look;
  return {
    title: blocked ? formatBlockedTitle(name, blocked.by) : `${name}: ${phase}.`,
    facts: createStatusFacts(look),
    ...(history.length === 0
      ? {}
      : {
          table: {
            columns: ["batch", "review", "when", "verdict", "open findings"],
            rows: history.map(({ batch, kind, at, verdict, open }) => [batch, kind, at, verdict, String(open)]),
          },
        }),
    points: [
      ...(blocked
        ? [`${blocked.reason}${blocked.skipped ? ", let go" : ""}: ${sanitizeText(blocked.detail, 300)}`]
        : []),
      ...(fix ? [`To be mended (${fix.source}): ${sanitizeText(fix.detail, 300)}`] : []),
      ...(reviewed.design?.is_current === false ? ["The design has changed since it was reviewed."] : []),
      ...(reviewed.implementation?.is_current === false ? ["The code has changed since it was reviewed."] : []),
      ...(impact ? formatImpactPoints(impact) : []),
      ...changelog.map(({ version, action, at }) => `${version} ${action}, ${at}`),
      ...due.filter(({ about }) => about.includes(name)).map(({ id, about }) => `Due: ${about} (${id})`),
    ],
    next: blocked
      ? [{ operation: "roadmap.manage", input: { action: "unblock", names: [blocked.by[0] ?? name], how: "…" } }]
      : [
          ...(impact?.affected.flatMap(createFollowUpCalls).slice(0, MAX_FOLLOW_UPS) ?? []),
          { operation: "roadmap.next" },
        ],
  };
}

/** A failed feature waits for the user, all others for the failed one. */
export function formatBlockedTitle(name: string, by: readonly string[]): string {
  const others = by.filter((each) => each !== name);
  return others.length === 0
    ? `${name} failed, and waits for the user's word.`
    : `${name} is blocked by ${others.join(", ")}.`;
}

const MAX_FOLLOW_UPS = 5;

function createFollowUpCalls({
  feature,
  follows,
}: NonNullable<ShownFeatureStatus["impact"]>["affected"][number]): OperationCall[] {
  if (follows === "re-review") return [{ operation: "review.begin", input: { kind: "impl", feature } }];
  if (follows !== "re-implement") return [];
  return [{ operation: "roadmap.manage", input: { action: "revise", names: [feature], intent: "…" } }];
}

function createStatusFacts(look: ShownFeatureStatus): NonNullable<Page["facts"]> {
  const {
    description,
    version,
    version_refs: refs,
    alignment,
    stale,
    wave,
    dependencies,
    dependents,
    tasks,
    files,
  } = look;
  const { retries, spec_updates, total } = look.counters;
  return [
    ["feature", sanitizeText(description, 200)],
    ["version", `${version} (design ${refs.design ?? "none"}, implementation ${refs.implementation ?? "none"})`],
    ["alignment", `${alignment}${stale.length > 0 ? `; designed on another ${stale.join(", ")}` : ""}`],
    ...(wave === null ? [] : [["wave", String(wave)] as const]),
    ...(dependencies.length === 0 ? [] : [["builds on", dependencies.join(", ")] as const]),
    ...(dependents.length === 0 ? [] : [["built on by", dependents.join(", ")] as const]),
    ...(tasks === null ? [] : [["tasks", formatTaskCounts(tasks)] as const]),
    ...(files === 0 ? [] : [["files", String(files)] as const]),
    ...(total === 0 ? [] : [["retries", `${retries}, updates of its spec ${spec_updates}, in all ${total}`] as const]),
  ];
}

const formatTaskCounts = ({ total, done, pending, optional }: NonNullable<ShownFeatureStatus["tasks"]>): string =>
  `${done} of ${total} done, ${pending} pending${optional > 0 ? `, ${optional} optional` : ""}`;

function formatImpactPoints({
  class: kind,
  since,
  changes,
  affected,
}: NonNullable<ShownFeatureStatus["impact"]>): string[] {
  if (since === null) return ["Impact: git has no other version of its design."];
  return [
    `Impact since ${since.slice(0, 12)}: ${kind}`,
    ...changes.map((change) => `Changed: ${change}`),
    ...affected.map(({ feature, reach, follows, why }) => `${feature} (${reach}): ${follows}. ${why}`),
  ];
}
