import { Button, Group } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { IconArrowLeft } from '../../shared/icons.ts';
import { PlatformMark } from '../../shared/platform-mark.tsx';
import { Page, Query, Section, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { AddByInvite } from './add-by-invite.tsx';
import { AddDiscord } from './add-discord.tsx';
import { AddReddit } from './add-reddit.tsx';
import { type Invitation, InviteStep } from './invite-step.tsx';
import styles from './new.module.css';

export function View() {
  const invitations = useOperation('GET /latchkey/bot-invitations', {});
  const { platform: request }: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const [chosen, setChosen] = useState(request);
  const invitation = invitations.data?.find(({ platform }) => platform === chosen);
  return (
    <Page title={t('new.title')} lead={t('new.lead')} crumbs={[{ title: t('common.home'), to: '/' }]}>
      <Query read={invitations} loading={t('new.loading')}>
        {(all) => invitation === undefined && <ChoosePlatform invitations={all} onChoose={setChosen} />}
      </Query>
      {invitation !== undefined && (
        <>
          <Group>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              leftSection={<IconArrowLeft size={16} />}
              onClick={() => setChosen(undefined)}
            >
              {t('new.otherPlatform')}
            </Button>
          </Group>
          <AddOn invitation={invitation} />
        </>
      )}
    </Page>
  );
}

function ChoosePlatform({
  invitations,
  onChoose,
}: {
  invitations: readonly Invitation[];
  onChoose(platform: string): void;
}) {
  return (
    <Section title={t('new.where')}>
      <div className={styles.platforms}>
        {invitations.map(({ platform, title, isConfigured }) => (
          <button
            key={platform}
            type="button"
            className={styles.platform}
            disabled={!isConfigured}
            onClick={() => onChoose(platform)}
          >
            <PlatformMark platform={platform} />
            <span className={styles.name}>{title}</span>
            {!isConfigured && <State>{t('new.notConfigured')}</State>}
          </button>
        ))}
      </div>
    </Section>
  );
}

function AddOn({ invitation }: { invitation: Invitation }) {
  switch (invitation.platform) {
    case 'discord':
      return <AddDiscord invitation={invitation} />;
    case 'telegram':
    case 'matrix':
      return <AddByInvite invitation={invitation} />;
    case 'reddit':
      return <AddReddit invitation={invitation} />;
    default:
      return <InviteStep invitation={invitation} button={t('new.addBot')} />;
  }
}
