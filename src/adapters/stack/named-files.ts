import type { Control } from "#domain/stack/detect/control.ts";
import { namedIn } from "#domain/stack/detect/named-in.ts";
import type { Site } from "#domain/stack/detect/site.ts";
import type { Sight } from "#operations/ports/source.ts";

const DEEPEST = 10;

/** With the files that settings name: those decide as much, whatever they are called. */
export async function withNamed(sight: Sight, site: Site, control: readonly Control[]): Promise<Control[]> {
  const known = new Set(control.map(({ path }) => path));
  const more: Control[] = [];
  let fresh = [...known];
  for (let depth = 0; fresh.length > 0 && depth < DEEPEST; depth++) {
    const read = await sight.read(fresh);
    const named = [...read].flatMap(([path, found]) => (found.kind === "text" ? namedIn(site, path, found.text) : []));
    fresh = [...new Set(named)].filter((path) => !known.has(path));
    for (const path of fresh) {
      known.add(path);
      more.push({ path });
    }
  }
  return [...control, ...more];
}
