import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ItemOf, useLive, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { ShadowNotice } from '../../shared/shadow-notice.tsx';
import { EmptyState, Page, PagedList, SearchField, State } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';
import styles from './rules.module.css';

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
      New rule
    </Button>
  );
  const bring = (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/communities/$communityId/rules/import" params={{ communityId }} {...props} />}
    >
      Import rules
    </Button>
  );
  return (
    <Page
      title="Rules"
      lead="Who gets which role, by what their wallets hold."
      actions={
        <>
          {bring}
          {create}
        </>
      }
    >
      <ShadowNotice communityId={communityId} />
      <SearchField
        label="Search rules"
        placeholder="Search by name, role or token"
        value={search}
        onSearch={setSearch}
      />
      <PagedList
        pages={rules}
        what="rules"
        keyOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState title="No rules yet" action={create}>
              A rule gives a role to members who hold a token, and takes it when they no longer do. Import them if
              another bot has them already.
            </EmptyState>
          ) : (
            <EmptyState title="No rule matches">Search for a name, a role or a token in another way.</EmptyState>
          )
        }
      >
        {(rule) => <RuleRow rule={rule} communityId={communityId} />}
      </PagedList>
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
          {rule.roleName ?? 'Role not found'}
        </strong>
        {rule.name !== undefined && (
          <span className={styles.title} title={rule.name}>
            {rule.name}
          </span>
        )}
        <span className={styles.count}>{counted(rule.holders, 'member')}</span>
      </span>
      <span className={styles.sentence}>{rule.problem ?? rule.sentence}</span>
      <Badges rule={rule} />
    </Link>
  );
}

function Badges({ rule }: { rule: Rule }) {
  const badges = [
    rule.roleState === 'missing' && (
      <State key="broken" tone="bad">
        Broken: the role was deleted
      </State>
    ),
    rule.problem !== undefined && (
      <State key="problem" tone="bad">
        Cannot be evaluated
      </State>
    ),
    rule.blocked !== undefined && rule.roleState !== 'missing' && (
      <State key="blocked" tone="bad">
        Blocked
      </State>
    ),
    rule.heldRemovals > 0 && (
      <State key="held" tone="warn">
        {`${counted(rule.heldRemovals, 'removal')} waiting for approval`}
      </State>
    ),
    rule.visibility !== 'public' && <State key="shown">{rule.visibility === 'secret' ? 'Secret' : 'Hidden'}</State>,
    rule.roleState === 'unknown' && <State key="unknown">Role could not be checked</State>,
  ].filter((badge) => badge !== false);
  return badges.length === 0 ? null : <span className={styles.badges}>{badges}</span>;
}
