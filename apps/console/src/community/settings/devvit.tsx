import { Button } from '@mantine/core';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmButton, NewSecrets, Query, Row, Section, State, Time } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

const app = 'GET /latchkey/communities/{communityId}/devvit';
const setup = 'GET /latchkey/communities/{communityId}/setup';

/** The app on Reddit's developer platform that manages a subreddit instead of a moderator's token. */
export function Devvit({ communityId, platform }: { communityId: string; platform: string }) {
  return platform === 'reddit' ? <SubredditApp communityId={communityId} /> : null;
}

function SubredditApp({ communityId }: { communityId: string }) {
  const read = useOperation(app, { communityId });
  const changes = [app, setup] as const;
  const pair = useAction('POST /latchkey/communities/{communityId}/devvit', { changes });
  const unpair = useAction('DELETE /latchkey/communities/{communityId}/devvit', {
    done: t('devvit.unpaired'),
    changes,
  });
  return (
    <Section title={t('devvit.title')} lead={t('devvit.lead')}>
      <Query read={read} loading={t('devvit.loading')}>
        {(data) => (
          <Row
            title={<StateOf app={data} />}
            note={<NoteOf app={data} />}
            actions={
              data.isPaired ? (
                <>
                  <ConfirmButton
                    label={t('devvit.pairAgain')}
                    look={{ size: 'xs' }}
                    title={t('devvit.pairAgainTitle')}
                    yes={t('devvit.newCode')}
                    action={pair}
                    onYes={() => pair.runAsync({ communityId })}
                  />
                  <ConfirmButton
                    label={t('devvit.unpair')}
                    look={{ size: 'xs' }}
                    title={t('devvit.unpairTitle')}
                    yes={t('devvit.unpair')}
                    isDangerous
                    action={unpair}
                    onYes={() => unpair.runAsync({ communityId })}
                  />
                </>
              ) : (
                <Button size="xs" loading={pair.isRunning} onClick={() => pair.run({ communityId })}>
                  {t('devvit.newCode')}
                </Button>
              )
            }
          />
        )}
      </Query>
      {pair.answer !== undefined && (
        <NewSecrets secrets={[{ what: t('devvit.code'), value: pair.answer.pairingCode }]} />
      )}
    </Section>
  );
}

type App = Answer<typeof app>;

function StateOf({ app: { isPaired, isExpired, isSilent, lastCallTime } }: { app: App }) {
  if (!isPaired) return t('devvit.none');
  if (isExpired === true) return <State tone="bad">{t('devvit.expired')}</State>;
  if (isSilent === true) return <State tone="bad">{t('devvit.silent')}</State>;
  if (lastCallTime === undefined) return <State tone="plain">{t('devvit.notYet')}</State>;
  return <State tone="good">{t('devvit.connected')}</State>;
}

function NoteOf({ app: { isPaired, isExpired, lastCallTime, waiting = 0 } }: { app: App }) {
  if (!isPaired) return t('devvit.noneNote');
  if (isExpired === true) return t('devvit.expiredNote');
  if (lastCallTime === undefined) return t('devvit.notYetNote');
  return t.rich('devvit.lastCall', { time: <Time key="time" at={lastCallTime} isRelative />, count: waiting });
}
