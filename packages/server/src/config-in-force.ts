import type { SettingInForce } from '@latchkey/core/ports';
import { hostsIn, isDatabaseUrl, shownHost } from '@latchkey/db/database-url';
import type { Config } from './config.ts';
import type { Variable } from './config-kinds.ts';
import { warningsOf } from './config-warnings.ts';

/** Every setting as the operator may see it: no secret, and no address beyond its host. */
export function describeSettings(
  variables: Readonly<Record<string, Variable<unknown>>>,
  environment: Readonly<Record<string, string | undefined>>,
  config: Omit<Config, 'inForce'>,
): SettingInForce[] {
  const warnings = warningsOf(config);
  return Object.entries(variables).map(([name, { meaning, fallback, shown }]) => {
    const given = environment[name] ?? '';
    const text = given === '' ? fallback : given;
    const value = text === '' ? undefined : valueShown(text, shown);
    return {
      name,
      meaning,
      isMasked: shown === undefined,
      isSet: given !== '',
      ...(value !== undefined && { value }),
      ...(warnings[name] !== undefined && { warning: warnings[name] }),
    };
  });
}

function valueShown(text: string, shown: Variable<unknown>['shown']): string | undefined {
  if (shown === undefined) return undefined;
  if (shown === 'all') return text.slice(0, 1000);
  if (shown === 'database hosts')
    return isDatabaseUrl(text) ? hostsIn(text).map(shownHost).join(', ').slice(0, 1000) : '…';
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(hostShown)
    .join(', ')
    .slice(0, 1000);
}

/** `1=https://user:key@eth.example.org/key` is shown as `1=eth.example.org`: names and passwords, paths and queries hold keys. */
function hostShown(entry: string): string {
  const [, name = '', address = entry] = /^([^=/]+=)(.+)$/.exec(entry) ?? [];
  return URL.canParse(address) ? `${name}${new URL(address).host}` : `${name}…`;
}
