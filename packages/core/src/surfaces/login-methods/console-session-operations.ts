import { hashSecret } from '@latchkey/db';
import {
  addSeconds,
  choice,
  freshPresenceSeconds,
  NoContent,
  op,
  presenceProofs,
  record,
  T,
  text,
  user,
  type ValueOf,
} from '@latchkey/kernel';
import {
  deleteConsoleSession,
  findConsoleSession,
  findSession,
  openConsoleSession,
} from '../../identity/credentials/index.ts';
import type { Context } from '../../shared/context.ts';

const SignedInPresence = record('SignedInPresence', 'How the user last proved their presence.', {
  how: choice('The method they used.', presenceProofs),
  time: text('When they did, in ISO 8601.'),
  untilTime: text('Until when it counts for what needs a recent sign-in, in ISO 8601.'),
});

const SignedIn = record('SignedIn', 'Who is signed in, and until when.', {
  isOperator: T.Boolean({ description: 'Whether it is the operator of this server.' }),
  accountId: T.Optional(text('The account of the person; absent for the operator.')),
  platform: T.Optional(text('Where the account comes from, for example discord or ethereum; absent for the operator.')),
  name: T.Optional(text('What they are called, if it is known. For the operator it is the name of their key.')),
  presence: T.Optional(SignedInPresence),
  expiresTime: T.Optional(
    text('When the session ends if it is not used until then, in ISO 8601; absent for other credentials.'),
  ),
  latestTime: T.Optional(text('When the session ends even if it is used, in ISO 8601.')),
});
type SignedIn = ValueOf<typeof SignedIn>;

interface SessionTimes {
  expires_at: Date;
  latest_at?: Date;
}

function toSignedIn({ actor }: Pick<Context, 'actor'>, session?: SessionTimes): SignedIn {
  const person = actor.kind === 'user' ? actor : undefined;
  const name = actor.kind === 'user' || actor.kind === 'admin' ? actor.name : undefined;
  return {
    isOperator: actor.kind === 'admin',
    ...(person !== undefined && { accountId: person.userId, platform: person.platform }),
    ...(name !== undefined && { name }),
    ...(person?.presence !== undefined && {
      presence: {
        how: person.presence.how,
        time: person.presence.at.toISOString(),
        untilTime: addSeconds(person.presence.at, freshPresenceSeconds).toISOString(),
      },
    }),
    ...(session !== undefined && { expiresTime: session.expires_at.toISOString() }),
    ...(session?.latest_at !== undefined && { latestTime: session.latest_at.toISOString() }),
  };
}

export const consoleSessionOperations = [
  op(
    'POST /latchkey/session',
    {
      id: 'openConsoleSession',
      summary: 'Sign a browser in to the console',
      description:
        'Sets a session cookie for the caller on pages of this server: a person who signed in by wallet, passkey or chat account within the last 10 minutes, or the operator. It can do what the caller can, replaces the session that the browser had, and ends after 7 days, or 12 hours without use. Only pages of this server may call it, with the header `x-latchkey-console: 1`.',
      access: user(),
      returns: SignedIn,
      errors: ['CLIENT_NOT_ALLOWED', 'PRESENCE_REQUIRED'],
    },
    startConsoleSession,
  ),
  op(
    'GET /latchkey/session',
    {
      id: 'getConsoleSession',
      summary: 'Get the signed-in user',
      description:
        'Returns who this request’s credential belongs to, how they last signed in, and when their session ends. The console calls it first.',
      access: user(),
      returns: SignedIn,
    },
    getConsoleSession,
  ),
  op(
    'DELETE /latchkey/session',
    {
      id: 'endConsoleSession',
      summary: 'Sign out of the console',
      description: 'Ends this browser’s console session and deletes its cookie. The user’s other sessions stay active.',
      audit: 'session.end',
      access: user(),
      returns: NoContent,
    },
    endConsoleSession,
  ),
] as const;

type SessionContext = Pick<Context, 'actor' | 'browser' | 'clock' | 'db' | 'origin' | 'random'>;

async function startConsoleSession(ctx: SessionContext): Promise<SignedIn> {
  return toSignedIn(ctx, await openConsoleSession(ctx));
}

async function getConsoleSession(ctx: SessionContext): Promise<SignedIn> {
  return toSignedIn(ctx, await findTimes(ctx));
}

/** Ends the session of the browser's cookie. A caller with another credential and no cookie has no session to end. */
async function endConsoleSession({ browser, db }: SessionContext): Promise<void> {
  if (browser?.sessionSecret === undefined) return;
  await deleteConsoleSession(db.system, hashSecret(browser.sessionSecret));
  browser.forgetSession();
}

async function findTimes({ actor, db }: SessionContext): Promise<SessionTimes | undefined> {
  const sessionId = actor.kind === 'user' || actor.kind === 'admin' ? actor.sessionId : undefined;
  if (sessionId === undefined) return undefined;
  return (await findConsoleSession(db.system, sessionId)) ?? (await findSession(db.system, sessionId));
}
