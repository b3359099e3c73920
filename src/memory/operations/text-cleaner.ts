import { Fault } from "#kernel/model/fault.ts";
import { formatCount } from "#kernel/model/text-format.ts";
import { MAX_CONTENT_BYTES } from "../model/observation.ts";
import { redactPrivateText } from "#kernel/model/private-text.ts";
import { findSecrets, maskSecretRanges } from "#kernel/model/secret-detection.ts";
import type { MemoryEngine } from "./engine.ts";

/** Names of Tenon's own arguments contain no secrets. */
const SAFE_FIELD_NAME = /^[a-z_]{1,30}$/;

export class TextCleaner {
  readonly #secrets: MemoryEngine["secrets"];
  readonly #masked = new Set<string>();
  #redacted = 0;

  constructor({ secrets }: Pick<MemoryEngine, "secrets">) {
    this.#secrets = secrets;
  }

  readonly text = async (text: string): Promise<string> => {
    const open = redactPrivateText(text);
    const safe = await this.#secrets.mask(open.text);
    this.#redacted += open.count;
    for (const kind of safe.found) this.#masked.add(kind);
    return safe.text;
  };

  async all<T>(value: T): Promise<T> {
    if (typeof value === "string") return (await this.text(value)) as T;
    if (Array.isArray(value)) return (await Promise.all(value.map((each) => this.all<unknown>(each)))) as T;
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).map(async ([name, inner]) => {
      const cleaned = await this.all<unknown>(inner);
      const safe = typeof cleaned === "string" ? this.#named(name, cleaned) : cleaned;
      return [SAFE_FIELD_NAME.test(name) ? name : await this.text(name), safe];
    });
    return Object.fromEntries(await Promise.all(fields)) as T;
  }

  /** Some secrets are recognizable only by their key: `{"db_password": "…"}`. */
  #named(name: string, value: string): string {
    const head = `${name}="`;
    const ranges = findSecrets(`${head}${value}"`).map(({ kind, from, to }) => ({
      kind,
      from: Math.max(0, from - head.length),
      to: Math.min(value.length, to - head.length),
    }));
    const inside = ranges.filter(({ from, to }) => from < to);
    for (const { kind } of inside) this.#masked.add(kind);
    return maskSecretRanges(value, inside);
  }

  notes(): string[] {
    const masked = [...this.#masked].toSorted().join(", ");
    return [
      ...(this.#redacted > 0 ? [`${formatCount(this.#redacted, "private passage")} left out.`] : []),
      ...(masked ? [`Masked what looks like a secret: ${masked}.`] : []),
    ];
  }
}

export function rejectLongContent(content: string): string {
  const length = new TextEncoder().encode(content).length;
  if (length <= MAX_CONTENT_BYTES) return content;
  throw new Fault("memory.too-long", {
    what: "Nothing was saved.",
    why: `The text has ${length} bytes; the limit is ${MAX_CONTENT_BYTES}.`,
    fix: "Save it in parts, each with its own title, or shorten it.",
  });
}
