import { Button, Switch, Text } from '@mantine/core';
import { platformName } from '../../parts/names.ts';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Query, Section, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './setup.module.css';

const list = 'GET /latchkey/communities/{communityId}/gate-bypasses';

type Bypass = Answer<typeof list>['items'][number];

/** The ways by which people came into a chat or a room without the rule that lets members in. */
export function GateBypasses({ communityId, platform }: { communityId: string; platform: string }) {
  const bypasses = useOperation(list, { communityId });
  const revoke = useAction('POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke', {
    done: t('bypasses.revoked'),
    changes: [list],
  });
  const choose = useAction('PUT /latchkey/communities/{communityId}/gate-settings', {
    done: t('bypasses.saved'),
    changes: [list],
  });
  return (
    <Section title={t('bypasses.title')} lead={t('bypasses.lead')}>
      <Query read={bypasses} loading={t('bypasses.loading')} lines={2}>
        {({ items, revokesMisused }) => (
          <>
            {items.length === 0 && <Text size="sm">{t('bypasses.none', { platform: platformName(platform) })}</Text>}
            <ul className={styles.checks}>
              {items.map((bypass) => (
                <li key={bypass.id}>
                  <div className={styles.words}>
                    <p className={styles.title}>
                      <bdi>{titleOf(bypass)}</bdi>
                    </p>
                    <p className={styles.reason}>
                      {t.rich('bypasses.joins', {
                        count: bypass.joins,
                        names: <bdi key="names">{t.list(bypass.names)}</bdi>,
                        time: <Time key="time" at={bypass.lastTime} isRelative />,
                      })}
                    </p>
                    <p className={styles.remedy}>{bypass.remedy}</p>
                    {bypass.canRevoke && (
                      <Button
                        variant="default"
                        size="sm"
                        mt="xs"
                        loading={revoke.isRunning}
                        onClick={() => revoke.run({ communityId, bypassId: bypass.id })}
                      >
                        {t('bypasses.revoke')}
                      </Button>
                    )}
                  </div>
                </li>
              ))}
            </ul>
            {platform === 'telegram' && (
              <Switch
                label={t('bypasses.revokeMisused')}
                description={t('bypasses.revokeMisusedHint')}
                checked={revokesMisused}
                disabled={choose.isRunning}
                onChange={({ currentTarget }) =>
                  choose.run({ communityId, body: { revokesMisused: currentTarget.checked } })
                }
              />
            )}
            <Failure error={choose.error} />
          </>
        )}
      </Query>
    </Section>
  );
}

function titleOf({ kind, link, linkName, byName, roleName }: Bypass): string {
  return [t(`bypasses.kind.${kind}`), linkName ?? link, roleName, byName]
    .filter((part) => part !== undefined)
    .join(' · ');
}
