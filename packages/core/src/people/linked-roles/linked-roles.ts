import { choice, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import { nativeUserId } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { selectConnection } from './queries.ts';
import { readValues } from './read-values.ts';
import { linkedRoleRecords } from './records.ts';

const LinkedRoleValue = record('LinkedRoleValue', 'A value that Discord is told of you.', {
  key: text('Names the value.'),
  name: text('What Discord calls it.'),
  description: text('What it counts.'),
  kind: choice('number: a count. time: a moment in ISO 8601, which Discord counts days from.', ['number', 'time']),
  value: T.Optional(text('What is true now; absent if there is none.')),
});

const LinkedRoleConnection = record('LinkedRoleConnection', 'Your permission to tell Discord.', {
  state: choice('connected: Discord is told. lost: Discord does not accept it any more, so connect again.', [
    'connected',
    'lost',
  ]),
  connectedTime: text('When you allowed it, in ISO 8601.'),
  toldTime: T.Optional(text('When Discord was told last, in ISO 8601; absent before the first time.')),
});

export const LinkedRolesState = record('LinkedRolesState', 'What Discord is told of you for linked roles.', {
  isOffered: T.Boolean({ description: 'Whether this server offers linked roles.' }),
  isDiscord: T.Boolean({ description: 'Whether you are signed in with a Discord account, which it takes.' }),
  connection: T.Optional(LinkedRoleConnection),
  values: T.Array(LinkedRoleValue, { description: 'What Discord is told.', maxItems: 5 }),
});
export type LinkedRolesState = ValueOf<typeof LinkedRolesState>;

/** What Discord is told of the caller, and whether they allowed it. */
export async function getLinkedRoles(ctx: Pick<Context, 'actor' | 'db' | 'linkedRoles'>): Promise<LinkedRolesState> {
  const userId = principalId(ctx.actor);
  const db = ctx.db.system;
  const [row, values] = await Promise.all([selectConnection(db, userId), readValues(db, userId)]);
  return {
    isOffered: ctx.linkedRoles !== undefined,
    isDiscord: nativeUserId('discord', userId) !== undefined,
    ...(row !== undefined && {
      connection: {
        state: row.lost_at === null ? 'connected' : 'lost',
        connectedTime: row.linked_at.toISOString(),
        ...(row.told_at !== null && { toldTime: row.told_at.toISOString() }),
      },
    }),
    values: linkedRoleRecords.map(({ key, name, description, comparison }) => {
      const value = values[key];
      const kind = comparison === 'integer-at-least' ? 'number' : 'time';
      return { key, name, description, kind, ...(value !== undefined && { value }) };
    }),
  };
}

/** Where Discord sends people to connect, and back to when they have allowed it: one page does both. */
export function linkedRolesPage({ settings }: Pick<Context, 'settings'>): string {
  return `${settings.baseUrl}/console/me/linked-roles`;
}
