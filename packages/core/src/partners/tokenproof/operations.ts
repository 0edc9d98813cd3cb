import { setTimeout as wait } from 'node:timers/promises';
import { AppError, anyone, notFound, notSetUp, op, record, resource, T, text, type ValueOf } from '@latchkey/kernel';
import {
  findPending,
  keepPending,
  keepProven,
  pendingTtlSeconds,
  readAccountId,
  takePending,
  userOfLink,
} from '../../linking/wallet-manager/index.ts';
import type { Tokenproof, TokenproofAnswer, TokenproofReply } from '../../ports/index.ts';
import { drawQrCode } from '../../services/qrcode/index.ts';
import type { Context } from '../../shared/context.ts';

export const TokenproofQRCode = record('TokenproofQRCode', 'What to show so that a phone can prove an account.', {
  qrcode_image: text('A PNG of the QR code, as a data URL.', { maxLength: 100_000 }),
  app_link: text('The same as a link, for a page that is open on the phone itself.'),
  ttl: T.Number({ description: 'How long it works, in seconds.' }),
  version: text('The version of this exchange.', { maxLength: 16 }),
  request_id: text('Identifies the request when polling for its result.', { maxLength: 64 }),
});

export type TokenproofQRCode = ValueOf<typeof TokenproofQRCode>;

export const TokenproofPayload = record('TokenproofPayload', 'The response of the app.', {
  nonce: text('The nonce of the request.', { maxLength: 128 }),
  status: T.Optional(text('waiting, authenticated, rejected, or linked and taken once an account was proven.')),
  account: T.Optional(text('The account that was proven.')),
  reason: T.Optional(text('Why it failed.')),
  timestamp: T.Optional(text('When the app responded.', { maxLength: 64 })),
  session_id: T.Optional(text('The app’s own name for the exchange.', { maxLength: 128 })),
});

export type TokenproofPayload = ValueOf<typeof TokenproofPayload>;

const pauseMs = 500;

/** Returns the result of a request. A proven account is connected, once; after that the request is deleted. */
export async function getTokenproofResponse(
  ctx: Context,
  { requestId, retries }: { requestId: string; retries?: string | undefined },
): Promise<TokenproofPayload> {
  const tokenproof = configured(ctx);
  const pending = await findPending(ctx, 'tokenproof', requestId);
  if (pending === undefined) throw notFound('tokenproof request');
  const { nonce } = pending.content;
  const answer = await ask(tokenproof, requestId, Number(retries ?? 0));
  if (answer.kind === 'unknown') throw new AppError('UNAVAILABLE', answer.reason, { retryAfterSeconds: 5 });
  if (answer.kind === 'waiting') return { nonce, status: 'waiting' };
  const { reply } = answer;
  // The app signs for one request: a response to another one, even if genuine, proves nothing here.
  if (reply.nonce !== nonce)
    throw new AppError('INVALID_CREDENTIAL', 'The tokenproof response is for another request.');
  const taken = await takePending(ctx, 'tokenproof', requestId);
  if (taken === undefined) throw notFound('tokenproof request');
  return reply.status === 'authenticated' ? connect(taken.user, reply) : payloadOf(reply);
}

async function ask(tokenproof: Tokenproof, requestId: string, retries: number): Promise<TokenproofAnswer> {
  for (let left = retries; ; left -= 1) {
    const answer = await tokenproof.readReply(requestId);
    if (answer.kind !== 'waiting' || left <= 0) return answer;
    await wait(pauseMs);
  }
}

async function connect(user: Context, reply: TokenproofReply): Promise<TokenproofPayload> {
  const { account = '' } = reply;
  const text = account.includes(':') ? readAccountId(account)?.address : account;
  const address = user.wallets.evm.normalizeAddress(text ?? '', '1');
  if (address === undefined)
    return { ...payloadOf(reply), status: 'failed', reason: 'The account is not an Ethereum address.' };
  const { success, message = '' } = await keepProven(user, {
    namespace: 'evm',
    address,
    contractChain: null,
    walletType: 'tokenproof',
  });
  return {
    ...payloadOf(reply),
    account: address,
    ...(success ? { status: 'linked' } : { status: 'taken', reason: message }),
  };
}

function payloadOf({ nonce, status, account, reason, timestamp, sessionId }: TokenproofReply): TokenproofPayload {
  return {
    nonce,
    status,
    ...(account !== undefined && { account }),
    ...(reason !== undefined && { reason }),
    ...(timestamp !== undefined && { timestamp }),
    ...(sessionId !== undefined && { session_id: sessionId }),
  };
}

export const tokenproof = resource('tokenproof', 'Proving an account by phone, in the shapes of tokenproof.', [
  op(
    'GET /tokenproof/authorize',
    {
      id: 'tokenproofLogin',
      sdk: 'TokenproofLoginController.login',
      summary: 'Request a proof from a phone',
      description: `Creates a request that a phone can answer for ${pendingTtlSeconds / 60} minutes, and a QR code that opens it at the service that the operator set up. That service uses a protocol defined by Latchkey, not tokenproof.xyz’s. The state is the slug of a link to connect a wallet, which identifies the user.`,
      changes: true,
      access: anyone,
      params: { state: T.String({ description: 'The slug of the link.', minLength: 1, maxLength: 64 }) },
      returns: TokenproofQRCode,
      errors: ['ENTITY_NOT_FOUND'],
    },
    tokenproofLogin,
  ),
  op(
    'GET /tokenproof/responses/{requestId}',
    {
      id: 'getTokenproofResponse',
      sdk: 'TokenproofLoginController.getResponse',
      summary: 'Get the phone’s response',
      description:
        'Asks the service that the operator set up for the answer to a request, and links the account that it proves. The response is valid only with a signature by the shared secret and the nonce of this request, and only once.',
      changes: true,
      access: anyone,
      params: {
        requestId: T.String({ description: 'The request_id.', minLength: 1, maxLength: 64 }),
        retries: T.Optional(
          T.String({
            description: 'How often to retry, every half second, while there is no response; up to 9.',
            pattern: '^[0-9]$',
            maxLength: 1,
          }),
        ),
      },
      returns: TokenproofPayload,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_CREDENTIAL'],
    },
    getTokenproofResponse,
  ),
]);

/** Starts a proof by phone for the user of a link to connect a wallet. */
export async function tokenproofLogin(ctx: Context, { state }: { state: string }): Promise<TokenproofQRCode> {
  const tokenproof = configured(ctx);
  const user = await userOfLink(ctx, state);
  if (user === undefined) throw notFound('state');
  const nonce = ctx.random.id(32);
  const { key: requestId } = await keepPending(user, 'tokenproof', { nonce });
  const appLink = tokenproof.appLink({ requestId, nonce });
  return {
    request_id: requestId,
    app_link: appLink,
    qrcode_image: `data:image/png;base64,${Buffer.from(drawQrCode(appLink)).toString('base64')}`,
    ttl: pendingTtlSeconds,
    version: '1',
  };
}

/** Returns the tokenproof client. Throws if the operator has not set it up. */
function configured(ctx: Pick<Context, 'tokenproof'>): Tokenproof {
  if (ctx.tokenproof === undefined) throw notSetUp('This server is not set up for tokenproof.');
  return ctx.tokenproof;
}
