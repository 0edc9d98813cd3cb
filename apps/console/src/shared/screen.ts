import { useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Icon } from './icons.ts';

/** One screen of the console, loaded when it is opened. */
export interface Screen {
  /** Below /console, in the router's syntax: `/communities/$communityId/role-changes`. */
  path: string;
  /** Found when it is shown, because screens are listed before the messages are there. */
  title(): string;
  /** In the navigation, which lists screens in the order of their files. Absent where another screen leads to it. */
  icon?: Icon;
  load(): Promise<{ View: ComponentType }>;
}

/** Returns the parameters in the URL, for a screen whose path has them: `useScreenParams('communityId')`. */
export function useScreenParams<Name extends string>(...names: Name[]): Readonly<Record<Name, string>> {
  const params: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) as Record<Name, string>;
}
