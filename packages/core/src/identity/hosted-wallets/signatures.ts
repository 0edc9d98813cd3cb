import {
  choice,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  T,
  text,
  thePerson,
  type ValueOf,
} from '@latchkey/kernel';
import { pageOfSignatures } from '../../services/signer/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { namesOfApps } from '../client-apps/index.ts';

const Signature = record(
  'HostedSignature',
  'Something that your hosted wallet signed. The signature itself is not stored.',
  {
    id: text('The id of the entry.'),
    time: text('When it was signed, in ISO 8601.'),
    address: text('The address of the wallet.'),
    kind: choice('How the text was signed.', ['message', 'typed-data', 'hash'] as const),
    text: text('What was signed.', { maxLength: 131_072 }),
    application: T.Optional(text('The name of the application that requested it; absent if you did.')),
  },
);
type Signature = ValueOf<typeof Signature>;

export const signatureOperations = [
  op(
    'GET /latchkey/account/signatures',
    {
      id: 'listMySignatures',
      summary: 'List your hosted wallet’s signatures',
      description:
        'Returns what the signed-in user’s hosted wallet signed, newest first, and which application requested it.',
      access: thePerson,
      params: pageParams,
      returns: pageOf(Signature, 'HostedSignaturePage'),
      paginated: 'token',
    },
    listMySignatures,
  ),
] as const;

async function listMySignatures(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  request: PageRequest,
): Promise<Page<Signature>> {
  const userId = principalId(ctx.actor);
  const page = await paginate(ctx, request, {
    list: 'hosted-signatures',
    read: (after, limit) => {
      const [at, id] = after ?? [];
      const place = at === undefined || id === undefined ? undefined : { at: new Date(at), id };
      return pageOfSignatures(ctx.db.system, userId, { after: place, limit });
    },
    cursorOf: ({ signed_at, request_id }) => [signed_at.toISOString(), request_id],
  });
  const names = await namesOfApps(
    ctx.db.system,
    page.items.flatMap(({ client_id }) => client_id ?? []),
  );
  return {
    ...page,
    items: page.items.map(({ request_id, signed_at, address, purpose, text: signed, client_id }) => ({
      id: request_id,
      time: signed_at.toISOString(),
      address,
      kind: purpose,
      text: signed,
      ...(client_id !== null && { application: names.get(client_id)?.name ?? client_id }),
    })),
  };
}
