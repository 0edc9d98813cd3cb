import { hashSecret } from '@latchkey/db';
import type { HandoffPage } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { readContent } from './handoff.ts';
import { findByTicket } from './queries.ts';

/** Returns the data of the page behind the link; undefined if the link is unknown, has expired or was used. */
export async function openHandoff(ctx: Context, ticket: string): Promise<HandoffPage | undefined> {
  const row = await findByTicket(ctx.db.system, hashSecret(ticket), ctx.clock());
  if (row === undefined || row.proven_at !== null) return undefined;
  const { person, communityId } = readContent(ctx, row);
  const base = { page: 'handoff', ticket, server: ctx.settings.serviceName } as const;
  if (person === undefined) return { ...base, purpose: 'sign-in', namespaces: ['evm'] };
  const user = contextFor(ctx, { kind: 'user', ...person, scopes: [], credential: 'connect-link' });
  const community = communityId === undefined ? undefined : await user.tx((tx) => selectCommunity(tx, communityId));
  return {
    ...base,
    purpose: 'link',
    account: { platform: person.platform, name: person.name ?? person.userId.split('#').at(-1) ?? person.userId },
    ...(community !== undefined && { community: { name: community.name } }),
    namespaces: Object.keys(ctx.wallets).filter((namespace) => namespace !== 'magic'),
  };
}
