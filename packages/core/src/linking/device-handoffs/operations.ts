import { equalSecrets, hashSecret, type Tx } from '@latchkey/db';
import {
  type Access,
  AppError,
  addSeconds,
  anyone,
  choice,
  op,
  principalId,
  refuse,
  shape,
  T,
  text,
  texts,
  user,
} from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { verdictOf } from '../../port-guards/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { issueSession, proveSignIn, writeSignInMessage } from '../ethereum-login/index.ts';
import { proveWallet } from '../wallet-links/index.ts';
import { askToSign, keepProven, readClaim } from '../wallet-manager/index.ts';
import {
  BegunHandoff,
  contentPlace,
  FinishedHandoff,
  HandoffCode,
  type HandoffContent,
  HandoffMessage,
  HandoffState,
  handoffSeconds,
  mostWrongCodes,
  type Proven,
  type Purpose,
  purposes,
  readContent,
  secretLength,
  unknownHandoff,
} from './handoff.ts';
import {
  countWrongCode,
  deleteHandoff,
  deleteOldest,
  findByKey,
  findByTicket,
  type HandoffRow,
  insertHandoff,
  lockByKey,
  setChallenge,
  setProven,
  useChallenge,
} from './queries.ts';

type BeginContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'tx'>;

/** Enough for a user who starts in several tabs. */
const mostAtOnce = 5;

/** Starts a step that continues in another browser: linking a wallet to the caller, or signing a user in. */
export async function beginHandoff(
  ctx: BeginContext,
  { body: { purpose, communityId } }: { body: { purpose: Purpose; communityId?: string | undefined } },
): Promise<BegunHandoff> {
  const content = purpose === 'link' ? await describeLink(ctx, communityId) : {};
  const userId = content.person?.userId ?? null;
  const [ticket, key] = [ctx.random.id(secretLength), ctx.random.id(secretLength)];
  const ticketHash = hashSecret(ticket);
  const now = ctx.clock();
  const expiresAt = addSeconds(now, handoffSeconds);
  await ctx.db.transaction('system', async (tx) => {
    if (userId !== null) await deleteOldest(tx, userId, mostAtOnce - 1);
    await insertHandoff(tx, {
      ticket_hash: ticketHash,
      key_hash: hashSecret(key),
      purpose,
      user_id: userId,
      content: ctx.keyring.seal(contentPlace(ticketHash), JSON.stringify(content)),
      created_at: now,
      expires_at: expiresAt,
    });
  });
  return { url: `${ctx.settings.baseUrl}/handoff/${ticket}`, key, expiresTime: expiresAt.toISOString() };
}

