import tables from "./survey-tables.json" with { type: "json" };

export type KnownPackage = Readonly<{ label: string; role: string }>;

const PACKAGES_BY_NAME: ReadonlyMap<string, KnownPackage> = new Map(
  Object.entries(tables.packages).flatMap(([role, names]) =>
    names.split(" ").map((entry): [string, KnownPackage] => {
      const [name = "", label = ""] = entry.split("=");
      return [name, { label: label === "" ? name : label.replaceAll("-", " "), role }];
    }),
  ),
);

/** A well-known package; undefined for all others. For a Go module the end of its path counts, without its version. */
export function findKnownPackage(name: string): KnownPackage | undefined {
  const plain = name
    .toLowerCase()
    .replace(/\/v\d+$/, "")
    .replace(/\[.*\]$/, "");
  const parts = plain.split("/");
  return (
    PACKAGES_BY_NAME.get(plain) ??
    PACKAGES_BY_NAME.get(parts.slice(-2).join("/")) ??
    (parts.length > 2 ? PACKAGES_BY_NAME.get(parts.at(-1) ?? "") : undefined)
  );
}

/** The purpose of a package with this label. */
export const GUARD_REQUIREMENTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(tables.guards).flatMap(([does, labels]) => labels.map((label) => [label, does])),
);
