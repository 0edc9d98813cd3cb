import { equalSecrets, hashSecret } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { issueSession } from '../ethereum-login/index.ts';
import { keepProven } from '../wallet-manager/index.ts';
import {
  type FinishedHandOver,
  type HandOverState,
  mostWrongCodes,
  type Proven,
  readContent,
  unknownHandOver,
} from './hand-over.ts';
import { countWrongCode, deleteHandOver, findByKey, type HandOverRow, lockByKey } from './queries.ts';

type LookContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring'>;

/** How far the other browser has come, for the one that began. */
export async function lookAtHandOver(
  ctx: LookContext,
  { body: { key } }: { body: { key: string } },
): Promise<HandOverState> {
  const row = await findByKey(ctx.db.system, hashSecret(key), ctx.clock());
  if (row === undefined || !isTheirs(ctx, row)) throw unknownHandOver();
  const { proven } = readContent(ctx, row);
  const expiresTime = row.expires_at.toISOString();
  if (proven === undefined) return { state: row.opened_at === null ? 'waiting' : 'opened', expiresTime };
  return { state: 'proven', wallet: describe(proven), expiresTime };
}

function describe(proven: Proven): NonNullable<HandOverState['wallet']> {
  if (proven.kind === 'link') {
    const { namespace, address, shownAddress } = proven.wallet;
    return { namespace, address: shownAddress ?? address };
  }
  const { account, signer } = proven.signIn;
  return {
    namespace: 'evm',
    address: signer.address,
    ...(account.name !== undefined && { accountName: account.name }),
    accountPlatform: account.platform,
  };
}

/**
 * Accepts the wallet that was proven in the other browser. Whoever does so must have read the code there: a stranger who had
 * somebody else open the link cannot.
 */
export async function acceptHandOver(
  ctx: Context,
  { body: { key, code } }: { body: { key: string; code: string } },
): Promise<FinishedHandOver> {
  const proven = await takeProven(ctx, key, code.replace(/\s/g, ''));
  if (proven.kind === 'link') return { connection: await keepProven(ctx, proven.wallet) };
  const { at, ...signIn } = proven.signIn;
  return issueSession(ctx, { ...signIn, at: new Date(at) });
}

async function takeProven(ctx: Context, key: string, code: string): Promise<Proven> {
  const taken = await ctx.db.transaction('system', async (tx) => {
    const row = await lockByKey(tx, hashSecret(key), ctx.clock());
    if (row === undefined || !isTheirs(ctx, row)) return undefined;
    const { proven } = readContent(ctx, row);
    if (proven === undefined) return 'not yet';
    if (equalSecrets(hashSecret(code), hashSecret(proven.code))) {
      await deleteHandOver(tx, row.ticket_hash);
      return proven;
    }
    const left = mostWrongCodes - row.wrong_codes - 1;
    if (left > 0) await countWrongCode(tx, row.ticket_hash);
    else await deleteHandOver(tx, row.ticket_hash);
    return left;
  });
  if (taken === undefined) throw unknownHandOver();
  if (taken === 'not yet') throw notYet();
  if (typeof taken === 'number') throw wrongCode(taken);
  return taken;
}

/** A link is for the account that began it, whoever has the key. */
function isTheirs({ actor }: Pick<Context, 'actor'>, { user_id }: HandOverRow): boolean {
  return user_id === null || (actor.kind === 'user' && principalId(actor) === user_id);
}

function notYet(): AppError {
  return new AppError('STATE_CONFLICT', 'No wallet was proven in the other browser yet.');
}

function wrongCode(left: number): AppError {
  const tries = left === 1 ? '1 try' : `${left} tries`;
  const message =
    left > 0
      ? `This is not the code that the other browser shows. You have ${tries} left.`
      : 'This is not the code that the other browser shows. Start again from the beginning.';
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/code', code: 'wrong', message }] });
}
