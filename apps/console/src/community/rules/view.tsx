import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Answer, call, type ItemOf, useAction, useLive, useOperation, usePages } from '../../shared/api/index.ts';
import { IconDots, IconPlus } from '../../shared/icons.ts';
import { LockNotice } from '../../shared/parts/lock-notice.tsx';
import { ShadowNotice } from '../../shared/parts/shadow-notice.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import {
  ConfirmButton,
  EmptyState,
  List,
  Page,
  PagedList,
  Query,
  Row,
  SearchField,
  Section,
  State,
  Time,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './rules.module.css';
import { TagOrder } from './tag-order.tsx';

type Rule = ItemOf<'GET /latchkey/communities/{communityId}/rules'>;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const [search, setSearch] = useState('');
  const rules = usePages('GET /latchkey/communities/{communityId}/rules', {
    communityId,
    ...(search !== '' && { search }),
  });
  useLive({ communityId });
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/communities/$communityId/rules/new" params={{ communityId }} {...props} />}
    >
      {t('rules.new')}
    </Button>
  );
  const bring = (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/communities/$communityId/rules/import" params={{ communityId }} {...props} />}
    >
      {t('rules.import')}
    </Button>
  );
  const more = (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="input-sm" aria-label={t('rules.more')}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          renderRoot={(props) => <Link to="/communities/$communityId/rules/file" params={{ communityId }} {...props} />}
        >
          {t('rules.file')}
        </Menu.Item>
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/communities/$communityId/rules/analysis" params={{ communityId }} {...props} />
          )}
        >
          {t('rules.analysis')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
  return (
    <Page
      title={t('rules.title')}
      lead={t('rules.lead')}
      actions={
        <>
          {more}
          {bring}
          {create}
        </>
      }
    >
      <ShadowNotice communityId={communityId} />
      <LockNotice communityId={communityId} />
      <SearchField
        label={t('rules.search')}
        placeholder={t('rules.searchPlaceholder')}
        value={search}
        onSearch={setSearch}
      />
      <PagedList
        pages={rules}
        loading={t('rules.loading')}
        more={t('rules.moreRules')}
        keyOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState title={t('rules.emptyTitle')}>{t('rules.empty')}</EmptyState>
          ) : (
            <EmptyState title={t('rules.noMatchTitle')}>{t('rules.noMatch')}</EmptyState>
          )
        }
      >
        {(rule) => <RuleRow rule={rule} communityId={communityId} />}
      </PagedList>
      <TagOrder communityId={communityId} />
      <Drafts communityId={communityId} />
    </Page>
  );
}

function RuleRow({ rule, communityId }: { rule: Rule; communityId: string }) {
  return (
    <Link
      to="/communities/$communityId/rules/$ruleId"
      params={{ communityId, ruleId: rule.id }}
      className={styles.rule}
    >
      <span className={styles.head}>
        <strong className={styles.name} title={rule.name ?? rule.roleName}>
          {rule.roleName ?? t('rules.roleNotFound')}
        </strong>
        {rule.name !== undefined && (
          <span className={styles.title} title={rule.name}>
            {rule.name}
          </span>
        )}
        <span className={styles.count}>{t('rules.holders', { count: rule.holders })}</span>
      </span>
      <span className={styles.sentence}>{rule.problem ?? rule.sentence}</span>
      <Health health={rule.health} />
      <Badges rule={rule} />
    </Link>
  );
}

function Badges({ rule }: { rule: Rule }) {
  const badges = [
    rule.roleState === 'missing' && (
      <State key="broken" tone="bad">
        {t('rules.broken')}
      </State>
    ),
    (rule.problem !== undefined || rule.health.state === 'undecidable') && (
      <State key="problem" tone="bad">
        {t('rules.undecidable')}
      </State>
    ),
    rule.problem === undefined && rule.health.state === 'degraded' && (
      <State key="degraded" tone="warn">
        {t('rules.degraded')}
      </State>
    ),
    rule.blocked !== undefined && rule.roleState !== 'missing' && (
      <State key="blocked" tone="bad">
        {t('rules.blocked')}
      </State>
    ),
    rule.heldRemovals > 0 && (
      <State key="held" tone="warn">
        {t('rules.heldRemovals', { count: rule.heldRemovals })}
      </State>
    ),
    rule.visibility !== 'public' && (
      <State key="shown">{t(rule.visibility === 'secret' ? 'rules.secret' : 'rules.hidden')}</State>
    ),
    rule.roleState === 'unknown' && <State key="unknown">{t('rules.roleUnknown')}</State>,
  ].filter((badge) => badge !== false);
  return badges.length === 0 ? null : <span className={styles.badges}>{badges}</span>;
}

