import { Fault } from "../fault.ts";
import { quote } from "../quote.ts";
import { type Adr, ADR_STATUSES, type AdrId, type AdrStatus } from "./adr.ts";

/** What a decision's file says about it, read back from its text. */
export interface AdrHead {
  readonly title: string;
  readonly status: AdrStatus;
  readonly date?: string;
  readonly supersedes?: string;
  readonly superseded_by?: string;
}

export interface StatusChange {
  readonly status: AdrStatus;
  readonly at: string;
  readonly reason?: string | undefined;
  readonly superseded_by?: string | undefined;
}

export function renderAdr(adr: Adr): string {
  const facts = [
    `- Status: ${adr.status}`,
    `- Date: ${adr.created_at}`,
    ...(adr.change_id ? [`- Change: ${adr.change_id}`] : []),
    ...(adr.supersedes ? [`- Supersedes: ${adr.supersedes}`] : []),
  ];
  const sections = [
    ["Context", adr.context],
    ["Decision", adr.decision],
    ["Rationale", adr.rationale],
    ["Alternatives rejected", adr.alternatives_rejected],
  ].flatMap(([name, text]) => (text ? [`## ${name}`, text.trim()] : []));
  return `${[`# ${adr.id}: ${oneLine(adr.title)}`, facts.join("\n"), ...sections].join("\n\n")}\n`;
}

/** Throws when the head is not the form that `renderAdr` writes: status changes must not guess. */
export function readAdr(id: AdrId, text: string): AdrHead {
  const title = new RegExp(`^# ${id}: (.+)$`, "m").exec(text)?.[1];
  const status = fact(text, "Status");
  if (title && ADR_STATUSES.includes(status as AdrStatus)) {
    const date = fact(text, "Date");
    const supersedes = fact(text, "Supersedes");
    const supersededBy = fact(text, "Superseded by");
    return {
      title,
      status: status as AdrStatus,
      ...(date ? { date } : {}),
      ...(supersedes ? { supersedes } : {}),
      ...(supersededBy ? { superseded_by: supersededBy } : {}),
    };
  }
  throw new Fault("adr.unreadable", {
    what: `${id} cannot be read.`,
    why: title
      ? `Its line "- Status:" says ${quote(status ?? "nothing")}, not one of ${ADR_STATUSES.join(", ")}.`
      : `Its first heading is not "# ${id}: <title>".`,
    fix: `Mend the head of the file, then run the command again.`,
  });
}

/** Changes the status line and adds one line of history; every other byte stays. */
export function restateAdr(id: AdrId, text: string, change: StatusChange): string {
  readAdr(id, text);
  const successor = change.superseded_by ? `\n- Superseded by: ${change.superseded_by}` : "";
  const restated = text
    .replace(/^- Superseded by: .*\r?\n/m, "")
    .replace(/^- Status: .*$/m, () => `- Status: ${change.status}${successor}`);
  const entry = `- ${change.at}: ${change.status}${change.reason ? `, ${oneLine(change.reason)}` : ""}`;
  return withHistory(restated, entry);
}

function withHistory(text: string, entry: string): string {
  const heading = /^## Status history[ \t]*$/m.exec(text);
  if (!heading) return `${text.trimEnd()}\n\n## Status history\n\n${entry}\n`;
  const bodyStart = heading.index + heading[0].length;
  const following = /^#{1,2} /m.exec(text.slice(bodyStart));
  const end = following ? bodyStart + following.index : text.length;
  const rest = following ? `\n${text.slice(end)}` : "";
  return `${text.slice(0, end).trimEnd()}\n${entry}\n${rest}`;
}

function fact(text: string, name: string): string | undefined {
  return new RegExp(`^- ${name}: (.+?)\\r?$`, "m").exec(text)?.[1]?.trim();
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
