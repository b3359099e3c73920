import { findLease, type Ledger } from "./sqlite-ledger.ts";
import { type SteadyClock, StoreLeases } from "./store-leases.ts";

export class SqliteLeases extends StoreLeases {
  constructor(ledger: Ledger, clock: SteadyClock) {
    super(
      {
        alone: (work) => ledger.alone(work),
        find: (name) => findLease(ledger, name),
        save: ({ name, holder, token, boot, granted, expires }) =>
          ledger.run(
            `INSERT INTO leases (name, holder, token, boot, granted, expires) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token, boot = excluded.boot,
               granted = excluded.granted, expires = excluded.expires`,
            name,
            holder,
            token,
            boot,
            granted,
            expires,
          ),
      },
      clock,
    );
  }
}
