import { isReportObject, readOptionalText } from "./reading.ts";

export interface CargoTestProgram {
  readonly package: string;
  readonly kind: number;
  readonly target: string;
  readonly source: string;
  /** Doctests run after all programs. */
  readonly hasDoctests: boolean;
}

const CARGO_TARGET_KINDS = ["lib", "bin", "test", "bench", "example"];

export function readCargoProgram(told: Record<string, unknown>): CargoTestProgram | undefined {
  const { reason, target, profile, executable, package_id } = told;
  if (reason !== "compiler-artifact" || typeof executable !== "string") return undefined;
  if (!isReportObject(target) || !isReportObject(profile) || profile["test"] !== true) return undefined;
  const [first] = Array.isArray(target["kind"]) ? (target["kind"] as unknown[]) : [];
  const kind = CARGO_TARGET_KINDS.indexOf(readOptionalText(first) ?? "");
  return {
    package: parseCargoPackageName(readOptionalText(package_id) ?? ""),
    kind: Math.max(kind, 0),
    target: readOptionalText(target["name"]) ?? "",
    source: readOptionalText(target["src_path"]) ?? "",
    hasDoctests: target["doctest"] === true,
  };
}

/** `path+file:///somewhere/accounts#0.1.0` or `path+file:///somewhere#accounts@0.1.0`. */
function parseCargoPackageName(id: string): string {
  const [place = "", version = ""] = id.split("#");
  return version.includes("@") ? (version.split("@")[0] ?? "") : (place.split("/").at(-1) ?? "");
}

/**
 * Source files in the order in which cargo runs the programs: by package, then libraries before programs before tests,
 * then by name. Suites do not name their program, so only the order identifies them. Undefined if suites are missing: a
 * program without the usual harness reports none, and the order is then unknown.
 */
export function orderCargoSources(
  executables: readonly CargoTestProgram[],
  suites: number,
): readonly string[] | undefined {
  const doctests = executables.filter(({ hasDoctests }) => hasDoctests).length;
  if (executables.length > 1 && suites < executables.length + doctests) return undefined;
  return executables
    .toSorted(
      (a, b) => compareCargoNames(a.package, b.package) || a.kind - b.kind || compareCargoNames(a.target, b.target),
    )
    .map(({ source }) => source);
}

const compareCargoNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
