import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { slugify } from "../slug.ts";

export const ADR_STATUSES = ["proposed", "accepted", "deprecated", "superseded"] as const;
export type AdrStatus = (typeof ADR_STATUSES)[number];

declare const brand: unique symbol;
/** `ADR-001` within a change, `ADR-0001` in the workspace. Only this file makes one. */
export type AdrId = string & { readonly [brand]: "AdrId" };

export interface Adr {
  readonly id: AdrId;
  readonly title: string;
  readonly status: AdrStatus;
  readonly context: string;
  readonly decision: string;
  readonly rationale: string;
  readonly alternatives_rejected?: string | undefined;
  readonly change_id?: string | undefined;
  readonly supersedes?: string | undefined;
  readonly created_at: string;
}

export const LAST_NUMBER = 99_999;

const FILE = /^(ADR-(\d{3,5}))(?:-[a-z0-9-]+)?\.md$/;

export function parseAdrId(text: string): AdrId {
  if (/^ADR-\d{3,5}$/.test(text)) return text as AdrId;
  throw new Fault("adr.bad-id", {
    what: `${quote(text, 64)} does not name a decision.`,
    why: "A decision is named ADR-0001, or ADR-001 within a change.",
    fix: { operation: "adr.list" },
  });
}

export function adrId(n: number, isInChange: boolean): AdrId {
  return `ADR-${String(n).padStart(isInChange ? 3 : 4, "0")}` as AdrId;
}

export function adrFile(id: AdrId, title: string, isInChange: boolean): string {
  return isInChange ? `${id}.md` : `${id}-${slugify(title, "decision")}.md`;
}

export function adrOfFile(name: string): { id: AdrId; number: number } | undefined {
  const match = FILE.exec(name);
  return match ? { id: match[1] as AdrId, number: Number(match[2]) } : undefined;
}

/** Never reuses a number, even if its file was deleted. */
export function nextAdrNumber(fileNames: readonly string[], lastGiven: number): number {
  return Math.max(lastGiven, 0, ...fileNames.map((name) => adrOfFile(name)?.number ?? 0)) + 1;
}
