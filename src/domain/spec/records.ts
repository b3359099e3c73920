type Fields = Readonly<Record<string, unknown>>;

export interface MergedRecord {
  /** Without the checksum, which the caller adds. */
  readonly record: Record<string, unknown>;
  readonly conflicts: readonly string[];
}

const FLOW = ["stages", "current_stage", "status", "abandoned", "reopenings", "deltas", "merged"];
const FEATURE =
  "phase version version_refs changelog design implementation orchestration blocked_info reviews fix".split(" ");
const WAVE = ["step", "tries", "cross_check", "dead_code", "proceeded", "runs"];
/** Fields that describe progress together. All of them come from one side. */
const TOGETHER: readonly string[] = [...FLOW, ...FEATURE, ...WAVE];
const DERIVED: readonly string[] = ["rev", "checksum", "updated_at"];
/** Unordered lists that only grow. The merge is their union. */
const UNITED: readonly string[] = ["ids"];

export function mergeRecords(base: Fields, ours: Fields, theirs: Fields): MergedRecord {
  const record: Record<string, unknown> = {};
  const conflicts: string[] = [];
  const hasChanged = (side: Fields, names: readonly string[]): boolean =>
    names.some((name) => differ(base, side, name));
  const isFlowTheirs = !hasChanged(ours, TOGETHER) && hasChanged(theirs, TOGETHER);
  if (hasChanged(ours, TOGETHER) && hasChanged(theirs, TOGETHER)) {
    conflicts.push(...TOGETHER.filter((name) => differ(ours, theirs, name)));
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (name === "checksum") continue;
    const union = UNITED.includes(name) ? unionOf(base[name], ours[name], theirs[name]) : undefined;
    if (union) {
      record[name] = union;
      continue;
    }
    const isMine = !differ(base, theirs, name) || !differ(ours, theirs, name);
    const isTheirs = TOGETHER.includes(name) ? isFlowTheirs : !isMine;
    if (isTheirs && !TOGETHER.includes(name) && !DERIVED.includes(name) && differ(base, ours, name))
      conflicts.push(name);
    const side = isTheirs ? theirs : ours;
    if (side[name] !== undefined) record[name] = side[name];
  }
  const revisions = [ours["rev"], theirs["rev"]].map(Number);
  const times = [ours["updated_at"], theirs["updated_at"]].filter((time) => typeof time === "string");
  if (times.length > 0) record["updated_at"] = times.toSorted().at(-1);
  record["rev"] = Math.max(...revisions) + 1;
  return { record, conflicts };
}

/** The result does not depend on the order of the sides. Undefined if a value is not a list of strings. */
function unionOf(base: unknown, ours: unknown, theirs: unknown): string[] | undefined {
  if (!isTexts(base) || !isTexts(ours) || !isTexts(theirs)) return undefined;
  return [...new Set([...base, ...[...ours, ...theirs].toSorted()])];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const differ = (a: Fields, b: Fields, name: string): boolean => JSON.stringify(a[name]) !== JSON.stringify(b[name]);
