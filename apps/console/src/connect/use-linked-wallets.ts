import type { WalletConnection } from '@latchkey/core';
import { useCallback, useEffect, useState } from 'react';
import type { Call } from '../api.ts';
import { describeError } from '../say-error.ts';
import { useLatest } from '../use-latest.ts';

const mostPages = 20;

/** A wallet, and the communities it is connected to; undefined among them stands for all. */
export type LinkedWallet = WalletConnection & { communities: readonly (string | undefined)[] };

export interface LinkedWallets {
  /** Undefined while they are being read for the first time. */
  wallets: readonly LinkedWallet[] | undefined;
  failure: string | undefined;
  refresh(): void;
}

export function useLinkedWallets(call: Call): LinkedWallets {
  const [wallets, setWallets] = useState<readonly LinkedWallet[]>();
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
        if (isLatest()) setFailure(describeError(error));
      },
    );
  }, [call, ask]);
  useEffect(refresh, [refresh]);
  return { wallets, failure, refresh };
}

async function readAll(call: Call): Promise<LinkedWallet[]> {
  const all: WalletConnection[] = [];
  let paginationToken: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await call('GET /wallet-manager/wallet-connections', { limit: 100, paginationToken });
    all.push(...answer.items);
    paginationToken = answer.paginationToken;
    if (paginationToken === undefined) break;
  }
  return oncePerWallet(all);
}

/** A wallet is listed for each community that it is connected to, and shown once. */
function oncePerWallet(connections: readonly WalletConnection[]): LinkedWallet[] {
  const wallets = new Map<string | undefined, LinkedWallet>();
  for (const connection of connections) {
    const shown = wallets.get(connection.accountId) ?? { ...connection, communities: [] };
    const communities = [...shown.communities, connection.communityPk];
    wallets.set(connection.accountId, { ...shown, communities });
  }
  return [...wallets.values()];
}
