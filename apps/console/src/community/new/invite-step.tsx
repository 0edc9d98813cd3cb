import { Button, Text } from '@mantine/core';
import type { Answer } from '../../shared/api/index.ts';
import { IconExternalLink } from '../../shared/icons.ts';
import { Failure, Section } from '../../shared/ui/index.ts';
import { webLink } from '../../shared/web-link.ts';
import { t } from '../messages/index.ts';
import styles from './new.module.css';

export type Invitation = Answer<'GET /latchkey/bot-invitations'>[number];

/** The first step on every platform with a bot: what it requests and why, and the link. */
export function InviteStep({ invitation, button }: { invitation: Invitation; button: string }) {
  const { permissions, problem, rightsToManage, title } = invitation;
  const inviteLink = webLink(invitation.inviteLink);
  return (
    <Section title={t('new.addBotTitle')} lead={t('new.addBotLead', { rights: rightsToManage, platform: title })}>
      <dl className={styles.permissions}>
        {permissions.map(({ name, reason }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{reason}</dd>
          </div>
        ))}
      </dl>
      {inviteLink === undefined ? (
        <Failure error={new Error(problem)} />
      ) : (
        <div>
          <Button
            component="a"
            href={inviteLink}
            target="_blank"
            rel="noopener noreferrer"
            rightSection={<IconExternalLink size={16} />}
          >
            {button}
          </Button>
          <Text size="sm" c="dimmed" mt="xs">
            {t('new.newTab')}
          </Text>
        </div>
      )}
    </Section>
  );
}
