import { Fault } from "#domain/fault.ts";
import { count } from "#domain/count.ts";
import { LONGEST_CONTENT } from "#domain/memory/observation.ts";
import { redactPrivate } from "#domain/memory/private.ts";
import type { Engine } from "./engine.ts";

/** Takes out what must not be kept, before anything is written, and can say what it took. */
export class Cleaner {
  readonly #secrets: Engine["secrets"];
  readonly #masked = new Set<string>();
  #redacted = 0;

  constructor({ secrets }: Pick<Engine, "secrets">) {
    this.#secrets = secrets;
  }

  readonly text = async (text: string): Promise<string> => {
    const open = redactPrivate(text);
    const safe = await this.#secrets.mask(open.text);
    this.#redacted += open.count;
    for (const kind of safe.found) this.#masked.add(kind);
    return safe.text;
  };

  /** Every text in a value, however deep; nothing a caller said is kept unseen. */
  async all<T>(value: T): Promise<T> {
    if (typeof value === "string") return (await this.text(value)) as T;
    if (Array.isArray(value)) return (await Promise.all(value.map((each) => this.all<unknown>(each)))) as T;
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(async ([name, inner]) => [name, await this.all<unknown>(inner)]);
    return Object.fromEntries(await Promise.all(fields)) as T;
  }

  /** What was taken out, for whoever gave it. */
  notes(): string[] {
    const masked = [...this.#masked].toSorted().join(", ");
    return [
      ...(this.#redacted > 0 ? [`${count(this.#redacted, "private passage")} left out.`] : []),
      ...(masked ? [`Masked what looks like a secret: ${masked}.`] : []),
    ];
  }
}

/** A text that is too long is refused and never cut. */
export function refuseLong(content: string): string {
  const length = new TextEncoder().encode(content).length;
  if (length <= LONGEST_CONTENT) return content;
  throw new Fault("memory.too-long", {
    what: "Nothing was saved.",
    why: `The text has ${length} bytes, and at most ${LONGEST_CONTENT} fit.`,
    fix: "Save it in parts, each under a title of its own, or say it shorter.",
  });
}
