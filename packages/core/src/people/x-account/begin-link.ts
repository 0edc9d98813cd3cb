import type { Context } from '../../context.ts';
import { beginAttempt, type LinkAttempt } from '../link-attempts/index.ts';
import { namespace, notOffered, returnAddress } from './x-account.ts';

type BeginContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'x'>;

export async function beginXLink(ctx: BeginContext): Promise<LinkAttempt> {
  const { x } = ctx;
  if (x === undefined) throw notOffered();
  return beginAttempt(ctx, namespace, (asked) => x.start({ ...asked, redirectUri: returnAddress(ctx) }));
}
