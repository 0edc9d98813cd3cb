import { hash } from 'node:crypto';
import { hashSecret } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Near } from '../../ports/index.ts';
import { findSession, insertSession, takeSession } from './contract-queries.ts';
import type { NearContext } from './near-setup.ts';
import type { SignInSession } from './user-records.ts';

const sessionTtlMs = 15 * 60 * 1000;

/**
 * Opens a sign-in by key: the wallet adds a key to the account that may call one method of one contract and nothing else.
 * Only whoever has full access to an account can add a key to it, and nobody but this session knows the method.
 */
export async function openSignIn(ctx: NearContext, near: Near): Promise<SignInSession> {
  const signInState = ctx.random.id(32);
  const methodName = `sign_in_${hash('sha256', `near-sign-in/${signInState}`, 'hex').slice(0, 32)}`;
  const now = ctx.clock();
  await ctx.tx((tx) =>
    insertSession(tx, {
      state_hash: hashSecret(signInState),
      network: near.network,
      created_by_id: principalId(ctx.actor),
      contract_id: near.account.id,
      method_name: methodName,
      created_at: now,
      expires_at: new Date(now.getTime() + sessionTtlMs),
    }),
  );
  return { signInState, contractId: near.account.id, methodName };
}

/** Ends a sign-in: the key must be on the account and be for the method of this session, and the session counts once. */
export async function finishSignIn(
  ctx: NearContext,
  near: Near,
  { signInState, accountId, publicKey }: { signInState: string; accountId: string; publicKey: string },
): Promise<void> {
  const stateHash = hashSecret(signInState);
  const session = await findSession(ctx.db.system, stateHash);
  const refused = new AppError('INVALID_CREDENTIAL', 'This sign-in is not known, has expired, or was used before.');
  if (session?.created_by_id !== principalId(ctx.actor) || session.network !== near.network) throw refused;
  if (session.expires_at <= ctx.clock()) throw refused;
  const keys = await near.keysOf(accountId);
  const only = keys.find((key) => key.publicKey === publicKey)?.only;
  if (only?.receiverId !== session.contract_id || !only.methods.includes(session.method_name))
    throw new AppError(
      'INVALID_CREDENTIAL',
      `${accountId} has no such key for ${session.method_name} of ${session.contract_id}.`,
    );
  if (!(await ctx.tx((tx) => takeSession(tx, stateHash)))) throw refused;
}
