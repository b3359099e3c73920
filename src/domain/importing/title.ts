import { collapseWhitespace } from "./chapter.ts";

/** `user-login` becomes `User login`. */
export function formatNameAsTitle(name: string): string {
  const words = collapseWhitespace(name.replace(/[-_]+/g, " "));
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
