import type * as z from "zod";
import type { OperationCall } from "#kernel/model/fault.ts";
import type { Page } from "#kernel/model/page.ts";
import { sanitizeText } from "#kernel/model/text-format.ts";
import type { FeatureStatusSchema } from "./schema.ts";

type ShownFeatureStatus = z.infer<typeof FeatureStatusSchema>;
type DesignImpact = NonNullable<ShownFeatureStatus["impact"]>;

export function formatFeatureStatusPage(look: ShownFeatureStatus): Page {
  const { name, phase, changelog, history, blocked, fix, impact, due, reviewed } = look;
  const rows = history.map(({ batch, kind, at, verdict, open }) => [batch, kind, at, verdict, String(open)]);
  const table = { columns: ["batch", "review", "when", "verdict", "open findings"], rows };
  const unblock = { action: "unblock", names: [blocked?.by[0] ?? name], how: "…" };
  const follow = impact?.affected.flatMap(createFollowUpCalls).slice(0, MAX_FOLLOW_UPS) ?? [];
  return {
    title: blocked ? formatBlockedTitle(name, blocked.by) : `${name}: ${phase}.`,
    facts: createStatusFacts(look),
    ...(rows.length === 0 ? {} : { table }),
    points: [
      ...(blocked
        ? [`${blocked.reason}${blocked.skipped ? ", let go" : ""}: ${sanitizeText(blocked.detail, 300)}`]
        : []),
      ...(fix ? [`To fix (${fix.source}): ${sanitizeText(fix.detail, 300)}`] : []),
      ...(reviewed.design?.is_current === false ? ["The design has changed since it was reviewed."] : []),
      ...(reviewed.implementation?.is_current === false ? ["The code has changed since it was reviewed."] : []),
      ...(impact ? formatImpactPoints(impact) : []),
      ...changelog.map(({ version, action, at }) => `${version} ${action}, ${at}`),
      ...due.filter(({ about }) => about.includes(name)).map(({ id, about }) => `Due: ${about} (${id})`),
    ],
    next: blocked ? [{ operation: "roadmap.manage", input: unblock }] : [...follow, { operation: "roadmap.next" }],
  };
}

/** A failed feature waits for the user, all others for the failed one. */
export function formatBlockedTitle(name: string, by: readonly string[]): string {
  const others = by.filter((each) => each !== name);
  return others.length === 0
    ? `${name} failed, and waits for the user's decision.`
    : `${name} is blocked by ${others.join(", ")}.`;
}

const MAX_FOLLOW_UPS = 5;

function createFollowUpCalls({ feature, follows }: DesignImpact["affected"][number]): OperationCall[] {
  if (follows === "re-review") return [{ operation: "review.begin", input: { kind: "impl", feature } }];
  if (follows !== "re-implement") return [];
  return [{ operation: "roadmap.manage", input: { action: "revise", names: [feature], intent: "…" } }];
}

function createStatusFacts(look: ShownFeatureStatus): NonNullable<Page["facts"]> {
  const { version_refs: refs, stale, tasks, counters } = look;
  const { retries, spec_updates, total } = counters;
  const optional = tasks && tasks.optional > 0 ? `, ${tasks.optional} optional` : "";
  const facts: readonly (readonly [string, string])[] = [
    ["feature", sanitizeText(look.description, 200)],
    ["version", `${look.version} (design ${refs.design ?? "none"}, implementation ${refs.implementation ?? "none"})`],
    ["alignment", `${look.alignment}${stale.length > 0 ? `; designed on another ${stale.join(", ")}` : ""}`],
    ["changed", look.edited.map(({ path, lines }) => (lines === "" ? path : `${path}: ${lines}`)).join("; ")],
    ["wave", String(look.wave ?? "")],
    ["builds on", look.dependencies.join(", ")],
    ["built on by", look.dependents.join(", ")],
    ["tasks", tasks ? `${tasks.done} of ${tasks.total} done, ${tasks.pending} pending${optional}` : ""],
    ["files", look.files === 0 ? "" : String(look.files)],
    ["retries", total === 0 ? "" : `${retries}, updates of its spec ${spec_updates}, in all ${total}`],
  ];
  return facts.filter(([name, text]) => name === "feature" || text !== "");
}

function formatImpactPoints({ class: kind, since, changes, affected }: DesignImpact): string[] {
  if (since === null) return ["Impact: git has no other version of its design."];
  return [
    `Impact since ${since.slice(0, 12)}: ${kind}`,
    ...changes.map((change) => `Changed: ${change}`),
    ...affected.map(({ feature, reach, follows, why }) => `${feature} (${reach}): ${follows}. ${why}`),
  ];
}
