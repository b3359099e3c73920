import { HOOKS_OF_CLAUDE, matcherOf, moreOf } from "../setup/hooks.ts";

/** The hooks of the plugin: a program with arguments, without a shell. */
export const HOOKS: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  HOOKS_OF_CLAUDE.events.map((event) => {
    const hook = { type: "command", command: "tenon", args: ["hook", event.event], ...moreOf(event, HOOKS_OF_CLAUDE) };
    return [event.name, [{ ...matcherOf(event), hooks: [hook] }]];
  }),
);
