import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type ItemOf, useAction, useLive, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.ts';
import { useSession } from '../../shared/session.ts';
import {
  EmptyState,
  Failure,
  Page,
  PagedList,
  Picture,
  Row,
  SearchField,
  Section,
  State,
} from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from './home.module.css';

type Community = ItemOf<'GET /latchkey/account/communities'>;

export function View() {
  const { isOperator, name } = useSession();
  if (isOperator) return <OperatorHome />;
  return (
    <Page
      title={t('home.title')}
      {...(name !== undefined && { lead: t('home.lead', { name }) })}
      actions={<AddCommunity variant="filled" />}
    >
      <Communities />
      <Section title={t('home.forYou')}>
        <ul className={styles.links}>
          <li>
            <Link to="/me/roles">{t('home.myRoles')}</Link>
            <span>{t('home.myRolesHint')}</span>
          </li>
          <li>
            <Link to="/me">{t('home.myAccount')}</Link>
            <span>{t('home.myAccountHint')}</span>
          </li>
        </ul>
      </Section>
    </Page>
  );
}

function OperatorHome() {
  return (
    <Page title={t('home.title')} lead={t('home.operatorLead')}>
      <EmptyState title={t('home.operatorTitle')}>
        {t.rich('home.operator', {
          communities: (
            <Link key="communities" to="/operator/communities">
              {t('home.operatorCommunities')}
            </Link>
          ),
          health: (
            <Link key="health" to="/operator">
              {t('home.operatorHealth')}
            </Link>
          ),
        })}
      </EmptyState>
    </Page>
  );
}

function Communities() {
  const [search, setSearch] = useState('');
  const pages = usePages('GET /latchkey/account/communities', search === '' ? {} : { search });
  useLive('account');
  // If a user only recently became an admin, the platform knows it but this server does not yet.
  const look = useAction('GET /account/administrated-communities', { changes: ['GET /latchkey/account/communities'] });
  const isNew = search === '' && !pages.hasMore && pages.items.length < 6;
  return (
    <Section
      title={t('home.communities')}
      lead={t('home.communitiesLead')}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={look.isRunning}
          onClick={() => look.run({ reload: true, limit: 1 })}
        >
          {t('home.findOthers')}
        </Button>
      }
    >
      <Failure error={look.error} />
      {!isNew && <SearchField label={t('home.search')} value={search} onSearch={setSearch} />}
      <PagedList
        pages={pages}
        loading={t('home.loading')}
        more={t('home.more')}
        keyOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState title={t('home.emptyTitle')} action={<AddCommunity variant="default" />}>
              {t('home.empty')}
            </EmptyState>
          ) : (
            <EmptyState title={t('home.noMatchTitle')}>{t('home.noMatch')}</EmptyState>
          )
        }
      >
        {(community) => <CommunityRow community={community} />}
      </PagedList>
    </Section>
  );
}

function CommunityRow({ community }: { community: Community }) {
  const { id, name, picture, platform, members, rules } = community;
  return (
    <Row
      picture={<Picture source={picture} name={name} />}
      title={
        <Link to="/communities/$communityId" params={{ communityId: id }} title={name}>
          {name}
        </Link>
      }
      note={t('home.community', { platform: platformName(platform), members, rules })}
      states={<Waiting community={community} />}
      {...(rules === 0 && {
        actions: (
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => (
              <Link to="/communities/$communityId/setup" params={{ communityId: id }} {...props} />
            )}
          >
            {t('common.finishSetup')}
          </Button>
        ),
      })}
    />
  );
}

function Waiting({ community }: { community: Community }) {
  const { status, heldChangeSets, blockedRoles, setupProblems } = community;
  return (
    <>
      {status === 'kicked' && <State tone="bad">{t('common.botRemoved')}</State>}
      {status === 'paused' && <State>{t('home.paused')}</State>}
      {heldChangeSets > 0 && <State tone="warn">{t('home.toApprove', { count: heldChangeSets })}</State>}
      {blockedRoles > 0 && <State tone="bad">{t('home.blockedRoles', { count: blockedRoles })}</State>}
      {setupProblems.length > 0 && status === 'active' && <State tone="bad">{t('home.setupProblem')}</State>}
    </>
  );
}

function AddCommunity({ variant }: { variant: 'filled' | 'default' }) {
  return (
    <Button
      variant={variant}
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/communities/new" {...props} />}
    >
      {t('home.addCommunity')}
    </Button>
  );
}
