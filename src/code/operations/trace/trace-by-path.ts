import { findClosestWord, quote } from "#kernel/model/text-format.ts";
import { Fault } from "#kernel/model/fault.ts";
import { findSpanForLine, formatComponentKey } from "../../model/index/code-outline.ts";
import { formatTagName } from "../../model/scan/spec-tags.ts";
import {
  type TraceLocation,
  parseCodePosition,
  listServedLocations,
  type ServedLocation,
  type CodePosition,
} from "../../model/trace/trace-locations.ts";
import { findOrphanTags } from "../../model/trace/trace-matrix.ts";
import type { CodeEngine } from "../engine.ts";
import type { CodeIndex, IndexedComponentRow } from "../ports/code-index.ts";
import { gatherTraceData, type TraceData } from "./trace-data.ts";
import { createTraceItems, type TraceAnswer, createLocationEntries, type TraceResult } from "./trace-answer.ts";

export async function traceFilePath(
  engine: CodeEngine,
  text: string,
  symbol: string | undefined,
): Promise<TraceResult> {
  const spot = parseCodePosition(text);
  const gathered = await gatherTraceData(engine);
  const { index, carriers, known } = gathered;
  const path = await findIndexedPath(index, spot.path);
  const components = await index.components({ path });
  const of = findRequestedComponent(components, { ...spot, path, ...(symbol === undefined ? {} : { symbol }) });
  const here = carriers.filter((each) => each.path === path);
  const served = listServedLocations(here, components, of);
  const carried = served.map(({ carrier }) => carrier);
  const problems = findOrphanTags(carried, known);
  return {
    path,
    ...(of ? { symbol: of.ref } : {}),
    problems,
    items: [
      ...createTraceItems("problems", problems),
      ...createTraceItems("serves", await createServedEntries(gathered, served)),
      ...createTraceItems("tests", await createLocationEntries(index, findRelatedTests(carriers, served))),
    ],
  };
}

async function findIndexedPath(index: CodeIndex, path: string): Promise<string> {
  const [exact] = await index.files({ path, most: 1 });
  if (exact) return exact.path;
  const all = (await index.files()).map((file) => file.path);
  const [only, second] = all.filter((each) => each.endsWith(`/${path}`));
  if (only !== undefined && second === undefined) return only;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const near = findClosestWord(path, all);
  const alike = all.filter((each) => each === near || each.endsWith(`/${name}`) || each === name);
  throw new Fault("trace.unknown-path", {
    what: `${quote(path, 200)} cannot be traced.`,
    why: "It is no file that git knows or could know, or there is none of that name.",
    fix: [
      ...[...new Set(alike)].slice(0, 3).map((each) => ({ operation: "trace.show", input: { path: each } })),
      { operation: "trace.show" },
    ],
  });
}

function findRequestedComponent(
  components: readonly IndexedComponentRow[],
  { path, symbol, line }: CodePosition,
): IndexedComponentRow | undefined {
  if (symbol === undefined) return line === undefined ? undefined : findSpanForLine(components, line);
  const found =
    components.find(({ ref }) => ref === symbol) ??
    components.find(({ ref, name }) => name === symbol || ref.endsWith(`.${symbol}`));
  if (found) return found;
  const refs = components.map(({ ref }) => ref);
  const near = findClosestWord(symbol, refs);
  throw new Fault("trace.unknown-symbol", {
    what: `${quote(symbol, 100)} cannot be traced.`,
    why: `${quote(path, 200)} has no component of that name.`,
    fix: { operation: "trace.show", input: { path, ...(near === undefined ? {} : { symbol: near }) } },
  });
}

async function createServedEntries(
  { index, known }: TraceData,
  served: readonly ServedLocation[],
): Promise<NonNullable<TraceAnswer["serves"]>> {
  const places = await createLocationEntries(
    index,
    served.map(({ carrier }) => carrier),
  );
  return places.map((place, i) => {
    const { carrier, from = "itself" } = served[i] ?? {};
    const subject = carrier && known.ids.get(carrier.spec);
    return {
      ...place,
      // The entry of a test has no key yet: adds that of its component.
      ...(carrier?.ref === undefined || place.key !== undefined
        ? {}
        : { key: formatComponentKey(place.path, carrier.ref) }),
      from,
      title: subject?.title,
      status: subject?.status,
    };
  });
}

/** Other tests that name the same criteria, or the same spec if only a spec is named. */
function findRelatedTests(carriers: readonly TraceLocation[], served: readonly ServedLocation[]): TraceLocation[] {
  const names = new Set(served.map(({ carrier }) => formatTagName(carrier)));
  const specs = new Set(
    served.filter(({ carrier }) => carrier.criterion === undefined).map(({ carrier }) => carrier.spec),
  );
  const own = new Set(served.map(({ carrier }) => carrier));
  return carriers.filter(
    (each) => each.isTest && !own.has(each) && (names.has(formatTagName(each)) || specs.has(each.spec)),
  );
}
