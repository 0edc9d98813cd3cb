import { hashSecret, type Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { type Context, contextFor } from '../../context.ts';
import { verdictOf } from '../../port-guards/index.ts';
import { proveSignIn, writeSignInMessage } from '../ethereum-login/index.ts';
import { askToSign, readClaim } from '../wallet-manager/index.ts';
import { proveWallet } from '../wallets/index.ts';
import {
  contentPlace,
  type HandOverCode,
  type HandOverContent,
  type HandOverMessage,
  type Proven,
  readContent,
  unknownHandOver,
} from './hand-over.ts';
import { findByTicket, type HandOverRow, setChallenge, setProven, useChallenge } from './queries.ts';

interface Ask {
  ticket: string;
  accountId: string;
  resources?: string[] | undefined;
}

export interface Proof {
  ticket: string;
  accountId: string;
  state: string;
  signature: string;
  publicKey?: string | undefined;
}

/** Writes the message that the wallet in the other browser signs. Only the newest one counts. */
export async function askInOtherBrowser(ctx: Context, { body }: { body: Ask }): Promise<HandOverMessage> {
  const row = await getOpen(ctx, body.ticket);
  const asked = row.purpose === 'link' ? await askForLink(ctx, row, body) : await askForSignIn(ctx, body);
  const noted = { challengeHash: hashSecret(asked.state), now: ctx.clock() };
  if (!(await setChallenge(ctx.db.system, row.ticket_hash, noted))) throw unknownHandOver();
  return asked;
}

async function askForLink(ctx: Context, row: HandOverRow, { accountId }: Ask): Promise<HandOverMessage> {
  const content = readContent(ctx, row);
  const { message = '', state = '' } = await askToSign(asPerson(ctx, content), readClaim(ctx, { accountId }), {
    communityId: content.communityId,
  });
  return { message, state };
}

async function askForSignIn(ctx: Context, { accountId, resources = [] }: Ask): Promise<HandOverMessage> {
  const { message = '', requestId = '' } = await writeSignInMessage(ctx, { accountId, resources }, 'elsewhere');
  return { message, state: requestId };
}

/**
 * Judges what the wallet in the other browser signed. Nothing is linked and nobody is signed in by it: the browser that began
 * has to accept the wallet with the code that is shown here, so that a link alone is of no use to whoever sent it around.
 */
export async function proveInOtherBrowser(ctx: Context, { body }: { body: Proof }): Promise<HandOverCode> {
  const row = await getOpen(ctx, body.ticket);
  const challengeHash = hashSecret(body.state);
  if (row.challenge_hash !== challengeHash) throw messageIsOver();
  const content = readContent(ctx, row);
  const code = sixDigits(ctx);
  const { proven, useUp } = await judge(ctx, row, body);
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

interface Judged {
  proven: Unsealed;
  /** Uses up the message that was signed. False when that was done before. */
  useUp(tx: Tx): Promise<boolean>;
}

/** A refusal uses the message up. Where nothing could be decided, it can be sent again. */
async function judge(ctx: Context, row: HandOverRow, body: Proof): Promise<Judged> {
  const judged = await verdictOf<Judged>(() =>
    row.purpose === 'link' ? proveLink(ctx, readContent(ctx, row), body) : proveSession(ctx, body),
  );
  if (!(judged instanceof AppError)) return judged;
  await useChallenge(ctx.db.system, row.ticket_hash, hashSecret(body.state));
  throw judged;
}

async function proveLink(ctx: Context, content: HandOverContent, body: Proof): Promise<Judged> {
  const { accountId, signature, publicKey, state } = body;
  const claim = readClaim(ctx, { accountId, signature, state, ...(publicKey !== undefined && { publicKey }) });
  const { address } = claim;
  if (address === undefined) throw messageIsOver();
  const proof = await proveWallet(asPerson(ctx, content), { ...claim, address });
  if (proof.kind === 'no-challenge') throw messageIsOver();
  if (proof.kind === 'refused') throw refusedSignature();
  return { proven: { kind: 'link', wallet: proof.wallet }, useUp: proof.challenge.useUp };
}

async function proveSession(ctx: Context, { accountId, signature, state }: Proof): Promise<Judged> {
  const { at, ...signIn } = await proveSignIn(ctx, { requestId: state, signature, accountId });
  // A challenge to sign in is used up by its verdict.
  return { proven: { kind: 'sign-in', signIn: { ...signIn, at: at.toISOString() } }, useUp: async () => true };
}

async function getOpen(ctx: Pick<Context, 'clock' | 'db'>, ticket: string): Promise<HandOverRow> {
  const row = await findByTicket(ctx.db.system, hashSecret(ticket), ctx.clock());
  if (row === undefined || row.proven_at !== null) throw unknownHandOver();
  return row;
}

/** For the message and its proof alone: what is kept of a wallet is kept by the browser that began. */
function asPerson(ctx: Context, { person }: HandOverContent): Context {
  if (person === undefined) throw unknownHandOver();
  return contextFor(ctx, { kind: 'user', ...person, scopes: [], credential: 'connect-link' });
}

function sixDigits({ random }: Pick<Context, 'random'>): string {
  const number = Buffer.from(random.bytes(6)).readUIntBE(0, 6) % 1_000_000;
  return String(number).padStart(6, '0');
}

function messageIsOver(): AppError {
  return refusedState('The message was used already, or a newer one was written. Ask your wallet again.');
}

function refusedState(message: string): AppError {
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/state', code: 'used', message }] });
}

/** Why exactly is for operators: it may speak of how this server reaches a chain. */
function refusedSignature(): AppError {
  const message = 'The signature does not fit the wallet. Sign with exactly the account that you chose, and try again.';
  return new AppError('VALIDATION_FAILED', message, { details: [{ path: '/signature', code: 'wallet', message }] });
}
