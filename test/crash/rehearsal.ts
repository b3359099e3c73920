import fs from "node:fs";
import { join } from "node:path";
import type { Expectation } from "./oracle.ts";
import { events, picture } from "./picture.ts";
import { prepare, type Scenario } from "./scenario.ts";

export interface Rehearsal {
  readonly expected: Expectation;
  /** The prepared workspace once more, in a folder of its own. */
  readonly copy: () => string;
}

/** Prepares a scenario below `folder` and lets its command happen once without interference. */
export async function rehearse(
  scenario: Scenario,
  folder: string,
  perform: (root: string) => Promise<unknown>,
): Promise<Rehearsal> {
  const prepared = join(folder, "prepared");
  await prepare(scenario, prepared);
  let copies = 0;
  const copy = (): string => {
    const root = join(folder, `copy-${++copies}`);
    fs.cpSync(prepared, root, { recursive: true });
    return root;
  };
  const root = copy();
  const already = await events(copy());
  await perform(root);
  const happened = (await events(root)).slice(already.length);
  const expected = { scenario, before: picture(prepared), after: picture(root), already, happened };
  return { expected, copy };
}
