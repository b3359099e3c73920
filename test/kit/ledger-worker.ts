/** Uses one ledger after another in the way it is told. */
import { Ledger } from "#store/adapters/sqlite-ledger.ts";
import { ready, say } from "./worker.ts";

const [way = "", times = "0", ...files] = process.argv.slice(2);

const count = (ledger: Ledger) => (): void =>
  ledger.run(
    "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
    "opened",
  );

const WAYS: Readonly<Record<string, (file: string) => Promise<void>>> = {
  /** As a command does: open, write, close. */
  async write(file) {
    const ledger = new Ledger(file);
    await ledger.alone(count(ledger));
    ledger.close();
  },
  async look(file) {
    new Ledger(file).look((all) => all("SELECT * FROM counters"));
  },
  /** Dies with the lock in its hand. */
  async die(file) {
    const ledger = new Ledger(file);
    await ledger.alone(() => {
      count(ledger)();
      process.kill(process.pid, "SIGKILL");
    });
  },
};

for (const file of files) {
  await ready();
  const problems: string[] = [];
  for (let i = 0; i < Number(times); i++) {
    await WAYS[way]?.(file).catch((error: unknown) => void problems.push(String(error)));
  }
  await say(problems);
}
process.disconnect();