async function describeLink(ctx: BeginContext, communityId: string | undefined): Promise<HandoffContent> {
  const { actor } = ctx;
  const refusal = refuse(user('user:wallet:write'), actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
  if (actor.kind !== 'user') throw new AppError('ROLE_NOT_ALLOWED', 'Only a signed-in user can link a wallet.');
  const { userId, platform, name } = actor;
  // If the community is not one of the user's, the wallet is connected everywhere.
  const community = communityId === undefined ? undefined : await ctx.tx((tx) => selectCommunity(tx, communityId));
  return {
    person: { userId, platform, ...(name !== undefined && { name }) },
    ...(community !== undefined && { communityId: community.id }),
  };
}

const minutes = handoffSeconds / 60;

/** Any caller; handoffs of a user also require that user's credential. */
const anyoneKnown: Access = { roles: ['$anonymous', '$authenticated'], scopes: [] };

const secret = (description: string) => text(description, { minLength: 1, maxLength: 64 });
const key = secret('The key, from the browser that started.');
const ticket = secret('The last part of the link.');
const accountId = text('The account that signs, in CAIP-10 form, for example evm:1:0x….', {
  minLength: 1,
  maxLength: 200,
});

export const handoffOperations = [
  op(
    'POST /latchkey/handoffs',
    {
      id: 'beginHandoff',
      summary: 'Continue in another browser',
      description: `Creates a link to continue a step in another browser, for example from a desktop to a phone or in the browser of a wallet app. It works once and expires after ${minutes} minutes. The link can only verify a wallet; the browser that started sees which one and accepts it with a code that the other browser shows. To link a wallet, send the user’s credential; only their newest five links are valid. To sign in, none is needed.`,
      access: anyoneKnown,
      body: shape(
        T.Object({
          purpose: choice('What the wallet is verified for: link it to the caller, or sign in.', purposes),
          communityId: T.Optional(
            text('The community to connect the wallet to, by its qualified id; without it, all of them.', {
              maxLength: 128,
            }),
          ),
        }),
      ),
      returns: BegunHandoff,
    },
    beginHandoff,
  ),
  op(
    'POST /latchkey/handoffs/state',
    {
      id: 'getHandoffState',
      summary: 'Get another browser’s progress',
      description:
        'Returns the progress of the other browser, and which wallet was verified there. For the browser that started, by its key.',
      access: anyoneKnown,
      body: shape(T.Object({ key })),
      returns: HandoffState,
      errors: ['ENTITY_NOT_FOUND'],
    },
    checkHandoff,
  ),
  op(
    'POST /latchkey/handoffs/message',
    {
      id: 'askInOtherBrowser',
      summary: 'Get the message to sign elsewhere',
      description:
        'Returns the message for the wallet in the other browser to sign. Only the newest message of a link is valid, once.',
      access: anyone,
      body: shape(
        T.Object({
          ticket,
          accountId,
          resources: T.Optional(
            texts('For a wallet that signs in to several accounts: the resource of one of them.', { maxLength: 512 }),
          ),
        }),
      ),
      returns: HandoffMessage,
      errors: ['ENTITY_NOT_FOUND', 'VALIDATION_FAILED'],
    },
    askInOtherBrowser,
  ),
  op(
    'POST /latchkey/handoffs/proof',
    {
      id: 'proveInOtherBrowser',
      summary: 'Verify a wallet in another browser',
      description:
        'Checks the signature and returns a six-digit code. No wallet is linked and no user is signed in until the browser that started accepts the wallet with that code. Fails with STATE_CONFLICT if the wallet can sign in to several accounts, with the resources to use in a new message.',
      access: anyone,
      body: shape(
        T.Object({
          ticket,
          accountId,
          state: secret('The state of the message.'),
          signature: text('The wallet’s signature.', { minLength: 1, maxLength: 65_536 }),
          publicKey: T.Optional(text('The public key, if it cannot be derived from the address.', { maxLength: 256 })),
        }),
      ),
      returns: HandoffCode,
      errors: ['ENTITY_NOT_FOUND', 'INVALID_CREDENTIAL', 'STATE_CONFLICT', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    proveInOtherBrowser,
  ),
  op(
    'POST /latchkey/handoffs/accept',
    {
      id: 'acceptHandoff',
      summary: 'Accept a wallet from another browser',
      description: `Links the wallet that was verified in the other browser, or signs in with it, for the browser that started. Requires the code that the other browser shows; after ${mostWrongCodes} wrong codes the link is invalid. If another account in the community has linked the wallet, returns WALLET_TAKEN with a resetToken.`,
      access: anyoneKnown,
      body: shape(
        T.Object({ key, code: text('The code that the other browser shows.', { minLength: 1, maxLength: 16 }) }),
      ),
      returns: FinishedHandoff,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    acceptHandoff,
  ),
] as const;

type ReconcileContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring'>;

/** Returns the progress in the other browser, for the one that started. */
export async function checkHandoff(
  ctx: ReconcileContext,
  { body: { key } }: { body: { key: string } },
): Promise<HandoffState> {
  const row = await findByKey(ctx.db.system, hashSecret(key), ctx.clock());
  if (row === undefined || !isTheirs(ctx, row)) throw unknownHandoff();
  const { proven } = readContent(ctx, row);
  const expiresTime = row.expires_at.toISOString();
  if (proven === undefined) return { state: row.opened_at === null ? 'waiting' : 'opened', expiresTime };
  return { state: 'proven', wallet: describe(proven), expiresTime };
}

function describe(proven: Proven): NonNullable<HandoffState['wallet']> {
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
 * Accepts the wallet that was proven in the other browser. The caller must have read the code there, which an attacker
 * who made a victim open the link cannot.
 */
export async function acceptHandoff(
  ctx: Context,
  { body: { key, code } }: { body: { key: string; code: string } },
): Promise<FinishedHandoff> {
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
      await deleteHandoff(tx, row.ticket_hash);
      return proven;
    }
    const left = mostWrongCodes - row.wrong_codes - 1;
    if (left > 0) await countWrongCode(tx, row.ticket_hash);
    else await deleteHandoff(tx, row.ticket_hash);
    return left;
  });
  if (taken === undefined) throw unknownHandoff();
  if (taken === 'not yet') throw notYet();
  if (typeof taken === 'number') throw wrongCode(taken);
  return taken;
}

/** A link is for the account that started it, even if another user has the key. */
function isTheirs({ actor }: Pick<Context, 'actor'>, { user_id }: HandoffRow): boolean {
  return user_id === null || (actor.kind === 'user' && principalId(actor) === user_id);
}

function notYet(): AppError {
  return new AppError('STATE_CONFLICT', 'No wallet has been verified in the other browser yet.');
}

function wrongCode(left: number): AppError {
  const tries = left === 1 ? '1 try' : `${left} tries`;
  const message =
    left > 0
      ? `This code does not match the one in the other browser. You have ${tries} left.`
      : 'This code does not match the one in the other browser. Start again from the beginning.';
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/code', code: 'wrong', message }] });
}

interface Ask {
  ticket: string;
  accountId: string;
  resources?: string[] | undefined;
}

interface Proof {
  ticket: string;
  accountId: string;
  state: string;
  signature: string;
  publicKey?: string | undefined;
}

/** Creates the message that the wallet in the other browser signs. Only the newest one is valid. */
export async function askInOtherBrowser(ctx: Context, { body }: { body: Ask }): Promise<HandoffMessage> {
  const row = await getOpen(ctx, body.ticket);
  const request = row.purpose === 'link' ? await askForLink(ctx, row, body) : await askForSignIn(ctx, body);
  const noted = { challengeHash: hashSecret(request.state), now: ctx.clock() };
  if (!(await setChallenge(ctx.db.system, row.ticket_hash, noted))) throw unknownHandoff();
  return request;
}

async function askForLink(ctx: Context, row: HandoffRow, { accountId }: Ask): Promise<HandoffMessage> {
  const content = readContent(ctx, row);
  const { message = '', state = '' } = await askToSign(asPerson(ctx, content), readClaim(ctx, { accountId }), {
    communityId: content.communityId,
  });
  return { message, state };
}

async function askForSignIn(ctx: Context, { accountId, resources = [] }: Ask): Promise<HandoffMessage> {
  const { message = '', requestId = '' } = await writeSignInMessage(ctx, { accountId, resources }, 'elsewhere');
  return { message, state: requestId };
}

/**
 * Verifies the signature of the wallet in the other browser. This links nothing and signs no user in: the browser that
 * started must accept the wallet with the code shown here, so that an attacker gains nothing by sending the link
 * around.
 */
export async function proveInOtherBrowser(ctx: Context, { body }: { body: Proof }): Promise<HandoffCode> {
  const row = await getOpen(ctx, body.ticket);
  const challengeHash = hashSecret(body.state);
  if (row.challenge_hash !== challengeHash) throw messageIsOver();
  const content = readContent(ctx, row);
  const code = sixDigits(ctx);
  const { proven, useUp } = await verifyProof(ctx, row, body);
  const sealed = ctx.keyring.seal(
    contentPlace(row.ticket_hash),
    JSON.stringify({ ...content, proven: { ...proven, code } }),
  );
  await ctx.db.transaction('system', async (tx) => {
    if (!(await useUp(tx))) throw messageIsOver();
    const kept = { content: sealed, challengeHash, now: ctx.clock() };
    if (!(await setProven(tx, row.ticket_hash, kept))) throw messageIsOver();
  });
  return { code };
}

type Unsealed = Proven extends infer One ? (One extends unknown ? Omit<One, 'code'> : never) : never;

interface VerifiedProof {
  proven: Unsealed;
  /** Consumes the signed message. Returns false if it was already consumed. */
  useUp(tx: Tx): Promise<boolean>;
}

/** A refusal consumes the message. If nothing could be decided, the signature can be sent again. */
async function verifyProof(ctx: Context, row: HandoffRow, body: Proof): Promise<VerifiedProof> {
  const verified = await verdictOf<VerifiedProof>(() =>
    row.purpose === 'link' ? proveLink(ctx, readContent(ctx, row), body) : proveSession(ctx, body),
  );
  if (!(verified instanceof AppError)) return verified;
  await useChallenge(ctx.db.system, row.ticket_hash, hashSecret(body.state));
  throw verified;
}

async function proveLink(ctx: Context, content: HandoffContent, body: Proof): Promise<VerifiedProof> {
  const { accountId, signature, publicKey, state } = body;
  const claim = readClaim(ctx, { accountId, signature, state, ...(publicKey !== undefined && { publicKey }) });
  const { address } = claim;
  if (address === undefined) throw messageIsOver();
  const proof = await proveWallet(asPerson(ctx, content), { ...claim, address });
  if (proof.kind === 'no-challenge') throw messageIsOver();
  if (proof.kind === 'refused') throw refusedSignature();
  return { proven: { kind: 'link', wallet: proof.wallet }, useUp: proof.challenge.useUp };
}

async function proveSession(ctx: Context, { accountId, signature, state }: Proof): Promise<VerifiedProof> {
  const { at, ...signIn } = await proveSignIn(ctx, { requestId: state, signature, accountId });
  // The verdict has already consumed a sign-in challenge.
  return { proven: { kind: 'sign-in', signIn: { ...signIn, at: at.toISOString() } }, useUp: async () => true };
}

async function getOpen(ctx: Pick<Context, 'clock' | 'db'>, ticket: string): Promise<HandoffRow> {
  const row = await findByTicket(ctx.db.system, hashSecret(ticket), ctx.clock());
  if (row === undefined || row.proven_at !== null) throw unknownHandoff();
  return row;
}

/** Only for the message and its proof: the browser that started stores the wallet. */
function asPerson(ctx: Context, { person }: HandoffContent): Context {
  if (person === undefined) throw unknownHandoff();
  return contextFor(ctx, { kind: 'user', ...person, scopes: [], credential: 'connect-link' });
}

function sixDigits({ random }: Pick<Context, 'random'>): string {
  const number = Buffer.from(random.bytes(6)).readUIntBE(0, 6) % 1_000_000;
  return String(number).padStart(6, '0');
}

function messageIsOver(): AppError {
  return refusedState('The message was already used, or a newer one was issued. Ask your wallet to sign again.');
}

function refusedState(message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/state', code: 'used', message }] });
}

/** The exact reason is only for operators: it may reveal how this server reaches a chain. */
function refusedSignature(): AppError {
  const message = 'The signature does not match the wallet. Sign with the account that you chose, and try again.';
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/signature', code: 'wallet', message }] });
}
