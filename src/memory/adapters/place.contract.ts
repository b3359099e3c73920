import { DEFAULT_MEMORY_SESSION } from "../model/observation.ts";
import type { ProjectIdentity } from "#kernel/model/project-identity.ts";
import { parseSearchQuestion } from "#kernel/model/search/search-question.ts";
import type { ObservationDraft, MemoryFilter, MemoryRecords, SavedObservation } from "../operations/ports/memory.ts";

/** A place in which nothing is remembered yet. */
export interface MemoryPlace extends Disposable {
  /** As another process sees it: every call is a connection of its own. */
  open(): MemoryRecords;
}

export type MakeMemory = () => MemoryPlace;

export const SHOP: ProjectIdentity = { name: "shop", places: [] };
export const BANK: ProjectIdentity = { name: "bank", places: [] };

/** So many minutes after the tests begin. */
export const minute = (minutes: number): string =>
  new Date(Date.UTC(2026, 0, 31, 12) + minutes * 60_000).toISOString().replace(".000Z", "Z");

export const day = (days: number): string => minute(days * 24 * 60);

/** A text about nothing in particular, with what a test cares for. */
export const draft = (said: Partial<ObservationDraft> = {}): ObservationDraft => ({
  project: SHOP,
  session: DEFAULT_MEMORY_SESSION,
  type: "manual",
  title: "A title",
  content: "A text.",
  scope: "project",
  namespace: "",
  ...said,
});

export async function saveOne(
  memory: MemoryRecords,
  said: Partial<ObservationDraft> = {},
  at = minute(0),
): Promise<SavedObservation> {
  const [saved] = await memory.save([draft(said)], at);
  if (!saved) throw new Error("Nothing was saved.");
  return saved;
}

/** Saves texts of these titles one after the other, a minute apart, and gives their ids. */
export async function saveTitled(
  memory: MemoryRecords,
  titles: readonly string[],
  said: Partial<ObservationDraft> = {},
): Promise<number[]> {
  const ids: number[] = [];
  for (const [i, title] of titles.entries()) {
    ids.push((await saveOne(memory, { title, content: `About ${title}.`, ...said }, minute(i))).observation.id);
  }
  return ids;
}

/** The titles of what may answer, in the order of their ids. */
export async function finds(memory: MemoryRecords, query: string, filter: MemoryFilter = {}): Promise<string[]> {
  const { observations } = await memory.candidates(parseSearchQuestion(query, minute(0)), filter, 80);
  return observations.toSorted((one, other) => one.id - other.id).map(({ title }) => title);
}

export const titles = (observations: readonly { readonly title: string }[]): string[] =>
  observations.map(({ title }) => title);

/** The texts that an observation has had, the present one last. */
export async function textsOf(memory: MemoryRecords, id: number): Promise<string[]> {
  const present = await memory.get(id);
  return [...(await memory.revisions(id)), ...(present ? [present] : [])].map(({ content }) => content);
}
