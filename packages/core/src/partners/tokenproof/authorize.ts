import { notFound, notSetUp } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { drawQrCode } from '../../machinery/qrcode/index.ts';
import { keepPending, pendingTtlSeconds, userOfLink } from '../../people/wallet-manager/index.ts';
import type { Tokenproof } from '../../ports/index.ts';
import type { TokenproofQRCode } from './request.ts';

/** Starts a proof by phone for the user of a link to connect a wallet. */
export async function tokenproofLogin(ctx: Context, { state }: { state: string }): Promise<TokenproofQRCode> {
  const tokenproof = configured(ctx);
  const user = await userOfLink(ctx, state);
  if (user === undefined) throw notFound('state');
  const nonce = ctx.random.id(32);
  const { key: requestId } = await keepPending(user, 'tokenproof', { nonce });
  const appLink = tokenproof.appLink({ requestId, nonce });
  return {
    request_id: requestId,
    app_link: appLink,
    qrcode_image: `data:image/png;base64,${Buffer.from(drawQrCode(appLink)).toString('base64')}`,
    ttl: pendingTtlSeconds,
    version: '1',
  };
}

/** The app of tokenproof, as far as the operator has set it up. */
export function configured(ctx: Pick<Context, 'tokenproof'>): Tokenproof {
  if (ctx.tokenproof === undefined) throw notSetUp('This server is not set up for tokenproof.');
  return ctx.tokenproof;
}
