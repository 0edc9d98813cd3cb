import { hash } from 'node:crypto';
import { hashSecret } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type Challenge, type ChallengeFormat, chainText, challengeTtlSeconds } from './challenge.ts';
import { signChallenge } from './challenge-token.ts';
import { insertChallenge } from './queries.ts';

type IssueContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings'>;

const slugLength = 32;

export interface IssuedChallenge {
  /** In base64url, as browsers accept and return it. */
  challenge: string;
  /** Only for the format `chain`: the text whose hash is the challenge. */
  challengeText?: string;
}

/** Issues a challenge that can be used once within five minutes. */
export async function issueChallenge(
  ctx: IssueContext,
  terms: Omit<Challenge, 'expiresAt' | 'boundTo'>,
  { format = 'slug', callerText }: { format?: ChallengeFormat | undefined; callerText?: string | undefined },
): Promise<IssuedChallenge> {
  const expiresAt = addSeconds(ctx.clock(), challengeTtlSeconds);
  const challenge: Challenge = { ...terms, boundTo: undefined, expiresAt };
  switch (format) {
    case 'jwt':
      return { challenge: encode(await signChallenge(ctx, challenge, callerText)) };
    case 'slug':
      return { challenge: await store(ctx, challenge, encode(ctx.random.id(slugLength))) };
    case 'chain':
      return storeHash(ctx, challenge, callerText);
  }
}

/** Issues a challenge whose response approves `boundTo` and signs no user in. It is a hash of what is approved. */
export function issueBoundChallenge(
  ctx: IssueContext,
  terms: Omit<Challenge, 'expiresAt' | 'boundTo'> & { boundTo: string },
): Promise<Required<IssuedChallenge>> {
  const expiresAt = addSeconds(ctx.clock(), challengeTtlSeconds);
  return storeHash(ctx, { ...terms, expiresAt }, terms.boundTo);
}

async function storeHash(
  ctx: IssueContext,
  challenge: Challenge,
  callerText: string | undefined,
): Promise<Required<IssuedChallenge>> {
  const challengeText = chainText(ctx.settings.baseUrl, challenge, ctx.random.id(slugLength), callerText);
  const digest = hash('sha256', challengeText, 'base64url');
  return { challenge: await store(ctx, challenge, digest), challengeText };
}

async function store(ctx: IssueContext, terms: Challenge, challenge: string): Promise<string> {
  await insertChallenge(ctx.db.system, {
    challenge_hash: hashSecret(challenge),
    ceremony: terms.ceremony,
    rp_id: terms.rpId,
    user_id: terms.userId ?? null,
    user_verification: terms.userVerification,
    bound_to: terms.boundTo ?? null,
    created_at: ctx.clock(),
    expires_at: terms.expiresAt,
  });
  return challenge;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}
