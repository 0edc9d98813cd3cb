import type { WalletConnection } from '@latchkey/core';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { sayError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';

const mostPages = 20;

export interface LinkedWallets {
  /** Undefined while they are being read for the first time. */
  wallets: readonly WalletConnection[] | undefined;
  failure: string | undefined;
  refresh(): void;
}

export function useLinkedWallets(call: Call): LinkedWallets {
  const [wallets, setWallets] = useState<readonly WalletConnection[]>();
  const [failure, setFailure] = useState<string>();
  const ask = useLatest();
  const refresh = useCallback(() => {
    const isLatest = ask();
    readAll(call).then(
      (all) => {
        if (!isLatest()) return;
        setWallets(all);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (isLatest()) setFailure(sayError(error));
      },
    );
  }, [call, ask]);
  useEffect(refresh, [refresh]);
  return { wallets, failure, refresh };
}

async function readAll(call: Call): Promise<WalletConnection[]> {
  const all: WalletConnection[] = [];
  let paginationToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await call('GET /wallet-manager/wallet-connections', { limit: 100, paginationToken });
    all.push(...answer.items);
    paginationToken = answer.paginationToken;
    if (paginationToken === undefined) break;
  }
  return all;
}