/** How many members meet the rule, and what keeps it from being evaluated. */
function Health({ health }: { health: Rule['health'] }) {
  const { state, problems, qualifying: count, isCountWhole, countedMembers: checked = 0, unknownMembers = 0 } = health;
  const facts = [
    count !== undefined &&
      (isCountWhole === false ? t('rules.meetsOfFirst', { count, checked }) : t('rules.meets', { count })),
    unknownMembers > 0 && t('rules.notChecked', { count: unknownMembers }),
  ].filter((fact) => fact !== false);
  const isBad = state === 'degraded' || state === 'undecidable';
  return (
    <>
      {facts.length > 0 && <span className={styles.meets}>{facts.join(' · ')}</span>}
      {isBad &&
        problems.map(({ code, message, action }) => (
          <span key={`${code} ${message}`} className={styles.problem}>
            {message} {action}
          </span>
        ))}
    </>
  );
}

const drafts = 'GET /latchkey/communities/{communityId}/rule-drafts';
type Draft = Answer<typeof drafts>['drafts'][number];

/** Every shown draft is described by the server, so only the newest are shown at first. */
const shownDrafts = 5;

/** Rules that were kept for later, each with what prevents it from being saved. */
function Drafts({ communityId }: { communityId: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const read = useOperation(drafts, { communityId });
  if (read.data?.drafts.length === 0 || read.isPending) return null;
  return (
    <Section title={t('drafts.title')} lead={t('drafts.lead')}>
      <Query read={read} loading={t('drafts.loading')}>
        {({ drafts: all }) => (
          <>
            <List items={showsAll ? all : all.slice(0, shownDrafts)} keyOf={({ id }) => id}>
              {(draft) => <DraftRow communityId={communityId} draft={draft} />}
            </List>
            {!showsAll && all.length > shownDrafts && (
              <Button variant="default" onClick={() => setShowsAll(true)}>
                {t('drafts.showAll', { count: all.length })}
              </Button>
            )}
          </>
        )}
      </Query>
    </Section>
  );
}

const describe = 'POST /latchkey/communities/{communityId}/rule-drafts/describe';

function DraftRow({ communityId, draft }: { communityId: string; draft: Draft }) {
  const { id, ruleId, rule, updatedTime } = draft;
  const described = useQuery({
    queryKey: [describe, communityId, JSON.stringify(rule)],
    queryFn: ({ signal }) => call(describe, { communityId, body: { rule } }, { signal }),
  });
  const problems = described.data?.problems.map(({ message }) => message) ?? (draft.problem ? [draft.problem] : []);
  const remove = useAction('DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}', {
    done: t('drafts.deleted'),
    changes: [drafts],
  });
  const search = { draft: id };
  return (
    <Row
      title={
        ruleId === undefined ? (
          <Link to="/communities/$communityId/rules/new" params={{ communityId }} search={search}>
            {draft.sentence}
          </Link>
        ) : (
          <Link to="/communities/$communityId/rules/$ruleId" params={{ communityId, ruleId }} search={search}>
            {draft.sentence}
          </Link>
        )
      }
      states={
        <>
          <State>{t('drafts.draft')}</State>
          {described.isSuccess && problems.length === 0 && <State tone="good">{t('drafts.ready')}</State>}
        </>
      }
      note={
        <>
          {problems.map((message) => (
            <Text key={message} size="sm" c="var(--bad)">
              {message}
            </Text>
          ))}
          {t.rich(ruleId === undefined ? 'drafts.saved' : 'drafts.savedChange', {
            time: <Time key="time" at={updatedTime} isRelative />,
          })}
        </>
      }
      actions={
        <ConfirmButton
          label={t('drafts.delete')}
          look={{ size: 'xs', 'aria-label': t('drafts.deleteThis') }}
          title={t('drafts.deleteTitle')}
          yes={t('drafts.deleteYes')}
          isDangerous
          action={remove}
          onYes={() => remove.runAsync({ communityId, draftId: id })}
        >
          <p>{t('drafts.deleteLead')}</p>
        </ConfirmButton>
      }
    />
  );
}
