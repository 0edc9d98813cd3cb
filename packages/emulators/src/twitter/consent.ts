import { choosePerson, writePage } from '../http/html.ts';
import type { EmulatorReply } from '../http-emulator/index.ts';
import type { Asked } from './oauth.ts';
import type { TwitterState } from './twitter.ts';

/** X's page of consent, without a login: it asks who of the emulator's people you are. */
export function showConsent({ users }: TwitterState, { scopes }: Asked): EmulatorReply {
  const people = users.filter(({ isSuspended }) => !isSuspended).map(({ id, username }) => ({ id, name: username }));
  const form = choosePerson(people.values(), [
    { text: 'Authorize app', decision: 'allow' },
    { text: 'Cancel', decision: 'deny' },
  ]);
  const text = `<p>This is an emulator of X. It asks for: ${scopes.join(', ')}.</p>`;
  const body = writePage('Latchkey wants to access your X account', `${text}\n${form}`);
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}
