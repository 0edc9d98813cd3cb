import { enqueue } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import { userKey } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { type LinkedRoles, PlatformFailed } from '../../ports/index.ts';
import { beginAttempt, exchangeCode, type LinkAttempt, takeAttempt } from '../link-attempts/index.ts';
import { notOffered } from './end-connection.ts';
import { updateJob } from './jobs.ts';
import { getLinkedRoles, type LinkedRolesState, linkedRolesPage } from './linked-roles.ts';
import { deleteEndingsOf, putConnection } from './queries.ts';
import { expiring, sealTokens } from './tokens.ts';

type ConnectContext = Pick<
  Context,
  'actor' | 'clock' | 'db' | 'keyring' | 'linkedRoles' | 'log' | 'random' | 'settings'
>;

const daySeconds = 24 * 3600;

export async function beginConnecting(ctx: ConnectContext): Promise<LinkAttempt> {
  const { linkedRoles } = ctx;
  if (linkedRoles === undefined) throw notOffered();
  return beginAttempt(ctx, 'discord', (asked) => linkedRoles.start({ ...asked, redirectUri: linkedRolesPage(ctx) }));
}

/** Keeps the permission that the caller gave on Discord, and has Discord told. The attempt is used up whatever comes of it. */
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
    // Revoking what was given before would take this permission along.
    await deleteEndingsOf(tx, userId);
    await putConnection(tx, {
      user_id: userId,
      user_name: identity.name,
      ...sealTokens(ctx, 'role_connections', userId, expiring(ctx, tokens)),
      linked_at: now,
      told: null,
      told_at: null,
      lost_at: null,
      due_at: new Date(now.getTime() + daySeconds * 1000),
    });
    await enqueue(tx, updateJob, { userId }, { uniqueKey: userId });
  });
  return getLinkedRoles(ctx);
}

/** What was given for an account that it cannot be used for is not kept. */
async function giveBack(ctx: ConnectContext, linkedRoles: LinkedRoles, refreshToken: string): Promise<void> {
  try {
    await linkedRoles.revoke(refreshToken);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    ctx.log.warn('A permission that was given by mistake could not be revoked.', { reason: error.message });
  }
}

function isAnother(name: string): AppError {
  return new AppError(
    'STATE_CONFLICT',
    `You allowed it as ${name} on Discord, and are signed in here with another account. Sign in here with that Discord account, or switch accounts on Discord, and try again.`,
  );
}
