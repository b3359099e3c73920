import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Those further back look less often: so long per ticket ahead, which is less than a write takes. */
const STEP_MS = 3;
/** Whoever has been first for so long is dead, stopped or stuck, and is no longer waited for. */
const STANDSTILL_MS = 500;
/** When it was drawn, by which process, and a number. Nothing else in the folder is ours to touch. */
const TICKET = /^\d{20}-\d+-\d+$/;
/** Where Linux shows the processes that live. */
const PROCESSES = "/proc";

/**
 * The order in which processes come to write. SQLite gives its lock to whoever asks at the right instant, so with many
 * waiting the unlucky wait long; here each draws a ticket and lets older ones go first. It is courtesy and not safety:
 * the lock alone keeps writers apart, and a ticket that is lost or left behind only costs the order.
 */
export class Turns {
  readonly #folder: string;
  #drawn = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    const ticket = this.#draw();
    if (ticket === undefined) return work();
    try {
      await this.#wait(ticket);
      return await work();
    } finally {
      this.#discard(ticket);
    }
  }

  /** Nothing where no file can be made: then the write itself will say why. */
  #draw(): string | undefined {
    const ticket = [String(process.hrtime.bigint()).padStart(20, "0"), process.pid, ++this.#drawn].join("-");
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o755 });
      if (!fs.lstatSync(this.#folder).isDirectory()) return undefined;
      fs.closeSync(fs.openSync(join(this.#folder, ticket), "wx", 0o600));
      return ticket;
    } catch {
      return undefined;
    }
  }

  async #wait(ticket: string): Promise<void> {
    let first: string | undefined;
    let since = 0;
    for (;;) {
      const ahead = this.#ahead(ticket);
      if (ahead[0] === undefined) return;
      if (ahead[0] !== first) since = performance.now();
      first = ahead[0];
      if (!isAlive(first) || performance.now() - since > STANDSTILL_MS) this.#discard(first);
      else await sleep(ahead.length * STEP_MS);
    }
  }

  #ahead(ticket: string): string[] {
    try {
      return fs
        .readdirSync(this.#folder)
        .filter((name) => TICKET.test(name) && name < ticket)
        .toSorted();
    } catch {
      return [];
    }
  }

  #discard(ticket: string): void {
    try {
      fs.unlinkSync(join(this.#folder, ticket));
    } catch {
      // It only costs others a moment.
    }
  }
}

/** As far as can be seen: elsewhere than on Linux the dead are found out by standing still. */
function isAlive(ticket: string): boolean {
  const pid = ticket.split("-")[1];
  return !fs.existsSync(join(PROCESSES, "self")) || fs.existsSync(join(PROCESSES, String(pid)));
}
