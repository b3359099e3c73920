/** Each star matches any text. Does not backtrack. */
export function matchesNamePattern(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let place = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, place);
    if (found < 0 || found + part.length > end) return false;
    place = found + part.length;
  }
  return true;
}
