import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AddWallet } from '../../connect/add-wallet.tsx';
import { useConnecting } from '../../connect/use-connecting.ts';
import { shortAddress } from '../../parts/names.ts';
import { call, useAction, useOperation } from '../../shared/api/index.ts';
import {
  Choices,
  ConfirmButton,
  CopyText,
  Dialog,
  EmptyState,
  Failure,
  QueryList,
  Row,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { chainNamespaces, chainWords } from '../../wallets/chains.ts';

const list = 'GET /latchkey/account/wallets';

export function Wallets() {
  const wallets = useOperation(list, {});
  const [isLinking, setIsLinking] = useState(false);
  const unlink = useAction('DELETE /account/wallets/{address}', { done: 'Wallet unlinked.', changes: [list] });
  const allow = useAction('PUT /latchkey/account/wallets/{id}/sign-in', {
    done: 'This wallet can sign in now.',
    changes: [list],
  });
  const stop = useAction('DELETE /latchkey/account/wallets/{id}/sign-in', {
    done: 'This wallet can no longer sign in.',
    changes: [list],
  });
  return (
    <Section
      title="Wallets"
      lead="What your linked wallets hold decides your roles. A wallet signs in to this account only if you allow it."
      actions={<Button onClick={() => setIsLinking(true)}>Link a wallet</Button>}
    >
      <QueryList
        read={wallets}
        what="wallets"
        lines={2}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No wallets linked yet">Link one to get roles for what it holds.</EmptyState>}
      >
        {({ id, address, accountId, signsIn, createdTime }) => (
          <Row
            title={<CopyText text={address} shown={shortAddress(address)} what="the address" />}
            states={signsIn && <State tone="good">Signs in</State>}
            note={
              <>
                {chainWords(accountId.split(':')[0] ?? '').name} · linked <Time at={createdTime} />
              </>
            }
            actions={
              <>
                {accountId.startsWith('evm:') && signsIn && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`Stop sign-in with ${address}`}
                    onClick={() => stop.run({ id })}
                  >
                    Stop sign-in
                  </Button>
                )}
                {accountId.startsWith('evm:') && !signsIn && (
                  <ConfirmButton
                    label="Allow sign-in"
                    look={{ size: 'compact-sm', 'aria-label': `Allow sign-in with ${address}` }}
                    title="Allow sign-in with this wallet?"
                    yes="Allow sign-in"
                    action={allow}
                    onYes={() => allow.runAsync({ id })}
                  >
                    <p>Anyone with the key of {shortAddress(address)} can then sign in as you and do all you can do.</p>
                  </ConfirmButton>
                )}
                <ConfirmButton
                  label="Unlink"
                  look={{ size: 'compact-sm', 'aria-label': `Unlink ${address}` }}
                  title="Unlink this wallet?"
                  yes="Unlink wallet"
                  isDangerous
                  action={unlink}
                  onYes={() => unlink.runAsync({ address })}
                >
                  <p>{shortAddress(address)}: roles that depend on it are removed in every community.</p>
                </ConfirmButton>
              </>
            }
          />
        )}
      </QueryList>
      <Failure error={stop.error} />
      <LinkDialog isOpen={isLinking} onClose={() => setIsLinking(false)} />
    </Section>
  );
}

function LinkDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const queries = useQueryClient();
  const connecting = useConnecting(
    () => void queries.invalidateQueries({ predicate: ({ queryKey: [route] }) => /wallet|roles/.test(String(route)) }),
    () => undefined,
  );
  const close = () => {
    connecting.quiet();
    onClose();
  };
  return (
    <Dialog isOpen={isOpen} title="Link a wallet" onClose={close}>
      <Choices>
        <AddWallet call={call} namespaces={chainNamespaces} communityId={undefined} connecting={connecting} isBare />
      </Choices>
    </Dialog>
  );
}
