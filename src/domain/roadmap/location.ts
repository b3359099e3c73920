/** What a reviewer writes after a path: a line, a span of lines, a name in the file. */
const TAIL = /[#:].*$/;
/** `Spec 1.AC2`, `user-login.S1.AC2`, `2.1`: a criterion or a task, not a file. */
const CRITERION = /^(?:[\w-]+\.)?S?\d+(?:\.(?:AC)?\d+)*$|\.AC\d+$/i;
/** Without a folder, only what ends as files do is one: `AuthService.login` is not. */
const EXTENSION =
  /^[\w.@-]+\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|go|rs|rb|java|kts?|cs|c|h|cc|cpp|hpp|php|swift|vue|svelte|css|s[ac]ss|html?|sql|sh|proto|graphql|lock|txt|xml|ini|env|gradle)$/i;

/**
 * The files that the location of a finding names: `src/a.ts:12`, `src/a.ts#login`, `` `src/a.ts`, `src/b.ts` ``; none in
 * `Spec 1.AC2`. A file that is known goes by the name it is known by; others as far as they look like paths.
 */
export function pathsIn(location: string, known: (path: string) => string | undefined): string[] {
  const whole = known(location) ?? known(asPath(location));
  if (whole !== undefined) return [whole];
  const files = location.split(/[\s,;()<>[\]{}|]+/).flatMap((word) => {
    const path = asPath(word);
    if (path === "" || CRITERION.test(path)) return [];
    return known(path) ?? (looksLikeFile(path) ? path : []);
  });
  return [...new Set(files)];
}

function asPath(word: string): string {
  const bare = word.trim().replace(/^[`'"*]+|[`'"*.]+$/g, "");
  return bare
    .replace(TAIL, "")
    .replace(/[`'"*]+$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "");
}

/** `GET /users` names a route, `and/or` nothing: a path has a folder and an ending, or ends as files do. */
function looksLikeFile(path: string): boolean {
  if (path.startsWith("/") || path.split("/").includes("..")) return false;
  return path.includes("/") ? /\/[^/]*\.[a-z][\w-]*$/i.test(path) : EXTENSION.test(path);
}
