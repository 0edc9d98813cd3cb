import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { readAccountId } from './account-id.ts';
import { checkAskingPage } from './asking-page.ts';
import {
  challengeTtlSeconds,
  requestIdLength,
  type WalletChallengeRequest,
  type WalletChallengeResponse,
} from './challenge.ts';
import { readChosenAccount } from './chosen-account.ts';
import { writeMessage } from './message.ts';
import { insertChallenge } from './queries.ts';

type ChallengeContext = Pick<Context, 'clock' | 'db' | 'random' | 'settings' | 'wallets'>;

/** Writes the message a wallet is to sign, and remembers it for 15 minutes. */
export function getChallenge(
  ctx: ChallengeContext,
  { body }: { body: WalletChallengeRequest },
): Promise<WalletChallengeResponse> {
  return writeSignInMessage(ctx, body, 'here');
}

/** The same for a session in the browser that signs, or in another one where the person began. */
export async function writeSignInMessage(
  ctx: ChallengeContext,
  body: WalletChallengeRequest,
  where: 'here' | 'elsewhere',
): Promise<WalletChallengeResponse> {
  const { application, ...page } = await checkAskingPage(ctx, body);
  const resources = body.resources ?? [];
  checkResources(resources);
  const account = body.accountId === undefined ? undefined : readAccountId(ctx.wallets.evm, body.accountId);
  const requestId = ctx.random.id(requestIdLength);
  const issuedAt = ctx.clock();
  const expiresAt = new Date(issuedAt.getTime() + challengeTtlSeconds * 1000);
  const chain = account?.chain ?? '1';
  // The request id is the key to the challenge, so the message names it by its hash alone.
  const requestHash = hashSecret(requestId);
  const message = writeMessage({
    ...page,
    asker: {
      name: application?.name ?? ctx.settings.serviceName,
      isApplication: application !== undefined,
      isElsewhere: where === 'elsewhere',
    },
    address: account?.address,
    chain,
    nonce: ctx.random.id(24),
    issuedAt,
    expiresAt,
    requestId: requestHash.slice(0, 16),
    resources,
  });
  await insertChallenge(ctx.db.system, {
    request_hash: requestHash,
    namespace: 'evm',
    chain,
    address: account?.address ?? null,
    message,
    client_id: application?.id ?? null,
    account_id: readChosenAccount(resources) ?? null,
    created_at: issuedAt,
    expires_at: expiresAt,
  });
  return { ...(body.state !== undefined && { state: body.state }), requestId, message };
}

// A line break in a resource would let a caller write further lines of the message.
function checkResources(resources: readonly string[]): void {
  const index = resources.findIndex((resource) => !/^[a-z][a-z0-9+.-]*:[\x21-\x7e]+$/i.test(resource));
  if (index < 0) return;
  throw new AppError('VALIDATION_FAILED', `The body at /resources/${index} must be a URI.`, {
    details: [{ path: `/resources/${index}`, code: 'uri', message: 'must be a URI' }],
  });
}
