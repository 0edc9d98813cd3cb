import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, useAction, useLive, useOperation } from '../../shared/api/index.ts';
import { LockNotice } from '../../shared/parts/lock-notice.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ConfirmButton, EmptyState, List, Page, Query, Row, Section, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { AddAssertion } from './add-assertion.tsx';
import styles from './rule-analysis.module.css';

const route = 'GET /latchkey/communities/{communityId}/rule-analysis';
type Analysis = Answer<typeof route>;

/** What is proven about the rules, and what must stay true of them. */
export function View() {
  const { communityId } = useScreenParams('communityId');
  useLive({ communityId });
  const analysis = useOperation(route, { communityId });
  return (
    <Page
      title={t('analysis.title')}
      lead={t('analysis.lead')}
      crumbs={[{ title: t('rulesFile.rules'), to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      <LockNotice communityId={communityId} />
      <Query read={analysis} loading={t('analysis.loading')}>
        {({ findings, assertions }) => (
          <>
            <Findings communityId={communityId} findings={findings} />
            <Assertions communityId={communityId} checked={assertions} />
          </>
        )}
      </Query>
    </Page>
  );
}

/** In these, a role is never given or no rule can be saved; the others only make no difference. */
const serious = new Set(['impossible', 'always-met', 'contradictory', 'cyclic']);

function Findings({ communityId, findings }: { communityId: string; findings: Analysis['findings'] }) {
  return (
    <Section title={t('analysis.found')}>
      <List
        items={findings}
        keyOf={(finding) => JSON.stringify(finding)}
        empty={<EmptyState title={t('analysis.nothingTitle')}>{t('analysis.nothing')}</EmptyState>}
      >
        {({ kind, ruleId, ruleName, sentence }) => (
          <Row
            title={<State tone={serious.has(kind) ? 'bad' : 'warn'}>{t(`analysis.${kind}`)}</State>}
            note={
              <div className={styles.finding}>
                <p>{sentence}</p>
                {ruleId !== undefined && (
                  <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId }}>
                    {ruleName === undefined ? t('analysis.open') : t('analysis.openNamed', { name: ruleName })}
                  </Link>
                )}
              </div>
            }
          />
        )}
      </List>
    </Section>
  );
}

const tones = { holds: 'good', broken: 'bad', unproven: 'warn' } as const;

function Assertions({ communityId, checked }: { communityId: string; checked: Analysis['assertions'] }) {
  const assertions = checked.map(({ assertion }) => assertion);
  // A new form after every assertion that was added.
  const [added, setAdded] = useState(0);
  const remove = useAction('PUT /latchkey/communities/{communityId}/rule-assertions', {
    done: t('assertions.removed'),
    changes: [route],
  });
  const nameOf = ({ name }: Analysis['assertions'][number]['assertion']) => name ?? t('assertions.unnamed');
  return (
    <>
      <Section title={t('assertions.title')} lead={t('assertions.lead')}>
        <List
          items={checked}
          keyOf={({ assertion }) => JSON.stringify(assertion)}
          empty={<EmptyState title={t('assertions.emptyTitle')}>{t('assertions.empty')}</EmptyState>}
        >
          {({ assertion, state, sentence }) => (
            <Row
              title={nameOf(assertion)}
              states={<State tone={tones[state]}>{t(`assertions.${state}`)}</State>}
              note={sentence}
              actions={
                <ConfirmButton
                  label={t('assertions.remove')}
                  look={{ size: 'xs', 'aria-label': t('assertions.removeThis', { name: nameOf(assertion) }) }}
                  title={t('assertions.removeTitle')}
                  yes={t('assertions.removeYes')}
                  isDangerous
                  action={remove}
                  onYes={() => {
                    const body = { assertions: assertions.filter((other) => other !== assertion) };
                    return remove.runAsync({ communityId, body });
                  }}
                >
                  <p>{t('assertions.removeLead')}</p>
                </ConfirmButton>
              }
            />
          )}
        </List>
      </Section>
      <Section title={t('assertions.add')}>
        <AddAssertion
          key={added}
          communityId={communityId}
          assertions={assertions}
          onAdded={() => setAdded(added + 1)}
        />
      </Section>
    </>
  );
}
