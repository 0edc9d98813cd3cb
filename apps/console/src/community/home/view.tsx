import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { type ItemOf, useAction, useLive, usePages } from '../../shared/api/index.ts';
import { IconPlus } from '../../shared/icons.tsx';
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
import { counted } from '../../shared/words.ts';
import styles from './home.module.css';

type Community = ItemOf<'GET /latchkey/account/communities'>;

export function View() {
  const { isOperator, name } = useSession();
  if (isOperator) return <OperatorHome />;
  return (
    <Page
      title="Home"
      {...(name !== undefined && { lead: `Signed in as ${name}.` })}
      actions={<AddCommunity variant="filled" />}
    >
      <Communities />
      <Section title="For you">
        <ul className={styles.links}>
          <li>
            <Link to="/me/roles">My roles</Link>
            <span>Which roles you have, why, and what the others need.</span>
          </li>
          <li>
            <Link to="/me">My account</Link>
            <span>Wallets, passkeys, sessions, and the apps you gave access.</span>
          </li>
        </ul>
      </Section>
    </Page>
  );
}

function OperatorHome() {
  return (
    <Page title="Home" lead="You are signed in as the operator of this server.">
      <EmptyState title="Communities belong to people">
        Open <Link to="/operator/communities">Communities</Link> to manage any of them, or{' '}
        <Link to="/operator">Health</Link> to see how the server is doing.
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
      title="My communities"
      lead="Communities that you manage, and what waits for you there."
      actions={
        <Button
          size="xs"
          variant="default"
          loading={look.isRunning}
          onClick={() => look.run({ reload: true, limit: 1 })}
        >
          Find others I manage
        </Button>
      }
    >
      <Failure error={look.error} />
      {!isNew && <SearchField label="Search communities" value={search} onSearch={setSearch} />}
      <PagedList
        pages={pages}
        what="communities"
        keyOf={({ id }) => id}
        empty={
          search === '' ? (
            <EmptyState title="No communities yet" action={<AddCommunity variant="default" />}>
              Add the bot to your server or group, and give roles by what members hold in their wallets.
            </EmptyState>
          ) : (
            <EmptyState title="No community matches">Try fewer letters.</EmptyState>
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
      note={`${platformName(platform)} · ${counted(members, 'member')} · ${counted(rules, 'rule')}`}
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
            Finish setup
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
      {status === 'kicked' && <State tone="bad">Bot removed</State>}
      {status === 'paused' && <State>Paused</State>}
      {heldChangeSets > 0 && <State tone="warn">{counted(heldChangeSets, 'change')} to approve</State>}
      {blockedRoles > 0 && <State tone="bad">{counted(blockedRoles, 'blocked role')}</State>}
      {setupProblems.length > 0 && status === 'active' && <State tone="bad">Setup needs attention</State>}
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
      Add a community
    </Button>
  );
}
