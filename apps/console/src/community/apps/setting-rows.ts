import { t } from '../messages/index.ts';

/** One setting as it is typed. */
export interface SettingRow {
  key: number;
  name: string;
  value: string;
  /** A string is typed as it is. Numbers, booleans and anything larger are typed as JSON, so that they keep their type. */
  isText: boolean;
}

export function toRows(settings: Readonly<Record<string, unknown>>): SettingRow[] {
  return Object.entries(settings).map(([name, value], key) => ({
    key,
    name,
    isText: typeof value === 'string',
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

/** Returns the typed settings, or why they cannot be saved. */
export function fromRows(rows: readonly SettingRow[]): { body?: Record<string, unknown>; problem?: string } {
  const body = new Map<string, unknown>();
  for (const { name, value, isText } of rows) {
    const wanted = name.trim();
    if (wanted === '') return { problem: t('apps.settingUnnamed') };
    if (body.has(wanted)) return { problem: t('apps.settingTwice', { name: wanted }) };
    try {
      body.set(wanted, isText ? value : JSON.parse(value));
    } catch {
      return {
        problem: t('apps.settingNotJson', { name: wanted, examples: t.list(['`true`', '`5`', '`["a"]`'], 'or') }),
      };
    }
  }
  return { body: Object.fromEntries(body) };
}
