import type { MiniAppManifest } from '../../communities/installs/index.ts';

/** The types of interaction that Discord sends: a command, a pressed component, an autocompletion, a submitted form. */
export const interactionTypes = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Which interactions belong to a mini-app: by type, and by names in which * matches anything. */
export interface InteractionPattern {
  type: number;
  names: readonly string[];
}

/** The parsed metadata of a mini-app. */
export interface AppProfile {
  manifest: MiniAppManifest;
  /** In Discord's format for commands. */
  commands: readonly Record<string, unknown>[];
  interactions: readonly InteractionPattern[];
  requiredContext: readonly string[];
}

/** Whether an interaction belongs to an app. `name` is the command's name, or the custom id of a component or form. */
export function handles({ interactions }: Pick<AppProfile, 'interactions'>, type: number, name: string): boolean {
  return interactions.some((pattern) => pattern.type === type && pattern.names.some((one) => matches(one, name)));
}

function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return first === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
