import { oneLine } from "./chapter.ts";

/** `user-login` becomes `User login`. */
export function titleOf(name: string): string {
  const words = oneLine(name.replace(/[-_]+/g, " "));
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
