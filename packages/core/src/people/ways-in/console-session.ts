import { hashSecret } from '@latchkey/db';
import type { Context } from '../../context.ts';
import {
  deleteConsoleSession,
  findConsoleSession,
  findSession,
  openConsoleSession,
} from '../../developers/credentials/index.ts';
import { type SessionTimes, type SignedIn, toSignedIn } from './signed-in.ts';

type SessionContext = Pick<Context, 'actor' | 'browser' | 'clock' | 'db' | 'origin' | 'random'>;

export async function startConsoleSession(ctx: SessionContext): Promise<SignedIn> {
  return toSignedIn(ctx, await openConsoleSession(ctx));
}

export async function getConsoleSession(ctx: SessionContext): Promise<SignedIn> {
  return toSignedIn(ctx, await findTimes(ctx));
}

/** Ends what the cookie of the browser opens. Whoever comes with another credential and no cookie has nothing to end. */
export async function endConsoleSession({ browser, db }: SessionContext): Promise<void> {
  if (browser?.sessionSecret === undefined) return;
  await deleteConsoleSession(db.system, hashSecret(browser.sessionSecret));
  browser.forgetSession();
}

async function findTimes({ actor, db }: SessionContext): Promise<SessionTimes | undefined> {
  const sessionId = actor.kind === 'user' || actor.kind === 'admin' ? actor.sessionId : undefined;
  if (sessionId === undefined) return undefined;
  return (await findConsoleSession(db.system, sessionId)) ?? (await findSession(db.system, sessionId));
}
