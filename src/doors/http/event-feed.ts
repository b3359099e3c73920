import type { StoredEvent } from "#store/operations/ports/store.ts";

export interface FeedSource {
  position(): Promise<number>;
  eventsEverywhere(after: number, most?: number): Promise<readonly StoredEvent[]>;
}

export type FeedEvent = Pick<StoredEvent, "seq" | "at" | "kind" | "subject">;

const POLL_MS = 250;
const MAX_EVENTS_PER_POLL = 500;

/**
 * Passes on what any process writes to the ledger. It reads only while a page listens, and one read serves all pages. A
 * page that listens later asks for what it missed.
 */
export class EventFeed {
  readonly #open: () => Promise<FeedSource>;
  readonly #listeners = new Set<(events: readonly FeedEvent[]) => void>();
  #timer: NodeJS.Timeout | undefined;
  #seen: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(open: () => Promise<FeedSource>) {
    this.#open = open;
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  listen(listener: (events: readonly FeedEvent[]) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.readNew(), POLL_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#seen = undefined;
  }

  /** Once it resolves, no later event is missed. */
  readNew(): Promise<void> {
    this.#reading ??= this.#readEvents().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readEvents(): Promise<void> {
    try {
      const source = await this.#open();
      const newest = await source.position();
      const seen = (this.#seen ??= newest);
      if (newest === seen) return;
      const events = (await source.eventsEverywhere(seen, MAX_EVENTS_PER_POLL)).map(pickFeedEvent);
      this.#seen = events.at(-1)?.seq ?? newest;
      if (events.length > 0) for (const listener of this.#listeners) listener(events);
    } catch {
      // A ledger that cannot be read for a moment is read again at the next turn. Calls report the fault.
    }
  }
}

const pickFeedEvent = ({ seq, at, kind, subject }: StoredEvent): FeedEvent => ({ seq, at, kind, subject });
