const GENERIC_FOLDERS = new Set(["", ".", "src", "lib", "app", "source", "pkg", "packages", "internal", "cmd", "main"]);
const MAX_COMPONENT_ID = 80;

/**
 * Readable ids: `comp-auth-validate-token` is `validateToken` in a file of `src/auth`; a second one ends in `-2`. Ids
 * follow the order of the components, so the same code gets the same ids.
 */
export function createComponentIds(
  components: readonly { readonly key: string; readonly path: string; readonly ref: string }[],
): ReadonlyMap<string, string> {
  const met = new Set<string>();
  return new Map(
    components.map(({ key, path, ref }) => {
      const name = formatComponentId(path, ref);
      let id = name;
      for (let nth = 2; met.has(id); nth++) id = `${name}-${nth}`;
      met.add(id);
      return [key, id] as const;
    }),
  );
}

function formatComponentId(path: string, ref: string): string {
  const folder = path.split("/").at(-2) ?? "";
  const parts = [...(GENERIC_FOLDERS.has(folder.toLowerCase()) ? [] : [folder]), ref.replace(/~\d+$/, "")];
  const name = parts.map(formatKebabCase).filter(Boolean).join("-").slice(0, MAX_COMPONENT_ID).replace(/-+$/, "");
  return `comp-${name || "unnamed"}`;
}

const formatKebabCase = (text: string): string =>
  text
    .replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1-")
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
