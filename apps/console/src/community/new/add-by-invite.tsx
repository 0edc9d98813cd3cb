import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLive, useOperation } from '../../shared/api/index.ts';
import { Failure, List, Picture, Row, Section } from '../../shared/ui/index.ts';
import { useOnReturn } from '../../shared/use-on-return.ts';
import { t } from '../messages/index.ts';
import { type Invitation, InviteStep } from './invite-step.tsx';
import { Waiting } from './waiting.tsx';

/** The platform reports who adds the bot, so the community is assigned to them automatically: here it only has to appear. */
export function AddByInvite({ invitation }: { invitation: Invitation }) {
  const { platform, title } = invitation;
  const isTelegram = platform === 'telegram';
  const mine = useOperation('GET /latchkey/account/communities', {});
  useLive('account');
  useOnReturn(() => void mine.refetch());
  const [before, setBefore] = useState<ReadonlySet<string>>();
  if (before === undefined && mine.data !== undefined) setBefore(new Set(mine.data.items.map(({ id }) => id)));
  const arrived = (mine.data?.items ?? []).filter((one) => one.platform === platform && before?.has(one.id) === false);
  return (
    <>
      <InviteStep invitation={invitation} button={t(isTelegram ? 'new.addToTelegram' : 'new.addBot')} />
      <Section
        title={t(isTelegram ? 'new.waitForGroup' : 'new.waitForCommunity')}
        lead={isTelegram ? t('new.waitForGroupLead') : t('new.waitForCommunityLead', { platform: title })}
      >
        <Failure error={mine.error} onRetry={() => void mine.refetch()} />
        {arrived.length === 0 && (
          <Waiting isChecking={mine.isFetching} onCheck={() => void mine.refetch()}>
            {t(isTelegram ? 'new.waitingForGroup' : 'new.waitingForCommunity')}
          </Waiting>
        )}
        <List items={arrived} keyOf={({ id }) => id}>
          {({ id, name }) => (
            <Row
              picture={<Picture name={name} />}
              title={name}
              actions={
                <Button
                  renderRoot={(props) => (
                    <Link to="/communities/$communityId/setup" params={{ communityId: id }} {...props} />
                  )}
                >
                  {t('new.continue')}
                </Button>
              }
            />
          )}
        </List>
      </Section>
    </>
  );
}
