import type { Context } from '../../context.ts';
import {
  type MarketplaceMagicCodeRequest,
  type MarketplaceMagicCodeResponse,
  readMarketAccount,
} from './marketplace.ts';
import { keepPending } from './pending.ts';
import { requestUser } from './request-user.ts';

const codeLength = 24;

/** Makes a code that proves an account on a marketplace once its profile shows it. */
export async function generateMagicCode(
  ctx: Context,
  { body }: { body: MarketplaceMagicCodeRequest },
): Promise<MarketplaceMagicCodeResponse> {
  const user = await requestUser(ctx, body.id);
  const { name, address } = readMarketAccount(ctx, body);
  const magicCode = `latchkey-${ctx.random.id(codeLength)}`;
  const { expiresAt } = await keepPending(user, 'magic-code', { marketplace: name, address }, magicCode);
  return { magicCode, expiresAt: expiresAt.toISOString() };
}
