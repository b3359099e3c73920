type RecordFields = Readonly<Record<string, unknown>>;

export interface MergedRecord {
  /** Without the checksum, which the caller adds. */
  readonly record: Record<string, unknown>;
  readonly conflicts: readonly string[];
}

const FLOW_FIELDS = ["stages", "current_stage", "status", "abandoned", "reopenings", "deltas", "merged"];
const FEATURE_FIELDS =
  "phase version version_refs changelog design implementation orchestration blocked_info reviews fix".split(" ");
const WAVE_FIELDS = ["step", "tries", "cross_check", "dead_code", "proceeded", "runs"];
/** Fields that describe progress together. All of them come from one side. */
const PROGRESS_FIELDS: readonly string[] = [...FLOW_FIELDS, ...FEATURE_FIELDS, ...WAVE_FIELDS];
const DERIVED_FIELDS: readonly string[] = ["rev", "checksum", "updated_at"];
/** Unordered lists that only grow. The merge is their union. */
const UNION_FIELDS: readonly string[] = ["ids"];

export function mergeRecordFields(base: RecordFields, ours: RecordFields, theirs: RecordFields): MergedRecord {
  const record: Record<string, unknown> = {};
  const conflicts: string[] = [];
  const hasChanged = (side: RecordFields, names: readonly string[]): boolean =>
    names.some((name) => isFieldDifferent(base, side, name));
  const isFlowTheirs = !hasChanged(ours, PROGRESS_FIELDS) && hasChanged(theirs, PROGRESS_FIELDS);
  if (hasChanged(ours, PROGRESS_FIELDS) && hasChanged(theirs, PROGRESS_FIELDS)) {
    conflicts.push(...PROGRESS_FIELDS.filter((name) => isFieldDifferent(ours, theirs, name)));
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (name === "checksum") continue;
    const union = UNION_FIELDS.includes(name) ? mergeTextLists(base[name], ours[name], theirs[name]) : undefined;
    if (union) {
      record[name] = union;
      continue;
    }
    const isMine = !isFieldDifferent(base, theirs, name) || !isFieldDifferent(ours, theirs, name);
    const isTheirs = PROGRESS_FIELDS.includes(name) ? isFlowTheirs : !isMine;
    if (
      isTheirs &&
      !PROGRESS_FIELDS.includes(name) &&
      !DERIVED_FIELDS.includes(name) &&
      isFieldDifferent(base, ours, name)
    )
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
function mergeTextLists(base: unknown, ours: unknown, theirs: unknown): string[] | undefined {
  if (!isTextList(base) || !isTextList(ours) || !isTextList(theirs)) return undefined;
  return [...new Set([...base, ...[...ours, ...theirs].toSorted()])];
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

const isFieldDifferent = (a: RecordFields, b: RecordFields, name: string): boolean =>
  JSON.stringify(a[name]) !== JSON.stringify(b[name]);
