import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AddWallet } from '../../connect/add-wallet.tsx';
import { useConnecting } from '../../connect/use-connecting.ts';
import { shortAddress } from '../../parts/names.ts';
import { type Answer, call, useAction, useOperation } from '../../shared/api/index.ts';
import { Choices, ConfirmDialog, CopyText, EmptyState, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { chainNamespaces, chainWords } from '../../wallets/chains.ts';
import { Rows } from './rows.tsx';

type Wallet = Answer<'GET /latchkey/account/wallets'>[number];
const list = 'GET /latchkey/account/wallets';

export function Wallets() {
  const wallets = useOperation(list, {});
  const [isLinking, setIsLinking] = useState(false);
  const [leaving, setLeaving] = useState<Wallet>();
  const [opening, setOpening] = useState<Wallet>();
  const unlink = useAction('DELETE /account/wallets/{address}', {
    changes: [list],
    onDone: () => setLeaving(undefined),
  });
  const allow = useAction('PUT /latchkey/account/wallets/{id}/sign-in', {
    changes: [list],
    onDone: () => setOpening(undefined),
  });
  const stop = useAction('DELETE /latchkey/account/wallets/{id}/sign-in', { changes: [list] });
  return (
    <Section
      title="Wallets"
      lead="What your linked wallets hold decides your roles. A wallet signs in to this account only if you allow it."
      actions={<Button onClick={() => setIsLinking(true)}>Link a wallet</Button>}
    >
      <Rows
        query={wallets}
        what="wallets"
        keyOf={({ id }) => id}
        error={stop.error}
        empty={<EmptyState title="No wallets linked yet">Link one to get roles for what it holds.</EmptyState>}
      >
        {(wallet) => (
          <Row
            title={<CopyText text={wallet.address} shown={shortAddress(wallet.address)} what="the address" />}
            states={wallet.signsIn && <State tone="good">Signs in</State>}
            note={
              <>
                {chainWords(wallet.accountId.split(':')[0] ?? '').name} · linked <Time at={wallet.createdTime} />
              </>
            }
            actions={
              <>
                {wallet.accountId.startsWith('evm:') && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={`${wallet.signsIn ? 'Stop' : 'Allow'} sign-in with ${wallet.address}`}
                    onClick={() => (wallet.signsIn ? stop.run({ id: wallet.id }) : setOpening(wallet))}
                  >
                    {wallet.signsIn ? 'Stop sign-in' : 'Allow sign-in'}
                  </Button>
                )}
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`Unlink ${wallet.address}`}
                  onClick={() => setLeaving(wallet)}
                >
                  Unlink
                </Button>
              </>
            }
          />
        )}
      </Rows>
      <LinkDialog isOpen={isLinking} onClose={() => setIsLinking(false)} />
      <ConfirmDialog
        isOpen={leaving !== undefined}
        title="Unlink this wallet?"
        yes="Unlink wallet"
        isDangerous
        isRunning={unlink.isRunning}
        error={unlink.error}
        onYes={() => leaving && unlink.run({ address: leaving.address })}
        onNo={() => {
          setLeaving(undefined);
          unlink.reset();
        }}
      >
        <p>{shortAddress(leaving?.address ?? '')}: roles that depend on it are removed in every community.</p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={opening !== undefined}
        title="Allow sign-in with this wallet?"
        yes="Allow sign-in"
        isRunning={allow.isRunning}
        error={allow.error}
        onYes={() => opening && allow.run({ id: opening.id })}
        onNo={() => {
          setOpening(undefined);
          allow.reset();
        }}
      >
        <p>
          Anyone with the key of {shortAddress(opening?.address ?? '')} can then sign in as you and do all you can do.
        </p>
      </ConfirmDialog>
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
    <Modal opened={isOpen} onClose={close} title="Link a wallet" data-dialog-open={isOpen || undefined}>
      <Choices>
        <AddWallet call={call} namespaces={chainNamespaces} communityId={undefined} connecting={connecting} isBare />
      </Choices>
    </Modal>
  );
}
