import { finding } from "./finding.contract.ts";
import { keeping } from "./keeping.contract.ts";
import { linking } from "./linking.contract.ts";
import type { MakeMemory } from "./place.contract.ts";
import { placing } from "./placing.contract.ts";
import { removing } from "./removing.contract.ts";

/** What every memory promises, whatever it is made of. */
export function memoryContract(name: string, make: MakeMemory): void {
  keeping(name, make);
  removing(name, make);
  linking(name, make);
  placing(name, make);
  finding(name, make);
}
