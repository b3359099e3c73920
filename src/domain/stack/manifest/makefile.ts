/** Targets with literal names, each with its recipe lines. */
export function parseMakefileTargets(text: string): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  let now: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("\t")) {
      for (const name of now) targets.get(name)?.push(line.trim());
      continue;
    }
    const [, names, after = ""] = /^([\w./ -]{1,200}?)\s*::?(?!=)(.*)$/.exec(line) ?? [];
    if (names === undefined) {
      if (line.trim() !== "" && !line.startsWith("#")) now = [];
      continue;
    }
    now = names.split(/\s+/).filter((name) => name !== "" && !name.startsWith("."));
    for (const name of now) {
      const lines = targets.get(name) ?? [];
      if (after.includes(";")) lines.push(after.slice(after.indexOf(";") + 1).trim());
      targets.set(name, lines);
    }
  }
  return targets;
}
