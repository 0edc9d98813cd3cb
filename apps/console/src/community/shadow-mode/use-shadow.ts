import { useSearch } from '@tanstack/react-router';
import { type Answer, type ReadRoute, useAction, useOperation } from '../../shared/api/index.ts';

const path = '/latchkey/communities/{communityId}/shadow-mode';
const mode = 'GET /latchkey/communities/{communityId}/shadow-mode';

export type ShadowMode = Answer<typeof mode>;

const changes: readonly ReadRoute[] = [
  mode,
  'GET /latchkey/communities/{communityId}/shadow-mode/differences',
  'GET /latchkey/communities/{communityId}/change-sets',
  'GET /latchkey/account/waiting',
];

/** Shadow mode of a community: whether it is on, its days, the day that is looked at, and the ways in and out. */
export function useShadow(communityId: string) {
  const found = useOperation(mode, { communityId });
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const { day: asked }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const start = useAction(`PUT ${path}`, { changes });
  const takeOver = useAction(`POST ${path}/take-over`, { changes });
  const undo = useAction(`POST ${path}/return`, { changes });
  const { days = [] } = found.data ?? {};
  const isDay = typeof asked === 'string' && days.some(({ day }) => day === asked);
  const day = isDay ? asked : (days[0]?.day ?? new Date().toISOString().slice(0, 10));
  return { communityId, found, health, day, start, takeOver, undo };
}

export type Shadow = ReturnType<typeof useShadow>;

const shown = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A day of UTC in the reader's form. */
export function formatDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? day : shown.format(date);
}

export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
