const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** False where no browser can appear, as on a server. The link may show in a list of processes, but it works once. */
export function openInBrowser(url: string, environment: Readonly<Record<string, string | undefined>>): boolean {
  const isHeadless = process.platform === "linux" && !environment["DISPLAY"] && !environment["WAYLAND_DISPLAY"];
  if (isHeadless) return false;
  // Loaded here: with its own modules it would take a twentieth of every other start.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, url], { stdio: "ignore", detached: true });
  // The link is printed too.
  child.on("error", () => undefined);
  child.unref();
  return true;
}
