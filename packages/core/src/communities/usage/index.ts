import { type Sql, sql } from '@latchkey/db';
import { defineModule } from '../../shared/module.ts';

export const interactionsModule = defineModule('usage', { tables: ['community_interactions'] });

const interactionKinds = ['message', 'command', 'button', 'join', 'leave'] as const;
/** How a community was used. */
export type InteractionKind = (typeof interactionKinds)[number];

declare module '@latchkey/db/tables' {
  interface Tables {
    community_interactions: { community_id: string; hour: Date; kind: InteractionKind; count: number };
  }
}

const hourMs = 60 * 60 * 1000;

/** Counts uses of a community that this server knows. Only the count is stored, not who used it. */
export async function noteInteraction(
  db: Sql,
  communityId: string,
  kind: InteractionKind,
  at: Date,
  count = 1,
): Promise<void> {
  const hour = new Date(Math.floor(at.getTime() / hourMs) * hourMs);
  await sql`
    insert into community_interactions (community_id, hour, kind, count)
    select id, ${hour}, ${kind}, ${count} from hold_community(${communityId}) as c (id)
    on conflict (community_id, hour, kind)
    do update set count = community_interactions.count + excluded.count`.execute(db);
}

export interface Span {
  from?: Date;
  to?: Date;
}

/** How many uses of one kind there were in a time range, to the hour. */
export async function countInteractions(
  db: Sql,
  communityId: string,
  kind: InteractionKind,
  { from, to }: Span = {},
): Promise<number> {
  const row = await db
    .selectFrom('community_interactions')
    .select((eb) => eb.fn.sum<number | null>('count').as('count'))
    .where('community_id', '=', communityId)
    .where('kind', '=', kind)
    .$if(from !== undefined, (query) => query.where('hour', '>', from ?? new Date(0)))
    .$if(to !== undefined, (query) => query.where('hour', '<=', to ?? new Date(0)))
    .executeTakeFirst();
  return row?.count ?? 0;
}

/** How many uses of each kind there were on each UTC day of a time range. Days without any are absent. */
export async function countInteractionsByDay(
  db: Sql,
  communityId: string,
  { from, to }: Span,
): Promise<{ date: string; kind: InteractionKind; count: number }[]> {
  const { rows } = await sql<{ date: string; kind: InteractionKind; count: number }>`
    select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as date, kind, sum(count) as count
    from community_interactions
    where community_id = ${communityId}
      and (${from ?? null}::timestamptz is null or hour >= ${from ?? null}::timestamptz)
      and (${to ?? null}::timestamptz is null or hour < ${to ?? null}::timestamptz)
    group by 1, 2 order by 1, 2`.execute(db);
  return rows;
}
