import type { ControlReference } from "#domain/stack/detect/control.ts";
import { findReferencedFiles } from "#domain/stack/detect/named-in.ts";
import type { ProjectFiles } from "#domain/stack/detect/site.ts";
import type { SourceView } from "#operations/ports/source.ts";

const DEEPEST_REFERENCE = 10;

/** Adds the files that settings refer to: they decide as much as the settings. */
export async function addReferencedControl(
  sight: SourceView,
  site: ProjectFiles,
  control: readonly ControlReference[],
): Promise<ControlReference[]> {
  const known = new Set(control.map(({ path }) => path));
  const more: ControlReference[] = [];
  let fresh = [...known];
  for (let depth = 0; fresh.length > 0 && depth < DEEPEST_REFERENCE; depth++) {
    const read = await sight.read(fresh);
    const named = [...read].flatMap(([path, found]) =>
      found.kind === "text" ? findReferencedFiles(site, path, found.text) : [],
    );
    fresh = [...new Set(named)].filter((path) => !known.has(path));
    for (const path of fresh) {
      known.add(path);
      more.push({ path });
    }
  }
  return [...control, ...more];
}

/** Pytest hooks in a `conftest.py` that decide which tests run and how they are reported. */
const PYTEST_HOOKS = new RegExp(
  [
    String.raw`\bpytest_(?:addoption|addhooks|assert|cmdline|collect|configure|deselected|enter|exception|fixture|generate)`,
    String.raw`\bpytest_(?:ignore|internalerror|itemcollected|leave|load|make|markeval|plugin|pycollect|pyfunc|report)`,
    String.raw`\bpytest_(?:runtest|session|terminal|unconfigure|warning)|\bcollect_ignore|\bhookimpl\b`,
  ].join("|"),
);

/** Every `conftest.py` that steers pytest, in any folder. One with only fixtures belongs to the tests. */
export async function findSteeringConftests(
  sight: SourceView,
  site: ProjectFiles,
  control: readonly ControlReference[],
): Promise<ControlReference[]> {
  const known = new Set(control.map(({ path }) => path));
  const others = site.paths.filter((path) => path.endsWith("/conftest.py") && !known.has(path));
  const read = await sight.read(others);
  return others.flatMap((path) => {
    const found = read.get(path);
    return found?.kind === "text" && !PYTEST_HOOKS.test(found.text) ? [] : [{ path }];
  });
}
