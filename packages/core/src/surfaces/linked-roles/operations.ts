import { enqueue } from '@latchkey/db';
import {
  AppError,
  addSeconds,
  admin,
  choice,
  NoContent,
  op,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import {
  attemptTtlSeconds,
  beginAttempt,
  exchangeCode,
  LinkAttempt,
  returnedFrom,
  takeAttempt,
} from '../../identity/link-attempts/index.ts';
import { type LinkedRoleRegistration, type LinkedRoles, PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId, userKey } from '../../shared/qualified-ids.ts';
import { disconnectLinkedRoles, notOffered } from './end-connection.ts';
import { updateJob } from './jobs.ts';
import { deleteEndingsOf, putConnection, selectConnection } from './queries.ts';
import { linkedRoleRecords, readValues } from './records.ts';
import { expiring, sealTokens } from './tokens.ts';

const LinkedRoleValue = record('LinkedRoleValue', 'A value shared with Discord about you.', {
  key: text('The key of the value.'),
  name: text('What Discord calls it.'),
  description: text('What it counts.'),
  kind: choice('number: a count. time: a moment in ISO 8601, which Discord counts days from.', ['number', 'time']),
  value: T.Optional(text('The current value; absent if there is none.')),
});

const LinkedRoleConnection = record('LinkedRoleConnection', 'Your authorization to share values with Discord.', {
  state: choice(
    'connected: values are shared with Discord. lost: Discord no longer accepts the authorization, so connect again.',
    ['connected', 'lost'],
  ),
  connectedTime: text('When you authorized it, in ISO 8601.'),
  sentTime: T.Optional(text('When Discord was last updated, in ISO 8601; absent before the first update.')),
});

const LinkedRolesState = record('LinkedRolesState', 'What is shared with Discord about you for linked roles.', {
  isOffered: T.Boolean({ description: 'Whether this server offers linked roles.' }),
  isDiscord: T.Boolean({ description: 'Whether you are signed in with a Discord account, which is required.' }),
  connection: T.Optional(LinkedRoleConnection),
  values: T.Array(LinkedRoleValue, { description: 'What is shared with Discord.', maxItems: 5 }),
});
type LinkedRolesState = ValueOf<typeof LinkedRolesState>;

/** Returns what Discord knows about the caller, and whether they authorized it. */
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
        ...(row.sent_at !== null && { sentTime: row.sent_at.toISOString() }),
      },
    }),
    values: linkedRoleRecords.map(({ key, name, description, comparison }) => {
      const value = values[key];
      const kind = comparison === 'integer-at-least' ? 'number' : 'time';
      return { key, name, description, kind, ...(value !== undefined && { value }) };
    }),
  };
}

/** The page where Discord sends people to connect, and back to after they authorized it. */
export function linkedRolesPage({ settings }: Pick<Context, 'settings'>): string {
  return `${settings.baseUrl}/console/me/linked-roles`;
}

const states = ['registered', 'outdated', 'missing', 'unknown', 'not-configured'] as const;

const RegisteredValue = record('RegisteredValue', 'A value that admins can ask for in a linked role.', {
  key: text('The key of the value.'),
  name: text('What Discord calls it.'),
  description: text('What it counts.'),
});

const LinkedRolesRegistration = record('LinkedRolesRegistration', 'Whether Discord knows the linked roles.', {
  state: choice(
    'registered: Discord offers them. outdated: Discord has other values or another address. missing: nothing is registered. unknown: Discord could not be reached. not-configured: this server has no Discord application.',
    states,
  ),
  problem: T.Optional(text('Why Discord could not be reached.')),
  verificationUrl: text('Where Discord sends members to connect, and where it sends them back to.'),
  values: T.Array(RegisteredValue, { description: 'What this server shares with Discord about users.', maxItems: 5 }),
});
type LinkedRolesRegistration = ValueOf<typeof LinkedRolesRegistration>;

type RegistrationContext = Pick<Context, 'linkedRoles' | 'settings'>;

/** Returns the state of the linked roles of this server's application on Discord. */
export async function getRegistration(ctx: RegistrationContext): Promise<LinkedRolesRegistration> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) return describe(ctx, { state: 'not-configured' });
  try {
    return describe(ctx, { state: stateOf(ctx, await linkedRoles.readRegistration()) });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return describe(ctx, { state: 'unknown', problem: error.message });
  }
}

/** Registers the values and the URL with Discord. Running it again changes nothing. */
export async function registerLinkedRoles(ctx: RegistrationContext): Promise<LinkedRolesRegistration> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) throw notOffered();
  try {
    await linkedRoles.register(linkedRoleRecords, linkedRolesPage(ctx));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    throw new AppError('UNAVAILABLE', error.message, {
      retryAfterSeconds: error.retryAfterSeconds ?? 60,
      cause: error,
    });
  }
  return getRegistration(ctx);
}

function describe(
  ctx: RegistrationContext,
  found: Pick<LinkedRolesRegistration, 'state' | 'problem'>,
): LinkedRolesRegistration {
  const values = linkedRoleRecords.map(({ key, name, description }) => ({ key, name, description }));
  return { ...found, verificationUrl: linkedRolesPage(ctx), values };
}

function stateOf(ctx: RegistrationContext, { verificationUrl, records }: LinkedRoleRegistration) {
  if (records.length === 0) return 'missing';
  const isSame =
    records.length === linkedRoleRecords.length &&
    linkedRoleRecords.every((wanted) =>
      records.some(
        (record) =>
          record.key === wanted.key &&
          record.name === wanted.name &&
          record.description === wanted.description &&
          record.comparison === wanted.comparison,
      ),
    );
  return isSame && verificationUrl === linkedRolesPage(ctx) ? 'registered' : 'outdated';
}

type ConnectContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'keyring' | 'linkedRoles' | 'log' | 'random' | 'settings'
>;

const daySeconds = 24 * 3600;

export async function beginConnecting(ctx: ConnectContext): Promise<LinkAttempt> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) throw notOffered();
  return beginAttempt(ctx, 'discord', (request) =>
    linkedRoles.start({ ...request, redirectUri: linkedRolesPage(ctx) }),
  );
}

/**
 * Stores the authorization that the caller gave on Discord, and queues an update. The attempt is used up in any case.
 */
export async function finishConnecting(
  ctx: ConnectContext,
  { body: { state, code } }: { body: { state: string; code: string } },
): Promise<LinkedRolesState> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) throw notOffered();
  const codeVerifier = await takeAttempt(ctx, { service: 'discord', state, what: 'your Discord account' });
  const redirectUri = linkedRolesPage(ctx);
  const { identity, tokens } = await exchangeCode(ctx, 'Discord', () =>
    linkedRoles.finish({ code, codeVerifier, redirectUri }),
  );
  const userId = principalId(ctx.actor);
  if (userKey('discord', identity.userId) !== userId) {
    await giveBack(ctx, linkedRoles, tokens.refreshToken);
    throw isAnother(identity.name);
  }
  const now = ctx.clock();
  await ctx.db.transaction('system', async (tx) => {
    // Revoking an earlier authorization would also revoke this one.
    await deleteEndingsOf(tx, userId);
    await putConnection(tx, {
      user_id: userId,
      user_name: identity.name,
      ...sealTokens(ctx, 'role_connections', userId, expiring(ctx, tokens)),
      linked_at: now,
      sent: null,
      sent_at: null,
      lost_at: null,
      due_at: addSeconds(now, daySeconds),
    });
    await enqueue(tx, updateJob, { userId }, { uniqueKey: userId });
  });
  return getLinkedRoles(ctx);
}

/** An authorization from the wrong account is not stored. */
async function giveBack(ctx: ConnectContext, linkedRoles: LinkedRoles, refreshToken: string): Promise<void> {
  try {
    await linkedRoles.revoke(refreshToken);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    ctx.log.warn('Could not revoke an authorization from the wrong account.', { reason: error.message });
  }
}

function isAnother(name: string): AppError {
  return new AppError(
    'STATE_CONFLICT',
    `You authorized it as ${name} on Discord, but you are signed in here with another account. Sign in here with that Discord account, or switch accounts on Discord, and try again.`,
  );
}

const minutes = attemptTtlSeconds / 60;

export const linkedRoleOperations = [
  op(
    'GET /latchkey/account/linked-roles',
    {
      id: 'getLinkedRoles',
      summary: 'Get your Discord linked roles',
      description:
        'Returns what is shared with Discord about the signed-in user for linked roles, whether they authorized it, and when Discord was last updated.',
      access: thePerson,
      returns: LinkedRolesState,
    },
    getLinkedRoles,
  ),
  op(
    'POST /latchkey/account/linked-roles/attempts',
    {
      id: 'beginLinkedRoles',
      summary: 'Start connecting Discord linked roles',
      description: `Returns the Discord URL where the person authorizes it (OAuth 2.0 with PKCE, scope role_connections.write). Discord then sends the browser to /console/me/linked-roles of this server with a code. An attempt works once, for ${minutes} minutes, for the person who started it.`,
      access: thePerson,
      returns: LinkAttempt,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    beginConnecting,
  ),
  op(
    'POST /latchkey/account/linked-roles',
    {
      id: 'connectLinkedRoles',
      summary: 'Finish connecting Discord linked roles',
      description:
        'Stores the authorization, encrypted, and sends the values to Discord shortly after. Rejected if it comes from a different Discord account than the signed-in one.',
      audit: 'linked-roles.connect',
      access: thePerson,
      body: returnedFrom('Discord'),
      returns: LinkedRolesState,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'NOT_CONFIGURED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    finishConnecting,
  ),
  op(
    'DELETE /latchkey/account/linked-roles',
    {
      id: 'disconnectLinkedRoles',
      summary: 'Disconnect Discord linked roles',
      description:
        'Deletes the authorization. Clears the values on Discord, which removes the roles that depend on them, and revokes the authorization there.',
      audit: 'linked-roles.disconnect',
      access: thePerson,
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    disconnectLinkedRoles,
  ),
  op(
    'GET /latchkey/operator/linked-roles',
    {
      id: 'getLinkedRolesRegistration',
      summary: 'Get the linked roles registration',
      description:
        'Returns whether Discord offers the linked roles of this server’s application, as Discord shows it now. For the operator.',
      access: admin(),
      returns: LinkedRolesRegistration,
    },
    getRegistration,
  ),
  op(
    'PUT /latchkey/operator/linked-roles',
    {
      id: 'registerLinkedRoles',
      summary: 'Register linked roles with Discord',
      description:
        'Registers the values and the address where members connect with Discord. Running it again changes nothing. Add the same address to the redirects of the application in the Discord developer portal, which no API can do. For the operator.',
      audit: 'linked-roles.register',
      access: admin(),
      returns: LinkedRolesRegistration,
      errors: ['NOT_CONFIGURED', 'UNAVAILABLE'],
    },
    registerLinkedRoles,
  ),
] as const;
