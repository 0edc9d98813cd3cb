import { useState } from 'react';
import { platformName, shortAddress } from '../../parts/names.ts';
import { useAction } from '../../shared/api/index.ts';
import { ConfirmDialog } from '../../shared/ui/index.ts';
import { type ChatAccount, nameOf } from './chat-account.ts';

/** Separates another account from this one: the wallets that both have linked are unlinked here. */
export function UnlinkChatAccount({ account, onClose }: { account: ChatAccount | undefined; onClose(): void }) {
  const [error, setError] = useState<unknown>();
  const unlink = useAction('DELETE /account/wallets/{address}', {
    changes: ['GET /latchkey/account/chat-accounts', 'GET /latchkey/account/wallets'],
  });
  const close = () => {
    setError(undefined);
    onClose();
  };
  const unlinkAll = async () => {
    setError(undefined);
    try {
      for (const address of account?.sharedWallets ?? []) await unlink.runAsync({ address });
      close();
    } catch (problem) {
      setError(problem);
    }
  };
  const wallets = account?.sharedWallets ?? [];
  return (
    <ConfirmDialog
      isOpen={account !== undefined}
      title={`Unlink ${account === undefined ? 'this account' : nameOf(account)}?`}
      yes={wallets.length === 1 ? 'Unlink 1 wallet' : `Unlink ${wallets.length} wallets`}
      isDangerous
      isRunning={unlink.isRunning}
      error={error}
      onYes={() => void unlinkAll()}
      onNo={close}
    >
      <p>
        The accounts belong together because both linked {wallets.map(shortAddress).join(', ')}. To separate them, the
        wallet is unlinked from this account. Your roles here that depend on it are removed. Nothing changes on{' '}
        {platformName(account?.platform ?? '')}; to unlink it there, switch to that account.
      </p>
    </ConfirmDialog>
  );
}
