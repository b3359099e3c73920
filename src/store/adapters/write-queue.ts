import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const TICKET_DELAY_MS = 3;
const STUCK_TICKET_MS = 500;
/** Time, process id and a number. Other files in the folder are never touched. */
const TICKET_NAME = /^\d{20}-\d+-\d+$/;

/**
 * The order in which processes write. SQLite gives its lock to any process that asks at the right moment, so with many
 * waiting some wait long. Here each process draws a ticket and lets older ones go first. This is fairness, not safety:
 * the lock alone separates writers, and a lost ticket only costs the order.
 */
export class WriteQueue {
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
      // Only Linux shows whether a process lives. Elsewhere a dead one is detected by its ticket not moving.
      const isDead = fs.existsSync("/proc/self") && !fs.existsSync(`/proc/${first.split("-")[1]}`);
      if (isDead || performance.now() - since > STUCK_TICKET_MS) this.#discard(first);
      else await sleep(ahead.length * TICKET_DELAY_MS);
    }
  }

  #ahead(ticket: string): string[] {
    try {
      return fs
        .readdirSync(this.#folder)
        .filter((name) => TICKET_NAME.test(name) && name < ticket)
        .toSorted();
    } catch {
      return [];
    }
  }

  #discard(ticket: string): void {
    try {
      fs.unlinkSync(join(this.#folder, ticket));
    } catch {
      // A ticket left behind only delays others for a moment.
    }
  }
}
