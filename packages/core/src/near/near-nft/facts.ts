import type { OperationFacts } from '@latchkey/kernel';

/** Why operations that write on NEAR take no Idempotency-Key. */
export const onNear = 'The same request is one transaction by itself: the chain is asked before anything is sent.';

/** What is sold, bought and moved on a market: the account that it is of has to sign. */
export function trade(fields: string): OperationFacts {
  return {
    needsNoKey: onNear,
    senderDecides: `chainId marketContract tokenContract tokenId ${fields}`,
    idsOfNobody: { tokenId: 'A token; whose it is has to sign.', chainId: 'A network.' },
  };
}
