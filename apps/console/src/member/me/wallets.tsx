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
import { t } from '../messages/index.ts';

const list = 'GET /latchkey/account/wallets';

export function Wallets() {
  const wallets = useOperation(list, {});
  const [isLinking, setIsLinking] = useState(false);
  const unlink = useAction('DELETE /account/wallets/{address}', { done: t('wallets.unlinked'), changes: [list] });
  const allow = useAction('PUT /latchkey/account/wallets/{id}/sign-in', {
    done: t('wallets.allowed'),
    changes: [list],
  });
  const stop = useAction('DELETE /latchkey/account/wallets/{id}/sign-in', {
    done: t('wallets.stopped'),
    changes: [list],
  });
  return (
    <Section
      title={t('wallets.title')}
      lead={t('wallets.lead')}
      actions={<Button onClick={() => setIsLinking(true)}>{t('wallets.link')}</Button>}
    >
      <QueryList
        read={wallets}
        loading={t('wallets.loading')}
        lines={2}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('wallets.none')}>{t('wallets.noneHow')}</EmptyState>}
      >
        {({ id, address, accountId, signsIn, createdTime }) => (
          <Row
            title={<CopyText text={address} shown={shortAddress(address)} what={t('wallets.address')} />}
            states={signsIn && <State tone="good">{t('wallets.signsIn')}</State>}
            note={t.rich('wallets.linkedSince', {
              chain: chainWords(accountId.split(':')[0] ?? '').name,
              time: <Time key="time" at={createdTime} />,
            })}
            actions={
              <>
                {accountId.startsWith('evm:') && signsIn && (
                  <Button
                    size="compact-sm"
                    variant="default"
                    aria-label={t('wallets.stopSignInWith', { address })}
                    onClick={() => stop.run({ id })}
                  >
                    {t('wallets.stopSignIn')}
                  </Button>
                )}
                {accountId.startsWith('evm:') && !signsIn && (
                  <ConfirmButton
                    label={t('wallets.allowSignIn')}
                    look={{ size: 'compact-sm', 'aria-label': t('wallets.allowSignInWith', { address }) }}
                    title={t('wallets.allowTitle')}
                    yes={t('wallets.allowSignIn')}
                    action={allow}
                    onYes={() => allow.runAsync({ id })}
                  >
                    <p>{t('wallets.allowAbout', { address: shortAddress(address) })}</p>
                  </ConfirmButton>
                )}
                <ConfirmButton
                  label={t('common.unlink')}
                  look={{ size: 'compact-sm', 'aria-label': t('wallets.unlinkOne', { address }) }}
                  title={t('wallets.unlinkTitle')}
                  yes={t('wallets.unlinkYes')}
                  isDangerous
                  action={unlink}
                  onYes={() => unlink.runAsync({ address })}
                >
                  <p>{t('wallets.unlinkAbout', { address: shortAddress(address) })}</p>
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
    <Dialog isOpen={isOpen} title={t('wallets.link')} onClose={close}>
      <Choices>
        <AddWallet call={call} namespaces={chainNamespaces} communityId={undefined} connecting={connecting} isBare />
      </Choices>
    </Dialog>
  );
}
