/** Text after a path in a finding: a line, a range of lines, a symbol. */
const LOCATION_SUFFIX = /[#:].*$/;
/** `Spec 1.AC2`, `user-login.S1.AC2`, `2.1`: a criterion or a task, not a file. */
const CRITERION_REFERENCE = /^(?:[\w-]+\.)?S?\d+(?:\.(?:AC)?\d+)*$|\.AC\d+$/i;
/** A name without a folder counts as a file only with a known extension: `AuthService.login` is not a file. */
const KNOWN_FILE_NAME =
  /^[\w.@-]+\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|go|rs|rb|java|kts?|cs|c|h|cc|cpp|hpp|php|swift|vue|svelte|css|s[ac]ss|html?|sql|sh|proto|graphql|lock|txt|xml|ini|env|gradle)$/i;

/**
 * Extracts the files from the location of a finding: `src/a.ts:12`, `src/a.ts#login`, `` `src/a.ts`, `src/b.ts` ``.
 * `Spec 1.AC2` contains none. `known` maps a path to its canonical name; other words count if they look like paths.
 */
export function extractFilePaths(location: string, known: (path: string) => string | undefined): string[] {
  const whole = known(location) ?? known(cleanLocationPath(location));
  if (whole !== undefined) return [whole];
  const files = location.split(/[\s,;()<>[\]{}|]+/).flatMap((word) => {
    const path = cleanLocationPath(word);
    if (path === "" || CRITERION_REFERENCE.test(path)) return [];
    return known(path) ?? (isLikelyFilePath(path) ? path : []);
  });
  return [...new Set(files)];
}

function cleanLocationPath(word: string): string {
  const bare = word.trim().replace(/^[`'"*]+|[`'"*.]+$/g, "");
  return bare
    .replace(LOCATION_SUFFIX, "")
    .replace(/[`'"*]+$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
}

/** `GET /users` is a route and `and/or` is prose. A path has a folder and an extension, or a known extension. */
function isLikelyFilePath(path: string): boolean {
  if (path.startsWith("/") || path.split("/").includes("..")) return false;
  return path.includes("/") ? /\/[^/]*\.[a-z][\w-]*$/i.test(path) : KNOWN_FILE_NAME.test(path);
}
