import { isPlural, singular } from "../words.ts";

const PARAMETER = /^(?::|\{|<|\[|\*|\$)/;
const PREFIX = /^(?:api|rest|v\d+)$/i;
const VERBS: Readonly<Record<string, string>> = { GET: "return", PUT: "replace", PATCH: "change", DELETE: "delete" };

/** The usual meaning of a route's method and path; undefined where they are not enough. */
export function routeWords(name: string): string | undefined {
  const [method = "", path = ""] = name.split(" ");
  const parts = path.split("/").filter((part) => part !== "" && !PREFIX.test(part));
  const [last = "", before = "", above = ""] = parts.toReversed();
  const isWord = (part: string): boolean => /^[a-z][\w-]*$/i.test(part);
  if (PARAMETER.test(last)) {
    const verb = VERBS[method];
    return verb !== undefined && isWord(before) ? `${verb} one ${thing(before)}` : undefined;
  }
  if (!isWord(last)) return undefined;
  const owner = PARAMETER.test(before) && isWord(above) ? ` of one ${thing(above)}` : "";
  if (isPlural(last)) {
    if (method === "GET") return `list the ${last.replaceAll(/[-_]/g, " ")}${owner}`;
    return method === "POST" ? `create one ${thing(last)}${owner}` : undefined;
  }
  if (method === "POST" && owner !== "") return `${last.replaceAll(/[-_]/g, " ")} one ${thing(above)}`;
  return undefined;
}

const thing = (part: string): string => singular(part.replaceAll(/[-_]/g, " "));
