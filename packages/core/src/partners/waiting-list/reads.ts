import type { Context } from '../../context.ts';
import { replaceSecret, type SecretContext } from '../../machinery/kept-secrets/index.ts';
import { signerKey } from './waiting-list.ts';

type ReadContext = SecretContext & Pick<Context, 'settings' | 'waitingList'>;

/** What a page needs to offer places on the list, and a contract to believe them. */
export async function getWaitingListMetadata(ctx: ReadContext): Promise<Record<string, unknown>> {
  const list = ctx.settings.partners?.waitingList;
  if (list === undefined || list.contracts.length === 0) return { isOpen: false, contracts: [] };
  return {
    isOpen: true,
    price: list.priceWei.toString(),
    quoteTtlSeconds: list.quoteTtlSeconds,
    signer: ctx.waitingList.signerAddress(await signerKey(ctx)),
    contracts: list.contracts.map(({ chainId, address }) => ({ chainId, contractAddress: address })),
    typedData: ctx.waitingList.quoteFormat,
  };
}

/** The address that the contracts must trust; a new key takes over as soon as they do. */
export async function waitingListSigner(ctx: ReadContext, change: { isReplaced: boolean }): Promise<string> {
  if (change.isReplaced) await replaceSecret(ctx, 'waiting-list.signer');
  return ctx.waitingList.signerAddress(await signerKey(ctx));
}
