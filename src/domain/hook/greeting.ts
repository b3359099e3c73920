import { secondsBetween, spell } from "../day.ts";
import { plain } from "../quote.ts";
import { type AtWork, isUnfinishedWork, workOf } from "../workflow/fold.ts";
import { inOrder, type QueueItem, usualPriority } from "../workflow/queue.ts";
import { NOBODY } from "../workflow/record.ts";
import { standingOf } from "../workflow/sessions.ts";

/** An open change, as far as a greeting tells of it. */
export interface OpenChange {
  readonly id: string;
  readonly description: string;
  readonly current_stage: string;
  readonly created_at: string;
}

export interface Interrupted {
  readonly id: string;
  readonly stage: string;
  readonly by: string;
  readonly ageS: number;
}

const LONGEST_TITLE = 40;
const MOST_INTERRUPTED = 2;
const MOST_FILES = 3;
/** Tokens, of the 300 that a greeting may cost; the fixed sentences take the others. */
const FOR_QUEUE = 70;
const FOR_INTERRUPTED = 45;
const FOR_CURRENT = 40;

/** Everything unfinished, the most urgent first. */
export function queueOf(atWork: AtWork, changes: readonly OpenChange[]): QueueItem[] {
  const workflows = [...atWork.workflows.values()].filter(({ id }) => isUnfinishedWork(id, atWork));
  return inOrder([
    ...workflows.map(({ id, kind, title, current_stage: stage, priority, started_at, updated_at }) => ({
      id,
      kind,
      title,
      stage,
      priority,
      started_at,
      updated_at,
    })),
    ...changes.map(({ id, description, current_stage: stage, created_at }) => ({
      id,
      kind: "change" as const,
      title: description,
      stage,
      priority: usualPriority("change"),
      started_at: created_at,
      updated_at: created_at,
    })),
  ]);
}

/** Work whose session vanished. What this session left itself it simply goes on with. */
export function interruptedIn(queue: readonly QueueItem[], atWork: AtWork, session: string, now: string): Interrupted[] {
  return queue.flatMap(({ id, stage }) => {
    const { standing, session: vanished } = standingOf(id, atWork.sessions.values(), atWork.lease(id));
    if (standing !== "interrupted" || vanished === undefined || vanished.id === session) return [];
    return [{ id, stage, by: vanished.id, ageS: secondsBetween(vanished.seen_at, now) }];
  });
}

/** The values of the greeting's template. */
export function greetingValues(
  session: string,
  queue: readonly QueueItem[],
  atWork: AtWork,
  interrupted: readonly Interrupted[],
  uncommitted: readonly string[] | undefined,
): Record<string, string> {
  const current = queue.find(({ id }) => id === workOf(session, atWork));
  const told = interrupted.slice(0, MOST_INTERRUPTED);
  return {
    session: session === NOBODY ? "" : session,
    interrupted: told.map((each) => fitting(interruption(each), FOR_INTERRUPTED)).join("\n"),
    first: told[0]?.id ?? "",
    uncommitted: uncommitted === undefined ? "" : filesLine(uncommitted),
    current: current ? fitting(`${current.id} (${plain(current.title, LONGEST_TITLE)}), at ${current.stage}`, FOR_CURRENT) : "",
    next: current ? nextStep(current) : "",
    queue: queueLine(queue),
  };
}

const interruption = ({ id, stage, by, ageS }: Interrupted): string =>
  `${id} was interrupted at ${stage}, ${spell(ageS)} ago (session ${plain(by, 40)}).`;

function filesLine(files: readonly string[]): string {
  if (files.length === 0) return "No file is uncommitted.";
  const named = files.slice(0, MOST_FILES).map((file) => plain(file.slice(-LONGEST_TITLE), LONGEST_TITLE));
  const more = files.length > named.length ? ", …" : "";
  return fitting(`Uncommitted: ${files.length} (${named.join(", ")}${more}).`, FOR_CURRENT);
}

/** A workflow's gate says what it lacks; a change's status says what its stage asks for. */
const nextStep = ({ id, kind }: QueueItem): string =>
  kind === "change" ? `tenon change status --change-id ${id}` : `tenon workflow status --id ${id}`;

function queueLine(queue: readonly QueueItem[]): string {
  const items = queue.map(({ id, stage, priority }) => `[${priority}] ${id} ${stage}`);
  const shown: string[] = [];
  for (const item of items) {
    if (costOf([...shown, item].join("; ")) > FOR_QUEUE) break;
    shown.push(item);
  }
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join("; ");
}

/** As much of a text as costs no more. */
function fitting(text: string, most: number): string {
  if (costOf(text) <= most) return text;
  const letters = Array.from(text);
  let cost = 2;
  const end = letters.findIndex((letter) => (cost += costOf(letter)) > most);
  return `${letters.slice(0, Math.max(0, end)).join("")}…`;
}

/**
 * What a text costs a model at most, near enough without a tokenizer: three letters a token, and more for what its
 * makers hardly met.
 */
export function costOf(text: string): number {
  let cost = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    if (/[a-z ]/i.test(letter)) cost += 1 / 2.5;
    else if (code < 128) cost += 0.8;
    else cost += code < 0x3000 ? 1.5 : 3;
  }
  return Math.ceil(cost);
}
