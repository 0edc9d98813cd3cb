import { choice, freshPresenceSeconds, presenceProofs, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';

const SignedInPresence = record('SignedInPresence', 'How the person last proved to be here themselves.', {
  how: choice('By what they proved it.', presenceProofs),
  time: text('When they did, in ISO 8601.'),
  untilTime: text('Until when it counts for what needs a recent sign-in, in ISO 8601.'),
});

export const SignedIn = record('SignedIn', 'Who is signed in, and until when.', {
  isOperator: T.Boolean({ description: 'Whether it is the operator of this server.' }),
  accountId: T.Optional(text('The account of the person; absent for the operator.')),
  platform: T.Optional(text('Where the account comes from, for example discord or ethereum; absent for the operator.')),
  name: T.Optional(text('What they are called, if it is known. For the operator it is the name of their key.')),
  presence: T.Optional(SignedInPresence),
  expiresTime: T.Optional(
    text('When the session ends if it is not used until then, in ISO 8601; absent where no session asks.'),
  ),
  latestTime: T.Optional(text('When the session ends however much it is used, in ISO 8601.')),
});
export type SignedIn = ValueOf<typeof SignedIn>;

export interface SessionTimes {
  expires_at: Date;
  latest_at?: Date;
}

export function toSignedIn({ actor }: Pick<Context, 'actor'>, session?: SessionTimes): SignedIn {
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
        untilTime: new Date(person.presence.at.getTime() + freshPresenceSeconds * 1000).toISOString(),
      },
    }),
    ...(session !== undefined && { expiresTime: session.expires_at.toISOString() }),
    ...(session?.latest_at !== undefined && { latestTime: session.latest_at.toISOString() }),
  };
}
