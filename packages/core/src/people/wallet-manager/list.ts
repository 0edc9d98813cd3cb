import type { Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { PageRequest } from '../../paging.ts';
import { listWallets, type WalletConnection } from '../wallets/index.ts';
import { requestUser } from './request-user.ts';

/** The caller's wallets, oldest first. */
export async function getWalletConnections(ctx: Context, request: PageRequest): Promise<Page<WalletConnection>> {
  return listWallets(await requestUser(ctx, undefined, 'user:wallet:read'), request);
}
